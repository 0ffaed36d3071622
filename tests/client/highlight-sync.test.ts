// SPDX-License-Identifier: MIT

import {
  copyHighlight,
  type HighlightChange,
  localHighlights,
  MemoryHighlightStore,
  MemoryStore,
  ReadingListClient,
  type RejectedHighlight,
  retryRefused,
  type SyncedHighlights,
} from "@reading-list/client/main.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
beforeAll(async () => {
  service = await startTestService();
});
beforeEach(async () => {
  user = await service.newUser();
  await user.add(url);
});

const url = "http://example.com/1";
const save = (id: string, fields: object = {}): HighlightChange => ({
  kind: "save",
  id,
  url,
  quote: `quote ${id}`,
  ...fields,
});

/** A device that syncs a list with its highlights. Its network fails while it is offline. */
class Device {
  readonly list = new MemoryStore();
  readonly highlights = new MemoryHighlightStore();
  readonly calls: string[] = [];
  /** In place of an answer of the service. */
  answer: (endpoint: string) => Response | undefined = () => undefined;
  readonly #client: ReadingListClient;

  constructor() {
    const ownFetch: typeof fetch = async (input, init) => {
      const endpoint = String(input).split("/").at(-1) ?? "";
      this.calls.push(endpoint);
      return this.answer(endpoint) ?? fetch(input, init);
    };
    const { baseUrl, apiKey } = service;
    this.#client = new ReadingListClient({ baseUrl, apiKey, ...user.credentials, fetch: ownFetch, retries: 0 });
  }

  async sync(options: { sendOnly?: boolean } = {}): Promise<SyncedHighlights> {
    this.calls.length = 0;
    const all: SyncedHighlights = { changed: [], deleted: [], rejected: [] };
    for await (const step of this.#client.sync(this.list, { ...options, highlights: this.highlights })) {
      all.changed.push(...step.highlights.changed);
      all.deleted.push(...step.highlights.deleted);
      all.rejected.push(...step.highlights.rejected);
    }
    return all;
  }

  async push(): Promise<RejectedHighlight[]> {
    const rejected: RejectedHighlight[] = [];
    for await (const step of this.#client.push(this.list, { highlights: this.highlights })) {
      rejected.push(...step.highlights.rejected);
    }
    return rejected;
  }

  mark = (...changes: HighlightChange[]) => this.highlights.enqueue(changes);

  /** Note and color by id. */
  async shown(): Promise<Record<string, string>> {
    const all = await localHighlights(this.highlights);
    return Object.fromEntries(all.map(({ id, note, color }) => [id, `${color} ${note}`.trim()]));
  }
}

/** Note and color of the highlights of the service, by id. */
async function stored(): Promise<Record<string, string>> {
  const { list } = JSON.parse((await user.ok("highlights")).body) as { list: Record<string, Record<string, string>> };
  return Object.fromEntries(Object.entries(list).map(([id, { color, note }]) => [id, `${color} ${note}`.trim()]));
}

test("highlights are queued, shown at once on top of the replica, sent with the list, and pulled", async () => {
  const [phone, laptop] = [new Device(), new Device()];
  await phone.mark(save("a", { note: "why" }));
  expect(await localHighlights(phone.highlights)).toMatchObject([{ id: "a", note: "why", isPending: true }]);
  expect(await phone.sync()).toEqual({ changed: ["a"], deleted: [], rejected: [] });
  const [shown] = await localHighlights(phone.highlights);
  expect(shown).toMatchObject({ id: "a", note: "why", url, isPending: false });
  expect([shown?.itemId, await phone.highlights.queue()]).toEqual([expect.stringMatching(/^\d+$/), []]);
  await laptop.sync();
  expect(await laptop.shown()).toEqual({ a: "yellow why" });
  await laptop.mark({ kind: "delete", id: "a" });
  expect(await laptop.shown()).toEqual({});
  await laptop.sync();
  expect(await phone.sync()).toEqual({ changed: [], deleted: ["a"], rejected: [] });
  expect([await phone.shown(), await stored()]).toEqual([{}, {}]);
});

test("a note on a page is queued, shown at once, sent and pulled, although it has no quote", async () => {
  const [phone, laptop] = [new Device(), new Device()];
  await phone.mark({ kind: "save", id: "n", url, note: "of the page" });
  expect(await localHighlights(phone.highlights)).toMatchObject([{ id: "n", quote: "", note: "of the page" }]);
  expect((await phone.sync()).rejected).toEqual([]);
  await laptop.sync();
  expect(await localHighlights(laptop.highlights)).toMatchObject([{ id: "n", quote: "", note: "of the page" }]);
});

