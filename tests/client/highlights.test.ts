// SPDX-License-Identifier: MIT

import { copyHighlight, type HighlightChange, ReadingListClient } from "@reading-list/client/main.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
/** Two devices of the user. */
let phone: ReadingListClient;
let laptop: ReadingListClient;

beforeAll(async () => {
  service = await startTestService();
});
beforeEach(async () => {
  user = await service.newUser();
  const { baseUrl, apiKey } = service;
  const device = () => new ReadingListClient({ baseUrl, apiKey, ...user.credentials });
  [phone, laptop] = [device(), device()];
  await user.add(url, { title: "A *page*" });
});

const url = "http://example.com/1";
const save = (id: string, fields: object = {}): HighlightChange => ({
  kind: "save",
  id,
  url,
  quote: `quote ${id}`,
  ...fields,
});
const shown = async () => new Map((await laptop.highlights()).highlights.map((each) => [each.id, each]));

test("a highlight is what was saved", async () => {
  const timeCreated = new Date(Math.floor(Date.now() / 86_400_000) * 86_400_000 - 86_400_000);
  const fields = { prefix: "a", suffix: "b", position: 0, color: "blue", note: "why", timeCreated };
  expect(await phone.sendHighlights([save("a", fields)])).toEqual([]);
  const { highlights, isComplete, deleted, deletedItems } = await laptop.highlights();
  expect(highlights).toMatchObject([{ id: "a", url, quote: "quote a", ...fields }]);
  expect([isComplete, deleted, deletedItems]).toEqual([true, {}, {}]);
});

test("two devices that edit different fields keep both edits", async () => {
  await phone.sendHighlights([save("a", { note: "one", color: "red" })]);
  await Promise.all([
    phone.sendHighlights([{ kind: "save", id: "a", note: "two" }]),
    laptop.sendHighlights([{ kind: "save", id: "a", color: "green" }]),
  ]);
  expect((await shown()).get("a")).toMatchObject({ note: "two", color: "green", quote: "quote a" });
});

test("refused changes are set aside, and the rest is sent, in requests of up to 99", async () => {
  const elsewhere = save("x", { url: "http://example.com/unknown" });
  const long = save("y", { note: "x".repeat(10_001) });
  const many = Array.from({ length: 150 }, (_, i) => save(`m${i}`));
  const changes: HighlightChange[] = [
    elsewhere,
    ...many,
    { kind: "delete", id: "-" },
    long,
    { kind: "delete", id: "m0" },
  ];
  const told: number[] = [];
  const rejected = await phone.sendHighlights(changes, { onSent: (count) => told.push(count) });
  // Of two faults in one request, the service names the one that it finds first.
  const [first, ...others] = rejected.map(({ change }) => change);
  expect(first).toEqual(elsewhere);
  expect(others.sort((a, b) => a.kind.localeCompare(b.kind))).toEqual([{ kind: "delete", id: "-" }, long]);
  expect(rejected[0]?.message).toBe("highlights: save.0.url is not in the list; add it first");
  expect((await shown()).size).toBe(149);
  expect(told).toEqual([99, 154]);
});

test("a queue of long notes is sent in several requests", async () => {
  const changes = Array.from({ length: 60 }, (_, i) => save(`l${i}`, { note: "ä".repeat(10_000) }));
  expect(await phone.sendHighlights(changes)).toEqual([]);
  expect((await shown()).size).toBe(60);
});

test("undo of a deletion takes a new id", async () => {
  await phone.sendHighlights([save("a", { note: "kept" })]);
  const [highlight] = (await phone.highlights()).highlights;
  await phone.sendHighlights([{ kind: "delete", id: "a" }]);
  if (highlight) expect(await phone.sendHighlights([copyHighlight(highlight), save("a")])).toEqual([]);
  const [copy, ...others] = (await phone.highlights()).highlights;
  expect(copy).toMatchObject({ quote: "quote a", note: "kept", timeCreated: highlight?.timeCreated });
  expect([copy?.id === "a", others]).toEqual([false, []]);
});

test("highlights sync by since, and get shows when", async () => {
  await phone.sendHighlights([save("a")]);
  const { since } = await laptop.highlights();
  expect((await laptop.get()).highlightsUpdated).toBeLessThanOrEqual(since);
  expect((await laptop.highlights({ since })).isUnchanged).toBe(true);
  await phone.sendHighlights([save("b"), { kind: "delete", id: "a" }]);
  expect((await laptop.get()).highlightsUpdated).toBeGreaterThan(since);
  const sync = await laptop.highlights({ since });
  expect([sync.highlights.map(({ id }) => id), Object.keys(sync.deleted)]).toEqual([["b"], ["a"]]);
  await phone.delete(url);
  const { item_id: itemId = "" } = Object.values((await user.ok("trash")).json().list)[0] ?? {};
  expect(Object.keys((await laptop.highlights({ since: sync.since })).deletedItems)).toEqual([itemId]);
});
