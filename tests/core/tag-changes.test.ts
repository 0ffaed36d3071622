// SPDX-License-Identifier: MIT

import { cors } from "@reading-list/core/contract/headers.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
beforeAll(async () => {
  service = await startTestService();
});
beforeEach(async () => {
  user = await service.newUser();
});

const [a, b, c] = ["https://example.com/a", "https://example.com/b", "https://example.com/c"];
const tagsByUrl = async () => Object.fromEntries((await user.items()).map(({ url, tags }) => [url, tags]));
/** 200 tags of 4 characters: 999 together. */
const fullList = Array.from({ length: 200 }, (_, i) => `t${String(i).padStart(3, "0")}`).join();

test("add_tags and remove_tags change the tags that they name, after update_tags, and leave the others", async () => {
  await user.send({
    remove_tags: [{ url: a, tags: "old, both" }],
    add_tags: [
      { url: a, tags: " new ,both,, x" },
      { url: b, tags: "later" },
    ],
    update_tags: [{ url: a, tags: "x,old" }],
    new: [{ url: a }, { url: b, tags: "sea" }],
  });
  expect(await tagsByUrl()).toEqual({ [a]: "x,new", [b]: "sea,later" });
  await user.send({ remove_tags: { "0": { url: b, tags: "sea" }, "1": { url: b, tags: "later" } } });
  expect(await tagsByUrl()).toEqual({ [a]: "x,new", [b]: "" });
});

test("they ignore pages that are not in the list, and those in the trash", async () => {
  await user.send({ new: [{ url: a, tags: "x" }, { url: b }], delete: [{ url: b }] });
  await user.send({ delete: [{ url: a }] });
  const entries = [a, b, c].map((url) => ({ url, tags: "x,y" }));
  expect((await user.send({ add_tags: entries, remove_tags: entries })).status).toBe(200);
  expect(await user.items()).toEqual([]);
  await user.send({ restore: [{ url: a }] });
  expect(await tagsByUrl()).toEqual({ [a]: "x" });
});

test("a tag is compared exactly; adding one that is there, or removing one that is not, changes nothing", async () => {
  await user.send({ new: [{ url: a, tags: "Café,starred" }] });
  const before = await user.items();
  service.clock.advance(50);
  await user.send({
    add_tags: [{ url: a, tags: "starred,Café" }],
    remove_tags: [{ url: a, tags: "café,Cafe\u0301,STARRED" }],
  });
  expect(await user.items()).toEqual(before);
  await user.send({ add_tags: [{ url: a, tags: "café" }] });
  expect(await tagsByUrl()).toEqual({ [a]: "Café,starred,café" });
  expect(Number((await user.items())[0]?.time_updated)).toBeGreaterThanOrEqual(service.clock.seconds());
});

test("tags that become too long are 400 and name the entry, and no change of up to 99 items is applied", async () => {
  await user.send({ new: [{ url: a }, { url: b, tags: fullList }] });
  const answer = await user.send({
    read: [{ url: a }],
    add_tags: [
      { url: a, tags: "x" },
      { url: b, tags: "x" },
      { url: b, tags: "t001" },
      { url: b, tags: "y" },
    ],
  });
  expect([answer.status, answer.headers.get("x-error")]).toEqual([
    400,
    "send: add_tags.1.tags: the tags of a page must be at most 1000 characters together",
  ]);
  expect((await user.items()).map(({ state }) => state)).toEqual(["0", "0"]);
  expect(await tagsByUrl()).toEqual({ [a]: "", [b]: fullList });
  const entry = await user.send({ add_tags: [{ url: c, tags: "x".repeat(1001) }] });
  expect(entry.headers.get("x-error")).toBe("send: add_tags.0.tags must be at most 1000 characters");
});

test("a full list of tags can change, if the result of the request is short enough", async () => {
  await user.send({ new: [{ url: a, tags: fullList }] });
  const renaming = { add_tags: [{ url: a, tags: "x000" }], remove_tags: [{ url: a, tags: "t000" }] };
  expect((await user.send(renaming)).status).toBe(200);
  expect(await tagsByUrl()).toEqual({ [a]: `${fullList.slice(5)},x000` });
});

test("more than 99 items gain and lose tags by one request", async () => {
  const pages = Array.from({ length: 150 }, (_, i) => ({ url: `https://example.com/${i}` }));
  await user.send({ new: pages.map((page) => ({ ...page, tags: "old,kept" })) });
  await user.send({
    add_tags: pages.map((page) => ({ ...page, tags: "new" })),
    remove_tags: pages.map((page) => ({ ...page, tags: "old" })),
  });
  expect(new Set((await user.items()).map(({ tags }) => tags))).toEqual(new Set(["kept,new"]));
});

test("a request adds and removes up to 100,000 tags, however many entries name one page", async () => {
  await user.send({ new: [{ url: a }] });
  const entries = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      url: a,
      tags: Array.from({ length: 200 }, (_, j) => `${i % 7}${j}`).join(),
    }));
  const [half, rest] = [entries(250), entries(250)];
  expect((await user.send({ add_tags: half, remove_tags: rest })).status).toBe(200);
  expect(await tagsByUrl()).toEqual({ [a]: "" });
  const answer = await user.send({ add_tags: [...half, { url: a, tags: "x" }], remove_tags: rest });
  expect(answer.headers.get("x-error")).toBe(
    "send: add_tags and remove_tags contain more than 100000 tags; send the entries in several calls",
  );
});

test("X-Applied names the parameters of a successful send that were applied, also to web pages of other sites", async () => {
  const answer = await user.send({ new: [{ url: a }], add_tags: [{ url: c, tags: "x" }], merge_tags: [{ url: a }] });
  expect(answer.headers.get("x-applied")).toBe("new,add_tags");
  expect(cors.exposedHeaders).toContain("X-Applied");
  expect((await user.send({})).headers.get("x-applied")).toBeNull();
  expect((await user.send({ add_tags: [{ url: c }] })).headers.get("x-applied")).toBeNull();
  expect((await user.ok("add", { url: a })).headers.get("x-applied")).toBeNull();
});
