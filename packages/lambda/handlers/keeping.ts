// SPDX-License-Identifier: MIT

import { emptyTally, runCall } from "@reading-list/core/call-scope.ts";
import { unixTime } from "@reading-list/core/ports/clock.ts";
import { boundsOfStage, PageKeeper } from "@reading-list/core/use-cases/articles/keep-pages.ts";
import { keepPictures, type PicturePorts } from "@reading-list/core/use-cases/articles/keep-pictures.ts";
import { asServiceError } from "@reading-list/http/errors.ts";
import { logFailure, logWork } from "@reading-list/http/watch/call-log.ts";
import { metricNames } from "@reading-list/http/watch/metric-names.ts";
import { checkDataVersion } from "@reading-list/store-dynamodb/data-version.ts";
import { createItemStore } from "@reading-list/store-dynamodb/items.ts";
import { createKeeperStore, type DuePages } from "@reading-list/store-dynamodb/keeper.ts";
import { createKeptPageStore } from "@reading-list/store-dynamodb/kept-pages.ts";
import { createSettingStore } from "@reading-list/store-dynamodb/settings.ts";
import { createTrashStore } from "@reading-list/store-dynamodb/trash.ts";
import { createUserStore } from "@reading-list/store-dynamodb/user-store.ts";
import { liveSettings, liveTable } from "../compose/live.ts";
import { createLiveArticles } from "../compose/live-kept.ts";
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
/** The due pages of each user at the first look of a run, by the user's id, and the time since when the oldest is due. */
const backlog = new Map<string, DuePages>();
/** Shared by all runs of this process, because it records which sites were just called. */
const keeper = new PageKeeper({
  clock,
  keeper: createKeeperStore(table, clock, ({ userId }, due) => {
    if (!backlog.has(userId)) backlog.set(userId, due);
  }),
  users: createUserStore(table),
  items: createItemStore(table),
  articles: createLiveArticles(),
  keptPages: createKeptPageStore(table, clock),
  settings: createSettingStore(table, clock),
  reader: createLiveRemoteReader(),
  ...liveSettings.service,
  keepPictures: (owner, item, article) => keepPictures(picturePorts, owner, item, article),
  ...boundsOfStage,
  onFailure: (error) => logFailure("keeping", asServiceError(error), liveSettings.metricNamespace),
});

/** Keeps pages in the background. Lambda logs and counts the error of a run that failed; the next run continues. */
export const handler = () =>
  runCall(
    emptyTally(),
    async () => {
      await checkDataVersion(table, `the table ${liveSettings.tableName}`);
      backlog.clear();
      const now = unixTime(clock);
      await keeper.workFor(beginMs);
      const due = [...backlog.values()];
      const own = {
        [metricNames.bySchedule.runs]: 1,
        [metricNames.byKeeper.pagesWaiting]: due.reduce((sum, { pages }) => sum + pages, 0),
        [metricNames.byKeeper.oldestPage]: due.reduce((most, { since }) => Math.max(most, now - since), 0),
      };
      logWork("keeping", { own }, liveSettings.metricNamespace);
    },
    deadlineMs,
  );
