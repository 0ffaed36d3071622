// SPDX-License-Identifier: MIT

import { toItemId } from "@reading-list/core/domain/item-id.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
let name: string;

beforeAll(async () => {
  service = await startTestService();
});
beforeEach(async () => {
  user = await service.newUser();
  name = user.credentials.username;
  await user.send({ new: Array.from({ length: 120 }, (_, i) => ({ url: url(i) })) });
});

const url = (i: number) => `http://example.com/${i}`;
const ids = (...pages: number[]) => pages.map((i) => toItemId(url(i)));
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

async function writableUser() {
  const found = await service.operator.users.find(name);
  if (!found) throw new Error("there is no such user");
  return found;
}
const assign = async (...pages: number[]) => service.operator.items.assignNumbers(await writableUser(), ids(...pages));
const numberOf = async (i: number) => (await service.operator.items.find(name, ids(i))).get(ids(i)[0] ?? "")?.number;

test("items get numbers from 1 in the requested order, once, and are found by them", async () => {
  expect([...(await assign(5, 3, 999))]).toEqual([
    [ids(5)[0], 1],
    [ids(3)[0], 2],
  ]);
  expect([...(await assign(7, 5)).entries()].sort()).toEqual([[ids(5)[0], 1] as const, [ids(7)[0], 3] as const].sort());
  const found = await service.operator.items.findByNumber(name, 3);
  expect(found).toMatchObject({ url: url(7), number: 3 });
  expect(await service.operator.items.findByNumber(name, 4)).toBeUndefined();
  expect(await numberOf(1)).toBeUndefined();
});

test("numbers given by concurrent calls are unique, and each item keeps one", async () => {
  const calls = await Promise.all([assign(...range(0, 80)), assign(...range(40, 120)), assign(...range(0, 120))]);
  const all = new Map<string, number>(calls.flatMap((numbers) => [...numbers]));
  for (const numbers of calls) for (const [id, number] of numbers) expect(all.get(id)).toBe(number);
  expect([...all.values()].sort((a, b) => a - b)).toEqual(range(1, 121));
});

test("an item keeps its number when it is changed, deleted and added again; a new item never gets it", async () => {
  await assign(0, 1);
  await user.add(url(0), { title: "new" });
  await user.send({ delete: [{ url: url(1) }] });
  expect(await service.operator.items.findByNumber(name, 2)).toMatchObject({ url: url(1), isDeleted: true });
  expect((await assign(2)).get(ids(2)[0] ?? "")).toBe(3);
  await user.add(url(1));
  expect([await numberOf(0), await numberOf(1)]).toEqual([1, 2]);
});

test("a write of an item that was read before it got its number does not remove the number", async () => {
  const before = (await service.operator.items.find(name, ids(0))).values().next().value;
  if (!before) throw new Error("the page is not in the list");
  const list = await writableUser();
  await assign(0);
  await service.operator.items.write(list, [{ before, after: { ...before, title: "x" } }], service.clock.seconds());
  expect(await numberOf(0)).toBe(1);
});

test("highlights get numbers from the same sequence, so that none equals an item's, and keep them when they change", async () => {
  const entries = [
    { id: "a", url: url(0), quote: "a" },
    { id: "b", url: url(0), quote: "b" },
  ];
  await user.ok("highlights", { save: JSON.stringify(entries) });
  const { highlights } = service.operator;
  await assign(5);
  const found = await writableUser();
  const calls = await Promise.all([1, 2, 3].map(() => highlights.assignNumbers(found, ["b", "a", "none"])));
  for (const numbers of calls) expect(Object.fromEntries(numbers)).toEqual({ b: 2, a: 3 });
  expect((await assign(6)).get(ids(6)[0] ?? "")).toBe(4);
  service.clock.advance(1);
  await user.ok("highlights", { save: JSON.stringify([{ id: "a", note: "new" }]), delete: JSON.stringify(["b"]) });
  expect(await highlights.findByNumber(found, 3)).toMatchObject({ id: "a", note: "new", number: 3 });
  expect(await highlights.findByNumber(found, 2)).toMatchObject({ id: "b", isDeleted: true });
  expect([await highlights.findByNumber(found, 1), await highlights.findByNumber(found, 9)]).toEqual([
    undefined,
    undefined,
  ]);
  expect(await service.operator.items.findByNumber(name, 3)).toBeUndefined();
});

test("a write of a highlight that was read before it got its number does not remove the number", async () => {
  await user.ok("highlights", { save: JSON.stringify([{ id: "a", url: url(0), quote: "a" }]) });
  const { highlights } = service.operator;
  const list = await writableUser();
  const before = (await highlights.find(list, ["a"])).get("a");
  if (!before) throw new Error("there is no highlight");
  await highlights.assignNumbers(list, ["a"]);
  service.clock.advance(1);
  await highlights.write(list, [{ before, after: { ...before, note: "x" } }], service.clock.seconds());
  expect((await highlights.find(list, ["a"])).get("a")?.number).toBe(1);
});
