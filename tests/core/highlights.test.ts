// SPDX-License-Identifier: MIT

import { randomBytes } from "node:crypto";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import { eraseOldTrash } from "@reading-list/core/use-cases/lists/erase-trash.ts";
import type { Answer, Parameters, TestUser } from "@reading-list/testing/client.ts";
import { permitAt } from "@reading-list/testing/permit-at.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
/** In the quotations, to find their remains. */
let secret: string;

beforeAll(async () => {
  service = await startTestService();
});
beforeEach(async () => {
  user = await service.newUser();
  secret = randomBytes(9).toString("hex");
  for (const i of [1, 2, 3]) await user.add(url(i));
  service.clock.advance(10);
});

const url = (i: number) => `http://example.com/${i}`;
const idOf = (i: number) => toItemId(url(i));
const now = () => service.clock.seconds();
const mark = (id: string, fields: object = {}) => ({ id, url: url(1), quote: `${secret} ${id}`, ...fields });

interface HighlightList {
  status: string;
  since: string;
  complete?: string;
  list: Record<string, Record<string, string>>;
  deleted: Record<string, string>;
  deleted_items: Record<string, string>;
}

const change = (parameters: { save?: unknown; delete?: unknown }, of = user): Promise<Answer> =>
  of.call("highlights", Object.fromEntries(Object.entries(parameters).map(([k, v]) => [k, JSON.stringify(v)])));
const save = async (...entries: object[]) => expect((await change({ save: entries })).body).toBe("200 OK");
const remove = async (...ids: string[]) => expect((await change({ delete: ids })).body).toBe("200 OK");
const list = async (parameters: Parameters = {}, of = user): Promise<HighlightList> =>
  JSON.parse((await of.ok("highlights", parameters)).body);
/** The ids in the order of the answer. */
const ids = async (parameters: Parameters = {}) =>
  [...(await user.ok("highlights", parameters)).body.matchAll(/"id":"([\w-]+)"/g)].map(([, id]) => id);
const errorOf = async (parameters: { save?: unknown; delete?: unknown }) => {
  const { status, headers } = await change(parameters);
  return [status, headers.get("x-error")];
};
const updated = async (parameters: Parameters = {}) =>
  JSON.parse((await user.ok("get", { progress: 1, ...parameters })).body).highlights_updated;
/** The ids of the highlights whose quotations are somewhere in the database. */
const left = async () =>
  [...JSON.stringify(await service.records()).matchAll(new RegExp(`${secret} (\\w+)`, "g"))].map(([, id]) => id).sort();
const entries = (...pages: number[]) => pages.map((i) => ({ url: url(i) }));

test("the return of 450 pages lists the highlights of each once, and so does their deletion", async () => {
  const pages = Array.from({ length: 450 }, (_, i) => i + 10);
  await user.send({ new: entries(...pages) });
  await save(...pages.map((i) => mark(`m-${i}`, { url: url(i) })));
  const first = await list();
  service.clock.advance(2);
  await user.send({ delete: entries(...pages) });
  service.clock.advance(2);
  const deleted = await list({ since: first.since });
  expect(Object.keys(deleted.deleted_items).sort()).toEqual(pages.map(idOf).sort());
  service.clock.advance(2);
  await user.send({ restore: entries(...pages) });
  service.clock.advance(2);
  expect((await ids({ since: deleted.since })).sort()).toEqual(pages.map((i) => `m-${i}`).sort());
});