test("a sync asks for highlights only if there is something new", async () => {
  const device = new Device();
  await device.sync();
  expect(device.calls).toEqual(["get", "get"]);
  await device.sync();
  expect(device.calls).toEqual(["get"]);
  await user.ok("highlights", { save: JSON.stringify([{ id: "a", url, quote: "q" }]) });
  await device.sync();
  expect(device.calls).toEqual(["get", "highlights"]);
  await device.sync();
  expect(device.calls).toEqual(["get"]);
  // A change without an effect is not fetched, and leaves the queue.
  await device.mark({ kind: "delete", id: "unknown" });
  await device.sync();
  expect([device.calls, await device.highlights.queue()]).toEqual([["get", "highlights", "highlights"], []]);
});

test("edits of different fields on two offline devices are both kept; for the same field, the later edit wins", async () => {
  const [phone, laptop] = [new Device(), new Device()];
  await phone.mark(save("a", { note: "one" }));
  for (const device of [phone, laptop]) await device.sync();
  await phone.mark({ kind: "save", id: "a", note: "two" }, { kind: "save", id: "a", note: "three" }, save("b"));
  await laptop.mark({ kind: "save", id: "a", color: "red" }, save("c"));
  for (const device of [phone, laptop, phone]) await device.sync();
  const merged = { a: "red three", b: "yellow", c: "yellow" };
  for (const device of [phone, laptop]) expect(await device.shown()).toEqual(merged);
  expect(await stored()).toEqual(merged);
  await phone.mark({ kind: "save", id: "a", note: "of the phone" });
  await laptop.mark({ kind: "save", id: "a", note: "of the laptop" });
  await phone.sync();
  // Not sent yet: the laptop shows its own.
  expect((await laptop.shown()).a).toBe("red of the laptop");
  for (const device of [laptop, phone]) await device.sync();
  expect((await phone.shown()).a).toBe("red of the laptop");
});

test("a highlight that another device has deleted stays deleted; an undo saves a copy", async () => {
  const [phone, laptop] = [new Device(), new Device()];
  await phone.mark(save("a", { note: "kept" }));
  for (const device of [phone, laptop]) await device.sync();
  await phone.mark({ kind: "delete", id: "a" });
  await laptop.mark({ kind: "save", id: "a", note: "edited" });
  for (const device of [phone, laptop]) await device.sync();
  expect(await laptop.shown()).toEqual({});
  const [before] = await localHighlights(phone.highlights);
  expect(before).toBeUndefined();
  await laptop.mark(save("b", { note: "kept" }));
  const [highlight] = await localHighlights(laptop.highlights);
  await laptop.mark({ kind: "delete", id: "b" });
  if (highlight) await laptop.mark(copyHighlight(highlight));
  await laptop.sync();
  expect(Object.values(await laptop.shown())).toEqual(["yellow kept"]);
});

test("the highlights of a page that is added on the same device are sent after the page", async () => {
  const device = new Device();
  const other = "http://example.com/offline";
  await device.mark(save("a", { url: other }));
  await device.list.enqueue([{ kind: "add", url: other }]);
  expect((await device.sync()).rejected).toEqual([]);
  expect(Object.keys(await stored())).toEqual(["a"]);
});

describe("a highlight whose page is not in the list", () => {
  test("is set aside and stays on the device, and all others are sent", async () => {
    const device = new Device();
    const elsewhere = save("x", { url: "http://example.com/unknown", note: "mine" });
    await device.mark(save("a"), elsewhere, save("b"), ...Array.from({ length: 150 }, (_, i) => save(`m${i}`)));
    const message = "highlights: save.1.url is not in the list; add it first";
    expect((await device.sync()).rejected).toEqual([{ change: elsewhere, message }]);
    expect(Object.keys(await stored())).toHaveLength(152);
    expect((await device.shown()).x).toBe("yellow mine");
    expect(await device.highlights.queue()).toMatchObject([{ change: elsewhere }]);
    // It is not sent again by each sync.
    await device.mark(save("later"));
    expect((await device.sync()).rejected).toEqual([]);
    expect(device.calls).toEqual(["get", "highlights", "highlights"]);
  });

  test("is sent again by `retryRefused`, before later changes of it", async () => {
    const device = new Device();
    const other = "http://example.com/added-later";
    await device.mark(save("x", { url: other }), { kind: "save", id: "x", note: "edited" }, save("a"));
    expect((await device.sync()).rejected).toHaveLength(2);
    await user.add(other);
    await retryRefused(device.highlights);
    expect((await device.sync()).rejected).toEqual([]);
    expect([await stored(), await device.highlights.queue()]).toEqual([{ a: "yellow", x: "yellow edited" }, []]);
    expect(await device.shown()).toEqual({ a: "yellow", x: "yellow edited" });
  });
});

test("if the clock of a device is ahead, the service's time counts", async () => {
  const device = new Device();
  await device.mark(save("a", { timeCreated: new Date((service.clock.seconds() + 9000) * 1000) }), save("b"));
  expect((await device.sync()).rejected).toEqual([]);
  const [first] = (await localHighlights(device.highlights)).filter(({ id }) => id === "a");
  expect(first?.timeCreated.getTime()).toBeLessThanOrEqual(service.clock.seconds() * 1000);
});

