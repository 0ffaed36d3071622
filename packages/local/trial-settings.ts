// SPDX-License-Identifier: MIT

import { stringify } from "smol-toml";
import { type FoundSettings, knownSettings } from "./settings-file.ts";

/**
 * The settings of a service as `readinglist.toml` for the trial of a new version on a copy of its data: on free ports
 * of this machine only, without outgoing mails, backups and calls. A setting whose schema has `inTrial` has that value,
 * or is not set if it is empty.
 */
export function writeTrialSettings({ variables }: FoundSettings, dataDir: string): string {
  const values: Record<string, string> = {};
  for (const [name, schema] of Object.entries(knownSettings)) {
    const value = schema.meta()?.inTrial ?? variables.get(name)?.value ?? "";
    if (value !== "") values[name.toLowerCase()] = String(value);
  }
  return stringify({ ...values, data_dir: dataDir });
}
