// SPDX-License-Identifier: MIT

import { randomUUID } from "node:crypto";
import { createReadStream, existsSync, rmSync, statSync } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { ErasePermit } from "@reading-list/core/domain/clock-check.ts";
import { hashPicture } from "@reading-list/core/domain/picture-address.ts";
import { splitList } from "@reading-list/core/domain/split-list.ts";
import { nextTurn } from "@reading-list/core/domain/turns.ts";
import type { StoredPicture } from "@reading-list/core/ports/pictures.ts";
import type { Database, Row } from "./database.ts";

/** Files whose use is checked in one transaction: some ms. */
const filesAtOnce = 100;
/** Rows that are read in one turn of the event loop. */
const rowsAtOnce = 500;
/** Milliseconds after which an unfinished file belongs to a process that has ended. */
const unfinishedMs = 3_600_000;

/** The folder of pictures beside the database, and beside its backups. */
export const picturesName = "pictures";

const isHash = (name: string) => /^[0-9a-f]{64}$/.test(name);

/** The file of a picture below a folder of pictures. */
export function nameFile(folder: string, userId: string, hash: string): string {
  if (!/^[\w-]+$/.test(userId) || !isHash(hash)) throw new Error("no picture has such a name");
  return path.join(folder, userId, hash);
}

/** Whether a file has the content of its name. */
export const isIntact = async (file: string, hash: string) =>
  hashPicture(await readFile(file).catch(() => new Uint8Array())) === hash;

/** Writes a file that appears when it is whole and on the disk. */
export async function writeWhole(file: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
  const folder = path.dirname(file);
  const unfinished = `${file}.${randomUUID()}`;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const handle = await open(unfinished, "wx", 0o600);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, file);
    for (const name of [folder, path.dirname(folder)]) await syncFolder(name);
  } finally {
    await rm(unfinished, { force: true });
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}

/**
 * The files of kept pictures: a file is there before its row, and goes after it, in a transaction that finds no row. So a
 * row always has its file, and a crash leaves a file at most, which the next sweep removes.
 */
export class PictureFiles {
  readonly #database: Database;
  readonly folder: string;

  constructor(database: Database, folder = path.join(path.dirname(database.file), picturesName)) {
    this.#database = database;
    this.folder = folder;
  }

  /** Writes the file of a picture, unless it is there. */
  async put(userId: string, hash: string, content: Uint8Array): Promise<void> {
    const file = nameFile(this.folder, userId, hash);
    if (!(await isIntact(file, hash))) await writeWhole(file, content);
  }

  has = (userId: string, hash: string): boolean => existsSync(nameFile(this.folder, userId, hash));

  /** Whether the file of a picture is missing, or has other bytes than its row says. */
  isLost = (userId: string, hash: string, bytes: number): boolean =>
    statSync(nameFile(this.folder, userId, hash), { throwIfNoEntry: false })?.size !== bytes;

  /**
   * Gives the keeper work for each article that has lost a picture, as after the restore of a backup without them.
   * `now`: unix seconds.
   */
  async noteLost(now: number): Promise<void> {
    const sql = `UPDATE kept_pages SET next_try = :now WHERE user = :user AND state = 0 AND next_try IS NULL AND item_id IN
      (SELECT item_id FROM article_pictures WHERE user = :user AND hash = :hash)`;
    for await (const { user, hash, bytes } of walkPictures(this.#database)) {
      if (this.isLost(user, hash, bytes))
        await this.#database.write(() => this.#database.run(sql, { user, hash, now }));
    }
  }

  async find(userId: string, hash: string): Promise<StoredPicture | undefined> {
    const file = nameFile(this.folder, userId, hash);
    const found = await stat(file).catch(() => undefined);
    return found && { bytes: found.size, open: () => createReadStream(file) };
  }

  /** Removes the files of pictures that have no row any more. */
  async removeUnused(userId: string, hashes: readonly string[]): Promise<void> {
    for (const part of splitList(hashes, filesAtOnce)) {
      await this.#database.write(() => {
        for (const hash of part) {
          const sql = "SELECT 1 FROM pictures WHERE user = :userId AND hash = :hash";
          if (this.#database.get(sql, { userId, hash }) === undefined)
            rmSync(nameFile(this.folder, userId, hash), { force: true });
        }
      });
    }
  }

  /** Removes all files of a user who has no pictures any more. */
  removeAll = (userId: string): Promise<void> => rm(path.join(this.folder, userId), { recursive: true, force: true });

  /** Removes files that a crash or a restored backup has left, and recounts the bytes of users. */
  async sweep(permit: ErasePermit | undefined): Promise<void> {
    const total = "(SELECT coalesce(sum(bytes), 0) FROM pictures WHERE pictures.user = users.user_id)";
    await this.#database.write(() =>
      this.#database.run(`UPDATE users SET picture_bytes = ${total} WHERE picture_bytes <> ${total}`),
    );
    for (const userId of await namesIn(this.folder)) {
      const isUser = this.#database.get("SELECT 1 FROM users WHERE user_id = :userId", { userId });
      if (isUser) await this.#sweepFolder(userId, permit);
      else await this.removeAll(userId);
    }
  }

  async #sweepFolder(userId: string, permit: ErasePermit | undefined): Promise<void> {
    const names = await namesIn(path.join(this.folder, userId));
    await this.removeUnused(userId, names.filter(isHash));
    for (const name of permit ? names.filter((each) => !isHash(each)) : []) {
      const file = path.join(this.folder, userId, name);
      const { mtimeMs = Date.now() } = (await stat(file).catch(() => undefined)) ?? {};
      if (Date.now() - mtimeMs > unfinishedMs) await rm(file, { force: true });
    }
  }
}

/** The names in a folder, which may be missing. */
export const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

/** The pictures of all users, some at a time. */
export async function* walkPictures(database: {
  all(sql: string, parameters: Record<string, string>): Row[];
}): AsyncGenerator<{ user: string; hash: string; bytes: number }> {
  const sql = `SELECT user, hash, bytes FROM pictures WHERE (user, hash) > (:user, :hash) ORDER BY user, hash LIMIT ${rowsAtOnce}`;
  for (let [user, hash] = ["", ""]; ; await nextTurn()) {
    const rows = database.all(sql, { user, hash });
    for (const row of rows) yield { user: String(row.user), hash: String(row.hash), bytes: Number(row.bytes) };
    const last = rows.at(-1);
    if (!last) return;
    [user, hash] = [String(last.user), String(last.hash)];
  }
}