describe("a note on the page", () => {
  const note = (id: string, fields: object = {}) => ({ id, url: url(1), note: `${secret} ${id}`, ...fields });

  test("is a highlight with a note and without a quote, absent, empty or null", async () => {
    await save(note("a"), note("b", { quote: "" }), note("c", { quote: null }), mark("d"));
    const { list: found } = await list({ url: url(1) });
    for (const id of ["a", "b", "c"]) {
      expect(found[id]).toMatchObject({ quote: "", note: `${secret} ${id}`, position: "", item_id: idOf(1) });
    }
  });

  test("is changed, synced, and deleted as a highlight; its page takes it into the trash and back", async () => {
    await save(note("a"));
    service.clock.advance(2);
    const { since } = await list();
    await save({ id: "a", note: "changed" });
    service.clock.advance(2);
    const changed = await list({ since });
    expect(changed.list).toMatchObject({ a: { quote: "", note: "changed" } });
    await user.send({ delete: entries(1) });
    expect((await list()).list).toEqual({});
    await user.send({ restore: entries(1) });
    service.clock.advance(2);
    expect(Object.keys((await list({ since: changed.since })).list)).toEqual(["a"]);
    await remove("a");
    expect((await list()).list).toEqual({});
  });

  test("cannot be empty: it is deleted instead", async () => {
    await save(note("a"), mark("b", { note: "of a passage" }));
    for (const empty of ["", " \n"]) {
      const error = "highlights: save.0.note is empty; delete the note on the page instead";
      expect(await errorOf({ save: [{ id: "a", note: empty }] })).toEqual([400, error]);
      const missing = "highlights: save.0.quote is missing; a note on the page needs a note";
      expect(await errorOf({ save: [note("c", { note: empty })] })).toEqual([400, missing]);
    }
    await save({ id: "b", note: "" });
    expect((await list()).list).toMatchObject({ a: { note: `${secret} a` }, b: { note: "" } });
  });
});

describe("save", () => {
  test("stores highlights, which are listed newest change first", async () => {
    const full = {
      prefix: "near ",
      suffix: " at noon",
      position: 42,
      color: "green",
      note: "Why?",
      time_created: now() - 5,
    };
    await save(mark("a", full));
    service.clock.advance(1);
    await save(mark("b", { url: url(2) }));
    const { list: found, ...rest } = await list();
    expect(rest).toEqual({ status: "1", since: String(now()), complete: "1", deleted: {}, deleted_items: {} });
    expect(found.a).toEqual({
      id: "a",
      item_id: idOf(1),
      url: url(1),
      quote: `${secret} a`,
      prefix: "near ",
      suffix: " at noon",
      position: "42",
      color: "green",
      note: "Why?",
      time_created: String(now() - 6),
      time_updated: String(now() - 1),
    });
    const defaults = { prefix: "", suffix: "", position: "", color: "yellow", note: "", time_created: String(now()) };
    expect(found.b).toMatchObject({ ...defaults, url: url(2) });
    expect(await ids()).toEqual(["b", "a"]);
    const xml = (await user.ok("highlights", { format: "xml" })).body;
    expect(xml).toContain("<item><id>b</id>");
    expect(xml).toContain("<deleted/><deleted_items/></response>");
  });

  test("keeps the fields of a known highlight that are absent, and changes nothing if all are equal", async () => {
    await save(mark("a", { note: "one", color: "red", position: 7 }));
    service.clock.advance(5);
    await save({ id: "a", color: "blue" });
    const { list: found, since } = await list();
    expect(found.a).toMatchObject({ note: "one", color: "blue", position: "7", quote: `${secret} a` });
    expect(found.a?.time_updated).toBe(String(now()));
    service.clock.advance(5);
    await save({ id: "a", color: "blue", note: null, quote: null, url: url(1) });
    expect(await list({ since })).toMatchObject({ status: "2", list: {} });
    await save({ id: "a", note: "" });
    expect((await list({ since })).list.a).toMatchObject({ note: "", color: "blue" });
  });

  test("takes objects with any keys and numbers as strings, and stores an unknown colour as yellow", async () => {
    await save();
    const answer = await change({
      save: { x: mark("a", { position: "12", color: "mauve", time_created: String(now()) }) },
    });
    expect(answer.status).toBe(200);
    expect((await list()).list.a).toMatchObject({ position: "12", color: "yellow" });
  });

  test("names the entry and the field that is wrong, and applies nothing", async () => {
    const wrong: [object, string][] = [
      [mark("b", { url: url(9) }), "save.1.url is not in the list; add it first"],
      [{ id: "b", quote: "x" }, "save.1.url is missing"],
      [{ id: "b", url: url(1) }, "save.1.quote is missing; a note on the page needs a note"],
      [mark("b", { url: "ftp://example.com/" }), "save.1.url is not an http(s) URL"],
      [{ url: url(1), quote: "x" }, "save.1.id is missing"],
      [mark("-b"), "save.1.id must be 1-40 characters of A-Z, a-z, 0-9, - and _, and begin with a letter or digit"],
      [
        mark("b".repeat(41)),
        "save.1.id must be 1-40 characters of A-Z, a-z, 0-9, - and _, and begin with a letter or digit",
      ],
      [mark("b", { quote: "x".repeat(10_001) }), "save.1.quote must be at most 10000 characters"],
      [mark("b", { prefix: "x".repeat(65) }), "save.1.prefix must be at most 64 characters"],
      [mark("b", { suffix: "x".repeat(65) }), "save.1.suffix must be at most 64 characters"],
      [mark("b", { note: "x".repeat(10_001) }), "save.1.note must be at most 10000 characters"],
      [mark("b", { position: -1 }), "save.1.position must be a whole number of up to 10 digits"],
      [
        mark("b", { time_created: now() + 9 }),
        "save.1.time_created is in the future; it must be a Unix time in seconds, not later than now",
      ],
      [mark("a", { url: url(2) }), "save.1.url is not the page of this highlight"],
    ];
    await save(mark("a"));
    for (const [entry, error] of wrong) {
      expect(await errorOf({ save: [mark("c"), entry] })).toEqual([400, `highlights: ${error}`]);
    }
    expect(await ids()).toEqual(["a"]);
  });

  test("is refused above 1 MB", async () => {
    const notes = Array.from({ length: 101 }, (_, i) => mark(`a${i}`, { note: "x".repeat(10_000) }));
    expect(await errorOf({ save: notes })).toEqual([
      400,
      "highlights: save must be at most 1 MB; send the entries in several calls",
    ]);
    expect((await change({ delete: Array.from({ length: 10_001 }, (_, i) => `a${i}`) })).status).toBe(400);
  });

  test("of 99 applies all or nothing, and of more in steps that a repetition continues", async () => {
    const many = (size: number) => Array.from({ length: size }, (_, i) => mark(`m${i}`));
    expect((await errorOf({ save: [...many(98), mark("x", { url: url(8) })] }))[0]).toBe(400);
    expect(await ids()).toEqual([]);
    await save(...many(99));
    expect(await ids()).toHaveLength(99);
    await save(...many(300));
    const { since } = await list();
    await save(...many(300));
    expect(await list({ since })).toMatchObject({ status: "2" });
    expect(await ids()).toHaveLength(300);
  });

  test("of a highlight of another user's id is a highlight of its own", async () => {
    await save(mark("a"));
    const other = await service.newUser();
    expect((await change({ save: [mark("a")] }, other)).status).toBe(400);
    await other.add(url(1));
    expect((await change({ save: [mark("a", { note: "theirs" })] }, other)).status).toBe(200);
    expect((await list()).list.a?.note).toBe("");
  });

  test("leaves the time of the item, and get without progress, as they are", async () => {
    const { since } = await user.get();
    await save(mark("a"));
    expect(await user.get({ since })).toMatchObject({ status: "2" });
    expect((await user.items())[0]?.time_updated).not.toBe(String(now()));
  });
});

