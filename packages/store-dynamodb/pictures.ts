// SPDX-License-Identifier: MIT

import { Readable } from "node:stream";
import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { splitList } from "@reading-list/core/domain/split-list.ts";
import { wrongCredentials } from "@reading-list/core/errors.ts";
import type { ArticleOwner } from "@reading-list/core/ports/articles.ts";
import type { PictureStore } from "@reading-list/core/ports/pictures.ts";
import { deleteBatch, readKeys, walkPartition } from "./batches.ts";
import type { ObjectStore } from "./bucket.ts";
import type { Table } from "./client.ts";
import { articlePictureKey, articlePicturePrefix, pictureFileKey, pictureFolder, pictureTotalKey } from "./keys.ts";
import { isConditionFailed, isFirstConditionFailed, retryConflicts } from "./optimistic-locking.ts";
import { ifHash, PictureRecords, parseFile } from "./picture-records.ts";
import { PictureUses } from "./picture-uses.ts";

/** Articles whose pictures are looked for at the same time. */
const articlesAtOnce = 10;

/**
 * The pictures of kept articles: their contents are objects; the partition of a user's pictures has a record of each
 * picture of an article, one of each stored picture, and the bytes of all (docs/data.md 1.14). An object is there before
 * its record, and goes after it: if a process ends between them, it stays until the account is deleted.
 */
export function createPictureStore(
  table: Table,
  objects: ObjectStore,
): PictureStore & { deleteAll(owner: ArticleOwner): Promise<void> } {
  const { client, tableName: TableName } = table;
  const records = new PictureRecords(table);
  const uses = new PictureUses(table, objects, records);

  return {
    async list({ userId }, itemId) {
      const [pictures, lost] = await Promise.all([records.list(userId, itemId), records.lost(userId)]);
      // A lost picture counts as never read.
      return pictures.map((each) =>
        each.hash !== undefined && lost.has(each.hash) ? { ...each, hash: undefined, retryAt: 0 } : each,
      );
    },

    keep: (owner, itemId, picture, quota) => uses.add(owner, itemId, picture, quota),

    async note(owner, itemId, { url, tries, retryAt }) {
      const key = articlePictureKey(owner.userId, itemId, url);
      const [before, lost] = await Promise.all([records.read(key), records.lost(owner.userId)]);
      if (before && lost.has(String(before.keptHash))) await uses.remove(owner.userId, [key]);
      const Item = { ...key, url, tries, ...(retryAt !== undefined && { retryAt }) };
      const TransactItems = [...records.ifKept(owner, itemId), { Put: { TableName, Item, ...ifHash(undefined) } }];
      await retryConflicts(() =>
        client.send(new TransactWriteCommand({ TransactItems })).catch((error) => {
          if (isFirstConditionFailed(error)) throw wrongCredentials();
          // The article is gone, or another call has kept the picture.
          if (!isConditionFailed(error)) throw error;
          return true;
        }),
      );
    },

    forget: ({ userId }, itemId, urls) =>
      uses.remove(
        userId,
        urls.map((url) => articlePictureKey(userId, itemId, url)),
      ),

    async delete({ userId }, itemIds) {
      const { pk } = pictureTotalKey(userId);
      for (const some of splitList(itemIds, articlesAtOnce)) {
        const keys = await Promise.all(some.map((itemId) => readKeys(table, pk, articlePicturePrefix(itemId))));
        await uses.remove(userId, keys.flat());
      }
    },

    async sizes({ userId }, itemIds) {
      const sizes = new Map<string, number>();
      for (const some of splitList(itemIds, articlesAtOnce)) {
        await Promise.all(
          some.map(async (itemId) => {
            const hashes = (await records.list(userId, itemId)).flatMap(({ hash }) => hash ?? []);
            const files = await records.readFiles(userId, [...new Set(hashes)]);
            const own = [...files].filter(([hash, { uses }]) => uses === hashes.filter((each) => each === hash).length);
            const bytes = own.reduce((sum, [, file]) => sum + file.bytes, 0);
            if (bytes > 0) sizes.set(itemId, bytes);
          }),
        );
      }
      return sizes;
    },

    bytes: ({ userId }) => records.bytes(userId),

    async find(userId, hash) {
      const record = await records.read(pictureFileKey(userId, hash));
      const content = record && (await objects.get(parseFile(record).objectName));
      if (record && !content) await records.noteLost(userId, hash);
      return content && { bytes: content.length, open: () => Readable.from([content]) };
    },

    async deleteAll({ userId }) {
      for await (const keys of walkPartition(table, pictureTotalKey(userId).pk, undefined, true))
        await deleteBatch(table, keys as Record<string, string>[]);
      await objects.deleteAll(pictureFolder(userId));
    },
  };
}
