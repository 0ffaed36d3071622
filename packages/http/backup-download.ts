// SPDX-License-Identifier: MIT

import { type DownloadPorts, openBackup } from "@reading-list/core/use-cases/operator/download-backup.ts";
import { answerCall } from "./answer.ts";
import type { Call, Handler } from "./call.ts";
import { type Report, watchCalls } from "./watch/watch-calls.ts";

/** Answers a link of `operator/backups` (docs/api.md 13.5): without a key, also in maintenance, and counted against no limit. */
export function createBackupHandler(deps: DownloadPorts & Parameters<typeof watchCalls>[1], report: Report): Handler {
  const answer = (call: Call) =>
    answerCall(call, async () => {
      const { name, bytes, stream } = await openBackup(deps, call.request.query);
      const headers = {
        "Content-Type": "application/octet-stream",
        "Content-Disposition": `attachment; filename="${name}"`,
        "Content-Length": String(bytes),
        "X-Content-Type-Options": "nosniff",
      };
      return { status: 200, headers, body: "", stream };
    });
  return watchCalls({ name: "operator/backup" }, deps, answer, report);
}
