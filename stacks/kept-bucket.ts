// SPDX-License-Identifier: MIT

import { backupDays } from "@reading-list/core/contract/delete_account.ts";
import type { StageSettings } from "./settings.ts";

/**
 * Old versions of one article that are kept for more than a day. The quota of a user counts current articles: without
 * this limit one who refreshes an article again and again would fill the bucket.
 */
const oldVersions = 20;

/**
 * A bucket for kept articles, or for their pictures. They stay until their items are deleted. Deleted or replaced objects
 * stays as an old version as long as the table can be restored, so that `readinglist restore` brings both to one time; then
 * the lifecycle erases it. No function may delete a version. The bucket is protected as the table is.
 */
export function createKeptBucket(name: "Articles" | "Pictures", { protectsTable }: StageSettings): sst.aws.Bucket {
  const bucket = new sst.aws.Bucket(name, {
    cors: false,
    versioning: true,
    transform: {
      bucket: (args, options) => {
        args.forceDestroy = !protectsTable;
        options.protect = protectsTable;
      },
    },
  });
  new aws.s3.BucketLifecycleConfiguration(`${name}Lifecycle`, {
    bucket: bucket.name,
    rules: [
      {
        id: "old-versions",
        status: "Enabled",
        filter: {},
        noncurrentVersionExpiration: { noncurrentDays: backupDays },
        // Markers of deletions whose versions are erased.
        expiration: { expiredObjectDeleteMarker: true },
      },
      {
        id: "many-versions",
        status: "Enabled",
        filter: {},
        noncurrentVersionExpiration: { noncurrentDays: 1, newerNoncurrentVersions: oldVersions },
      },
    ],
  });
  new aws.s3.BucketServerSideEncryptionConfiguration(`${name}Encryption`, {
    bucket: bucket.name,
    rules: [{ applyServerSideEncryptionByDefault: { sseAlgorithm: "AES256" } }],
  });
  return bucket;
}
