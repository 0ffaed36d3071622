// SPDX-License-Identifier: MIT

import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { deadlineSignal } from "@reading-list/core/call-scope.ts";
import { splitList } from "@reading-list/core/domain/split-list.ts";
import { SetupError } from "@reading-list/core/errors.ts";

/** Objects that one request deletes. */
const objectsAtOnce = 1000;

/** Options of a request that ends with the call that it serves. */
export function inTime(): { abortSignal?: AbortSignal } {
  const abortSignal = deadlineSignal();
  return abortSignal ? { abortSignal } : {};
}

/**
 * The objects of an S3 bucket, or of one for each folder, such as `articles`. Its name is looked up at the first use.
 * Requests end with the call that they serve.
 */
export function createBucket(findName: (folder: string) => Promise<string>): ObjectStore {
  const client = createClient();
  const found = new Map<string, Promise<string>>();
  const findBucket = (objectName: string) => {
    const folder = objectName.split("/")[0] ?? "";
    const name = found.get(folder) ?? findName(folder);
    found.set(folder, name);
    return name;
  };
  /** Deletes objects of one folder. */
  async function deleteObjects(names: readonly string[]): Promise<void> {
    for (const part of splitList(names, objectsAtOnce)) {
      const Objects = part.map((Key) => ({ Key }));
      const { Errors = [] } = await client.send(
        new DeleteObjectsCommand({ Bucket: await findBucket(names[0] ?? ""), Delete: { Objects, Quiet: true } }),
        inTime(),
      );
      if (Errors.length > 0) throw new Error(`S3 did not delete ${Errors.length} objects: ${Errors[0]?.Code}`);
    }
  }

  return {
    async get(Key) {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: await findBucket(Key), Key }), inTime());
        return await Body?.transformToByteArray();
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },
    async put(Key, content) {
      await client.send(new PutObjectCommand({ Bucket: await findBucket(Key), Key, Body: content }), inTime());
    },
    delete: deleteObjects,
    async deleteAll(prefix) {
      for (;;) {
        const { Contents = [] } = await client.send(
          new ListObjectsV2Command({ Bucket: await findBucket(prefix), Prefix: prefix }),
          inTime(),
        );
        if (Contents.length === 0) return;
        await deleteObjects(Contents.flatMap(({ Key }) => Key ?? []));
      }
    },
  };
}

/** The saved copies and pictures of a stage, each in a separate bucket. */
export const createKeptBuckets = (buckets: { articleBucket: string; pictureBucket: string }): ObjectStore =>
  createBucket(async (folder) => (folder === "pictures" ? buckets.pictureBucket : buckets.articleBucket));

/** The names of the account's buckets that begin with `prefix`. */
export async function listBuckets(prefix: string): Promise<string[]> {
  const { Buckets = [] } = await createClient().send(new ListBucketsCommand({ Prefix: prefix }));
  return Buckets.flatMap(({ Name }) => Name ?? []);
}

/** The name of the account's only bucket whose name begins with `prefix`. */
export async function findBucket(prefix: string): Promise<string> {
  const [name, ...others] = await listBuckets(prefix);
  if (name === undefined || others.length > 0)
    throw new SetupError(`S3 has ${name === undefined ? 0 : 1 + others.length} buckets named ${prefix}…`);
  return name;
}

/** Throws the error of S3 unless there is a bucket of this name, whose objects may be listed. */
export async function checkBucket(Bucket: string): Promise<void> {
  const client = createClient();
  try {
    await client.send(new HeadBucketCommand({ Bucket }));
  } finally {
    client.destroy();
  }
}

/** A client of S3 that gives up a request after some seconds. */
export const createClient = (requestTimeout = 5000) =>
  new S3Client({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1000, requestTimeout, throwOnRequestTimeout: true },
  });

/** Objects by name, such as in an S3 bucket. A write replaces an object as a whole. */
export interface ObjectStore {
  get(name: string): Promise<Uint8Array | undefined>;
  put(name: string, content: Uint8Array): Promise<void>;
  /** Of one folder; idempotent. */
  delete(names: readonly string[]): Promise<void>;
  /** Deletes all objects whose names begin with `prefix`. */
  deleteAll(prefix: string): Promise<void>;
}
