// SPDX-License-Identifier: MIT

import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { GetCommand, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { ArticlePicture } from "@reading-list/core/domain/article-pictures.ts";
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
  hashOfFileKey,
  pictureFileKey,
  pictureFolder,
  pictureObject,
  pictureTotalKey,
  userKey,
} from "./keys.ts";
import type { ObjectStore } from "./objects.ts";
import { isConditionFailed, isFirstConditionFailed, retryConflicts } from "./optimistic-locking.ts";
import { readUserRecord } from "./users.ts";

/** Maximum pictures of articles that one transaction deletes, besides their files and the total: 81 writes of 100. */
const picturesAtOnce = 40;
/** Articles whose pictures are looked for at the same time. */
const articlesAtOnce = 10;
/** Lost pictures that a user's record names; those beyond are found once these are read again. */
const maxLost = 1000;

/** The picture of an article, of its record. */
const parsePicture = ({ url, keptHash, tries, retryAt }: Record<string, unknown>): ArticlePicture => ({
  url: String(url),
  hash: keptHash === undefined ? undefined : String(keptHash),
  tries: Number(tries ?? 0),
  retryAt: retryAt === undefined ? undefined : Number(retryAt),
});

/**
 * The record of a stored picture. A new object has a new name, so that no deletion removes the object of another
 * record.
 */
interface FileRecord {
  pk: string;
  sk: string;
  bytes: number;
  objectName: string;
  /** Pictures of articles that it is; 0: it is not stored yet. */
  uses: number;
}