describe("delete", () => {
  test("is reported once; the id stays deleted", async () => {
    await save(mark("a"), mark("b"));
    const { since } = await list();
    service.clock.advance(3);
    await remove("a", "unknown");
    const sync = await list({ since });
    expect(sync).toMatchObject({ list: {}, deleted: { a: String(now()) }, deleted_items: {} });
    expect(await list({ since: sync.since })).toMatchObject({ status: "2", deleted: {} });
    await save(mark("a", { note: "back" }), { id: "a", note: "without a page" }, mark("a", { url: url(9) }));
    expect(await list({ since: sync.since })).toMatchObject({ status: "2" });
    expect(await ids()).toEqual(["b"]);
    await remove("a");
    expect(await list({ since: sync.since })).toMatchObject({ status: "2" });
    expect(JSON.stringify(await service.records())).not.toContain(`${secret} a`);
  });

  test("applies after save in one call", async () => {
    expect((await change({ save: [mark("a"), mark("b")], delete: ["a"] })).status).toBe(200);
    expect(await ids()).toEqual(["b"]);
  });

  test("older than 90 days makes a since too old: the answer is complete", async () => {
    await save(mark("a"), mark("b"));
    const { since } = await list();
    await remove("a");
    service.clock.advance(91 * 86_400);
    expect(await list({ since })).toMatchObject({ complete: "1", deleted: {} });
  });
});

