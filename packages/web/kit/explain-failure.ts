// SPDX-License-Identifier: MIT

import { ApiError } from "@reading-list/client/main.ts";
import { findStorageProblem } from "./browser-storage.ts";
import { signInTexts } from "./sign-in-texts.ts";
import { firstTexts, say, showMinutes } from "./texts.ts";

const { codes, markRejected, offline, rejected, storage } = signInTexts.failures;

/**
 * Says in the person's language why something failed. An error of the service whose code has no text keeps the service's
 * words. An error that comes from neither the service nor the storage is `otherwise`.
 */
export function explainFailure(failure: unknown, otherwise = firstTexts.notices.failed): string {
  if (failure instanceof ApiError) {
    if (failure.kind === "noResponse") return offline;
    const { code = "", message, retryAfter = 0 } = failure;
    const text = (codes as Record<string, string>)[code];
    return text === undefined ? message : say(text, { time: showMinutes(Math.max(1, Math.ceil(retryAfter / 60))) });
  }
  const problem = findStorageProblem(failure);
  return problem ? storage[problem] : otherwise;
}

/** That the service has refused a change of a page, for a reason in its own words; without `url`, of a mark. */
export const explainRejection = (reason: string, url?: string): string =>
  url === undefined ? say(markRejected, { reason }) : say(rejected, { url, reason });
