// SPDX-License-Identifier: MIT

import { backupDays } from "@reading-list/core/contract/delete_account.ts";

/**
 * The bucket for search indexes: derived data, which a search makes anew. Without versions: the words of deleted pages
 * must go. Those that nobody has changed for weeks go, too, and what a deleted user leaves (docs/decisions/search.md).
 */
export const createIndexBucket = (): sst.aws.Bucket =>
  new sst.aws.Bucket("Indexes", { cors: false, lifecycle: [{ expiresIn: `${backupDays} days` }] });
