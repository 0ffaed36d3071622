// SPDX-License-Identifier: MIT

import type { ServerResponse } from "node:http";
import { newName } from "@reading-list/testing/client.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { startPageServer } from "@reading-list/testing/page-server.ts";
import { startTestService } from "@reading-list/testing/test-service.ts";
import { expect, test } from "vitest";

test("a full list accepts no new page, but every other change", async () => {
  const service = await startTestService({ LIST_LIMIT: "2" });
  const user = await service.newUser();
  const add = (page: number) => user.call("add", { url: `http://a.example/${page}` });
  for (const page of [1, 2, 2]) expect((await add(page)).status).toBe(200);
  const refused = await add(3);
  expect(refused.status).toBe(400);
  expect(refused.headers.get("x-error")).toBe("the list is full; delete pages, then send the same request again");
  expect((await user.stats()).count_list).toBe("2");
  await user.ok("send", { read: '[{"url":"http://a.example/1"}]', delete: '[{"url":"http://a.example/2"}]' });
  expect((await add(3)).status).toBe(200);
});

test("a send of more than 99 items that the list has no room for changes nothing, and one whose deletions make room is applied", async () => {
  const service = await startTestService({ LIST_LIMIT: "150" });
  const user = await service.newUser();
  const entries = (from: number, count: number) =>
    JSON.stringify(Array.from({ length: count }, (_, i) => ({ url: `http://a.example/${from + i}` })));
  await user.ok("send", { new: entries(0, 120) });
  const before = await user.items();
  const refused = await user.call("send", { new: entries(100, 120) });
  expect([refused.status, refused.headers.get("x-error")]).toEqual([400, expect.stringContaining("the list is full")]);
  expect(await user.items()).toEqual(before);
  await user.ok("send", { new: entries(100, 120), delete: entries(0, 70) });
  expect((await user.stats()).count_list).toBe("150");
});

test("a key reads a limited number of pages at once; further calls are 403 until a page is read", async () => {
  const held: ServerResponse[] = [];
  const { origin, stop } = await startPageServer((_, response) => held.push(response));
  atEndOfFile(stop);
  const service = await startTestService({ TEXTS_AT_ONCE: "2", TEXT_ALLOWED_ORIGINS: origin });
  const read = (apikey = service.apiKey) => service.call("text", { apikey, url: `${origin}/${newName()}` });
  const slow = [read(), read()];
  await expect.poll(() => held.length).toBe(2);
  const refused = await read();
  expect(refused.status).toBe(403);
  expect(refused.headers.get("retry-after")).toBe("5");
  expect(refused.headers.get("x-error")).toContain("this apikey is already reading 2 pages");
  const other = read(await service.newApiKey());
  await expect.poll(() => held.length).toBe(3);
  for (const response of held) response.end("text");
  for (const answer of await Promise.all([...slow, other])) expect(answer.status).toBe(200);
  const next = read();
  await expect.poll(() => held.length).toBe(4);
  held[3]?.end("text");
  expect((await next).status).toBe(200);
});
