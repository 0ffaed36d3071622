// SPDX-License-Identifier: MIT

import { tagsAfter } from "@reading-list/client/change.ts";
import type { Change, HighlightChange, HighlightColor } from "@reading-list/client/main.ts";
import { ClientDevice, type ShownHighlight, type ShownPage } from "@reading-list/testing/client-device.ts";
import { randomFrom, seed } from "@reading-list/testing/seeded-random.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { type CallFault, UnreliableFetch } from "@reading-list/testing/unreliable-fetch.ts";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";

/** Runs with each number of devices; more for a longer run. */
const numRuns = Number(process.env.CLIENT_RUNS ?? 6);

/** Items of each page of a walk. */
const pageLength = 3;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});

const shares = { lostRequest: 0.08, lostAnswer: 0.08, unavailable: 0.05, limited: 0.005, portal: 0.02 };

type Kind = Change["kind"];
type Step =
  | { do: "mark"; kind: HighlightChange["kind"]; page: number; isShared: boolean; color: HighlightColor; note: string }
  | { do: "change"; kind: Kind; page: number; isShared: boolean; spelling: number; text: string }
  | { do: "sync" }
  | { do: "crash"; commits: number; isLate: boolean }
  | { do: "forget" };

const change = fc.record({
  do: fc.constant("change" as const),
  kind: fc.constantFrom<Kind>("add", "add", "read", "title", "tags", "progress", "delete", "delete", "restore"),
  page: fc.nat(4),
  isShared: fc.boolean(),
  spelling: fc.nat(2),
  text: fc.constantFrom("a", "b", "ü", "漢字"),
});
const mark = fc.record({
  do: fc.constant("mark" as const),
  kind: fc.constantFrom<HighlightChange["kind"]>("save", "save", "save", "delete"),
  page: fc.nat(2),
  isShared: fc.boolean(),
  color: fc.constantFrom<HighlightColor>("red", "blue"),
  note: fc.constantFrom("", "n", "漢字"),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: change },
  { weight: 5, arbitrary: mark },
  { weight: 4, arbitrary: fc.constant({ do: "sync" as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("crash" as const), commits: fc.nat(4), isLate: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ do: "forget" as const }) },
);

/** Spellings of a URL that are the same page. */
const spellings = [
  (place: string) => `https://example.com/${place}`,
  (place: string) => `https://www.example.com/${place}`,
  (place: string) => `https://example.com/${place}/`,
];

function changeOf({ kind, page, isShared, spelling, text }: Extract<Step, { do: "change" }>, device: number): Change {
  const url = spellings[spelling]?.(`${isShared ? "shared" : device}/${page}`) ?? "";
  if (kind === "title") return { kind, url, title: text };
  if (kind === "progress") return { kind, url, percent: text.length, anchor: text };
  if (kind === "restore") return { kind, url, title: `known ${text}`, tags: ["known"], isRead: spelling === 0 };
  if (kind !== "tags") return { kind, url };
  const difference = text === "b" ? { add: ["t"], remove: ["b"] } : { add: [text], remove: [] };
  return { kind, url, tags: [text, "t"], ...(spelling > 0 && difference) };
}

/** A page that no device deletes. */
const lastingUrl = "https://example.com/lasting";

/**
 * A change of the highlight of a page: a shared highlight belongs to a page that may be deleted or unknown, an own
 * highlight to a page that stays.
 */
function markOf({ kind, page, isShared, color, note }: Extract<Step, { do: "mark" }>, device: number): HighlightChange {
  const id = `${isShared ? "shared" : device}-${page}`;
  if (kind === "delete") return { kind, id };
  const url = isShared ? `https://example.com/shared/${page}` : lastingUrl;
  return { kind, id, url, quote: id, ...(color === "red" && { color }), note };
}

/** The final state of a device's own highlights. A deleted one stays deleted. */
class OwnHighlights {
  readonly highlights: Record<string, ShownHighlight> = {};
  readonly #deleted = new Set<string>();

  /** Whether the user can make this change: nobody deletes a highlight that is not there. */
  apply(change: HighlightChange): boolean {
    const { id } = change;
    const before = this.highlights[id];
    if (change.kind === "delete" && !before) return false;
    if (this.#deleted.has(id)) return true;
    if (change.kind === "save") {
      const { note = "", color = before?.color ?? "yellow" } = change;
      this.highlights[id] = { url: lastingUrl, note, color };
    } else {
      delete this.highlights[id];
      this.#deleted.add(id);
    }
    return true;
  }
}

const keyOf = (url: string) => url.replace("www.", "").replace(/\/$/, "");

/** The final state of a device's own pages, by their first spelling: nobody else changes them. */
class OwnPages {
  readonly pages = new Map<string, ShownPage & { url: string }>();
  /**
   * Restored pages: they have the content of the trash, or the content on the device, because a page that one request
   * adds and deletes is not in the trash.
   */
  readonly restored = new Set<string>();

