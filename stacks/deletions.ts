// SPDX-License-Identifier: MIT

import { createDeletionFunction, type DeployedFunction, type Storage } from "./functions.ts";
import type { StageSettings } from "./settings.ts";

/**
 * Continues every five minutes the deletions of accounts that a call has not finished: deletions of long lists, and
 * deletions whose function was ended. Erases pages that have been in the trash for 30 days. Twice a day it has the
 * search indexes of users who deleted pages stored again, without the words of these pages; it looks each hour, and
 * continues where the previous run ended.
 */
export function createDeletions(storage: Storage, settings: StageSettings): DeployedFunction {
  const deletions = createDeletionFunction(storage, settings);
  const arn = deletions.arn as $util.Output<`arn:aws:lambda:${string}`>;
  new sst.aws.CronV2("DeletionSchedule", { function: arn, schedule: "rate(5 minutes)" });
  new sst.aws.CronV2("IndexSchedule", {
    function: arn,
    schedule: "rate(1 hour)",
    event: { storesIndexes: true },
  });
  return deletions;
}
