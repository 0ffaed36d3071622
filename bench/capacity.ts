import { startService } from "@reading-list/local/service.ts";
import { type Account, call, type Parameters, type ServiceAddress } from "./client.ts";
import type { Extent } from "./extent.ts";
import { itemsOfSend, newAccount, newPage, newPages, seedList } from "./lists.ts";
import { Meter, type Spent } from "./meter.ts";
import { databaseDollars, dollars } from "./prices.ts";
import { rounded, type Subject } from "./report.ts";
import type { Stack } from "./stack.ts";

interface Budget {
  calls: number;
  steps: number;
}

/** The budgets of a warm function: calls to the database, and how many of them one after the other. */
const oneStep: Budget = { calls: 2, steps: 1 };
const twoSteps: Budget = { calls: 4, steps: 2 };

/** One kind of call whose commands are counted. */
interface Kind {
  name: string;
  endpoint: string;
  budget?: Budget;
  parameters: () => Parameters;
  /** Prepares each call, after another of the same user and key. */
  before?: () => Promise<unknown>;
}

const hourMs = 3_600_000;

/** A clock that moves only when told to, so that what a call finds remembered does not depend on the machine. */
class SteppedClock {
  private milliseconds = Math.floor(Date.now() / hourMs) * hourMs;
  now = () => this.milliseconds;
  advance(seconds: number): void {
    this.milliseconds += 1000 * seconds;
  }
  advanceToEndOfHour(secondsLeft: number): void {
    this.milliseconds = (Math.floor(this.milliseconds / hourMs) + 1) * hourMs - 1000 * secondsLeft;
  }
}

const itemsOfList = 1000;
const pageSize = 30;

/** Commands and capacity units that each endpoint spends in the database, beside the budgets. */
export async function measureCapacity(stack: Stack, { countedCalls }: Extent): Promise<Subject> {
  const meter = new Meter();
  const clock = new SteppedClock();
  const tableName = "capacity";
  const service = await startService(
    { ...stack.envOfService, TABLE_NAME: tableName },
    { clock, wrapClient: (client) => meter.attach(client) },
  );
  try {
    const { account } = await seedList(service, { ...stack.table, tableName }, itemsOfList, clock);
    const rows: Subject["rows"] = [];
    for (const kind of await kindsOf(service, account, clock, stack.pageUrl)) {
      const counted: Spent[] = [];
      for (let i = 0; i < countedCalls; i++) {
        clock.advance(1);
        await call(service, "auth", { ...account });
        await kind.before?.();
        const parameters = kind.parameters();
        counted.push(await meter.measure(() => call(service, kind.endpoint, parameters)));
      }
      rows.push(rowOf(kind, counted));
    }
    return {
      title: "What a call spends in the database",
      notes: [
        `The most that any of ${countedCalls} calls of a kind spent; one user with ${itemsOfList} items, and those that the calls add.`,
        "Steps: commands that waited for one another. Warm: the key and the maintenance setting were read within 5 s, the",
        "password verified within 15 min; the last three rows are not. Pages 2 and 10 were asked for after those before them,",
        "the last page after the first. Units as the embedded database reports them; it does not report the write unit of a",
        "refused condition, of which the last two rows have one each. A call for which its process still holds calls of the",
        "key's window spends one call and one write unit less. Dollars: of the database, for a million such calls.",
      ],
      rows,
    };
  } finally {
    await service.stop();
  }
}

async function kindsOf(
  service: ServiceAddress,
  account: Account,
  clock: SteppedClock,
  pageUrl: string,
): Promise<Kind[]> {
  const saved = newPage();
  await call(service, "add", { ...account, ...saved });
  let since = "";
  const syncNow = async () => {
    since = JSON.parse(await call(service, "get", { ...account, count: "1" })).since;
  };
  const own = () => ({ ...account });
  const pageOf = (page: number) => ({ ...account, count: String(pageSize), page: String(page) });
  const laterPage = (name: string, page: number, pagesBefore: number): Kind => ({
    name: `get of ${pageSize}, ${name}`,
    endpoint: "get",
    parameters: () => pageOf(page),
    before: async () => {
      for (let before = 1; before <= pagesBefore; before++) await call(service, "get", pageOf(before));
    },
  });
  return [
    { name: "auth", endpoint: "auth", budget: oneStep, parameters: own },
    { name: "stats", endpoint: "stats", budget: oneStep, parameters: own },
    {
      name: "get, nothing new",
      endpoint: "get",
      budget: oneStep,
      parameters: () => ({ ...account, since }),
      before: syncNow,
    },
    { name: "api", endpoint: "api", budget: oneStep, parameters: () => ({}) },
    { name: "text", endpoint: "text", budget: oneStep, parameters: () => ({ url: pageUrl }) },
    { name: `get of ${pageSize}`, endpoint: "get", budget: twoSteps, parameters: () => pageOf(1) },
    laterPage("page 2", 2, 1),
    laterPage("page 10", 10, 9),
    laterPage("the last page", Math.ceil((itemsOfList + 1) / pageSize), 1),
    {
      name: `get of ${pageSize} unread`,
      endpoint: "get",
      budget: twoSteps,
      parameters: () => ({ ...pageOf(1), state: "unread" }),
    },
    {
      name: "get of 1 change",
      endpoint: "get",
      budget: twoSteps,
      parameters: () => ({ ...account, since }),
      before: async () => {
        await syncNow();
        await call(service, "add", { ...account, ...newPage() });
        clock.advance(2);
      },
    },
    {
      name: "add, a new page",
      endpoint: "add",
      budget: twoSteps,
      parameters: () => ({ ...account, ...newPage() }),
    },
    { name: "add, a saved page", endpoint: "add", budget: twoSteps, parameters: () => ({ ...account, ...saved }) },
    {
      name: `send of ${itemsOfSend}`,
      endpoint: "send",
      budget: twoSteps,
      parameters: () => ({ ...account, ...newPages() }),
    },
    { name: "signup", endpoint: "signup", parameters: () => ({ ...newAccount() }) },
    { name: "auth, 6 s after the last", endpoint: "auth", parameters: own, before: async () => clock.advance(6) },
    {
      name: "auth, first of its hour",
      endpoint: "auth",
      parameters: own,
      before: async () => {
        clock.advanceToEndOfHour(1);
        await call(service, "auth", own());
        clock.advance(1);
      },
    },
    {
      name: "auth, an hour after the last",
      endpoint: "auth",
      parameters: own,
      before: async () => clock.advance(3600),
    },
  ];
}

function rowOf({ name, budget }: Kind, counted: readonly Spent[]): Subject["rows"][number] {
  const mostOf = (part: keyof Spent) => rounded(Math.max(...counted.map((spent) => spent[part])));
  const [calls, steps] = [mostOf("calls"), mostOf("steps")];
  const [readUnits, writeUnits] = [mostOf("readUnits"), mostOf("writeUnits")];
  const isKept = budget && calls <= budget.calls && steps <= budget.steps;
  return {
    call: name,
    calls,
    "calls allowed": budget?.calls ?? "-",
    steps,
    "steps allowed": budget?.steps ?? "-",
    budget: budget ? (isKept ? "kept" : "MISSED") : "none set",
    "read units": readUnits,
    "write units": writeUnits,
    "$ a million": dollars(databaseDollars(readUnits, writeUnits)),
  };
}
