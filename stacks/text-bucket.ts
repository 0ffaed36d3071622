// SPDX-License-Identifier: MIT

/** Days after which a cached text is deleted; none is served that long without revalidation. */
const keptDays = 7;

/** The bucket for cached texts. */
export function createTextBucket(): sst.aws.Bucket {
  return new sst.aws.Bucket("Texts", {
    cors: false,
    lifecycle: [{ expiresIn: `${keptDays} days` }],
  });
}
