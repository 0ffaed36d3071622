// SPDX-License-Identifier: MIT

import { ApiError } from "@reading-list/client/main.ts";
import { english } from "./english.ts";

/** The sentence for a call that failed. */
export const failureMessage = (failure: unknown): string =>
  failure instanceof ApiError ? failure.message : english.notices.failed;
