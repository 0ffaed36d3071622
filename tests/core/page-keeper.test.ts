// SPDX-License-Identifier: MIT

import type { Item } from "@reading-list/core/domain/item.ts";
import { itemsIn } from "@reading-list/core/domain/item.ts";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import { newPage } from "@reading-list/core/domain/kept-page.ts";
import type { TextView } from "@reading-list/core/domain/text-view.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import type { Turn } from "@reading-list/core/ports/pages.ts";
import type { User } from "@reading-list/core/ports/users.ts";
import { type KeeperPorts, PageKeeper } from "@reading-list/core/use-cases/articles/keep-pages.ts";
import { importPages } from "@reading-list/core/use-cases/lists/import-pages.ts";
import { writeItems } from "@reading-list/core/use-cases/lists/write-items.ts";
import { readSettings } from "@reading-list/settings/settings.ts";
import { Database } from "@reading-list/store-sqlite/database.ts";
import { createStore } from "@reading-list/store-sqlite/store.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import { beforeEach, expect, onTestFinished, test } from "vitest";

let clock: FakeClock;
let stores: ReturnType<typeof createStore>;
let user: User;
/** The turns of the pages that were read, and what reading one does. */
let turns: (Turn | undefined)[];
let read: () => Promise<void>;

const url = "https://pages.example/1";
const view: TextView = {
  html: "<p>Some text.</p>",
  title: "A",
  resolvedUrl: url,
  nextUrl: undefined,
  loginFound: false,
};

const findUser = async () => {
  const found = await stores.users.find("ann");
  if (!found) throw new Error("no such user");
  return found;
};

beforeEach(async () => {
  const database = Database.open(":memory:");
  onTestFinished(() => database.close());
  clock = new FakeClock();
  stores = createStore(database, { user: 1000, key: 1000 });
  await stores.users.create("ann", "hash", clock.seconds());
  user = await findUser();
  turns = [];
  read = async () => {};
});

const keeperWith = (parts: Partial<KeeperPorts> = {}) =>
  new PageKeeper({
    ...stores,
    ...readSettings({}).service,
    clock,
    pagesAtOnce: 2,
    reader: {
      readArticle: async (_url, _source, turn) => {
        turns.push(turn);
        await read();
        return { less: view, more: view };
      },
    },
    ...parts,
  });

/** Saves a page of ann's. */
async function add(address = url, list?: User): Promise<void> {
  const itemId = toItemId(address);
  const content = {
    itemId,
    url: address,
    title: "A",
    tags: "",
    state: "0",
    applicationId: "app",
    refId: undefined,
  } as const;
  await writeItems({ ...stores, clock }, list ?? (await findUser()), [itemId], () => ({
    writes: [{ before: undefined, after: { ...content, isDeleted: false } }],
  }));
}

async function work(keeper: PageKeeper): Promise<void> {
  await keeper.round();
  await keeper.finish();
}

const pageOf = async (address = url) => (await stores.keptPages.find(user, [toItemId(address)])).get(toItemId(address));

test("a page is read in a turn of the keeper's own", async () => {
  await add();
  await work(keeperWith());
  expect(turns).toEqual([{ address: "keeper", user: user.userId }]);
});

test("if no worker is free, or the database does not answer, the page is tried again soon, and has not failed", async () => {
  const keeper = keeperWith();
  await add();
  for (const kind of ["busy", "unavailable"] as const) {
    read = async () => {
      throw new ServiceError(kind, "later");
    };
    await work(keeper);
    expect(await pageOf()).toMatchObject({ state: "waiting", tries: 0, error: "", nextTry: clock.seconds() + 30 });
    clock.advance(30);
  }
  read = async () => {};
  await work(keeper);
  expect(await pageOf()).toMatchObject({ state: "kept" });
});

test.each([
  ["because of a bug", new TypeError("a bug")],
  ["because a parser fails", new ServiceError("unavailable", "the service failed", { isTemporary: false })],
])("a page whose read fails %s is tried again like an unreadable page", async (_, error) => {
  await add();
  read = async () => {
    throw error;
  };
  await work(keeperWith());
  expect(await pageOf()).toMatchObject({ state: "waiting", tries: 1, error: "could not be read" });
});

test("a page whose saved copy is damaged is tried again later, and not at once", async () => {
  let tries = 0;
  const damaged = {
    ...stores.articles,
    find: async () => {
      if (++tries > 9) void keeper.stop();
      throw new Error("damaged");
    },
  };
  const failures: unknown[] = [];
  const keeper: PageKeeper = keeperWith({ articles: damaged, onFailure: (error) => failures.push(error) });
  await add();
  await work(keeper);
  expect(tries).toBe(1);
  expect(failures).toHaveLength(1);
  expect(await pageOf()).toMatchObject({ state: "waiting", tries: 1, nextTry: clock.seconds() + 600 });
});

