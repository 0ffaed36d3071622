// SPDX-License-Identifier: MIT

import type { TestUser } from "@reading-list/testing/client.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, test } from "vitest";

/** Requests and expectations of the historical service's clients beyond the specification. */

let service: TestService;
let user: TestUser;

beforeAll(async () => {
  service = await startTestService();
});

const url = "http://example.com/";
const tagsOf = async () => (await user.items()).map((item) => item.tags);

describe("tags sent with a page", () => {
  beforeAll(async () => {
    user = await service.newUser();
  });

  test("are saved by add and normalised like those of update_tags", async () => {
    await user.add(url, { tags: " a ,b,,a" });
    expect(await tagsOf()).toEqual(["a,b"]);
  });

  test("replace the tags of a page that is added again", async () => {
    await user.add(url, { tags: "c" });
    expect(await tagsOf()).toEqual(["c"]);
    expect((await user.send({ new: [{ url, tags: "d,e" }] })).status).toBe(200);
    expect(await tagsOf()).toEqual(["d,e"]);
  });

  test.each([{}, { tags: "" }])("stay if a page is added again without tags: %o", async (parameters) => {
    await user.add(url, parameters);
    expect(await tagsOf()).toEqual(["d,e"]);
    expect((await user.send({ new: [{ url, ...parameters }] })).status).toBe(200);
    expect(await tagsOf()).toEqual(["d,e"]);
  });

  test("are replaced by the update_tags of the same request", async () => {
    expect((await user.send({ new: [{ url, tags: "new" }], update_tags: [{ url, tags: "later" }] })).status).toBe(200);
    expect(await tagsOf()).toEqual(["later"]);
  });

  test("of more than 1,000 characters are 400", async () => {
    const tags = "t".repeat(1001);
    const added = await user.call("add", { url, tags });
    expect(added.status).toBe(400);
    expect(added.headers.get("x-error")).toBe("add: tags must be at most 1000 characters");
    const sent = await user.send({ new: [{ url, tags }] });
    expect(sent.headers.get("x-error")).toBe("send: new.0.tags must be at most 1000 characters");
  });
});

describe("the JSON null", () => {
  beforeAll(async () => {
    user = await service.newUser();
  });

  test("is the same as an absent parameter of send", async () => {
    const sent = await user.send({ new: [{ url }], read: null, update_title: null, update_tags: null });
    expect(sent.status).toBe(200);
    expect(await user.items()).toHaveLength(1);
    expect((await user.send({ new: null })).status).toBe(200);
  });

  test("is the same as an absent optional field of an entry", async () => {
    await user.add(url, { title: "kept", tags: "kept" });
    expect((await user.send({ new: [{ url, title: null, tags: null, ref_id: null }] })).status).toBe(200);
    expect((await user.items())[0]).toMatchObject({ title: "kept", tags: "kept" });
    const refused = await user.send({ new: [{ url: null }] });
    expect(refused.headers.get("x-error")).toBe("send: new.0.url must be a string");
  });
});
