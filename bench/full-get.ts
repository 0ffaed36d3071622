import { type ChildServer, startChild } from "./child.ts";
import { call, itemsIn } from "./client.ts";
import type { Extent } from "./extent.ts";
import { seedList } from "./lists.ts";
import { percentileOf } from "./rate.ts";
import { rounded, type Subject } from "./report.ts";
import { addressOf, type Stack } from "./stack.ts";

/** A process that reads a list, and how it is asked to. */
interface Reader {
  name: string;
  module: string;
  /** Gives the number of items read. */
  read: (child: ChildServer) => Promise<number>;
}

/** Time and memory of a `get` of a whole long list, beside a plain read of its records. */
export async function measureFullGet(
  { service, table, envOfService }: Stack,
  { fullListItems, fullReads }: Extent,
): Promise<Subject> {
  const { account } = await seedList(service, table, fullListItems);
  const readers: Reader[] = [
    {
      name: "get of the whole list",
      module: "@reading-list/local/main.ts",
      read: async ({ urls }) => itemsIn(await call(addressOf(urls), "get", { ...account })),
    },
    {
      name: "floor: plain Query, page by page",
      module: "./plain-read.ts",
      read: async ({ urls }) => Number(await (await fetch(`${urls[0]}/${account.username}`)).text()),
    },
  ];
  const rows: Subject["rows"] = [];
  for (const { name, module, read } of readers) {
    const start = () => startChild(import.meta.resolve(module), envOfService);
    const idleMegabytes = await (await start()).stop();
    const child = await start();
    const milliseconds: number[] = [];
    for (let i = 0; i < fullReads; i++) {
      const startedAt = performance.now();
      const items = await read(child);
      milliseconds.push(performance.now() - startedAt);
      if (items !== fullListItems) throw new Error(`${name}: ${items} items`);
    }
    const peakMegabytes = await child.stop();
    rows.push({
      what: name,
      items: fullListItems,
      "first ms": rounded(milliseconds[0] ?? Number.NaN),
      "median ms": rounded(percentileOf(milliseconds, 0.5)),
      "idle MB": Math.round(idleMegabytes),
      "peak MB": Math.round(peakMegabytes),
    });
  }
  return {
    title: "A whole list",
    notes: [
      `Asked for ${fullReads} times, in a process of its own, whose memory is shown beside that of one that was asked for nothing.`,
      "The answer of `get` travels as Brotli, and the time ends when it is unpacked. Plain: the same records from the table,",
      "as objects of the database's client.",
    ],
    rows,
  };
}
