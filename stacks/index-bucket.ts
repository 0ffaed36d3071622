// SPDX-License-Identifier: MIT

import { backupDays } from "@reading-list/core/contract/delete_account.ts";

/**
 * The bucket for search indexes: derived data, which a search rebuilds. Without versions: the words of deleted pages
 * must go. Indexes that nobody has changed for weeks are deleted, too, and so are those of deleted users (docs/decisions/search.md).
 */
export const createIndexBucket = (): sst.aws.Bucket =>
  new sst.aws.Bucket("Indexes", { cors: false, lifecycle: [{ expiresIn: `${backupDays} days` }] });
