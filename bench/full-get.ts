import { rounded, type Subject } from "@reading-list/testing/table-text.ts";
import { type ChildServer, startChild } from "./child.ts";
import type { Extent } from "./extent.ts";
import { itemsIn } from "./items-in.ts";
import { seedList } from "./lists.ts";
import { percentileOf } from "./rate.ts";
import { clientOf, type Stack } from "./stack.ts";

/** A process that reads a list, and the request for it. */
interface Reader {
  name: string;
  module: string;
  /** Returns the number of items read. */
  read: (child: ChildServer) => Promise<number>;
}

/** Time and memory of a `get` of a whole long list, compared with a plain read of its records. */
export async function measureFullGet(
  { service, table, envOfService }: Stack,
  { fullListItems, fullReads }: Extent,
): Promise<Subject> {
  const { account } = await seedList(service, table, fullListItems);
  const readers: Reader[] = [
    {
      name: "get of the whole list",
      module: "@reading-list/local/main.ts",
      read: async ({ urls }) => itemsIn((await clientOf(urls).ok("get", { ...account })).body),
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
      `Fetched ${fullReads} times from a new process; its peak memory is compared with that of an idle one. The answer of`,
      "`get` is compressed with Brotli, and the time includes decompression. Plain: the same records from the table, as",
      "objects of the database client.",
    ],
    rows,
  };
}
