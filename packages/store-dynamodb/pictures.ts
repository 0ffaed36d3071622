// SPDX-License-Identifier: MIT

import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { hashOfPicture } from "@reading-list/core/domain/picture-address.ts";
import { wrongCredentials } from "@reading-list/core/errors.ts";
import type { ArticleOwner } from "@reading-list/core/ports/articles.ts";
import type { PictureStore } from "@reading-list/core/ports/pictures.ts";
import { chunks, deleteBatch, readBatch, readKeys, walkPartition } from "./batches.ts";
import type { Table } from "./client.ts";
import {
  articleKey,
  articlePictureKey,
  articlePicturePrefix,
  pictureFileKey,
  pictureFolder,
  pictureObject,
  pictureTotalKey,
} from "./keys.ts";
import type { ObjectStore } from "./objects.ts";
import { isConditionFailed, isFirstConditionFailed, retryConflicts } from "./optimistic-locking.ts";
import { type FileRecord, ifHash, PictureRecords, parseFile, parsePicture } from "./picture-records.ts";
import { readUserRecord } from "./users.ts";

/** Maximum pictures of articles that one transaction deletes, besides their files and the total: 81 writes of 100. */
const picturesAtOnce = 40;
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

  /** Stores the object of a lost picture again, unless no article has it any more; it is not lost then. */
  async function storeAgain(userId: string, hash: string, file: FileRecord | undefined, content: Uint8Array) {
    const Update = records.changeLost(userId, "DELETE", hash);
    if (!file) return void (await client.send(new UpdateCommand(Update)));
    const stored = { ...file, objectName: pictureObject(userId, hash, randomUUID()) };
    await objects.put(stored.objectName, content);
    const Put = {
      TableName,
      Item: stored,
      ConditionExpression: "uses = :uses AND objectName = :name",
      ExpressionAttributeValues: { ":uses": file.uses, ":name": file.objectName },
    };
    const done = await records.write([{ Put }, { Update }], true);
    if (!done) await objects.delete([stored.objectName]);
  }

  /** Deletes records of pictures of articles, and the pictures that no article has any more. */
  async function forget(userId: string, keys: readonly Record<string, string>[]): Promise<void> {
    for (const some of chunks(keys, picturesAtOnce)) {
      const unused = await retryConflicts(async () => {
        const found = await readBatch(table, some);
        if (found.length === 0) return [];
        const hashes = found.map((record) => parsePicture(record).hash);
        const uses = new Map<string, number>();
        for (const hash of hashes) if (hash) uses.set(hash, (uses.get(hash) ?? 0) + 1);
        const files = await records.readFiles(userId, [...uses.keys()]);
        const changes = [...files].map(([hash, file]) => records.changeUses(file, -(uses.get(hash) ?? 0)));
        const deletions = found.map(({ pk, sk }, index) => ({
          Delete: { TableName, Key: { pk, sk }, ...ifHash(hashes[index]) },
        }));
        const gone = [...files].filter(([hash, file]) => uses.get(hash) === file.uses);
        return records.write(
          [...deletions, ...records.planUses(userId, changes)],
          gone.map(([, { objectName }]) => objectName),
        );
      });
      await objects.delete(unused);
    }
  }

  return {
    async list({ userId }, itemId) {
      const [pictures, lost] = await Promise.all([records.list(userId, itemId), records.lost(userId)]);
      // A lost picture counts as never read.
      return pictures.map((each) =>
        each.hash !== undefined && lost.has(each.hash) ? { ...each, hash: undefined, retryAt: 0 } : each,
      );
    },

    async keep(owner, itemId, { url, content }, quota) {
      const { username, userId } = owner;
      const hash = hashOfPicture(content);
      const key = articlePictureKey(userId, itemId, url);
      const fresh: FileRecord = {
        ...pictureFileKey(userId, hash),
        bytes: content.length,
        uses: 0,
        objectName: pictureObject(userId, hash, randomUUID()),
      };
      let isWritten = false;
      let isUsed = false;
      try {
        const { over } = await retryConflicts(async (): Promise<{ over: number | undefined } | undefined> => {
          const [user, article, record, lost] = await Promise.all([
            readUserRecord(table, username),
            records.read(articleKey(username, itemId)),
            records.read(key),
            records.lost(userId),
          ]);
          if (user?.userId !== userId || user.deletingSince !== undefined) throw wrongCredentials();
          if (!article) return { over: undefined };
          const before = record && parsePicture(record).hash;
          if (before === hash && !lost.has(hash)) return { over: 0 };
          const files = await records.readFiles(userId, [...new Set([hash, before ?? hash])]);
          if (lost.has(hash)) return void (await storeAgain(userId, hash, files.get(hash), content));
          const file = files.get(hash) ?? fresh;
          const over = file === fresh ? (await records.bytes(userId)) + content.length - quota : 0;
          if (over > 0) return { over };
          if (file === fresh && !isWritten) {
            isWritten = true;
            await objects.put(fresh.objectName, content);
          }
          const former = before === undefined ? undefined : files.get(before);
          const changes = [records.changeUses(file, 1), ...(former ? [records.changeUses(former, -1)] : [])];
          const Put = { TableName, Item: { ...key, url, keptHash: hash, tries: 0 }, ...ifHash(before) };
          const done = await records.write(
            [
              ...records.ifKept(owner, itemId),
              { Put },
              ...records.planUses(userId, changes, file === fresh ? quota : undefined),
            ],
            { over: 0 },
          );
          if (!done) return undefined;
          isUsed = file === fresh;
          if (former?.uses === 1) await objects.delete([former.objectName]);
          return done;
        });
        return over;
      } finally {
        if (isWritten && !isUsed) await objects.delete([fresh.objectName]);
      }
    },

    async note(owner, itemId, { url, tries, retryAt }) {
      const key = articlePictureKey(owner.userId, itemId, url);
      const [before, lost] = await Promise.all([records.read(key), records.lost(owner.userId)]);
      if (before && lost.has(String(before.keptHash))) await forget(owner.userId, [key]);
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
      forget(
        userId,
        urls.map((url) => articlePictureKey(userId, itemId, url)),
      ),

    async delete({ userId }, itemIds) {
      const { pk } = pictureTotalKey(userId);
      for (const some of chunks(itemIds, articlesAtOnce)) {
        const keys = await Promise.all(some.map((itemId) => readKeys(table, pk, articlePicturePrefix(itemId))));
        await forget(userId, keys.flat());
      }
    },

    async sizes({ userId }, itemIds) {
      const sizes = new Map<string, number>();
      for (const some of chunks(itemIds, articlesAtOnce)) {
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
