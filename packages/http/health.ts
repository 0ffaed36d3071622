// SPDX-License-Identifier: MIT

import { diskIsFull } from "@reading-list/core/errors.ts";
import type { SettingStore } from "@reading-list/core/ports/maintenance.ts";
import { answerFailure } from "./answer.ts";
import type { HttpAnswer } from "./call.ts";

/** Answers `/health` (docs/api.md 12): 200 if the database can be read, and in words if its disk is full. */
export function createHealthHandler(settings: Pick<SettingStore, "ping">, isDiskFull = () => false) {
  const read = () => (isDiskFull() ? diskIsFull().message : "ok");
  return async (): Promise<HttpAnswer> => {
    const answer = await settings.ping().then(
      () => ({ status: 200, headers: { "Content-Type": "text/plain; charset=utf-8" }, body: read() }),
      () => answerFailure(503, "the database cannot be read", "unavailable"),
    );
    return { ...answer, headers: { ...answer.headers, "Cache-Control": "no-store" } };
  };
}
