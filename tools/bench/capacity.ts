import { randomUUID } from "node:crypto";
import { writesAtOnce } from "@reading-list/core/ports.ts";
import { startService } from "@reading-list/local/service.ts";
import {
  type Account,
  type Answer,
  type Parameters as CallParameters,
  ServiceClient,
  TestUser,
} from "@reading-list/testing/client.ts";
import { ReadeckDevice } from "@reading-list/testing/readeck-device.ts";
import { rounded, type Subject } from "@reading-list/testing/table-text.ts";
import { WallabagDevice } from "@reading-list/testing/wallabag-device.ts";
import { newAccount, newPage, newPages, seedList } from "./measured-service.ts";
import { Meter, type Spent } from "./meter.ts";
import { databaseDollars, dollars } from "./prices.ts";
import type { Stack } from "./stack.ts";

interface Budget {
  calls: number;
  steps: number;
}

/** The budgets of a warm function: database calls, and how many of them are sequential. */
const oneStep: Budget = { calls: 2, steps: 1 };
const twoSteps: Budget = { calls: 4, steps: 2 };
/** Count, read of the items, write: more than ten items are not read for a caller who may be refused. */
const threeSteps: Budget = { calls: 4, steps: 3 };

/** One kind of call whose commands are counted. */
type Kind = {
  name: string;
  budget?: Budget;
  /** Runs before each call, after a previous call of the same user and key. */
  before?: () => Promise<unknown>;
} & ({ endpoint: string; parameters: () => CallParameters } | { call: () => Promise<unknown> });

const hourMs = 3_600_000;

/** A fake clock, so that cache hits do not depend on the speed of the machine. */
class SteppedClock {
  #milliseconds = Math.floor(Date.now() / hourMs) * hourMs;
  now = () => this.#milliseconds;
  elapsed = () => this.#milliseconds;
  advance(seconds: number): void {
    this.#milliseconds += 1000 * seconds;
  }
  advanceToEndOfHour(secondsLeft: number): void {
    this.#milliseconds = (Math.floor(this.#milliseconds / hourMs) + 1) * hourMs - 1000 * secondsLeft;
  }
}

const itemsOfList = 1000;
/** Calls of each kind. */
const countedCalls = 2;
const pageSize = 30;

/** Commands and capacity units of each endpoint, compared with the budgets. */
export async function measureCapacity(stack: Stack): Promise<Subject> {
  const meter = new Meter();
  const clock = new SteppedClock();
  const tableName = "capacity";
  const started = await startService(
    { ...stack.envOfService, TABLE_NAME: tableName },
    { clock, wrapClient: (client) => meter.attach(client) },
  );
  const service = new ServiceClient(started);
  try {
    const { account } = await seedList(service, itemsOfList);
    const rows: Subject["rows"] = [];
    for (const kind of await kindsOf(service, account, clock, stack.pageUrl)) {
      const counted: Spent[] = [];
      for (let i = 0; i < countedCalls; i++) {
        clock.advance(1);
        await service.ok("auth", { ...account });
        await kind.before?.();
        const endpointCall = (endpoint: string, parameters: CallParameters) => () => service.ok(endpoint, parameters);
        const call = "call" in kind ? kind.call : endpointCall(kind.endpoint, kind.parameters());
        counted.push(await meter.measure(call));
      }
      rows.push(rowOf(kind, counted));
    }
    return {
      title: "What a call spends in the database",
      notes: [
        `Maximum of ${countedCalls} calls of a kind, for one user with ${itemsOfList} items and those that the calls add.`,
        "Steps: sequential commands. Warm: the key and the maintenance setting were read within 5 s, and the user's record",
        "has a proof of the password; the last three rows, and those of `password` and `delete_account`, are not warm. Pages 2",
        "and 10 were fetched after the pages before them, the last page after the first. Units are those that the embedded database reports; it does not report the",
        "write unit of a refused condition, of which the last two rows have one each. If the process has written the key's",
        "calls within a second, a call needs one command and one write unit less. Dollars: database cost of a million calls.",
      ],
      rows,
    };
  } finally {
    await started.stop();
  }
}

