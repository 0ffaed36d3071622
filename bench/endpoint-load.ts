import type { Account, Parameters } from "@reading-list/testing/client.ts";
import { rounded, type Subject } from "@reading-list/testing/table-text.ts";
import { connectionCounts, type Extent } from "./extent.ts";
import { floorsOf } from "./floors.ts";
import { itemsIn } from "./items-in.ts";
import { itemsOfSend, newAccount, newPage, newPages, type SeededList, seedList, signUp } from "./lists.ts";
import { measureLoad } from "./load.ts";
import { medianRate, type Rate, rateColumns } from "./rate.ts";
import type { Stack } from "./stack.ts";

/** One kind of call; each connection calls for its own account. */
interface Kind {
  name: string;
  endpoint: string;
  connections: readonly number[];
  /** Too slow to be measured for a fixed time. */
  isSlow?: boolean;
  parametersFor: (connection: number) => Parameters;
  isRight: (body: string) => boolean;
}

const itemsOfList = 300;
const pageSize = 30;
const most = Math.max(...connectionCounts);

const isOk = (body: string) => body === "200 OK";
const isListOf = (items: number) => (body: string) => body.startsWith('{"status":"1"') && itemsIn(body) === items;

async function kindsOf({ service, table, pageUrl }: Stack): Promise<{ kinds: Kind[]; anyone: Account }> {
  const lists: SeededList[] = [];
  while (lists.length < most) lists.push(await seedList(service, table, itemsOfList));
  const writers = await signUp(service, most);
  // Fills the caches of passwords and of the page.
  for (const account of writers) await service.ok("auth", { ...account });
  await service.ok("text", { url: pageUrl });
  const reader = (connection: number) => ({ ...lists[connection]?.account });
  const writer = (connection: number) => ({ ...writers[connection] });
  /** Calls `get` with a `since` so many seconds before the newest change. */
  const syncing = (secondsBefore: number) => (connection: number) => ({
    ...reader(connection),
    since: String((lists[connection]?.newestAt ?? 0) - secondsBefore),
  });
  const kind = (
    name: string,
    endpoint: string,
    parametersFor: Kind["parametersFor"],
    isRight: Kind["isRight"],
    others?: Partial<Kind>,
  ): Kind => ({ name, endpoint, connections: connectionCounts, parametersFor, isRight, ...others });
  const kinds = [
    kind("add, a new page", "add", (connection) => ({ ...writer(connection), ...newPage() }), isOk),
    kind("add, all to one list", "add", () => ({ ...writer(0), ...newPage() }), isOk, {
      connections: connectionCounts.filter((connections) => connections > 1),
    }),
    kind(`send of ${itemsOfSend}`, "send", (connection) => ({ ...writer(connection), ...newPages() }), isOk, {
      isSlow: true,
    }),
    kind(
      `get of ${pageSize}`,
      "get",
      (connection) => ({ ...reader(connection), count: String(pageSize) }),
      isListOf(pageSize),
    ),
    kind("get, nothing new", "get", syncing(0), (body) => body.startsWith('{"status":"2"')),
    kind("get of 1 change", "get", syncing(1), isListOf(1)),
    kind("stats", "stats", reader, (body) => body.includes(`"count_list":"${itemsOfList}"`)),
    kind("auth", "auth", reader, isOk),
    kind("signup", "signup", () => ({ ...newAccount() }), isOk, { isSlow: true }),
    kind("api", "api", () => ({}), isOk),
    kind(
      "text, cached",
      "text",
      () => ({ url: pageUrl }),
      (body) => body.includes("the harbour, which had been closed"),
    ),
  ];
  return { kinds, anyone: writers[0] as Account };
}

/** One row of the table. */
interface Measurement {
  name: string;
  connections: number;
  measure: () => Promise<Rate>;
}

function measurementsOf(kind: Kind, { service }: Stack, extent: Extent): Measurement[] {
  const { name, endpoint, isSlow, parametersFor, isRight } = kind;
  const nextForm = (connection: number) => service.formOf(parametersFor(connection));
  return kind.connections.map((connections) => {
    const load = { url: service.urlOf(endpoint), connections, nextForm, isRight };
    return { name, connections, measure: () => measureLoad(load, isSlow ? { calls: extent.slowCalls } : extent) };
  });
}

/** Latency and throughput of the endpoints with cached passwords, compared with the floors. */
export async function measureEndpoints(stack: Stack, extent: Extent): Promise<Subject> {
  const { kinds, anyone } = await kindsOf(stack);
  const floors = floorsOf(stack, anyone);
  const measurements = [
    ...floors.flatMap(({ name, measure }) =>
      connectionCounts.map((connections) => ({ name, connections, measure: () => measure(connections, extent) })),
    ),
    ...kinds.flatMap((kind) => measurementsOf(kind, stack, extent)),
  ].map((measurement) => ({ ...measurement, rounds: [] as Rate[] }));
  for (let round = 0; round < extent.rounds; round++) {
    for (const { measure, rounds } of measurements) rounds.push(await measure());
  }
  const results = measurements.map(({ name, connections, rounds }) => ({
    name,
    connections,
    rate: medianRate(rounds),
  }));
  const timesOf = (floor: string, connections: number, { callsPerSecond }: Rate) => {
    const found = results.find((result) => result.name === floor && result.connections === connections);
    return rounded((found?.rate.callsPerSecond ?? Number.NaN) / callsPerSecond);
  };
  return {
    title: "Latency and throughput, warm",
    notes: [
      `Each connection has its own user with ${itemsOfList} items; the users of \`add\` and \`send\` begin with none.`,
      "Load generator, service and database are separate processes on this machine. The rows take turns; the median of",
      `${extent.rounds} rounds is shown, each of ${extent.seconds} s after ${extent.warmUpSeconds} s of warm-up, or of ${extent.slowCalls} calls if they are slow (\`send\`, \`signup\`).`,
      "x: time of the call in units of a floor with as many connections.",
    ],
    rows: results.map(({ name, connections, rate }) => ({
      call: name,
      connections,
      ...rateColumns(rate),
      ...Object.fromEntries(floors.map((floor) => [floor.column, timesOf(floor.name, connections, rate)])),
    })),
  };
}
