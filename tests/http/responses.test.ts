// SPDX-License-Identifier: MIT

import { listMethods } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { completeExample } from "@reading-list/core/contract/openapi-examples.ts";
import { form, type TestUser } from "@reading-list/testing/client.ts";
import { parseXml } from "@reading-list/testing/parse-xml.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, test } from "vitest";

let service: TestService;
let user: TestUser;

beforeAll(async () => {
  service = await startTestService();
  user = await service.newUser();
});

const limitNames = ["User", "Key"].flatMap((whose) =>
  ["Limit", "Remaining", "Reset"].map((what) => `X-Limit-${whose}-${what}`),
);

describe.each(endpoints)("$name", (endpoint) => {
  const { name } = endpoint;
  test("without parameters is 400 with every header, and plain text as body", async () => {
    for (const method of listMethods(endpoint)) {
      const answer = await service.fetch(service.urlOf(name), { method });
      expect(answer.status).toBe(400);
      expect(answer.headers.get("status")).toBe("400 Bad Request");
      expect(answer.headers.get("x-error")).toBe(`${name}: apikey is missing`);
      expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      expect(answer.body).toBe(`400 Bad Request\n${name}: apikey is missing`);
      for (const header of limitNames) expect(answer.headers.get(header)).toMatch(/^\d+$/);
    }
  });

  test("with an unknown key is 401, and the key's headers are 0", async () => {
    const answer = await service.call(name, {
      ...completeExample(endpoint, user.credentials),
      url: "http://127.0.0.1:1/",
      apikey: "nobody's key",
    });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("status")).toBe("401 Unauthorized");
    expect(answer.headers.get("x-error")).toBe("apikey is unknown");
    expect(answer.body).toBe("401 Unauthorized\napikey is unknown");
    for (const header of limitNames) expect(answer.headers.get(header)).toMatch(/^\d+$/);
    expect(answer.headers.get("x-limit-key-limit")).toBe("0");
    expect(answer.headers.get("x-limit-key-reset")).toBe("0");
    expect(answer.headers.get("x-limit-user-limit")).toBe("100000");
  });
});

describe("X-Error", () => {
  test("names the parameter, in one line of printable ASCII", async () => {
    const answer = await user.call("get", { count: "zählt\nnicht" });
    expect(answer.headers.get("x-error")).toBe("get: count must be a whole number");
  });
});

describe("lists", () => {
  let reader: TestUser;

  beforeAll(async () => {
    reader = await service.newUser();
    await reader.add("http://example.com/1?a=1&b=<2>", {
      title: 'Title "one" & <b>\u0001\u000b\ufffe]]> 😀',
      ref_id: "77",
    });
    service.clock.advance(1);
    await reader.add("http://example.com/2");
    await reader.send({ update_tags: [{ url: "http://example.com/2", tags: "a,b" }] });
  });

  test("contain tags only with tags=1; an item without tags then has an empty string", async () => {
    expect((await reader.items({ tags: 1 })).map((item) => item.tags)).toEqual(["a,b", ""]);
    expect((await reader.items({ tags: 0 })).map((item) => item.tags)).toEqual([undefined, undefined]);
  });

  test("as XML have the same fields as elements, are well-formed, and omit characters that XML forbids", async () => {
    const answer = await reader.call("get", { format: "xml", tags: 1 });
    expect(answer.headers.get("content-type")).toBe("application/xml; charset=utf-8");
    for (const forbidden of ["\u0001", "\u000b", "\ufffe"]) expect(answer.body).not.toContain(forbidden);
    const response = parseXml(answer.body);
    expect(response.name).toBe("response");
    expect(response.children.map((child) => child.name)).toEqual(["status", "since", "complete", "list"]);
    const items = response.children[3]?.children.map(({ name, children }) => {
      expect(name).toBe("item");
      return Object.fromEntries(children.map((child) => [child.name, child.text]));
    });
    expect(items?.map((item) => item.url)).toEqual(["http://example.com/2", "http://example.com/1?a=1&b=<2>"]);
    expect(items?.[1]?.title).toBe('Title "one" & <b>]]> 😀');
    expect(Object.keys(items?.[0] ?? {})).toEqual([
      "item_id",
      "url",
      "title",
      "time_updated",
      "time_added",
      "tags",
      "state",
    ]);
  });

  test("keep their order even if an item_id is small enough to be an array index", async () => {
    const small = await service.newUser();
    await small.add("http://example.com/large-id");
    const [large] = await small.items();
    const list = await service.operator.users.find(small.credentials.username);
    if (!list) throw new Error("there is no such user");
    const after = {
      itemId: "42",
      url: "http://example.com/small-id",
      title: "t",
      tags: "",
      state: "0" as const,
      applicationId: "local",
      refId: undefined,
      isDeleted: false,
    };
    await service.operator.items.write(list, [{ before: undefined, after }], service.clock.seconds());
    expect((await small.items()).map((each) => each.item_id)).toEqual(["42", large?.item_id]);
  });

  test("are compressed for clients that accept it", async () => {
    const many = await service.newUser();
    await many.send({ new: Array.from({ length: 200 }, (_, i) => ({ url: `http://example.com/${i}` })) });
    const url = `${service.urlOf("get")}?${form({ apikey: service.apiKey, ...many.credentials })}`;
    for (const encoding of ["gzip", "br"]) {
      const response = await fetch(url, { headers: { "accept-encoding": encoding } });
      expect(response.headers.get("content-encoding")).toBe(encoding);
      expect(Object.keys(((await response.json()) as { list: object }).list)).toHaveLength(200);
    }
    const plain = await fetch(url, { headers: { "accept-encoding": "identity" } });
    expect(plain.headers.get("content-encoding")).toBeNull();
  });

  test("too large for one response of the platform are 400 with an X-Error that says to use count and page", async () => {
    const collector = await service.newUser();
    const title = "t".repeat(1000);
    const url = (i: number) => `http://example.com/${i}/${"u".repeat(4000)}`;
    for (let part = 0; part < 1300; part += 100) {
      await collector.send({ new: Array.from({ length: 100 }, (_, i) => ({ url: url(part + i), title })) });
    }
    const parameters = form({ apikey: service.apiKey, ...collector.credentials });
    const whole = await service.fetch(`${service.urlOf("get")}?${parameters}`, {
      headers: { "accept-encoding": "identity" },
    });
    expect(whole.status).toBe(400);
    expect(whole.headers.get("x-error")).toMatch(/use count and page/);
    const compressed = await service.fetch(`${service.urlOf("get")}?${parameters}`, {
      headers: { "accept-encoding": "gzip" },
    });
    expect(compressed.status).toBe(200);
    expect(Object.keys(compressed.json().list)).toHaveLength(1300);
    expect((await collector.call("get", { count: 500 })).status).toBe(200);
  });
});
