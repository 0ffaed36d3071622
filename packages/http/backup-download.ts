// SPDX-License-Identifier: MIT

import { type DownloadPorts, openBackup } from "@reading-list/core/use-cases/operator/download-backup.ts";
import { answerError, finishAnswer } from "./answer.ts";
import type { Call, Handler, HttpAnswer } from "./call.ts";
import { asServiceError } from "./errors.ts";
import { type Report, watchCalls } from "./watch/watch-calls.ts";

/** Answers a link of `operator/backups` (docs/api.md 13.5): without a key, also in maintenance, and counted against no limit. */
export function createBackupHandler(deps: DownloadPorts & Parameters<typeof watchCalls>[1], report: Report): Handler {
  const answer = async (call: Call): Promise<HttpAnswer> => {
    try {
      const { name, bytes, stream } = await openBackup(deps, call.request.query);
      const headers = {
        "Content-Type": "application/octet-stream",
        "Content-Disposition": `attachment; filename="${name}"`,
        "Content-Length": String(bytes),
        "X-Content-Type-Options": "nosniff",
      };
      return finishAnswer({ status: 200, headers, body: "", stream }, call.limits);
    } catch (error) {
      call.error = asServiceError(error);
      return finishAnswer(answerError(call.error), call.limits);
    }
  };
  return watchCalls({ name: "operator/backup" }, deps, answer, report);
}
