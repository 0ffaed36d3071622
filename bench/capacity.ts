import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { startService } from "@reading-list/local/service.ts";
import { type Account, call, type Parameters, type ServiceAddress } from "./client.ts";
import type { Extent } from "./extent.ts";
import { fillList, itemsOfList, itemsOfSend, newPage, newPages, signUp } from "./lists.ts";
import { Meter, type Spent } from "./meter.ts";
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

/** Commands and capacity units that each endpoint spends in the database, beside the budgets. */
export async function measureCapacity({ envOfService }: Stack, { countedCalls }: Extent): Promise<Subject> {
  const pages = await servePage();
  const meter = new Meter();
  const clock = new SteppedClock();
  const service = await startService(
    { ...envOfService, TABLE_NAME: "capacity", TEXT_ALLOWED_ORIGINS: pages.origin },
    { clock, wrapClient: (client) => meter.attach(client) },
  );
  try {
    const [account] = (await signUp(service, 1)) as [Account];
    await fillList(service, account);
    const hosts = { main: service, text: { ...service, baseUrl: service.textUrl } };
    const rows: Subject["rows"] = [];
    for (const kind of await kindsOf(service, account, clock, pages.origin)) {
      const host = kind.endpoint === "text" ? hosts.text : hosts.main;
      const counted: Spent[] = [];
      for (let i = 0; i < countedCalls; i++) {
        clock.advance(1);
        await call(service, "auth", { ...account });
        await kind.before?.();
        const parameters = kind.parameters();
        counted.push(await meter.measure(() => call(host, kind.endpoint, parameters)));
      }
      rows.push(rowOf(kind, counted));
    }
    return {
      title: "What a call spends in the database",
      notes: [
        `The most that any of ${countedCalls} calls of a kind spent; one user with ${itemsOfList} items, and those that the calls add.`,
        "Steps: commands that waited for one another. Warm: the key and the maintenance setting were read within 5 s, the",
        "password verified within 15 min; the last three rows are not. Units as the embedded database reports them; it does",
        "not report the write unit of a refused condition, of which the last two rows have one each.",
      ],
      rows,
    };
  } finally {
    await service.stop();
    await pages.stop();
  }
}

async function kindsOf(
  service: ServiceAddress,
  account: Account,
  clock: SteppedClock,
  pageOrigin: string,
): Promise<Kind[]> {
  const saved = newPage();
  await call(service, "add", { ...account, ...saved });
  let since = "";
  const syncNow = async () => {
    since = JSON.parse(await call(service, "get", { ...account, count: "1" })).since;
  };
  const own = () => ({ ...account });
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
    { name: "text", endpoint: "text", budget: oneStep, parameters: () => ({ url: `${pageOrigin}/article` }) },
    { name: "get of 30", endpoint: "get", budget: twoSteps, parameters: () => ({ ...account, count: "30" }) },
    {
      name: "get of 30 unread",
      endpoint: "get",
      budget: twoSteps,
      parameters: () => ({ ...account, count: "30", state: "unread" }),
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
    {
      name: "signup",
      endpoint: "signup",
      parameters: () => ({ username: randomUUID().slice(0, 18), password: account.password }),
    },
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
  const isKept = budget && calls <= budget.calls && steps <= budget.steps;
  return {
    call: name,
    calls,
    "calls allowed": budget?.calls ?? "-",
    steps,
    "steps allowed": budget?.steps ?? "-",
    budget: budget ? (isKept ? "kept" : "MISSED") : "none set",
    "read units": mostOf("readUnits"),
    "write units": mostOf("writeUnits"),
  };
}

/** A page on this machine for `text` to fetch. */
async function servePage(): Promise<{ origin: string; stop: () => Promise<unknown> }> {
  const paragraph = "<p>Something happened today, and somebody wrote about it at some length, with commas, too.</p>";
  const page = `<!doctype html><title>An article</title><article>${paragraph.repeat(20)}</article>`;
  const server = createServer((_, response) => response.setHeader("content-type", "text/html").end(page));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = () => {
    server.closeAllConnections();
    server.close();
    return once(server, "close");
  };
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}
