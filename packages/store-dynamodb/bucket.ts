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
import { SetupError } from "@reading-list/core/errors.ts";
import type { ObjectStore } from "./objects.ts";

/** Objects that one request deletes. */
const objectsAtOnce = 1000;

/** The objects of an S3 bucket, whose name is asked for at the first use. Requests end with the call that they serve. */
export function createBucket(findName: () => Promise<string>): ObjectStore {
  const client = createClient();
  let found: Promise<string> | undefined;
  const name = () => {
    found ??= findName();
    return found;
  };
  const inTime = () => {
    const abortSignal = deadlineSignal();
    return abortSignal ? { abortSignal } : {};
  };

  async function deleteObjects(names: readonly string[]): Promise<void> {
    for (let start = 0; start < names.length; start += objectsAtOnce) {
      const Objects = names.slice(start, start + objectsAtOnce).map((Key) => ({ Key }));
      const { Errors = [] } = await client.send(
        new DeleteObjectsCommand({ Bucket: await name(), Delete: { Objects, Quiet: true } }),
        inTime(),
      );
      if (Errors.length > 0) throw new Error(`S3 did not delete ${Errors.length} objects: ${Errors[0]?.Code}`);
    }
  }

  return {
    async get(Key) {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: await name(), Key }), inTime());
        return await Body?.transformToByteArray();
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },
    async put(Key, content) {
      await client.send(new PutObjectCommand({ Bucket: await name(), Key, Body: content }), inTime());
    },
    delete: deleteObjects,
    async deleteAll(prefix) {
      for (;;) {
        const { Contents = [] } = await client.send(
          new ListObjectsV2Command({ Bucket: await name(), Prefix: prefix }),
          inTime(),
        );
        if (Contents.length === 0) return;
        await deleteObjects(Contents.flatMap(({ Key }) => Key ?? []));
      }
    },
  };
}

/** The name of the account's only bucket whose name begins with `prefix`. */
export async function findBucket(prefix: string): Promise<string> {
  const { Buckets = [] } = await createClient().send(new ListBucketsCommand({ Prefix: prefix }));
  const [name, ...others] = Buckets.flatMap(({ Name }) => Name ?? []);
  if (name === undefined || others.length > 0)
    throw new SetupError(`S3 has ${Buckets.length} buckets named ${prefix}…`);
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
export const createClient = () =>
  new S3Client({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1000, requestTimeout: 5000, throwOnRequestTimeout: true },
  });
