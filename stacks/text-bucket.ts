/** Days after which a kept text is removed; none is served that long without asking its origin. */
const keptDays = 7;

/** The bucket in which the text view keeps texts for a while. */
export function createTextBucket(): sst.aws.Bucket {
  return new sst.aws.Bucket("Texts", {
    cors: false,
    lifecycle: [{ expiresIn: `${keptDays} days` }],
  });
}
