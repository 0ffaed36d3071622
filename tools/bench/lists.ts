// SPDX-License-Identifier: MIT

import type { Account, Parameters, ServiceClient } from "@reading-list/testing/client.ts";
import { rounded, type Subject } from "@reading-list/testing/table-text.ts";
import { itemsIn, newPage, seedList, startMeasuredService } from "./measured-service.ts";

const callsOfKind = 200;
const itemsAtRest = 20_000;

/** A list that is measured, and the number of the call. */
interface Measured {
  since: number;
  items: number;
  n: number;
}

type Call = (client: ServiceClient, account: Account, measured: Measured) => Promise<unknown>;

const getting = (parameters: (measured: Measured) => Parameters): Call => {
  return async (client, account, measured) => client.ok("get", { ...account, ...parameters(measured) });
};
const middlePage = ({ items }: Measured) => Math.floor(items / 60);
const kinds: Record<string, Call> = {
  "get, nothing new": getting(({ since }) => ({ since })),
  "get of 30": getting(() => ({ count: 30 })),
  "get of 30, unread": getting(() => ({ count: 30, state: "unread" })),
  "get of 30, page 100": getting(() => ({ count: 30, page: 100 })),
  "get of 30, last page by a jump": getting(({ items }) => ({ count: 30, page: Math.ceil(items / 30) })),
  "get of 30, middle page by a jump": getting((measured) => ({ count: 30, page: middlePage(measured) })),
  "get of 30, middle pages in a walk": getting((measured) => ({ count: 30, page: middlePage(measured) + measured.n })),
  stats: async (client, account) => client.ok("stats", { ...account }),
  "add, and delete it": async (client, account) => {
    const { url } = newPage();
    await client.ok("add", { ...account, url });
    await client.ok("send", { ...account, delete: JSON.stringify([{ url }]) });
  },
};

/** The least items of a list that has far pages. */
const leastItems = (call: string) => (/page 100|jump|walk/.test(call) ? 20_000 : 0);

/** Growth of processor time with the length of the list; memory, disk and start with a list of 20,000. */
export async function measureLists(sizes: readonly number[]): Promise<Subject[]> {
  const service = await startMeasuredService();
  try {
    const rows = Object.keys(kinds).map((call): Record<string, string | number> => ({ call }));
    for (const items of sizes) {
      const { account, since } = await seedList(service.client, items);
      for (const [i, [name, call]] of Object.entries(kinds).entries()) {
        const row = rows[i] as Record<string, string | number>;
        row[`${items} items`] = "-";
        if (items < leastItems(name)) continue;
        let n = 0;
        const repeat = async (times: number) => {
          for (let left = times; left > 0; left--) await call(service.client, account, { since, items, n: n++ });
        };
        await repeat(callsOfKind / 4);
        const before = service.process.processorMs();
        await repeat(callsOfKind);
        row[`${items} items`] = rounded((service.process.processorMs() - before) / callsOfKind);
      }
    }
    for (const row of rows) {
      const measured = sizes.map((items) => Number(row[`${items} items`])).filter((ms) => ms > 0);
      row.growth = rounded(Number(measured.at(-1)) / Number(measured[0]));
    }
    const growth = {
      title: "Growth with the list",
      notes: ["Processor time of a call in ms, one call at a time."],
      rows,
    };
    return [growth, await measureAtRest()];
  } finally {
    await service.stop();
  }
}

async function measureAtRest(): Promise<Subject> {
  const service = await startMeasuredService();
  try {
    await service.restart();
    const bytesBefore = service.bytesOnDisk();
    const { account } = await seedList(service.client, itemsAtRest);
    await service.restart();
    const bytes = (service.bytesOnDisk() - bytesBefore) / itemsAtRest;
    const atRest = service.process.memory().resident;
    const startedAt = performance.now();
    const { body } = await service.client.ok("get", { ...account });
    const wholeListMs = performance.now() - startedAt;
    if (itemsIn(body) !== itemsAtRest) throw new Error("the list is not whole");
    return {
      title: `A list of ${itemsAtRest.toLocaleString("en")}`,
      notes: ["After a restart. Start: from the process to the first line that it prints."],
      rows: [
        {
          "start ms": Math.round(service.process.startMs),
          "MB at rest": Math.round(atRest),
          "bytes an item on disk": Math.round(bytes),
          "whole list ms": Math.round(wholeListMs),
          "peak MB": Math.round(service.process.memory().peak),
        },
      ],
    };
  } finally {
    await service.stop();
  }
}
