// SPDX-License-Identifier: MIT

import { operatorBackups } from "../../contract/operator.ts";
import { ServiceError } from "../../errors.ts";
import { defineOperatorEndpoint } from "./define.ts";
import { linkToBackup } from "./download-backup.ts";

/** Lists encrypted backups, starts to write one, or returns the address for a download (docs/api.md 13.5). */
export const endpoint = defineOperatorEndpoint(operatorBackups, async (deps, { write, download }, { calledUrl }) => {
  const { backups } = deps;
  if (!backups) {
    const parameter = write ? "write" : download !== undefined ? "download" : undefined;
    if (parameter) throw new ServiceError("invalid", `operator/backups: ${parameter} needs the setting BACKUP_TO`);
    return { fields: { status: "1", configured: "0", running: "0", error: "" }, list: [[]] };
  }
  if (write) backups.begin();
  const { found, error } = await backups.list().then(
    (found) => ({ found, error: backups.failure ?? "" }),
    (failure: Error) => ({ found: [], error: failure.message }),
  );
  if (download !== undefined && !found.some(({ address }) => address === download)) {
    throw new ServiceError("invalid", "operator/backups: download must be the address of a listed backup");
  }
  const url = download !== undefined && linkToBackup(deps, deps.publicUrl ?? calledUrl, download);
  const list = found.map(({ address: id, time, bytes }) => ({ id, time_created: String(time), bytes: String(bytes) }));
  const fields = { status: "1", configured: "1", running: backups.isRunning ? "1" : "0", error };
  return { fields: { ...fields, ...(url && { url }) }, list: [list] };
});
