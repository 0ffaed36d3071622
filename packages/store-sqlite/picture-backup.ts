// SPDX-License-Identifier: MIT

import { chown, readFile, rm, stat, utimes } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { backupDays } from "@reading-list/core/contract/delete_account.ts";
import type { ErasePermit } from "@reading-list/core/domain/clock-check.ts";
import { hashPicture } from "@reading-list/core/domain/picture-address.ts";
import { fileName } from "./database.ts";
import { nameFile, namesIn, picturesName, walkPictures, writeWhole } from "./picture-files.ts";

/** The outcome of a copy of the pictures of a database. */
export interface CopiedPictures {
  /** Written now; the others were there. */
  copied: number;
  /** Not there, or not as their hash says. */
  missing: number;
}

/** The folder of pictures beside a database or a backup. */
const picturesBeside = (file: string) => path.join(path.dirname(path.resolve(file)), picturesName);

/**
 * Copies the pictures of a backup of the database of a folder beside it, where all backups share them: only missing
 * ones. A picture that no backup of the last 35 days has is removed.
 */
export async function backUpPictures(
  folder: string,
  file: string,
  now: number,
  permit: ErasePermit | undefined,
): Promise<CopiedPictures> {
  const target = picturesBeside(file);
  const outcome = await copyPictures(file, path.join(folder, picturesName), target, (copied) =>
    utimes(copied, now, now),
  );
  for (const userId of permit ? await namesIn(target) : []) {
    for (const name of await namesIn(path.join(target, userId))) {
      const old = path.join(target, userId, name);
      // Its time is the time of the newest backup that contains it.
      if ((await stat(old)).mtimeMs / 1000 < now - backupDays * 86_400) await rm(old);
    }
  }
  return outcome;
}

/** Copies the pictures of the database of a folder from beside the backup that it was restored from. */
export async function restorePictures(folder: string, file: string): Promise<CopiedPictures> {
  const target = path.join(folder, picturesName);
  const settle = await giveToOwner(folder);
  return copyPictures(path.join(folder, fileName), picturesBeside(file), target, settle);
}

/** Writes pictures into the folder of a database, unless they are there. */
export async function pictureWriter(
  folder: string,
): Promise<(user: string, hash: string, content: Uint8Array) => Promise<void>> {
  const settle = await giveToOwner(folder);
  return async (user, hash, content) => {
    const file = nameFile(path.join(folder, picturesName), user, hash);
    if (!(await isThere(file, content.length))) await writeWhole(file, content);
    await settle(file);
  };
}

/** The content of a picture in the folder of a database; undefined if it is missing or damaged. */
export const readPicture = (folder: string, user: string, hash: string): Promise<Uint8Array | undefined> =>
  readIntact(nameFile(path.join(folder, picturesName), user, hash), hash);

/** The pictures that a database names. */
export async function* readPictures(database: string): AsyncGenerator<{ user: string; hash: string; bytes: number }> {
  const connection = new DatabaseSync(database, { readOnly: true });
  try {
    const hasPictures = connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'pictures'").get() !== undefined;
    if (!hasPictures) return;
    const all = (sql: string, parameters: Record<string, string>) => connection.prepare(sql).all(parameters);
    yield* walkPictures({ all });
  } finally {
    connection.close();
  }
}

/** Root restores for the user of the service, who owns the folder. */
async function giveToOwner(folder: string): Promise<(file: string) => Promise<void>> {
  const { uid, gid } = await stat(folder);
  const isRoot = process.geteuid?.() === 0;
  return async (file) => {
    const user = path.dirname(file);
    for (const name of isRoot ? [file, user, path.dirname(user)] : []) await chown(name, uid, gid);
  };
}

const isThere = async (file: string, bytes: number) => (await stat(file).catch(() => undefined))?.size === bytes;

async function readIntact(file: string, hash: string): Promise<Uint8Array | undefined> {
  const content = await readFile(file).catch(() => undefined);
  return content && hashPicture(content) === hash ? content : undefined;
}

/** Copies the pictures that a database names from one folder to another. `settle` is called with each file that is there. */
async function copyPictures(
  database: string,
  from: string,
  to: string,
  settle: (file: string) => Promise<void>,
): Promise<CopiedPictures> {
  const outcome = { copied: 0, missing: 0 };
  for await (const { user, hash, bytes } of readPictures(database)) {
    const target = nameFile(to, user, hash);
    if (!(await isThere(target, bytes))) {
      const content = await readIntact(nameFile(from, user, hash), hash);
      if (!content) {
        outcome.missing++;
        continue;
      }
      await writeWhole(target, content);
      outcome.copied++;
    }
    await settle(target);
  }
  return outcome;
}