  apply(change: Change): void {
    const { kind, url } = change;
    const key = keyOf(url);
    const page = this.pages.get(key);
    if (kind === "add") this.pages.set(key, { url, title: url, tags: "", ...page, state: "unread" });
    else if (kind === "delete") {
      this.pages.delete(key);
      this.restored.delete(key);
    } else if (kind === "restore" && !page) {
      this.pages.set(key, { url, title: url, tags: "", state: "unread" });
      this.restored.add(key);
    } else if (page && kind === "read") page.state = "read";
    else if (page && kind === "title") page.title = change.title;
    else if (page && kind === "tags") page.tags = tagsAfter(page.tags.split(",").filter(Boolean), change).join();
  }
}

const summary: object[] = [];
afterAll(() => console.table(summary));

test.each([2, 5])(
  `%i devices over a network that loses calls: when idle, every replica is the list with its highlights, and nothing is lost or applied twice (FAULTS_SEED=${seed})`,
  async (deviceCount) => {
    const tally = { devices: deviceCount, runs: 0, changes: 0, marks: 0, syncs: 0, crashes: 0, calls: 0 };
    const met: Partial<Record<CallFault, number>> = {};
    const random = randomFrom(seed);
    const plans = fc.array(fc.array(step, { minLength: 8, maxLength: 20 }), {
      minLength: deviceCount,
      maxLength: deviceCount,
    });
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const user = await service.newUser();
        await user.add(lastingUrl);
        const own = new OwnPages();
        const ownHighlights = new OwnHighlights();
        const networks = plan.map(() => new UnreliableFetch(shares, randomFrom(Math.floor(random() * 2 ** 32))));
        const devices = networks.map(
          ({ fetch }) => new ClientDevice(service, user.credentials, { fetch, wait: true, retries: 1 }),
        );
        const live = async (device: ClientDevice, number: number) => {
          await device.forget(pageLength);
          for (const each of plan[number] ?? []) {
            service.clock.advance(1);
            if (each.do === "change") {
              const change = changeOf(each, number);
              if (!each.isShared) own.apply(change);
              await device.change(change);
              tally.changes++;
            } else if (each.do === "mark") {
              const change = markOf(each, number);
              if (!each.isShared && !ownHighlights.apply(change)) continue;
              await device.mark(change);
              tally.marks++;
            } else if (each.do === "sync") await device.sync();
            else if (each.do === "crash") await device.syncAndCrash(each.commits, each.isLate);
            else await device.forget(pageLength);
            if (each.do !== "change" && each.do !== "mark") tally.syncs++;
            if (each.do === "crash") tally.crashes++;
          }
        };
        await Promise.all(devices.map(live));
        for (const network of networks) network.heal();
        // The first round sends queued changes; the second brings them to all devices.
        for (const device of [...devices, ...devices]) await device.sync();

        const items = await user.items();
        const list = items.map(({ url, title, tags = "", state }): [string, ShownPage] => [
          url,
          { title, tags, state: state === "1" ? "read" : "unread" },
        ]);
        for (const device of devices) {
          // As arrays, so that the order is compared, too.
          expect([...(await device.shown())]).toEqual(list);
          const [told, stored] = await device.toldAndStored();
          expect(told).toEqual(stored);
          expect([await device.unsent(), await device.verify()]).toEqual([0, "equal"]);
        }
        const highlights = JSON.parse((await user.ok("highlights")).body).list as Record<string, ShownHighlight>;
        const stored = Object.entries(highlights).map(([id, { url, note, color }]) => [id, { url, note, color }]);
        for (const device of devices) expect(await device.highlights()).toEqual(Object.fromEntries(stored));
        const ownStored = stored.filter(([id]) => !String(id).startsWith("shared"));
        expect(Object.fromEntries(ownStored)).toEqual(ownHighlights.highlights);
        const ownInList = list.filter(([url]) => !url.includes("/shared/") && url !== lastingUrl);
        expect(ownInList.map(([url]) => keyOf(url)).sort()).toEqual([...own.pages.keys()].sort());
        const isCertain = (url: string) => !own.restored.has(keyOf(url));
        const expected = [...own.pages.values()].map(({ url, ...page }): [string, ShownPage] => [url, page]);
        expect(new Map(ownInList.filter(([url]) => isCertain(url)))).toEqual(
          new Map(expected.filter(([url]) => isCertain(url))),
        );

        tally.runs++;
        for (const network of networks) {
          tally.calls += network.calls;
          for (const [fault, times] of Object.entries(network.met))
            met[fault as CallFault] = (met[fault as CallFault] ?? 0) + times;
        }
      }),
      { seed, numRuns, endOnFailure: true },
    );
    summary.push({ ...tally, ...met });
  },
  600_000,
);
