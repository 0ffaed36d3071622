// SPDX-License-Identifier: MIT

import { emptyTally, runCall } from "@reading-list/core/call-scope.ts";
import { describeDoubt } from "@reading-list/core/domain/clock-check.ts";
import { splitList } from "@reading-list/core/domain/split-list.ts";
import { unixTime } from "@reading-list/core/ports/clock.ts";
import { finishDeletions } from "@reading-list/core/use-cases/accounts/delete-user.ts";
import { eraseOldTrash } from "@reading-list/core/use-cases/lists/erase-trash.ts";
import { ClockGuard } from "@reading-list/core/use-cases/operator/clock-guard.ts";
import { logWork } from "@reading-list/http/watch/call-log.ts";
import { metricNames } from "@reading-list/http/watch/metric-names.ts";
import { createClockStore } from "@reading-list/store-dynamodb/clock-record.ts";
import { checkDataVersion } from "@reading-list/store-dynamodb/data-version.ts";
import { createDeletionStore } from "@reading-list/store-dynamodb/deletion.ts";
import { createHighlightStore } from "@reading-list/store-dynamodb/highlights.ts";
import { createItemStore } from "@reading-list/store-dynamodb/items.ts";
import {
  createTrashStore,
  findIndexWalk,
  findWalkBegin,
  type IndexWalk,
  saveIndexWalk,
  walkDeletingUsers,
} from "@reading-list/store-dynamodb/trash.ts";
import { liveSettings, liveTable } from "../compose/live.ts";
import { createLiveArticles } from "../compose/live-kept.ts";
import { createRemoteIndexing } from "../compose/remote-indexing.ts";

/** Milliseconds of one run, of the 300 s of the function (stacks/deletions.ts). The next run continues. */
const deadlineMs = 280_000;

const table = liveTable();
const deletion = createDeletionStore(table);
const articles = createLiveArticles();
const trash = createTrashStore(table);
const highlights = createHighlightStore(table);
const items = createItemStore(table);
const guard = new ClockGuard(createClockStore(table), Date);

/** Calls of the indexing function at once. */
const callsAtOnce = 10;
const secondsOfDay = 86_400;

/** Milliseconds in which a run asks for search indexes; the next run of the schedule continues. */
const askingMs = 200_000;
/** Seconds from the start of a walk to the start of the next one. */
const betweenWalks = 12 * 3600;

/**
 * Continues the deletions of accounts that were interrupted, and erases pages that have been in the trash for 30 days.
 * With `storesIndexes` it asks for the search indexes of users who deleted pages. Lambda logs and counts the errors of
 * failed runs; the metrics count successful runs.
 */
export const handler = async ({ storesIndexes = false }: { storesIndexes?: boolean }) => {
  await checkDataVersion(table, `the table ${liveSettings.tableName}`);
  await runCall(emptyTally(), storesIndexes ? storeIndexes : work, deadlineMs);
  const own = { [metricNames.bySchedule.runs]: 1 };
  logWork(storesIndexes ? "indexes" : "deletions", { own }, liveSettings.metricNamespace);
};

async function work(): Promise<void> {
  const now = unixTime(Date);
  const results = await Promise.allSettled([finishDeletions(deletion, articles, now), eraseOldIfPlausible()]);
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

/** Throws under an implausible clock, so that the alarm of failed functions rings. */
async function eraseOldIfPlausible(): Promise<void> {
  const permit = await guard.permit();
  if (permit) return eraseOldTrash({ trash, articles, highlights, items }, permit);
  if (guard.doubt) throw new Error(describeDoubt(guard.doubt));
}

/**
 * Asks twice a day for the indexes of users who deleted pages since yesterday, so that two runs handle each deletion,
 * the first within 12 hours. The next run continues a walk that a run does not finish.
 */
async function storeIndexes(): Promise<void> {
  const end = performance.now() + askingMs;
  const now = unixTime(Date);
  let { startedAt, after }: IndexWalk = (await findIndexWalk(table)) ?? { startedAt: 0 };
  if (after === undefined) {
    // Not exact, because the runs are not.
    if (now - startedAt < betweenWalks - 600) return;
    startedAt = now;
    after = findWalkBegin(now - secondsOfDay);
  }
  const ask = createRemoteIndexing(liveSettings.indexingFunction);
  for await (const { names, last } of walkDeletingUsers(table, after)) {
    for (const some of splitList(names, callsAtOnce))
      await Promise.all(some.map((username) => ask({ username, onlyIfStored: true })));
    await saveIndexWalk(table, { startedAt, after: last });
    if (performance.now() > end) return;
  }
  await saveIndexWalk(table, { startedAt });
}
