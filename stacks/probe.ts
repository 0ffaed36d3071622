// SPDX-License-Identifier: MIT

import { createProbeFunction, type DeployedFunction, type Storage } from "./functions.ts";
import type { HttpApi } from "./http-api.ts";
import type { StageSettings } from "./settings.ts";

/**
 * A synthetic user, who uses the stage every five minutes as an app does, by its public addresses: signs in, saves a page
 * of the stage itself, syncs, searches, and reads the page with its picture. Undefined if the stage has none.
 */
export function createProbe(
  main: HttpApi,
  text: HttpApi,
  { table }: Pick<Storage, "table">,
  settings: StageSettings,
): DeployedFunction | undefined {
  if (!settings.hasProbe || $dev) return undefined;
  const secret = new random.RandomPassword("ProbeSecret", { length: 43, special: false }).result;
  const probe = createProbeFunction({ main: main.url, text: text.url, table, secret }, settings);
  new sst.aws.CronV2("ProbeSchedule", {
    function: probe.arn as $util.Output<`arn:aws:lambda:${string}`>,
    schedule: "rate(5 minutes)",
  });
  return probe;
}
