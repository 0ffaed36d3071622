// SPDX-License-Identifier: MIT

import type { Limits } from "@reading-list/client/main.ts";

/**
 * The share of calls that cache and search leave: of the user's calls to syncs, and of the key's calls to all users.
 */
const reserve = 0.25;

/** Whether one more call would leave too few. */
export const isShortOfCalls = (limits: Limits | undefined): boolean =>
  limits !== undefined && [limits.key, limits.user].some(({ remaining, limit }) => remaining - 1 < reserve * limit);
