// SPDX-License-Identifier: MIT

import { GetObjectCommand, NoSuchKey, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import type { CachedText, TextCache } from "@reading-list/core/ports/pages.ts";
import { LRUCache } from "lru-cache";

/** A cache of texts in an S3 bucket, whose lifecycle rule removes old ones. */
export function createBucketTextCache(bucket: string): TextCache {
  // Short timeouts: a slow cache is worse than none.
  const client = new S3Client({
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 500, requestTimeout: 1500, throwOnRequestTimeout: true },
  });
  return {
    async find(key) {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
        return Body && (JSON.parse(await Body.transformToString()) as CachedText);
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },
    async keep(key, text) {
      const Body = JSON.stringify(text);
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body, ContentType: "application/json" }));
    },
  };
}

/** Characters of all texts. */
const maxLength = 20_000_000;

/** A cache of texts in the memory of this process, for a page that many users save, or whose reader gave up waiting. */
export function createProcessTextCache(): TextCache {
  const texts = new LRUCache<string, CachedText>({
    maxSize: maxLength,
    sizeCalculation: ({ view }) => view.html.length + 1000,
  });
  return {
    find: async (key) => texts.get(key),
    keep: async (key, text) => void texts.set(key, text),
  };
}
