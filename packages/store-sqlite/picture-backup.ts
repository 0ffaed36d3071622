// SPDX-License-Identifier: MIT

import { chown, readFile, rm, stat, utimes } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { backupDays } from "@reading-list/core/contract/delete_account.ts";
import { hashOfPicture } from "@reading-list/core/domain/picture-address.ts";
import { fileName } from "./database.ts";
import { fileOf, namesIn, picturesName, walkPictures, writeWhole } from "./picture-files.ts";

/** What became of the pictures of a database. */
export interface CopiedPictures {
  /** Written now; the others were there. */
  copied: number;
  /** Not there, or not as their hash says. */
  missing: number;
}

/** The folder of pictures beside a database or a backup. */
const picturesBeside = (file: string) => path.join(path.dirname(path.resolve(file)), picturesName);

/**
 * Copies the pictures of a backup of the database of a folder beside it, where all backups share them: only those that are
 * not there yet. A picture that no backup of the last 35 days has is removed.
 */
export async function backUpPictures(folder: string, file: string, now: number): Promise<CopiedPictures> {
  const target = picturesBeside(file);
  const outcome = await copyPictures(file, path.join(folder, picturesName), target, (copied) =>
    utimes(copied, now, now),
  );
  for (const userId of await namesIn(target)) {
    for (const name of await namesIn(path.join(target, userId))) {
      const old = path.join(target, userId, name);
      // Its time is that of the newest backup that has it.
      if ((await stat(old)).mtimeMs / 1000 < now - backupDays * 86_400) await rm(old);
    }
  }
  return outcome;
}

/** Copies the pictures of the database of a folder from beside the backup that it was restored from. */
export async function restorePictures(folder: string, file: string): Promise<CopiedPictures> {
  const { uid, gid } = await stat(folder);
  const target = path.join(folder, picturesName);
  // Root restores for the user of the service.
  const own = process.geteuid?.() === 0;
  return copyPictures(path.join(folder, fileName), picturesBeside(file), target, async (copied) => {
    for (const name of own ? [copied, path.dirname(copied), target] : []) await chown(name, uid, gid);
  });
}

/** Copies the pictures that a database names from one folder to another. `settle` is called with each file that is there. */
async function copyPictures(
  database: string,
  from: string,
  to: string,
  settle: (file: string) => Promise<void>,
): Promise<CopiedPictures> {
  const outcome = { copied: 0, missing: 0 };
  const connection = new DatabaseSync(database, { readOnly: true });
  try {
    const hasPictures = connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'pictures'").get() !== undefined;
    if (!hasPictures) return outcome;
    const all = (sql: string, parameters: Record<string, string>) => connection.prepare(sql).all(parameters);
    for await (const { user, hash, bytes } of walkPictures({ all })) {
      const target = fileOf(to, user, hash);
      const isThere = (await stat(target).catch(() => undefined))?.size === bytes;
      const content = isThere ? undefined : await readFile(fileOf(from, user, hash)).catch(() => undefined);
      if (!isThere && (!content || hashOfPicture(content) !== hash)) outcome.missing++;
      else {
        if (content) {
          await writeWhole(target, content);
          outcome.copied++;
        }
        await settle(target);
      }
    }
    return outcome;
  } finally {
    connection.close();
  }
}