describe("a listing", () => {
  test("has the highlights of one page with url, and pages of count", async () => {
    await save(mark("a"), mark("b", { url: url(2) }), mark("c"), mark("d"), mark("e"));
    expect((await ids({ url: url(1) })).sort()).toEqual(["a", "c", "d", "e"]);
    expect(await ids({ url: url(3) })).toEqual([]);
    expect((await list({ url: url(1) })).complete).toBeUndefined();
    const pages = await Promise.all([1, 2, 3, 4].map((page) => ids({ count: 2, page })));
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1, 0]);
    expect(pages.flat()).toEqual(await ids());
    expect((await list({ count: 5 })).complete).toBe("1");
    expect((await list({ count: 4 })).complete).toBeUndefined();
  });

  test("returns each change after since once", async () => {
    let { since } = await list();
    for (const id of ["a", "b", "c"]) {
      await save(mark(id));
      const sync = await list({ since });
      expect(Object.keys(sync.list)).toEqual([id]);
      expect(Number(sync.since)).toBeGreaterThanOrEqual(Number(sync.list[id]?.time_updated));
      expect(await list({ since: sync.since })).toMatchObject({ status: "2" });
      since = sync.since;
    }
    await save({ id: "a", note: "again" });
    expect(await ids({ since })).toEqual(["a"]);
    expect((await user.call("highlights", { since: now() + 100_000 })).headers.get("x-error")).toMatch(
      /^highlights: since is more than a day in the future/,
    );
  });

  test("of a walk over pages loses no change made meanwhile", async () => {
    await save(...Array.from({ length: 10 }, (_, i) => mark(`w${i}`)));
    service.clock.advance(1);
    const seen = new Set<string | undefined>();
    const first = await list({ count: 4 });
    for (const id of Object.keys(first.list)) seen.add(id);
    const gone = Object.keys(first.list)[0] as string;
    await remove(gone);
    const second = await list({ count: 4, page: 2 });
    for (const id of Object.keys(second.list)) seen.add(id);
    const sync = await list({ since: second.since });
    for (const id of Object.keys(sync.list)) seen.add(id);
    for (const id of await ids()) expect(seen).toContain(id);
    expect(sync.complete === "1" || gone in sync.deleted).toBe(true);
  });
});

