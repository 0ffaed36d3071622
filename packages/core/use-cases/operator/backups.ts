// SPDX-License-Identifier: MIT

import { operatorBackups } from "../../contract/operator.ts";
import { ServiceError } from "../../errors.ts";
import { defineOperatorEndpoint } from "./define.ts";

/** Lists encrypted backups, or begins to write one (docs/api.md 13.5). */
export const endpoint = defineOperatorEndpoint(operatorBackups, async ({ backups }, { write }) => {
  if (!backups) {
    if (write) throw new ServiceError("invalid", "operator/backups: write needs the setting BACKUP_TO");
    return { fields: { status: "1", configured: "0", running: "0", error: "" }, list: [[]] };
  }
  if (write) backups.begin();
  const { found, error } = await backups.list().then(
    (found) => ({ found, error: backups.failure ?? "" }),
    (failure: Error) => ({ found: [], error: failure.message }),
  );
  const list = found.map(({ address: id, time, bytes }) => ({ id, time_created: String(time), bytes: String(bytes) }));
  return { fields: { status: "1", configured: "1", running: backups.isRunning ? "1" : "0", error }, list: [list] };
});