async function kindsOf(
  service: ServiceClient,
  account: Account,
  clock: SteppedClock,
  pageUrl: string,
): Promise<Kind[]> {
  const saved = newPage();
  await service.ok("add", { ...account, ...saved });
  await service.ok("add", { ...account, url: pageUrl });
  await service.ok("article", { ...account, url: pageUrl });
  let since = "";
  const syncNow = async () => {
    since = (await service.ok("get", { ...account, count: "1" })).json().since;
  };
  const own = () => ({ ...account });
  const pageOf = (page: number) => ({ ...account, count: String(pageSize), page: String(page) });
  const laterPage = (name: string, page: number, pagesBefore: number): Kind => ({
    name: `get of ${pageSize}, ${name}`,
    endpoint: "get",
    parameters: () => pageOf(page),
    before: async () => {
      for (let before = 1; before <= pagesBefore; before++) await service.ok("get", pageOf(before));
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
    { name: "article, kept", endpoint: "article", budget: twoSteps, parameters: () => ({ ...account, url: pageUrl }) },
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
        await service.ok("add", { ...account, ...newPage() });
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
      name: `send of ${writesAtOnce}`,
      endpoint: "send",
      budget: threeSteps,
      parameters: () => ({ ...account, ...newPages(writesAtOnce) }),
    },
    // Not before the lists: one that has just changed is read in one more step.
    {
      name: "article, not kept",
      endpoint: "article",
      parameters: () => ({ ...account, url: pageUrl }),
      before: async () => {
        await service.ok("send", { ...account, delete: JSON.stringify([{ url: pageUrl }]) });
        await service.ok("add", { ...account, url: pageUrl });
      },
    },
    { name: "signup", endpoint: "signup", parameters: () => ({ ...newAccount() }) },
    ...accountKinds(service, account),
    ...(await readeckKinds(service, account, clock, pageUrl)),
    ...(await wallabagKinds(service, account, pageUrl)),
    { name: "auth, 6 s after the last", endpoint: "auth", parameters: own, before: async () => clock.advance(6) },
    {
      name: "auth, first of its hour",
      endpoint: "auth",
      parameters: own,
      before: async () => {
        clock.advanceToEndOfHour(1);
        await service.ok("auth", own());
        clock.advance(1);
      },
    },
    {
      name: "auth, first of the day",
      endpoint: "auth",
      parameters: own,
      before: async () => clock.advance(86_400),
    },
  ];
}

/** Calls that change an account: a new one for each. */
function accountKinds(service: ServiceClient, account: Account): Kind[] {
  let user = account;
  const newUser = async () => {
    user = newAccount();
    await service.ok("signup", { ...user });
  };
  return [
    { name: "app_passwords", endpoint: "app_passwords", parameters: () => ({ ...account }) },
    {
      name: "app_passwords, a new one",
      endpoint: "app_passwords",
      parameters: () => ({ ...account, create: "Phone" }),
    },
    {
      name: "password",
      endpoint: "password",
      parameters: () => ({ ...user, new_password: "another" }),
      before: newUser,
    },
    {
      name: `delete_account of ${writesAtOnce}`,
      endpoint: "delete_account",
      parameters: () => ({ ...user, confirm: user.username }),
      before: async () => {
        await newUser();
        await service.ok("send", { ...user, ...newPages(writesAtOnce) });
      },
    },
  ];
}

/** The address of a page that was not read before. */
const newUrlOf = (pageUrl: string) => `${pageUrl}/${randomUUID()}`;

/** Fails unless a call of an API of another service succeeds. */
async function succeed(call: Promise<Answer>): Promise<Answer> {
  const answer = await call;
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.body}`);
  return answer;
}

async function readeckKinds(
  service: ServiceClient,
  account: Account,
  clock: SteppedClock,
  pageUrl: string,
): Promise<Kind[]> {
  const device = await ReadeckDevice.signIn(new TestUser(service, account.username, account.password));
  const call = (...request: Parameters<ReadeckDevice["call"]>) => succeed(device.call(...request));
  let id = "";
  const addPage = async () => {
    id = (await call("POST", "bookmarks", { url: newUrlOf(pageUrl) })).headers.get("bookmark-id") ?? "";
  };
  const listPages = () => call("GET", `bookmarks?limit=${pageSize}`);
  // A `since` is read as a minute earlier.
  const quietMinutes = async () => {
    clock.advance(120);
    await service.ok("auth", { ...account });
  };
  const now = () => new Date(clock.now()).toISOString();
  return [
    { name: "readeck, POST", call: addPage },
    { name: "readeck, PATCH", before: addPage, call: () => call("PATCH", `bookmarks/${id}`, { is_archived: true }) },
    { name: "readeck, DELETE", before: addPage, call: () => call("DELETE", `bookmarks/${id}`) },
    { name: `readeck, list of ${pageSize}`, before: listPages, call: listPages },
    {
      name: "readeck, nothing new",
      before: quietMinutes,
      call: () => call("GET", `bookmarks?updated_since=${now()}`),
    },
    {
      name: "readeck, sync, nothing new",
      before: quietMinutes,
      call: () => call("GET", `bookmarks/sync?since=${now()}`),
    },
  ];
}

async function wallabagKinds(service: ServiceClient, account: Account, pageUrl: string): Promise<Kind[]> {
  const device = await new WallabagDevice(service, account).signIn();
  const call = (...request: Parameters<WallabagDevice["call"]>) => succeed(device.call(...request));
  const list = `perPage=${pageSize}&detail=metadata`;
  const listPages = () => call("GET", `api/entries.json?${list}`);
  let id = 0;
  let since = 0;
  const addPage = async () => {
    id = JSON.parse((await call("POST", "api/entries.json", { url: newUrlOf(pageUrl) })).body).id;
  };
  return [
    { name: "wallabag, POST", call: addPage },
    { name: "wallabag, PATCH", before: addPage, call: () => call("PATCH", `api/entries/${id}.json`, { archive: 1 }) },
    { name: "wallabag, DELETE", before: addPage, call: () => call("DELETE", `api/entries/${id}.json`) },
    { name: `wallabag, list of ${pageSize}`, before: listPages, call: listPages },
    {
      name: "wallabag, nothing new",
      before: async () => {
        const { body } = await call("GET", "api/entries.json?perPage=1&sort=updated&order=desc");
        since = Date.parse(JSON.parse(body)._embedded.items[0].updated_at) / 1000;
      },
      call: () => call("GET", `api/entries.json?${list}&sort=updated&order=asc&since=${since}`),
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