const parseFile = ({ pk, sk, bytes, objectName, uses }: Record<string, unknown>): FileRecord => ({
  pk: String(pk),
  sk: String(sk),
  objectName: String(objectName),
  bytes: Number(bytes),
  uses: Number(uses),
});

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

  const read = async (key: Record<string, string>) =>
    (await client.send(new GetCommand({ TableName, Key: key, ConsistentRead: true }))).Item;
  /** Stored pictures by hash. */
  const readFiles = async (userId: string, hashes: readonly string[]) => {
    const keys = hashes.map((hash) => pictureFileKey(userId, hash));
    const records = (await readBatch(table, keys)).map(parseFile);
    return new Map(records.map((record) => [hashOfFileKey(record.sk), record]));
  };
  const bytesOf = async (userId: string) => Number((await read(pictureTotalKey(userId)))?.bytes ?? 0);
  /** The hashes of the pictures whose objects were asked for, and are lost. */
  const readLost = async (userId: string): Promise<ReadonlySet<string>> =>
    (await read(pictureTotalKey(userId)))?.lost ?? new Set();
  const changeLost = (userId: string, action: "ADD" | "DELETE", hash: string) => ({
    TableName,
    Key: pictureTotalKey(userId),
    UpdateExpression: `${action} lost :lost`,
    ConditionExpression: `attribute_exists(pk)${action === "ADD" ? " AND (attribute_not_exists(lost) OR size(lost) < :max)" : ""}`,
    ExpressionAttributeValues: { ":lost": new Set([hash]), ...(action === "ADD" && { ":max": maxLost }) },
  });

  /** Remembers that the object of a picture is lost, so that it is read again when its article is opened. */
  const noteLost = (userId: string, hash: string) =>
    client.send(new UpdateCommand(changeLost(userId, "ADD", hash))).catch((error) => {
      if (!isConditionFailed(error)) throw error;
    });

  /** Stores the object of a lost picture again, unless no article has it any more; it is not lost then. */
  async function storeAgain(userId: string, hash: string, file: FileRecord | undefined, content: Uint8Array) {
    const Update = changeLost(userId, "DELETE", hash);
    if (!file) return void (await client.send(new UpdateCommand(Update)));
    const stored = { ...file, objectName: pictureObject(userId, hash, randomUUID()) };
    await objects.put(stored.objectName, content);
    const Put = {
      TableName,
      Item: stored,
      ConditionExpression: "uses = :uses AND objectName = :name",
      ExpressionAttributeValues: { ":uses": file.uses, ":name": file.objectName },
    };
    const done = await write([{ Put }, { Update }], true);
    if (!done) await objects.delete([stored.objectName]);
  }

  /** The conditions that the user is not being deleted, and keeps the article. */
  const ifKept = ({ username, userId }: ArticleOwner, itemId: string) => [
    {
      ConditionCheck: {
        TableName,
        Key: userKey(username),
        ConditionExpression: "userId = :userId AND attribute_not_exists(deletingSince)",
        ExpressionAttributeValues: { ":userId": userId },
      },
    },
    {
      ConditionCheck: {
        TableName,
        Key: articleKey(username, itemId),
        ConditionExpression: "attribute_exists(pk)",
      },
    },
  ];
  /** The condition that the picture of an article has not changed since it was read. */
  const ifHash = (hash: string | undefined) =>
    hash === undefined
      ? { ConditionExpression: "attribute_not_exists(keptHash)" }
      : { ConditionExpression: "keptHash = :before", ExpressionAttributeValues: { ":before": hash } };

  /** The write by which a stored picture has more or fewer uses, and the bytes by which the total grows. */
  function changeUses(file: FileRecord, change: number) {
    const { pk, sk, uses: before, objectName, bytes } = file;
    const uses = before + change;
    const condition =
      before === 0
        ? { ConditionExpression: "attribute_not_exists(pk)" }
        : {
            ConditionExpression: "uses = :uses AND objectName = :name",
            ExpressionAttributeValues: { ":uses": before, ":name": objectName },
          };
    const write =
      uses === 0
        ? { Delete: { TableName, Key: { pk, sk }, ...condition } }
        : { Put: { TableName, Item: { ...file, uses }, ...condition } };
    return { write, growth: (uses === 0 ? 0 : bytes) - (before === 0 ? 0 : bytes) };
  }

  /** The writes of some changes of uses, and of the total, if it stays below `quota`. */
  function planUses(userId: string, changes: readonly ReturnType<typeof changeUses>[], quota?: number) {
    const growth = changes.reduce((sum, change) => sum + change.growth, 0);
    const total = {
      Update: {
        TableName,
        Key: pictureTotalKey(userId),
        UpdateExpression: "ADD bytes :growth",
        ...(quota !== undefined && { ConditionExpression: "attribute_not_exists(bytes) OR bytes <= :room" }),
        ExpressionAttributeValues: {
          ":growth": growth,
          ...(quota !== undefined && { ":room": Math.max(0, quota - growth) }),
        },
      },
    };
    return [...changes.map(({ write }) => write), ...(growth === 0 ? [] : [total])];
  }

  /** Writes a transaction; undefined if a condition failed. */
  const write = <T>(TransactItems: TransactWriteCommand["input"]["TransactItems"], result: T) =>
    client.send(new TransactWriteCommand({ TransactItems })).then(
      () => result,
      (error) => {
        if (isConditionFailed(error)) return undefined;
        throw error;
      },
    );

  /** Deletes records of pictures of articles, and the pictures that no article has any more. */
  async function forget(userId: string, keys: readonly Record<string, string>[]): Promise<void> {
    for (const some of chunks(keys, picturesAtOnce)) {
      const unused = await retryConflicts(async () => {
        const records = await readBatch(table, some);
        if (records.length === 0) return [];
        const hashes = records.map((record) => parsePicture(record).hash);
        const uses = new Map<string, number>();
        for (const hash of hashes) if (hash) uses.set(hash, (uses.get(hash) ?? 0) + 1);
        const files = await readFiles(userId, [...uses.keys()]);
        const changes = [...files].map(([hash, file]) => changeUses(file, -(uses.get(hash) ?? 0)));
        const deletions = records.map(({ pk, sk }, index) => ({
          Delete: { TableName, Key: { pk, sk }, ...ifHash(hashes[index]) },
        }));
        const gone = [...files].filter(([hash, file]) => uses.get(hash) === file.uses);
        return write(
          [...deletions, ...planUses(userId, changes)],
          gone.map(([, { objectName }]) => objectName),
        );
      });
      await objects.delete(unused);
    }
  }

  const picturesOf = async (userId: string, itemId: string) => {
    const pictures: ArticlePicture[] = [];
    const { pk } = pictureTotalKey(userId);
    for await (const page of walkPartition(table, pk, articlePicturePrefix(itemId)))
      pictures.push(...page.map(parsePicture));
    return pictures;
  };

  return {
    async list({ userId }, itemId) {
      const [pictures, lost] = await Promise.all([picturesOf(userId, itemId), readLost(userId)]);
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
            read(articleKey(username, itemId)),
            read(key),
            readLost(userId),
          ]);
          if (user?.userId !== userId || user.deletingSince !== undefined) throw wrongCredentials();
          if (!article) return { over: undefined };
          const before = record && parsePicture(record).hash;
          if (before === hash && !lost.has(hash)) return { over: 0 };
          const files = await readFiles(userId, [...new Set([hash, before ?? hash])]);
          if (lost.has(hash)) return void (await storeAgain(userId, hash, files.get(hash), content));
          const file = files.get(hash) ?? fresh;
          const over = file === fresh ? (await bytesOf(userId)) + content.length - quota : 0;
          if (over > 0) return { over };
          if (file === fresh && !isWritten) {
            isWritten = true;
            await objects.put(fresh.objectName, content);
          }
          const former = before === undefined ? undefined : files.get(before);
          const changes = [changeUses(file, 1), ...(former ? [changeUses(former, -1)] : [])];
          const Put = { TableName, Item: { ...key, url, keptHash: hash, tries: 0 }, ...ifHash(before) };
          const done = await write(
            [...ifKept(owner, itemId), { Put }, ...planUses(userId, changes, file === fresh ? quota : undefined)],
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
      const [before, lost] = await Promise.all([read(key), readLost(owner.userId)]);
      if (before && lost.has(String(before.keptHash))) await forget(owner.userId, [key]);
      const Item = { ...key, url, tries, ...(retryAt !== undefined && { retryAt }) };
      const TransactItems = [...ifKept(owner, itemId), { Put: { TableName, Item, ...ifHash(undefined) } }];
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
            const hashes = (await picturesOf(userId, itemId)).flatMap(({ hash }) => hash ?? []);
            const files = await readFiles(userId, [...new Set(hashes)]);
            const own = [...files].filter(([hash, { uses }]) => uses === hashes.filter((each) => each === hash).length);
            const bytes = own.reduce((sum, [, file]) => sum + file.bytes, 0);
            if (bytes > 0) sizes.set(itemId, bytes);
          }),
        );
      }
      return sizes;
    },

    bytes: ({ userId }) => bytesOf(userId),

    async find(userId, hash) {
      const record = await read(pictureFileKey(userId, hash));
      const content = record && (await objects.get(parseFile(record).objectName));
      if (record && !content) await noteLost(userId, hash);
      return content && { bytes: content.length, open: () => Readable.from([content]) };
    },

    async deleteAll({ userId }) {
      for await (const keys of walkPartition(table, pictureTotalKey(userId).pk, undefined, true))
        await deleteBatch(table, keys as Record<string, string>[]);
      await objects.deleteAll(pictureFolder(userId));
    },
  };
}
