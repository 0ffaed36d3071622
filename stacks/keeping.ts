// SPDX-License-Identifier: MIT

import { createKeepingFunction, type DeployedFunction, type Storage } from "./functions.ts";
import type { StageSettings } from "./settings.ts";

/**
 * Keeps pages in the background: looks each minute for users with work. One run at a time, so that a site gets requests
 * for one page at a time, whoever saved it.
 */
export function createKeeping(storage: Storage, settings: StageSettings): DeployedFunction {
  const keeping = createKeepingFunction(storage, settings);
  new sst.aws.CronV2("KeepingSchedule", {
    function: keeping.arn as $util.Output<`arn:aws:lambda:${string}`>,
    schedule: "rate(1 minute)",
  });
  return keeping;
}
