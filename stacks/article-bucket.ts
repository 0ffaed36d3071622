import type { StageSettings } from "./settings.ts";

/**
 * The bucket for kept articles. They stay until their items are deleted, so no lifecycle rule removes them, and no old
 * version remains: a deletion is for good. It is protected as the table is.
 */
export function createArticleBucket({ protectsTable }: StageSettings): sst.aws.Bucket {
  const bucket = new sst.aws.Bucket("Articles", {
    cors: false,
    transform: {
      bucket: (args, options) => {
        args.forceDestroy = !protectsTable;
        options.protect = protectsTable;
      },
    },
  });
  new aws.s3.BucketServerSideEncryptionConfiguration("ArticlesEncryption", {
    bucket: bucket.name,
    rules: [{ applyServerSideEncryptionByDefault: { sseAlgorithm: "AES256" } }],
  });
  return bucket;
}
