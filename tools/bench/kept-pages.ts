// SPDX-License-Identifier: MIT

import { toItemId } from "@reading-list/core/domain/item-id.ts";
import type { TextView } from "@reading-list/core/domain/text-view.ts";
import type { User } from "@reading-list/core/ports/users.ts";
import { boundsOfStage, PageKeeper } from "@reading-list/core/use-cases/articles/keep-pages.ts";
import { keepPictures } from "@reading-list/core/use-cases/articles/keep-pictures.ts";
import { writeItems } from "@reading-list/core/use-cases/lists/write-items.ts";
import { readSettings } from "@reading-list/settings/settings.ts";
import { createArticleStore } from "@reading-list/store-dynamodb/articles.ts";
import type { ObjectStore } from "@reading-list/store-dynamodb/bucket.ts";
import { createDocumentClient } from "@reading-list/store-dynamodb/client.ts";
import { ensureTable } from "@reading-list/store-dynamodb/create-table.ts";
import { createKeeperStore } from "@reading-list/store-dynamodb/keeper.ts";
import { createKeptPageStore } from "@reading-list/store-dynamodb/kept-pages.ts";
import { createPictureStore } from "@reading-list/store-dynamodb/pictures.ts";
import { createStores } from "@reading-list/store-dynamodb/stores.ts";
import { startDynamodb } from "@reading-list/testing/dynamodb.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import { prose } from "@reading-list/testing/page-server.ts";
import { Meter } from "./meter.ts";

/** The average use of a page that is saved in the background. */
export interface KeptPageCost {
  pictures: number;
  readUnits: number;
  writeUnits: number;
  objectsRead: number;
  objectsWritten: number;
  /** Milliseconds of processor time of the keeper. */
  processorMs: number;
}

/** More than the keeper reads together, so that the look at waiting users counts. */
const users = 60;
export const pageSeconds = 4;
/** Bytes of a kept picture. */
export const pictureBytes = 60_000;

/** Measures the background work for users who have saved a page each, of different sites, in runs like those of a stage. */
export async function measureKeptPages(pictures: number): Promise<KeptPageCost> {
  const database = await startDynamodb();
  const meter = new Meter();
  const clock = new FakeClock();
  const table = { client: meter.attach(createDocumentClient(database.endpoint)), tableName: "kept-pages" };
  const counted = countObjects();
  try {
    await ensureTable(table);
    const articles = createArticleStore(table, counted.objects);
    const limits = { user: 1e9, key: 1e9 };
    const stores = { ...createStores(table, clock, limits), articles, keptPages: createKeptPageStore(table, clock) };
    const service = readSettings({}).service;
    const picturePorts = {
      ...stores,
      clock,
      pictureQuota: service.pictureQuota,
      pictureStore: createPictureStore(table, counted.objects),
      pictures: { webp: async (url: string) => Buffer.from(url.padEnd(pictureBytes)) } as never,
    };
    const keeper = new PageKeeper({
      ...service,
      ...stores,
      clock,
      keepsPages: true,
      keeper: createKeeperStore(table, clock),
      ...boundsOfStage,
      reader: {
        readArticle: async (url) => {
          // The first of the pages that are read together lets their time pass.
          await new Promise((resolve) => setTimeout(resolve, 10));
          clock.advance(pageSeconds / boundsOfStage.pagesAtOnce);
          return viewsOf(url, pictures);
        },
      },
      keepPictures: (owner, item, article) => keepPictures(picturePorts, owner, item, article),
    });
    for (let number = 0; number < users; number++) {
      const name = `user${number}`;
      await stores.users.create(name, "hash", clock.seconds());
      await save({ ...stores, clock }, (await stores.users.find(name)) as User, `https://site-${number}.example/`);
    }
    clock.advance(10);
    counted.reset();
    const begun = process.cpuUsage();
    const spent = await meter.measure(async () => {
      // Until nothing is due any more: a run lists no user who has no work.
      for (let run = 0; run < 3; run++) {
        await keeper.round();
        await keeper.finish();
        clock.advance(60);
      }
    });
    const { user, system } = process.cpuUsage(begun);
    const kept = await Promise.all(
      Array.from({ length: users }, async (_, number) => stores.users.find(`user${number}`)),
    );
    if (kept.some((each) => each?.articles !== 1)) throw new Error("a page was not kept");
    return {
      pictures,
      readUnits: spent.readUnits / users,
      writeUnits: spent.writeUnits / users,
      objectsRead: counted.read() / users,
      objectsWritten: counted.written() / users,
      processorMs: (user + system) / 1000 / users,
    };
  } finally {
    table.client.destroy();
    await database.stop();
  }
}

/** Saves a page as `add` does. */
async function save(deps: Parameters<typeof writeItems>[0], user: User, url: string): Promise<void> {
  const itemId = toItemId(url);
  const fields = { itemId, url, title: "A page", tags: "", applicationId: "app", refId: undefined } as const;
  await writeItems(deps, user, [itemId], () => ({
    writes: [{ before: undefined, after: { ...fields, state: "0", isDeleted: false } }],
  }));
}

function viewsOf(url: string, pictures: number): Record<"less" | "more", TextView> {
  const images = Array.from({ length: pictures }, (_, number) => `<img src="${url}${number}.png">`).join("");
  const html = prose + images;
  const view = { html, title: "A page", resolvedUrl: url, nextUrl: undefined, loginFound: false };
  return { less: view, more: view };
}

/** Objects in memory, which counts the requests for them. */
function countObjects() {
  const contents = new Map<string, Uint8Array>();
  let [read, written] = [0, 0];
  const objects: ObjectStore = {
    get: async (name) => {
      read += 1;
      return contents.get(name);
    },
    put: async (name, content) => {
      written += 1;
      contents.set(name, content);
    },
    delete: async (names) => {
      for (const name of names) contents.delete(name);
    },
    deleteAll: async () => {},
  };
  return {
    objects,
    read: () => read,
    written: () => written,
    reset: () => {
      [read, written] = [0, 0];
    },
  };
}
