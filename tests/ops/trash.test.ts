// SPDX-License-Identifier: MIT

import type { TestUser } from "@reading-list/testing/client.ts";
import { commandsFor } from "@reading-list/testing/command-line.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
let commands: Awaited<ReturnType<typeof commandsFor>>;
const url = (i: number) => `http://example.com/${i}`;

beforeAll(async () => {
  service = await startTestService();
  commands = await commandsFor(service);
});
beforeEach(async () => {
  user = await service.newUser();
  await user.send({ new: [1, 2, 3].map((i) => ({ url: url(i), title: `Title ${i}` })) });
  await user.send({ delete: [{ url: url(1) }, { url: url(2) }] });
});

const trash = (command: string, ...args: string[]) =>
  commands.run("trash", command, user.credentials.username, ...args);
const urls = async () => (await user.items()).map((item) => item.url).sort();

test("trash list shows what can be restored", async () => {
  const { out } = await trash("list");
  expect(out).toMatch(/DELETED .*\n.*http:\/\/example.com\/\d {2}Title \d\n.*http:\/\/example.com\/\d {2}Title \d/);
  expect(JSON.parse((await trash("list", "--json")).out)).toHaveLength(2);
});

test("trash restore brings pages back, or all", async () => {
  expect((await trash("restore", url(1), url(3), url(77))).out).toContain("Restored 1 page.");
  expect(await urls()).toEqual([url(1), url(3)]);
  expect((await trash("restore", "--all")).out).toContain("Restored 1 page.");
  expect(await urls()).toEqual([url(1), url(2), url(3)]);
  expect((await trash("list")).out).toContain("The trash is empty.");
});

test("trash purge erases pages for good, and asks before", async () => {
  const unasked = await trash("purge", url(1));
  expect([unasked.code, unasked.err]).toEqual([2, expect.stringContaining("--yes")]);
  expect((await trash("purge", url(1), "--yes")).out).toContain("Erased 1 page.");
  expect((await trash("restore", "--all")).out).toContain("Restored 1 page.");
  expect(await urls()).toEqual([url(2), url(3)]);
  expect(await trash("purge", "--all", url(1), "--yes")).toMatchObject({ code: 2 });
  expect(await trash("restore", "ftp://example.com")).toMatchObject({ code: 2 });
});
