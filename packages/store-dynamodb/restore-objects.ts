// SPDX-License-Identifier: MIT

import {
  CopyObjectCommand,
  type DeleteMarkerEntry,
  GetBucketVersioningCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  type S3Client,
} from "@aws-sdk/client-s3";
import { splitList } from "@reading-list/core/domain/split-list.ts";
import { SetupError } from "@reading-list/core/errors.ts";
import { createBucket, createClient } from "./bucket.ts";

/** Requests to S3 at the same time. */
const copiesAtOnce = 32;

/** A version of an object, or a marker of its deletion. */
interface Version {
  name: string;
  id: string;
  etag: string | undefined;
  isDeletion: boolean;
  isLatest: boolean;
  /** Unix seconds. */
  time: number;
}

/** Objects that were brought back, and that were removed. */
export interface RestoredObjects {
  restored: number;
  removed: number;
}

/** Throws a SetupError if a bucket has no versions: a removal would be for good there. */
export async function requireVersions(bucket: string): Promise<void> {
  const { Status } = await createClient().send(new GetBucketVersioningCommand({ Bucket: bucket }));
  if (Status !== "Enabled") throw new SetupError(`the bucket ${bucket} has no versions; deploy this version first`);
}

/**
 * Brings the objects of a bucket with versions, whose names begin with `prefix`, to their state at a time (unix seconds);
 * those for which `isLeftOut` is true are removed. Nothing is lost: a version that is replaced or removed stays as an
 * older one. Idempotent.
 */
export async function restoreObjects(
  bucket: string,
  prefix: string,
  time: number,
  isLeftOut: (name: string) => boolean,
  show: (done: number) => void,
): Promise<RestoredObjects> {
  const client = createClient();
  const objects = createBucket(async () => bucket);
  const total = { restored: 0, removed: 0 };
  let seen = 0;
  for await (const groups of walkVersions(client, bucket, prefix)) {
    const removed: string[] = [];
    const copied: Version[] = [];
    for (const versions of groups) {
      const latest = versions.find(({ isLatest }) => isLatest);
      const then = isLeftOut(versions[0]?.name ?? "") ? undefined : versionAt(versions, time);
      if (then && (latest?.isDeletion || latest?.etag !== then.etag)) copied.push(then);
      if (!then && latest && !latest.isDeletion) removed.push(latest.name);
    }
    await objects.delete(removed);
    for (const some of splitList(copied, copiesAtOnce)) {
      await Promise.all(some.map((version) => makeLatest(client, bucket, version)));
    }
    total.removed += removed.length;
    total.restored += copied.length;
    seen += groups.length;
    show(seen);
  }
  return total;
}

/** The version that an object had at a time; undefined if there was no such object. */
function versionAt(versions: readonly Version[], time: number): Version | undefined {
  const [first, ...others] = versions.filter((version) => version.time <= time);
  const last = first && others.reduce((found, each) => (isLater(each, found) ? each : found), first);
  return last?.isDeletion ? undefined : last;
}

/**
 * S3 reports whole seconds. Of a version and a marker in the same second, the version counts, unless the marker is the
 * latest.
 */
const isLater = (one: Version, other: Version) =>
  one.time === other.time
    ? one.isLatest || (other.isDeletion && !other.isLatest && !one.isDeletion)
    : one.time > other.time;

const makeLatest = (client: S3Client, Bucket: string, { name, id }: Version) =>
  client.send(new CopyObjectCommand({ Bucket, Key: name, CopySource: `${Bucket}/${encodeURI(name)}?versionId=${id}` }));

/** All versions, by object, newest first; a page of S3 at a time. */
async function* walkVersions(client: S3Client, Bucket: string, Prefix: string): AsyncGenerator<Version[][]> {
  let groups = new Map<string, Version[]>();
  let page: ListObjectVersionsCommandOutput | undefined;
  do {
    page = await client.send(
      new ListObjectVersionsCommand({
        Bucket,
        Prefix,
        KeyMarker: page?.NextKeyMarker,
        VersionIdMarker: page?.NextVersionIdMarker,
      }),
    );
    for (const version of parseVersions(page)) {
      const group = groups.get(version.name);
      if (group) group.push(version);
      else groups.set(version.name, [version]);
    }
    // The versions of the last object may continue in the next page.
    const last = page.IsTruncated ? groups.get(page.NextKeyMarker ?? "") : undefined;
    if (last) groups.delete(page.NextKeyMarker ?? "");
    yield [...groups.values()];
    groups = new Map(last && [[page.NextKeyMarker ?? "", last]]);
  } while (page.IsTruncated);
}

const parseVersions = ({ Versions = [], DeleteMarkers = [] }: ListObjectVersionsCommandOutput): Version[] => [
  ...Versions.map((each) => ({ ...parseVersion(each), etag: each.ETag, isDeletion: false })),
  ...DeleteMarkers.map((each) => ({ ...parseVersion(each), etag: undefined, isDeletion: true })),
];

const parseVersion = ({ Key = "", VersionId = "null", IsLatest = false, LastModified }: DeleteMarkerEntry) => ({
  name: Key,
  id: VersionId,
  isLatest: IsLatest,
  time: Math.floor(Number(LastModified) / 1000),
});
