import { type Account, call, formOf, urlOf } from "./client.ts";
import { connectionCounts, type Extent } from "./extent.ts";
import { measureEmptyGateway, measureGetItem } from "./floors.ts";
import { fillList, itemsOfList, newPage, signUp } from "./lists.ts";
import { measureLoad } from "./load.ts";
import { medianRate, type Rate, rateColumns } from "./rate.ts";
import { rounded, type Subject } from "./report.ts";
import type { Stack } from "./stack.ts";

/** One kind of call, made for one account of a number of them by each connection. */
interface Kind {
  name: string;
  endpoint: string;
  connections: readonly number[];
  parametersFor: (connection: number) => Record<string, string>;
  isRight: (body: string) => boolean;
}

const pageSize = 30;
const most = Math.max(...connectionCounts);

const isOk = (body: string) => body === "200 OK";
const isPage = (body: string) => body.startsWith('{"status":"1"') && body.split('"item_id"').length === pageSize + 1;

async function kindsOf({ service }: Stack): Promise<{ kinds: Kind[]; anyone: Account }> {
  const readers = await signUp(service, most);
  const writers = await signUp(service, most);
  await Promise.all(readers.map((account) => fillList(service, account)));
  const sinces = await Promise.all(
    readers.map(async (account) => String(JSON.parse(await call(service, "get", { ...account })).since)),
  );
  const ownOf = (accounts: readonly Account[]) => (connection: number) => ({ ...accounts[connection] });
  const [reader, writer] = [ownOf(readers), ownOf(writers)];
  const kinds: Kind[] = [
    {
      name: "add, a new page",
      endpoint: "add",
      connections: connectionCounts,
      parametersFor: (connection) => ({ ...writer(connection), ...newPage() }),
      isRight: isOk,
    },
    {
      name: "add, all to one list",
      endpoint: "add",
      connections: connectionCounts.filter((connections) => connections > 1),
      parametersFor: () => ({ ...writer(0), ...newPage() }),
      isRight: isOk,
    },
    {
      name: `get of ${pageSize}`,
      endpoint: "get",
      connections: connectionCounts,
      parametersFor: (connection) => ({ ...reader(connection), count: String(pageSize) }),
      isRight: isPage,
    },
    {
      name: "get, nothing new",
      endpoint: "get",
      connections: connectionCounts,
      parametersFor: (connection) => ({ ...reader(connection), since: sinces[connection] ?? "" }),
      isRight: (body) => body.startsWith('{"status":"2"'),
    },
    {
      name: "stats",
      endpoint: "stats",
      connections: connectionCounts,
      parametersFor: reader,
      isRight: (body) => body.includes(`"count_list":"${itemsOfList}"`),
    },
    { name: "auth", endpoint: "auth", connections: connectionCounts, parametersFor: reader, isRight: isOk },
  ];
  return { kinds, anyone: readers[0] as Account };
}

/** One row of the table. */
interface Measurement {
  name: string;
  connections: number;
  measure: () => Promise<Rate>;
}

function floorsOf(stack: Stack, anyone: Account, extent: Extent): Measurement[] {
  return connectionCounts.flatMap((connections) => [
    { name: gatewayFloor, connections, measure: () => measureEmptyGateway(stack, connections, anyone, extent) },
    { name: getItemFloor, connections, measure: () => measureGetItem(stack, connections, anyone, extent) },
  ]);
}

function measurementsOf(kind: Kind, { service }: Stack, extent: Extent): Measurement[] {
  const { name, endpoint, parametersFor, isRight } = kind;
  const url = urlOf(service.baseUrl, endpoint);
  const nextForm = (connection: number) => formOf(service.apiKey, parametersFor(connection));
  return kind.connections.map((connections) => {
    const load = { url, connections, nextForm, isRight };
    return { name, connections, measure: () => measureLoad(load, extent) };
  });
}

const gatewayFloor = "floor: gateway, empty handler";
const getItemFloor = "floor: one GetItem";

/** Latency and throughput of the endpoints with warm passwords, beside the floors. */
export async function measureEndpoints(stack: Stack, extent: Extent): Promise<Subject> {
  const { kinds, anyone } = await kindsOf(stack);
  const measurements = [
    ...floorsOf(stack, anyone, extent),
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
      `Each connection is another user's, who has ${itemsOfList} items; those of \`add\` begin with none.`,
      "Load, service and database are a process each on this machine.",
      `The rows take turns in ${extent.rounds} rounds of ${extent.seconds} s after ${extent.warmUpSeconds} s of warm-up; shown is the median round.`,
      "x gateway, x GetItem: how many empty calls, or reads of one record, are served in the time of one such call.",
    ],
    rows: results.map(({ name, connections, rate }) => ({
      call: name,
      connections,
      ...rateColumns(rate),
      "x gateway": timesOf(gatewayFloor, connections, rate),
      "x GetItem": timesOf(getItemFloor, connections, rate),
    })),
  };
}
