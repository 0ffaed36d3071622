// SPDX-License-Identifier: MIT

import { emptyTally, runCall } from "@reading-list/core/call-scope.ts";
import { PageKeeper } from "@reading-list/core/use-cases/articles/keep-pages.ts";
import { keepPictures, type PicturePorts } from "@reading-list/core/use-cases/articles/keep-pictures.ts";
import { checkDataVersion } from "@reading-list/store-dynamodb/data-version.ts";
import { createItemStore } from "@reading-list/store-dynamodb/items.ts";
import { createKeeperStore } from "@reading-list/store-dynamodb/keeper.ts";
import { createKeptPageStore } from "@reading-list/store-dynamodb/kept-pages.ts";
import { createSettingStore } from "@reading-list/store-dynamodb/settings.ts";
import { createTrashStore } from "@reading-list/store-dynamodb/trash.ts";
import { createUserStore } from "@reading-list/store-dynamodb/user-store.ts";
import { liveSettings, liveTable } from "../compose/live.ts";
import { createLiveArticles } from "../compose/live-articles.ts";
import { createLivePictures } from "../compose/live-pictures.ts";
import { createLiveRemoteReader } from "../compose/live-remote-reader.ts";

/** Milliseconds in which work begins, of the minute between two runs (stacks/keeping.ts); a page takes 28 s at most. */
const beginMs = 40_000;
const deadlineMs = 280_000;

const table = liveTable();
const clock = Date;
const picturePorts: PicturePorts = {
  ...createLivePictures(),
  clock,
  pictureQuota: liveSettings.service.pictureQuota,
  trash: createTrashStore(table),
};
/** One for all runs of this process: it knows which sites were asked just now. */
const keeper = new PageKeeper({
  clock,
  keeper: createKeeperStore(table, clock),
  users: createUserStore(table),
  items: createItemStore(table),
  articles: createLiveArticles(),
  keptPages: createKeptPageStore(table, clock),
  settings: createSettingStore(table, clock),
  reader: createLiveRemoteReader(),
  ...liveSettings.service,
  keepPictures: (owner, item, article) => keepPictures(picturePorts, owner, item, article),
  // The extraction function reads them.
  pagesAtOnce: 10,
});

/** Keeps pages in the background. Lambda logs and counts the error of a run that failed; the next run continues. */
export const handler = () =>
  runCall(
    emptyTally(),
    async () => {
      await checkDataVersion(table, `the table ${liveSettings.tableName}`);
      await keeper.workFor(beginMs);
    },
    deadlineMs,
  );