describe("an item with highlights", () => {
  beforeEach(async () => {
    await save(mark("a", { note: "mine" }), mark("b"), mark("c", { url: url(2) }));
    service.clock.advance(10);
  });

  test("takes them along when it is deleted, and brings them back when it is restored", async () => {
    const before = (await list()).list;
    const { since } = await list();
    service.clock.advance(10);
    await user.send({ delete: entries(1) });
    expect(await ids()).toEqual(["c"]);
    const sync = await list({ since });
    expect(sync).toMatchObject({ list: {}, deleted: {}, deleted_items: { [idOf(1)]: String(now()) } });
    expect(await list({ since: sync.since })).toMatchObject({ status: "2" });
    service.clock.advance(10);
    await user.send({ restore: entries(1) });
    const back = await list({ since: sync.since });
    expect(Object.keys(back.list).sort()).toEqual(["a", "b"]);
    expect(back.list.a).toEqual({ ...before.a, time_updated: String(now()) });
    expect([back.deleted, back.deleted_items]).toEqual([{}, {}]);
    expect((await ids()).sort()).toEqual(["a", "b", "c"]);
    expect(await list({ since: back.since })).toMatchObject({ status: "2" });
  });

  test("reports a deletion and a restoration between two syncs as the existing highlights", async () => {
    const { since } = await list();
    await user.send({ delete: entries(1) });
    await save({ id: "a", note: "in the trash" }, mark("d"));
    await remove("b");
    await user.send({ restore: entries(1) });
    const sync = await list({ since });
    expect(Object.keys(sync.list).sort()).toEqual(["a", "d"]);
    expect(sync.list.a?.note).toBe("in the trash");
    expect(Object.keys(sync.deleted)).toEqual(["b"]);
  });

  test("in the trash takes highlights, which are not listed", async () => {
    await user.send({ delete: entries(3) });
    await save(mark("t", { url: url(3) }));
    expect(await ids()).not.toContain("t");
    await user.send({ restore: entries(3) });
    expect(await ids()).toContain("t");
  });

  test("passes them to the item that replaces it", async () => {
    await user.send({ delete: entries(1) });
    const { since } = await list();
    service.clock.advance(10);
    await user.add(url(1));
    expect(Object.keys((await list({ since })).list).sort()).toEqual(["a", "b"]);
    await user.add(url(1));
    expect((await list()).list.a).toMatchObject({ note: "mine", item_id: idOf(1) });
  });

  test("loses them by a purge", async () => {
    await user.send({ delete: entries(1) });
    const { since } = await list();
    const asked = await updated();
    service.clock.advance(10);
    await user.ok("trash", { purge: "all" });
    expect(Number(await updated())).toBeGreaterThan(Number(asked));
    expect(Object.keys((await list({ since })).deleted).sort()).toEqual(["a", "b"]);
    expect(await left()).toEqual(["c"]);
    await user.add(url(1));
    expect(await ids()).toEqual(["c"]);
    await save(mark("a"));
    expect(await ids()).toEqual(["c"]);
    await save(mark("a2"));
    expect(await ids()).toEqual(["a2", "c"]);
  });

  test("loses them 30 days after its deletion", async () => {
    await user.send({ delete: entries(1) });
    service.clock.advance(32 * 86_400);
    expect((await change({ save: [mark("late")] })).headers.get("x-error")).toBe(
      "highlights: save.0.url is not in the list; add it first",
    );
    await eraseOldTrash(service.operator, permitAt(now()));
    expect(await left()).toEqual(["c"]);
  });

  test("and all of its highlights go with the account", async () => {
    await user.send({ delete: entries(1) });
    const { username } = user.credentials;
    await user.ok("delete_account", { confirm: username });
    expect(await left()).toEqual([]);
    expect(JSON.stringify(await service.records()).includes(username)).toBe(false);
  });
});

test("highlights_updated of get shows whether highlights need a sync, even if nothing else has changed", async () => {
  expect(await updated()).toBe("0");
  const { since } = await user.get();
  await save(mark("a"));
  const time = await updated({ since });
  expect(time).toBe((await list()).list.a?.time_updated);
  expect(await updated({ since })).toBe(time);
  expect((await user.get({ since, progress: 1 })).status).toBe("2");
  const synced = await list();
  expect(Number(time)).toBeLessThanOrEqual(Number(synced.since));
  await user.send({ delete: entries(2) });
  expect(await updated()).toBe(time);
  await user.send({ delete: entries(1) });
  expect(Number(await updated())).toBeGreaterThan(Number(synced.since));
  expect((await user.get()) as object).not.toHaveProperty("highlights_updated");
});

test("a page has at most 1,000 highlights", async () => {
  const many = (from: number, size: number) =>
    Array.from({ length: size }, (_, i) => mark(`m${from + i}`, { quote: "x" }));
  await save(...many(0, 990));
  expect(await errorOf({ save: [...many(990, 10), mark("more", { url: url(2) }), mark("over")] })).toEqual([
    400,
    "highlights: save.11.url: a page has at most 1,000 highlights; delete some first",
  ]);
  await save(...many(990, 10), mark("more", { url: url(2) }));
  await remove("m3");
  await save(mark("over"));
  const { since } = await list();
  service.clock.advance(1);
  await user.send({ delete: entries(1) });
  expect(await ids()).toEqual(["more"]);
  await user.send({ restore: entries(1) });
  expect(await ids({ since })).toHaveLength(1000);
  await user.send({ delete: entries(1) });
  await user.ok("trash", { purge: "all" });
  expect(await ids()).toEqual(["more"]);
}, 60_000);

test("a call counts like a send of the same number of items", async () => {
  const remaining = async (parameters = {}) =>
    Number((await user.ok("highlights", parameters)).headers.get("x-limit-user-remaining"));
  const before = await remaining();
  await save(...Array.from({ length: 199 }, (_, i) => mark(`c${i}`)));
  expect(before - (await remaining())).toBe(3 + 1);
});
