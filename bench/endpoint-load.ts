import { type Account, call, formOf, itemsIn, type Parameters, urlOf } from "./client.ts";
import { connectionCounts, type Extent } from "./extent.ts";
import { floorsOf } from "./floors.ts";
import { itemsOfSend, newAccount, newPage, newPages, type SeededList, seedList, signUp } from "./lists.ts";
import { measureLoad } from "./load.ts";
import { medianRate, type Rate, rateColumns } from "./rate.ts";
import { rounded, type Subject } from "./report.ts";
import type { Stack } from "./stack.ts";

/** One kind of call, made for one account of a number of them by each connection. */
interface Kind {
  name: string;
  endpoint: string;
  connections: readonly number[];
  /** Answered too slowly to be measured by time. */
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
  // So that their passwords are remembered, and the page is kept.
  for (const account of writers) await call(service, "auth", { ...account });
  await call(service, "text", { url: pageUrl });
  const reader = (connection: number) => ({ ...lists[connection]?.account });
  const writer = (connection: number) => ({ ...writers[connection] });
  /** With a `since` that many seconds before the newest change. */
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
      "text, kept",
      "text",
      () => ({ url: pageUrl }),
      (body) => body.includes("Something happened today"),
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
  const nextForm = (connection: number) => formOf(service.apiKey, parametersFor(connection));
  return kind.connections.map((connections) => {
    const load = { url: urlOf(service, endpoint), connections, nextForm, isRight };
    return { name, connections, measure: () => measureLoad(load, isSlow ? { calls: extent.slowCalls } : extent) };
  });
}

/** Latency and throughput of the endpoints with warm passwords, beside the floors. */
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
      `Each connection is another user's, who has ${itemsOfList} items; those of \`add\` and \`send\` begin with none.`,
      "Load, service and database are a process each on this machine. The rows take turns; shown is the median round of",
      `${extent.rounds}, each of ${extent.seconds} s after ${extent.warmUpSeconds} s of warm-up; of ${extent.slowCalls} calls where a call is slow (\`send\`, \`signup\`).`,
      "x: how many empty calls, or commands that as many callers send to the database, are served in the time of one such call.",
    ],
    rows: results.map(({ name, connections, rate }) => ({
      call: name,
      connections,
      ...rateColumns(rate),
      ...Object.fromEntries(floors.map((floor) => [floor.column, timesOf(floor.name, connections, rate)])),
    })),
  };
}
