import { QueryCommand, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { startService } from "@reading-list/local/service.ts";
import type { Table } from "@reading-list/store/client.ts";
import { listedAfter, userKey } from "@reading-list/store/keys.ts";
import { tableDefinition } from "@reading-list/store/table-definition.ts";
import { type Account, call, itemsIn, type Parameters, type ServiceAddress } from "./client.ts";
import type { Extent } from "./extent.ts";
import {
  forgetWalks,
  itemsOfSend,
  newItemRecord,
  newPage,
  newPages,
  type SeededList,
  seedList,
  takeBackAdditions,
} from "./lists.ts";
import { Meter } from "./meter.ts";
import { percentileOf } from "./rate.ts";
import { rounded, type Subject } from "./report.ts";
import type { Stack } from "./stack.ts";

/** Where calls are made: a service, and the table below it for the floors. */
interface Side {
  service: ServiceAddress;
  table: Table;
}

/** One kind of call, made on lists of each size. */
interface Kind {
  name: string;
  /** Items in the answer. */
  returns: number;
  /** Items that a list must have for such an answer. */
  fewestItems: number;
  before?: (side: Side, list: SeededList) => Promise<void>;
  /** Makes the call; gives the number of items in the answer. */
  run: (side: Side, list: SeededList) => Promise<number>;
  after?: (side: Side, list: SeededList) => Promise<void>;
}

/** What a kind of call takes on the lists of each size. */
export interface GrowthLine {
  name: string;
  returns: number;
  points: { items: number; milliseconds: number; readUnits: number; writeUnits: number }[];
}

/** Beyond this it is growth, below it is noise. */
const flatWithin = 2;

const pageSize = 30;
const tenth = 10;

function kindsOf(): Kind[] {
  const asking = (parametersOf: (list: SeededList) => Parameters) => async (side: Side, list: SeededList) =>
    itemsIn(await call(side.service, "get", { ...list.account, ...parametersOf(list) }));
  const askingForPage = (page: (list: SeededList) => number) =>
    asking((list) => ({ count: String(pageSize), page: String(page(list)) }));
  const walking = (pages: number) => async (side: Side, list: SeededList) => {
    for (let page = 1; page <= pages; page++) await askingForPage(() => page)(side, list);
  };
  const forgetting: Kind["before"] = ({ table }, list) => forgetWalks(table, list);
  const takingBack: Kind["after"] = ({ table }, list) => takeBackAdditions(table, list);
  const page = { returns: pageSize, fewestItems: pageSize };
  const nothing = { returns: 0, fewestItems: 0 };
  return [
    {
      name: "floor: one UpdateItem",
      ...nothing,
      run: async ({ table: { client, tableName } }, { account }) => {
        await client.send(new UpdateCommand({ TableName: tableName, ...countCall(account) }));
        return 0;
      },
    },
    {
      name: "floor: one TransactWriteItems of 2",
      ...nothing,
      run: async ({ table: { client, tableName } }, { account, newestAt }) => {
        const update = { Update: { TableName: tableName, ...countCall(account) } };
        const put = { Put: { TableName: tableName, Item: newItemRecord(account.username, "0", newestAt + 1) } };
        await client.send(new TransactWriteCommand({ TransactItems: [update, put] }));
        return 0;
      },
      after: takingBack,
    },
    {
      name: `floor: one Query of ${pageSize}`,
      ...page,
      // Of the read ones, which are nine of ten.
      fewestItems: 2 * pageSize,
      run: async ({ table: { client, tableName } }, { account }) => {
        const { first, last } = listedAfter("1", undefined);
        const query = {
          IndexName: tableDefinition.index.name,
          ConsistentRead: true,
          ScanIndexForward: false,
          KeyConditionExpression: "pk = :pk AND listed BETWEEN :first AND :last",
          ExpressionAttributeValues: { ":pk": userKey(account.username).pk, ":first": first, ":last": last },
          Limit: pageSize,
        };
        return (await client.send(new QueryCommand({ TableName: tableName, ...query }))).Items?.length ?? 0;
      },
    },
    { name: "get, nothing new", ...nothing, run: asking(({ newestAt }) => ({ since: String(newestAt) })) },
    {
      name: "get of 1 change",
      returns: 1,
      fewestItems: 1,
      run: asking(({ newestAt }) => ({ since: String(newestAt - 1) })),
    },
    { name: `get of ${pageSize}, page 1`, ...page, before: walking(1), run: askingForPage(() => 1) },
    {
      name: `get of ${pageSize}, page ${tenth} of a walk`,
      ...page,
      fewestItems: tenth * pageSize,
      before: walking(tenth - 1),
      run: askingForPage(() => tenth),
    },
    {
      name: `get of ${pageSize}, page ${tenth} at once`,
      ...page,
      fewestItems: tenth * pageSize,
      before: forgetting,
      run: askingForPage(() => tenth),
    },
    {
      name: `get of ${pageSize}, last page at once`,
      ...page,
      before: forgetting,
      run: askingForPage(({ items }) => Math.floor(items / pageSize)),
    },
    {
      name: `get of ${pageSize} unread`,
      ...page,
      // One of ten is unread.
      fewestItems: 10 * pageSize,
      before: walking(1),
      run: asking(() => ({ count: String(pageSize), state: "unread" })),
    },
    {
      name: "stats",
      ...nothing,
      run: async ({ service }, { account }) => itemsIn(await call(service, "stats", { ...account })),
    },
    {
      name: "add, a new page",
      ...nothing,
      run: async ({ service }, { account }) => itemsIn(await call(service, "add", { ...account, ...newPage() })),
      after: takingBack,
    },
    {
      name: `send of ${itemsOfSend}`,
      ...nothing,
      run: async ({ service }, { account }) => itemsIn(await call(service, "send", { ...account, ...newPages() })),
      after: takingBack,
    },
  ];
}

const countCall = ({ username }: Account) => ({
  Key: userKey(username),
  UpdateExpression: "SET calls = calls + :one",
  ExpressionAttributeValues: { ":one": 1 },
});

/** Time and capacity units of calls on lists of few and of many items. */
export async function measureGrowth(stack: Stack, extent: Extent): Promise<GrowthLine[]> {
  const lists: SeededList[] = [];
  for (const items of extent.listSizes) lists.push(await seedList(stack.service, stack.table, items));
  const measured = kindsOf().map((kind) => ({
    kind,
    points: lists
      .filter(({ items }) => items >= kind.fewestItems)
      .map((list) => ({ list, milliseconds: [] as number[], readUnits: 0, writeUnits: 0 })),
  }));

  for (let turn = 0; turn < extent.growthTurns; turn++) {
    for (const { kind, points } of measured) {
      // The first call of a kind pays for the change of kind: each size in its turn.
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
  const service = await startService(stack.envOfService, { wrapClient: (client) => meter.attach(client) });
  const metered: Side = { service, table: stack.table };
  try {
    for (const { kind, points } of measured) {
      for (const point of points) {
        await kind.before?.(metered, point.list);
        // So that key and password are remembered.
        await call(service, "auth", { ...point.list.account });
        const { readUnits, writeUnits } = await meter.measure(() => kind.run(metered, point.list));
        Object.assign(point, { readUnits, writeUnits });
        await kind.after?.(metered, point.list);
      }
    }
  } finally {
    await service.stop();
  }

  return measured.map(({ kind: { name, returns }, points }) => ({
    name,
    returns,
    points: points.map(({ list, milliseconds, ...units }) => ({
      items: list.items,
      milliseconds: percentileOf(milliseconds, 0.5),
      ...units,
    })),
  }));
}

/** The tables of growth: time, read units, write units. */
export function growthSubjects(lines: readonly GrowthLine[], { growthTurns, listSizes }: Extent): Subject[] {
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
        `${growthTurns} calls of each kind on lists of each size, one at a time and all in turn; a tenth of the items is unread.`,
        "Returns: items in the answer; a list that is too short for as many is left out. Growth: from the shortest list to the",
        "longest. Page 10 of a walk: pages 1 to 9 were asked for before; at once: no other page was. The last page is the last",
        "full one. What `add` and `send` add is taken out again after each call. Floors: commands to the database alone.",
      ],
      "milliseconds",
    ),
    subject("Growth: read units of a call", [], "readUnits"),
    subject("Growth: write units of a call", [], "writeUnits"),
  ];
}
