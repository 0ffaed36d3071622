// SPDX-License-Identifier: MIT

import { randomUUID } from "node:crypto";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { hashPicture } from "@reading-list/core/domain/picture-address.ts";
import { splitList } from "@reading-list/core/domain/split-list.ts";
import { wrongCredentials } from "@reading-list/core/errors.ts";
import type { ArticleOwner } from "@reading-list/core/ports/articles.ts";
import { readBatch } from "./batches.ts";
import type { ObjectStore } from "./bucket.ts";
import type { Table } from "./client.ts";
import { articleKey, articlePictureKey, pictureFileKey, pictureObject } from "./keys.ts";
import { retryConflicts } from "./optimistic-locking.ts";
import { type FileRecord, ifHash, type PictureRecords, parsePicture } from "./picture-records.ts";
import { readUserRecord } from "./users.ts";

/** Maximum pictures of articles that one transaction deletes, besides their files and the total: 81 writes of 100. */
const picturesAtOnce = 40;

/** A picture that an article is to have, and whether its object was written, and is needed. */
interface NewPicture {
  url: string;
  content: Uint8Array;
  hash: string;
  /** The record if no other article has the picture. */
  file: FileRecord;
  isWritten: boolean;
  isUsed: boolean;
}

/** Adds and removes the uses of stored pictures by articles. A picture is deleted with its last use. */
export class PictureUses {
  readonly #table: Table;
  readonly #objects: ObjectStore;
  readonly #records: PictureRecords;

  constructor(table: Table, objects: ObjectStore, records: PictureRecords) {
    this.#table = table;
    this.#objects = objects;
    this.#records = records;
  }

  /** See `PictureStore.keep`. */
  async add(
    owner: ArticleOwner,
    itemId: string,
    { url, content }: { url: string; content: Uint8Array },
    quota: number,
  ): Promise<number | undefined> {
    const { userId } = owner;
    const hash = hashPicture(content);
    const objectName = pictureObject(userId, hash, randomUUID());
    const file = { ...pictureFileKey(userId, hash), bytes: content.length, uses: 0, objectName };
    const picture: NewPicture = { url, content, hash, file, isWritten: false, isUsed: false };
    try {
      const { over } = await retryConflicts(() => this.#tryToAdd(owner, itemId, picture, quota));
      return over;
    } finally {
      if (picture.isWritten && !picture.isUsed) await this.#objects.delete([objectName]);
    }
  }

  /** One try, with the bytes above the quota; undefined if a record has changed meanwhile. */
  async #tryToAdd(
    owner: ArticleOwner,
    itemId: string,
    picture: NewPicture,
    quota: number,
  ): Promise<{ over: number | undefined } | undefined> {
    const { userId } = owner;
    const { url, content, hash } = picture;
    const records = this.#records;
    const key = articlePictureKey(userId, itemId, url);
    const [user, article, record, lost] = await Promise.all([
      readUserRecord(this.#table, owner.username),
      records.read(articleKey(owner.username, itemId)),
      records.read(key),
      records.lost(userId),
    ]);
    if (user?.userId !== userId || user.deletingSince !== undefined) throw wrongCredentials();
    if (!article) return { over: undefined };
    const before = record && parsePicture(record).hash;
    if (before === hash && !lost.has(hash)) return { over: 0 };
    const files = await records.readFiles(userId, [...new Set([hash, before ?? hash])]);
    if (lost.has(hash)) return void (await this.#storeAgain(userId, hash, files.get(hash), content));
    const file = files.get(hash) ?? picture.file;
    const isNew = file === picture.file;
    const over = isNew ? (await records.bytes(userId)) + content.length - quota : 0;
    if (over > 0) return { over };
    if (isNew && !picture.isWritten) {
      picture.isWritten = true;
      await this.#objects.put(file.objectName, content);
    }
    const former = before === undefined ? undefined : files.get(before);
    const changes = [records.changeUses(file, 1), ...(former ? [records.changeUses(former, -1)] : [])];
    const TableName = this.#table.tableName;
    const Put = { TableName, Item: { ...key, url, keptHash: hash, tries: 0 }, ...ifHash(before) };
    const uses = records.planUses(userId, changes, isNew ? quota : undefined);
    const done = await records.write([...records.ifKept(owner, itemId), { Put }, ...uses], { over: 0 });
    if (!done) return undefined;
    picture.isUsed = isNew;
    if (former?.uses === 1) await this.#objects.delete([former.objectName]);
    return done;
  }

  /** Stores the object of a lost picture again, unless no article has it any more; it is not lost then. */
  async #storeAgain(userId: string, hash: string, file: FileRecord | undefined, content: Uint8Array) {
    const { client, tableName: TableName } = this.#table;
    const Update = this.#records.changeLost(userId, "DELETE", hash);
    if (!file) return void (await client.send(new UpdateCommand(Update)));
    const stored = { ...file, objectName: pictureObject(userId, hash, randomUUID()) };
    await this.#objects.put(stored.objectName, content);
    const Put = {
      TableName,
      Item: stored,
      ConditionExpression: "uses = :uses AND objectName = :name",
      ExpressionAttributeValues: { ":uses": file.uses, ":name": file.objectName },
    };
    const done = await this.#records.write([{ Put }, { Update }], true);
    if (!done) await this.#objects.delete([stored.objectName]);
  }

  /** Deletes records of pictures of articles, and the pictures that no article has any more. */
  async remove(userId: string, keys: readonly Record<string, string>[]): Promise<void> {
    for (const some of splitList(keys, picturesAtOnce)) {
      const unused = await retryConflicts(() => this.#tryToRemove(userId, some));
      await this.#objects.delete(unused);
    }
  }

  /** One try, with the names of the objects that nothing needs any more; undefined if a record has changed meanwhile. */
  async #tryToRemove(userId: string, keys: Record<string, string>[]): Promise<string[] | undefined> {
    const records = this.#records;
    const TableName = this.#table.tableName;
    const found = await readBatch(this.#table, keys);
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
  }
}
