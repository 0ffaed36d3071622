import { startService } from "@reading-list/local/service.ts";
import { ServiceClient } from "@reading-list/testing/client.ts";
import { rounded, type Subject } from "@reading-list/testing/table-text.ts";

import type { Extent } from "./extent.ts";
import { growthKinds, type Side } from "./growth-kinds.ts";
import { type SeededList, seedList } from "./lists.ts";
import { Meter } from "./meter.ts";
import { percentileOf } from "./rate.ts";
import type { Stack } from "./stack.ts";

/** The cost of a kind of call on lists of each size. */
interface GrowthLine {
  name: string;
  returns: number;
  points: { items: number; milliseconds: number; readUnits: number; writeUnits: number }[];
}

/** A smaller ratio is noise. */
const flatWithin = 2;

/** Time and capacity units of calls on lists of different sizes. */
export async function measureGrowth(stack: Stack, extent: Extent): Promise<Subject[]> {
  const lists: SeededList[] = [];
  for (const items of extent.listSizes) lists.push(await seedList(stack.service, stack.table, items));
  const measured = growthKinds().map((kind) => ({
    kind,
    points: lists
      .filter(({ items }) => items >= kind.fewestItems)
      .map((list) => ({ list, milliseconds: [] as number[], readUnits: 0, writeUnits: 0 })),
  }));

  for (let turn = 0; turn < extent.growthTurns; turn++) {
    for (const { kind, points } of measured) {
      // The first call after a change of kind is slower, so the sizes take turns in being first.
      const first = turn % points.length;
      for (const { list, milliseconds } of [...points.slice(first), ...points.slice(0, first)]) {
        await kind.before?.(stack, list);
        const start = performance.now();
        const returned = await kind.run(stack, list);
        milliseconds.push(performance.now() - start);
        await kind.after?.(stack, list);
        if (returned !== kind.returns) throw new Error(`${kind.name}, ${list.items} items: ${returned} returned`);
      }
    }
  }

  const meter = new Meter();
  meter.attach(stack.table.client);
  const started = await startService(stack.envOfService, { wrapClient: (client) => meter.attach(client) });
  const service = new ServiceClient(started);
  const metered: Side = { service, table: stack.table };
  try {
    for (const { kind, points } of measured) {
      for (const point of points) {
        await kind.before?.(metered, point.list);
        // Fills the caches of key and password.
        await service.ok("auth", { ...point.list.account });
        const { readUnits, writeUnits } = await meter.measure(() => kind.run(metered, point.list));
        Object.assign(point, { readUnits, writeUnits });
        await kind.after?.(metered, point.list);
      }
    }
  } finally {
    await started.stop();
  }

  const lines = measured.map(({ kind: { name, returns }, points }) => ({
    name,
    returns,
    points: points.map(({ list, milliseconds, ...units }) => ({
      items: list.items,
      milliseconds: percentileOf(milliseconds, 0.5),
      ...units,
    })),
  }));
  return growthSubjects(lines, extent);
}

/** The tables of growth: time, read units, write units. */
function growthSubjects(lines: readonly GrowthLine[], { growthTurns, listSizes }: Extent): Subject[] {
  const subject = (title: string, notes: string[], part: "milliseconds" | "readUnits" | "writeUnits"): Subject => ({
    title,
    notes,
    rows: lines.map(({ name, returns, points }) => {
      const [fewest, most] = [points[0]?.[part] ?? Number.NaN, points.at(-1)?.[part] ?? Number.NaN];
      const growth = most === fewest ? 1 : most / fewest;
      return {
        call: name,
        returns,
        ...Object.fromEntries(
          listSizes.map((size) => {
            const point = points.find(({ items }) => items === size);
            return [`${size.toLocaleString("en")} items`, point ? rounded(point[part]) : "-"];
          }),
        ),
        growth: rounded(growth),
        [`within ${flatWithin}x`]: growth <= flatWithin ? "yes" : "NO",
      };
    }),
  });
  return [
    subject(
      "Growth: median milliseconds of a call",
      [
        `${growthTurns} calls of each kind on lists of each size, one at a time and in turns; one in ten items is unread.`,
        "Returns: items in the answer; lists with fewer items are left out. Growth: from the shortest list to the longest.",
        "Page 10 of a walk: pages 1 to 9 were fetched before; at once: no other page was. The last page is the last full one.",
        "Items that `add` and `send` add are removed after each call. Floors: single database commands.",
      ],
      "milliseconds",
    ),
    subject("Growth: read units of a call", [], "readUnits"),
    subject("Growth: write units of a call", [], "writeUnits"),
  ];
}
