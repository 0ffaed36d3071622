// SPDX-License-Identifier: MIT

import type { TextCache } from "@reading-list/core/ports/pages.ts";

/** A cache that keeps nothing, for tests that read each page again. */
export const noCache: TextCache = { find: async () => undefined, keep: async () => {} };
