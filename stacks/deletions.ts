// SPDX-License-Identifier: MIT

import { createDeletionFunction, type DeployedFunction, type Storage } from "./functions.ts";
import type { StageSettings } from "./settings.ts";

/**
 * Continues every five minutes the deletions of accounts that a call has not finished: those of long lists, and those
 * whose function was ended. Erases what has been in the trash for 30 days.
 */
export function createDeletions(storage: Storage, settings: StageSettings): DeployedFunction {
  const deletions = createDeletionFunction(storage, settings);
  new sst.aws.CronV2("DeletionSchedule", {
    function: deletions.arn as $util.Output<`arn:aws:lambda:${string}`>,
    schedule: "rate(5 minutes)",
  });
  return deletions;
}
