// SPDX-License-Identifier: MIT

import { backupDays } from "@reading-list/core/contract/delete_account.ts";

/**
 * The bucket for search indexes: derived data, which a search rebuilds. It has no versions, because words of deleted
 * pages must disappear. Indexes that have not changed for weeks are also deleted, like those of deleted users
 * (docs/decisions/search.md).
 */
export const createIndexBucket = (): sst.aws.Bucket =>
  new sst.aws.Bucket("Indexes", { cors: false, lifecycle: [{ expiresIn: `${backupDays} days` }] });

/** Days after which a cached text is deleted; none is served that long without revalidation. */
const keptDays = 7;

/** The bucket for cached texts. */
export function createTextBucket(): sst.aws.Bucket {
  return new sst.aws.Bucket("Texts", {
    cors: false,
    lifecycle: [{ expiresIn: `${keptDays} days` }],
  });
}
