// SPDX-License-Identifier: MIT

import type { Change } from "@reading-list/client/main.ts";
import { ClientDevice, type ShownPage } from "@reading-list/testing/client-device.ts";
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
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: change },
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
  return kind === "tags" ? { kind, url, tags: [text, "t"] } : { kind, url };
}

const keyOf = (url: string) => url.replace("www.", "").replace(/\/$/, "");

/** The final state of a device's own pages, by their first spelling: nobody else changes them. */
class OwnPages {
  readonly pages = new Map<string, ShownPage & { url: string }>();
  /**
   * Pages that were restored: they have the content of the trash, or that which the device knew, since a page that one
   * request adds and deletes is not in the trash.
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
    else if (page && kind === "tags") page.tags = change.tags.join();
  }
}

const summary: object[] = [];
afterAll(() => console.table(summary));

test.each([2, 5])(
  `%i devices over a network that loses calls: when idle, every replica is the list, and nothing is lost or applied twice (FAULTS_SEED=${seed})`,
  async (deviceCount) => {
    const tally = { devices: deviceCount, runs: 0, changes: 0, syncs: 0, crashes: 0, calls: 0 };
    const met: Partial<Record<CallFault, number>> = {};
    const random = randomFrom(seed);
    const plans = fc.array(fc.array(step, { minLength: 8, maxLength: 20 }), {
      minLength: deviceCount,
      maxLength: deviceCount,
    });
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const user = await service.newUser();
        const own = new OwnPages();
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
            } else if (each.do === "sync") await device.sync();
            else if (each.do === "crash") await device.syncAndCrash(each.commits, each.isLate);
            else await device.forget(pageLength);
            if (each.do !== "change") tally.syncs++;
            if (each.do === "crash") tally.crashes++;
          }
        };
        await Promise.all(devices.map(live));
        for (const network of networks) network.heal();
        // The first round sends what is queued; the second brings it to all.
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
        const ownInList = list.filter(([url]) => !url.includes("/shared/"));
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