test("a deleted page takes its highlights along, and brings them back", async () => {
  const [phone, laptop] = [new Device(), new Device()];
  await phone.mark(save("a"), save("b"));
  for (const device of [phone, laptop]) await device.sync();
  await laptop.list.enqueue([{ kind: "delete", url }]);
  for (const device of [laptop, phone]) await device.sync();
  expect([await phone.shown(), await laptop.shown()]).toEqual([{}, {}]);
  // Made on the phone before it knew: it is stored with the page, in the trash.
  await phone.mark(save("c"));
  expect((await phone.sync()).rejected).toEqual([]);
  expect(await phone.shown()).toEqual({});
  await laptop.list.enqueue([{ kind: "restore", url }]);
  for (const device of [laptop, phone]) await device.sync();
  const all = { a: "yellow", b: "yellow", c: "yellow" };
  expect([await phone.shown(), await laptop.shown()]).toEqual([all, all]);
});

describe("a replica", () => {
  test("of many highlights is fetched in small enough pages, and is complete although a highlight is deleted meanwhile", async () => {
    const ids = Array.from({ length: 40 }, (_, i) => `m${i}`);
    await user.ok("highlights", { save: JSON.stringify(ids.map((id) => ({ id, url, quote: id }))) });
    const device = new Device();
    const tooLarge = "highlights: the answer is too large for one response; use count and page";
    const { fetch: realFetch } = globalThis;
    const counts: string[] = [];
    const client = new ReadingListClient({
      baseUrl: service.baseUrl,
      apiKey: service.apiKey,
      ...user.credentials,
      fetch: async (input, init) => {
        const form = init?.body as URLSearchParams;
        if (!String(input).endsWith("/highlights")) return realFetch(input, init);
        const count = Number(form.get("count") ?? 2000);
        if (count > 20 && !Number(form.get("since")))
          return new Response(tooLarge, {
            status: 400,
            headers: { "x-error": tooLarge, "x-error-code": "answer_too_large" },
          });
        counts.push(`${count} ${form.get("page")}`);
        const answer = await realFetch(input, init);
        if (counts.length === 1) {
          service.clock.advance(1);
          await user.ok("highlights", { delete: JSON.stringify(["m39"]) });
        }
        return answer;
      },
    });
    for (let n = 0; n < 3; n++) {
      for await (const _ of client.sync(device.list, { highlights: device.highlights }));
    }
    expect(counts.slice(0, 3)).toEqual(["16 1", "16 2", "16 3"]);
    expect(Object.keys(await device.shown()).sort()).toEqual(Object.keys(await stored()).sort());
  });

  test("of a service that was restored from a backup is replaced, and keeps local changes", async () => {
    const device = new Device();
    await user.ok("highlights", { save: JSON.stringify([{ id: "a", url, quote: "q" }]) });
    await device.sync();
    // As after a restore: the replica is of a later time than the service, and has a highlight that it lacks.
    const [ghost] = await device.highlights.highlights();
    const ahead = { since: service.clock.seconds() + 3600, sent: 0 };
    if (ghost) await device.highlights.commit({ state: ahead, put: [{ ...ghost, id: "ghost" }] });
    await device.list.commit({ state: { ...(await device.list.state()), since: ahead.since } });
    await device.mark(save("b"));
    await device.sync();
    expect(await device.shown()).toEqual({ a: "yellow", b: "yellow" });
  });
});

test("a failure of highlights leaves the list up to date, and the queue as it is", async () => {
  const device = new Device();
  device.answer = (endpoint) => (endpoint === "highlights" ? new Response("", { status: 503 }) : undefined);
  await device.mark(save("a"));
  await expect(device.sync()).rejects.toMatchObject({ kind: "unavailable" });
  expect([(await device.list.items()).length, await device.shown()]).toEqual([1, { a: "yellow" }]);
  device.answer = () => undefined;
  await device.sync();
  expect(await stored()).toEqual({ a: "yellow" });
});

test("a service without highlights syncs the list, and the queue of highlights waits", async () => {
  const device = new Device();
  device.answer = (endpoint) => (endpoint === "highlights" ? new Response("", { status: 404 }) : undefined);
  await device.mark(save("a"));
  await device.list.enqueue([{ kind: "title", url, title: "changed" }]);
  await device.sync({ sendOnly: true });
  expect([await device.shown(), (await user.items())[0]?.title]).toEqual([{ a: "yellow" }, "changed"]);
  device.answer = () => undefined;
  await device.sync();
  expect(await stored()).toEqual({ a: "yellow" });
});

test("`push` sends the queue of an app that keeps no replica, and keeps what is refused", async () => {
  const device = new Device();
  const elsewhere = save("x", { url: "http://example.com/unknown" });
  await device.mark(save("a"), elsewhere);
  expect(await device.push()).toMatchObject([{ change: elsewhere }]);
  expect(device.calls).toEqual(["highlights", "highlights"]);
  expect(await device.highlights.queue()).toMatchObject([{ change: elsewhere }]);
  expect(Object.keys(await stored())).toEqual(["a"]);
});