test("if a page cannot even be put off, the next try waits as long as its site", async () => {
  let tries = 0;
  const isDown = async () => {
    throw new ServiceError("unavailable", "the database does not answer");
  };
  const keeper: PageKeeper = keeperWith({
    users: {
      find: () => {
        if (++tries > 9) void keeper.stop();
        return isDown();
      },
    },
    keptPages: { ...stores.keptPages, write: isDown },
  });
  await add();
  // Noted by another keeper.
  await stores.keptPages.write(
    user,
    [
      {
        before: undefined,
        after: newPage(
          (await stores.items.find("ann", [toItemId(url)])).get(toItemId(url)) as Item,
          "waiting",
          clock.seconds(),
        ),
      },
    ],
    clock.seconds(),
  );
  await stores.keeper.setNoted(await findUser());
  await work(keeper);
  expect(tries).toBe(1);
  clock.advance(2);
  await work(keeper);
  expect(tries).toBe(2);
});

test("an article gets its pictures after it was saved, whoever saved it, and again if that failed", async () => {
  const asked: string[] = [];
  let isDown = true;
  const keeper = keeperWith({
    keepPictures: async (owner, item, article) => {
      asked.push(`${owner.username} ${item.url} ${article.less}`);
      if (isDown) throw new Error("down");
      return { retryAt: undefined };
    },
  });
  await add();
  await work(keeper);
  expect(await pageOf()).toMatchObject({ state: "kept", error: "", nextTry: clock.seconds() + 600 });
  isDown = false;
  clock.advance(600);
  await work(keeper);
  expect(await pageOf()).toMatchObject({ state: "kept", tries: 0, nextTry: undefined });
  clock.advance(100_000);
  await work(keeper);
  const line = `ann ${url} ${view.html}`;
  expect([asked, turns.length]).toEqual([[line, line], 1]);
  const kept = await stores.articles.find(user, toItemId(url));
  if (kept) await stores.articles.keep(user, toItemId(url), { ...kept, keptAt: clock.seconds() }, 1e9);
  await work(keeper);
  expect(asked.length).toBe(3);
});

test("an import into a list that was never synced keeps its original times while pages are saved", async () => {
  const keeper = keeperWith();
  const pages = [1, 2].map((number) => ({
    itemId: String(number),
    url: `https://pages.example/${number}`,
    title: "",
    tags: "",
    state: "0" as const,
    timeAdded: 1000 * number,
    timeUpdated: 1000 * number,
  }));
  let list = await importPages({ ...stores, clock }, user, pages.slice(0, 1));
  await work(keeper);
  list = await importPages({ ...stores, clock }, list.list, pages.slice(1));
  await work(keeper);
  const items = await stores.items.find("ann", ["1", "2"]);
  expect([...items.values()].map(({ timeUpdated }) => timeUpdated)).toEqual([1000, 2000]);
  expect(turns).toEqual([]);
});

test("another change in the last recorded second is also recorded", async () => {
  const keeper = keeperWith();
  for (let page = 1; page <= 3; page++) {
    await add(`https://site-${page}.example/`);
    await work(keeper);
    expect(await pageOf(`https://site-${page}.example/`)).toMatchObject({ state: "kept" });
  }
});

test("a change in the last recorded second is read without the earlier ones of that second", async () => {
  for (let page = 1; page <= 3; page++) {
    const address = `https://site-${page}.example/`;
    await add(address);
    const changes = await itemsIn(stores.keeper.changes(await findUser()));
    expect(changes.map((item) => item.url)).toEqual([address]);
    await stores.keeper.setNoted(await findUser());
  }
});

test("each user with work has a turn before another user has a second one", async () => {
  await stores.users.create("bob", "hash", clock.seconds());
  const bob = (await stores.users.find("bob")) as User;
  for (const page of [1, 2, 3, 4]) await add(`https://ann-${page}.example/`);
  for (const page of [1, 2]) await add(`https://bob-${page}.example/`, (await stores.users.find("bob")) as User);
  await work(keeperWith({ pagesAtOnce: 1 }));
  const [ann, her] = [user.userId, bob.userId];
  expect(turns.map((turn) => turn?.user)).toEqual([ann, her, ann, her, ann, ann]);
});

/** A keeper as in a function: a second goes by between two rounds, and passes without work rest. */
const keeperOfFunction = () =>
  keeperWith({
    restMs: 2000,
    settings: {
      ...stores.settings,
      maintenance: async () => {
        clock.advance(1);
        return undefined;
      },
    },
  });

test("a run reads the pages of a site one after the other until none is due", async () => {
  for (const page of ["one", "two"]) await add(`https://pages.example/${page}`);
  await keeperOfFunction().workFor(60_000);
  expect(turns).toHaveLength(2);
});

test("a run reads pages that were saved just after the last run found nothing", async () => {
  const keeper = keeperOfFunction();
  await keeper.workFor(60_000);
  await add();
  await keeper.workFor(60_000);
  expect(turns).toHaveLength(1);
});

test("during maintenance a run ends at once", async () => {
  await add();
  const maintenance = async () => "Back at noon.";
  await keeperWith({ settings: { ...stores.settings, maintenance } }).workFor(60_000);
  expect(turns).toEqual([]);
});
