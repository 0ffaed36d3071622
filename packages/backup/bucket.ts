// SPDX-License-Identifier: MIT

import {
  DeleteObjectsCommand,
  GetObjectCommand,
  NoSuchKey,
  paginateListObjectsV2,
  S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { splitList } from "@reading-list/core/domain/split-list.ts";
import { SetupError } from "@reading-list/core/errors.ts";
import type { Content, Destination, StoredFile } from "./destination.ts";

/** Bytes of a part: S3 accepts 10,000 parts, 160 GB. Two are in memory. */
const partSize = 16 * 2 ** 20;
/** Objects that one request deletes. */
const objectsAtOnce = 1000;

/**
 * A bucket of S3, or of a service with its API: the SDK reads `AWS_REGION`, the credentials and `AWS_ENDPOINT_URL_S3` from
 * the environment.
 */
export function openBucket(address: string): Destination {
  // bounded: a setting of the operator
  const [, Bucket = "", folder = ""] = /^s3:\/\/([^/]+)\/*(.*?)\/*$/.exec(address) ?? [];
  if (Bucket === "")
    throw new SetupError(`${address} has no bucket name; it must be s3://BUCKET or s3://BUCKET/PREFIX`);
  const hasOwnEndpoint = Boolean(process.env.AWS_ENDPOINT_URL_S3 ?? process.env.AWS_ENDPOINT_URL);
  const client = new S3Client({
    requestHandler: { connectionTimeout: 5000, requestTimeout: 60_000, throwOnRequestTimeout: true },
    // Other services do not support host names for buckets, nor all checksums.
    ...(hasOwnEndpoint && { forcePathStyle: true, requestChecksumCalculation: "WHEN_REQUIRED" }),
  });
  const prefix = folder === "" ? "" : `${folder}/`;
  const toKey = (name: string) => prefix + name;
  const explained = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof NoSuchKey) throw error;
      const reason = error instanceof S3ServiceException ? `${error.name}, ${error.message}` : (error as Error).message;
      throw new SetupError(`the backups in ${address} cannot be reached: ${reason}`, error);
    }
  };
  return {
    toAddress: (name) => `s3://${Bucket}/${toKey(name)}`,
    list: (subfolder) =>
      explained(async () => {
        const found: StoredFile[] = [];
        const Prefix = subfolder === undefined ? prefix : `${prefix}${subfolder}/`;
        for await (const page of paginateListObjectsV2({ client }, { Bucket, Prefix, Delimiter: "/" })) {
          for (const { Key = "", Size: bytes = 0, LastModified } of page.Contents ?? []) {
            const time = (LastModified ?? new Date()).getTime() / 1000;
            found.push({ name: Key.slice(prefix.length), bytes, time });
          }
        }
        return found;
      }),
    read: (name) =>
      explained(async () => {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: toKey(name) }));
        return Body?.transformToWebStream() as Content | undefined;
      }).catch((error) => {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }),
    write: (name, Body) =>
      explained(async () => {
        await new Upload({ client, params: { Bucket, Key: toKey(name), Body }, partSize, queueSize: 2 }).done();
      }),
    remove: (names) =>
      explained(async () => {
        for (const part of splitList(names, objectsAtOnce)) {
          const Objects = part.map((name) => ({ Key: toKey(name) }));
          const { Errors = [] } = await client.send(
            new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }),
          );
          const [first] = Errors;
          if (first) throw new Error(`${Errors.length} files were not deleted (${first.Code})`);
        }
      }),
  };
}
