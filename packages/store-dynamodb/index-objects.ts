// SPDX-License-Identifier: MIT

import {
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  type S3Client,
  type S3ServiceException,
} from "@aws-sdk/client-s3";
import type { IndexObjects } from "@reading-list/core/ports/search.ts";
import { createClient, inTime } from "./bucket.ts";
import { indexObject } from "./keys.ts";

/** The content of a closed index. */
const closed = new Uint8Array();

/** Milliseconds for the largest index: 256 MB. */
const requestTimeoutMs = 60_000;

const readHttpStatus = (error: unknown) => (error as S3ServiceException).$metadata?.httpStatusCode;

/** S3's answers to a conditional write if there is another object, if another write is under way, and if the object does not exist. */
const isOtherObject = (error: unknown) => [412, 409, 404].includes(readHttpStatus(error) ?? 0);

/** The stored search indexes in a bucket without versions, whose name is looked up at the first use. */
export function createIndexObjects(findName: () => Promise<string>): IndexObjects {
  let client: S3Client | undefined;
  let found: Promise<string> | undefined;
  // Most functions that have the articles never use it.
  const clientInUse = () => (client ??= createClient(requestTimeoutMs));
  const name = () => {
    found ??= findName();
    return found;
  };

  return {
    async read(userId, IfNoneMatch) {
      try {
        const Key = indexObject(userId);
        const { Body, ETag = "" } = await clientInUse().send(
          new GetObjectCommand({ Bucket: await name(), Key, ...(IfNoneMatch && { IfNoneMatch }) }),
          inTime(),
        );
        return Body && { etag: ETag, content: await Body.transformToByteArray() };
      } catch (error) {
        if (readHttpStatus(error) === 304) return "unchanged";
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },

    async write(userId, Body, etag) {
      const condition = etag === undefined ? { IfNoneMatch: "*" } : { IfMatch: etag };
      try {
        const { ETag } = await clientInUse().send(
          new PutObjectCommand({ Bucket: await name(), Key: indexObject(userId), Body, ...condition }),
          inTime(),
        );
        return ETag;
      } catch (error) {
        if (isOtherObject(error)) return undefined;
        throw error;
      }
    },

    async close(userId) {
      await clientInUse().send(
        new PutObjectCommand({ Bucket: await name(), Key: indexObject(userId), Body: closed }),
        inTime(),
      );
    },
  };
}
