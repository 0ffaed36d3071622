// SPDX-License-Identifier: MIT

import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { writesAtOnce } from "@reading-list/core/ports.ts";
import { startService } from "@reading-list/local/service.ts";
import {
  type Account,
  type Answer,
  type Parameters as CallParameters,
  ServiceClient,
  TestUser,
} from "@reading-list/testing/client.ts";
import { startDynamodb } from "@reading-list/testing/dynamodb.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import { articlePage, page, startPageServer } from "@reading-list/testing/page-server.ts";
import { ReadeckDevice } from "@reading-list/testing/readeck-device.ts";
import { WallabagDevice } from "@reading-list/testing/wallabag-device.ts";
import { newAccount, newPage, newPages, seedList } from "./measured-service.ts";
import { Meter, type Spent } from "./meter.ts";

/** One kind of call whose commands are counted. */
type Kind = {
  name: string;
  /** Runs before each call, after a previous call of the same user and key. */
  before?: () => Promise<unknown>;
} & ({ endpoint: string; parameters: () => CallParameters } | { call: () => Promise<unknown> });

const itemsOfList = 1000;
/** Calls of each kind. */
const countedCalls = 2;
const pageSize = 30;

const noLimit = "1000000000";
/** Milliseconds for a page: on a busy machine a worker may take longer to start than a caller would wait. */
const patienceMs = 600_000;

/**
 * The sequential steps and capacity units of each kind of call, by its name: the maximum of some calls of a user with
 * 1,000 items. Units are those that the embedded database reports. Calls are warm: the key and the maintenance setting
 * were read within 5 s, and the user's record has a proof of the password. `password` and `delete_account` are not.
 */
export async function measureCapacity(): Promise<Map<string, Spent>> {
  const folder = mkdtempSync(path.join(tmpdir(), "reading-list-bench-"));
  const database = await startDynamodb();
  const pages = await startPageServer(page(articlePage));
  const meter = new Meter();
  const clock = new FakeClock();
  const started = await startService(
    {
      ...{ PORT: "0", TEXT_PORT: "0", DATA_DIR: folder, DYNAMODB_ENDPOINT: database.endpoint, TABLE_NAME: "capacity" },
      ...{ LOCAL_API_KEY: "bench-key", USER_LIMIT: noLimit, KEY_LIMIT: noLimit, TEXT_ALLOWED_ORIGINS: pages.origin },
    },
    {
      clock,
      wrapClient: (client) => meter.attach(client),
      pageLimits: { deadlineMs: patienceMs, articleWaitMs: patienceMs },
    },
  );
  const service = new ServiceClient(started);
  try {
    const { account } = await untilInTime(() => seedList(service, itemsOfList));
    const spent = new Map<string, Spent>();
    const kinds = await untilInTime(() => kindsOf(service, account, clock, `${pages.origin}/article`));
    for (const kind of kinds) {
      const counted: Spent[] = [];
      const measure = async () => {
        clock.advance(1);
        await service.ok("auth", { ...account });
        await kind.before?.();
        const endpointCall = (endpoint: string, parameters: CallParameters) => () => service.ok(endpoint, parameters);
        const call = "call" in kind ? kind.call : endpointCall(kind.endpoint, kind.parameters());
        return meter.measure(call);
      };
      for (let i = 0; i < countedCalls; i++) counted.push(await untilInTime(measure));
      const mostOf = (part: keyof Spent) => Math.max(...counted.map((each) => each[part]));
      spent.set(kind.name, {
        steps: mostOf("steps"),
        readUnits: mostOf("readUnits"),
        writeUnits: mostOf("writeUnits"),
      });
    }
    return spent;
  } finally {
    await started.stop();
    pages.stop();
    await database.stop();
    rmSync(folder, { recursive: true });
  }
}

/** The result of work, which is repeated while a call of it ends at its deadline, as on a busy machine. */
async function untilInTime<T>(work: () => Promise<T>, tries = 20): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (tries <= 1 || !/\b503\b/.test((error as Error).message)) throw error;
    return untilInTime(work, tries - 1);
  }
}

async function kindsOf(service: ServiceClient, account: Account, clock: FakeClock, pageUrl: string): Promise<Kind[]> {
  const saved = newPage();
  await service.ok("add", { ...account, ...saved });
  await service.ok("add", { ...account, url: pageUrl });
  await service.ok("article", { ...account, url: pageUrl });
  let since = "";
  const syncNow = async () => {
    since = (await service.ok("get", { ...account, count: "1" })).json().since;
  };
  let added = newPages(writesAtOnce);
  const own = () => ({ ...account });
  const firstPage = () => ({ ...account, count: String(pageSize) });
  return [
    { name: "auth", endpoint: "auth", parameters: own },
    { name: "stats", endpoint: "stats", parameters: own },
    {
      name: "get, nothing new",
      endpoint: "get",
      parameters: () => ({ ...account, since }),
      before: syncNow,
    },
    { name: "api", endpoint: "api", parameters: () => ({}) },
    { name: "text", endpoint: "text", parameters: () => ({ url: pageUrl }) },
    { name: "article, kept", endpoint: "article", parameters: () => ({ ...account, url: pageUrl }) },
    { name: `get of ${pageSize}`, endpoint: "get", parameters: firstPage },
    {
      name: "get of 1 change",
      endpoint: "get",
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
      parameters: () => ({ ...account, ...newPage() }),
    },
    { name: "add, a saved page", endpoint: "add", parameters: () => ({ ...account, ...saved }) },
    {
      name: `send of ${writesAtOnce}`,
      endpoint: "send",
      parameters: () => ({ ...account, ...newPages(writesAtOnce) }),
    },
    {
      name: `send of ${writesAtOnce} reads`,
      endpoint: "send",
      parameters: () => ({ ...account, read: added.new }),
      before: async () => {
        added = newPages(writesAtOnce);
        await service.ok("send", { ...account, ...added });
      },
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
  clock: FakeClock,
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
