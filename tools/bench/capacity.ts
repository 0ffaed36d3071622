// SPDX-License-Identifier: MIT

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { writesAtOnce } from "@reading-list/core/ports/items.ts";
import { startService } from "@reading-list/local/service.ts";
import { type Account, type Parameters, ServiceClient } from "@reading-list/testing/client.ts";
import { startDynamodb } from "@reading-list/testing/dynamodb.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import { articlePage, page, startPageServer } from "@reading-list/testing/page-server.ts";
import { newAccount, newHighlight, newPage, newPages, seedList } from "./measured-service.ts";
import { Meter, type Spent } from "./meter.ts";

/** One kind of call whose commands are counted. */
interface Kind {
  name: string;
  endpoint: string;
  parameters: () => Parameters;
  /** Runs before each call, after a previous call of the same user and key. */
  before?: () => Promise<unknown>;
}

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
 * were read within 5 s, and the user's record has a proof of the password.
 */
export async function measureCapacity(): Promise<Map<string, Spent>> {
  const folder = mkdtempSync(path.join(tmpdir(), "reading-list-bench-"));
  const database = await startDynamodb();
  const pages = await startPageServer(page(articlePage));
  const meter = new Meter();
  const clock = new FakeClock();
  const started = await startService(
    {
      PORT: "0",
      TEXT_PORT: "0",
      DATA_DIR: folder,
      DYNAMODB_ENDPOINT: database.endpoint,
      TABLE_NAME: "capacity",
      LOCAL_API_KEY: "bench-key",
      USER_LIMIT: noLimit,
      KEY_LIMIT: noLimit,
      TEXT_ALLOWED_ORIGINS: pages.origin,
    },
    {
      clock,
      wrapClient: (client) => meter.attach(client),
      // Its work would be counted with the calls; kept-pages.ts measures it.
      takeKeeper: () => {},
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
        const parameters = kind.parameters();
        return meter.measure(() => service.ok(kind.endpoint, parameters));
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
  let unkept = "";
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
      parameters: () => ({ ...account, url: unkept }),
      before: async () => {
        // A page that is deleted and added again has its saved copy again.
        unkept = `${pageUrl}/${crypto.randomUUID()}`;
        await service.ok("add", { ...account, url: unkept });
      },
    },
    ...searchKinds(service, account),
    ...(await markKinds(service, account, clock)),
    { name: "signup", endpoint: "signup", parameters: () => ({ ...newAccount() }) },
    {
      name: "auth, first of the day",
      endpoint: "auth",
      parameters: own,
      before: async () => clock.advance(86_400),
    },
  ];
}

/** Searches that find ten pages: of a list that the index has, and of one that has changed since. */
function searchKinds(service: ServiceClient, account: Account): Kind[] {
  const search = { endpoint: "search", parameters: () => ({ ...account, query: "site:example.com" }) };
  const searchBefore = () => service.ok("search", { ...search.parameters() });
  return [
    { name: "search of 10", ...search, before: searchBefore },
    {
      name: "search of 10, 1 change",
      ...search,
      before: async () => {
        await searchBefore();
        await service.ok("add", { ...account, ...newPage() });
      },
    },
  ];
}

/** Calls of progress, highlights and the trash. */
async function markKinds(service: ServiceClient, account: Account, clock: FakeClock): Promise<Kind[]> {
  const [marked, removed] = [newPage(), newPage()];
  const save = (count: number) => JSON.stringify(Array.from({ length: count }, () => newHighlight(marked.url)));
  await service.ok("send", { ...account, new: JSON.stringify([marked, removed]) });
  await service.ok("highlights", { ...account, save: save(writesAtOnce) });
  let since = "";
  const syncHighlights = async () => {
    clock.advance(2);
    since = (await service.ok("highlights", { ...account, count: "1" })).json().since;
  };
  let percent = 0;
  return [
    {
      name: "send, progress of 1",
      endpoint: "send",
      parameters: () => ({
        ...account,
        update_progress: JSON.stringify([{ url: marked.url, progress: ++percent, anchor: "the place" }]),
      }),
    },
    {
      name: "send, restore of 1",
      endpoint: "send",
      parameters: () => ({ ...account, restore: JSON.stringify([removed]) }),
      before: () => service.ok("send", { ...account, delete: JSON.stringify([removed]) }),
    },
    { name: `trash of ${pageSize}`, endpoint: "trash", parameters: () => ({ ...account, count: String(pageSize) }) },
    { name: "highlights, save 1", endpoint: "highlights", parameters: () => ({ ...account, save: save(1) }) },
    {
      name: `highlights, save ${writesAtOnce}`,
      endpoint: "highlights",
      parameters: () => ({ ...account, save: save(writesAtOnce) }),
    },
    {
      name: `highlights of ${pageSize}`,
      endpoint: "highlights",
      parameters: () => ({ ...account, count: String(pageSize) }),
    },
    {
      name: "highlights, nothing new",
      endpoint: "highlights",
      parameters: () => ({ ...account, since }),
      before: syncHighlights,
    },
  ];
}
