// SPDX-License-Identifier: MIT

import { stat } from "node:fs/promises";
import path from "node:path";
import type { Finding } from "@reading-list/core/ports/operator.ts";
import type { Database } from "./database.ts";
import { isIntact, nameFile, namesIn, type PictureFiles, walkPictures } from "./picture-files.ts";

/** Rows whose related rows are missing. */
const strayRows = `SELECT
  (SELECT count(*) FROM pictures AS p WHERE NOT EXISTS
    (SELECT 1 FROM article_pictures AS a WHERE a.user = p.user AND a.hash = p.hash)) +
  (SELECT count(*) FROM article_pictures AS a WHERE hash IS NOT NULL AND NOT EXISTS
    (SELECT 1 FROM pictures AS p WHERE a.user = p.user AND a.hash = p.hash)) +
  (SELECT count(*) FROM article_pictures AS a WHERE NOT EXISTS
    (SELECT 1 FROM articles AS k WHERE k.user = a.user AND k.item_id = a.item_id)) AS faults`;
const wrongTotals = `SELECT count(*) AS faults FROM users WHERE picture_bytes <>
  (SELECT coalesce(sum(bytes), 0) FROM pictures WHERE pictures.user = users.user_id)`;

/** Compares the rows of pictures with each other, and with the files. It reads each file. */
export async function checkPictures(database: Database, { folder }: PictureFiles): Promise<Finding> {
  const [stray, wrong] = [strayRows, wrongTotals].map((sql) => Number(database.get(sql)?.faults));
  const counts = { pictures: 0, bytes: 0, missing: 0, damaged: 0 };
  for await (const { user, hash, bytes } of walkPictures(database)) {
    counts.pictures++;
    counts.bytes += bytes;
    const file = nameFile(folder, user, hash);
    const found = await stat(file).catch(() => undefined);
    if (!found) counts.missing++;
    else if (found.size !== bytes || !(await isIntact(file, hash))) counts.damaged++;
  }
  const number = (count: number) => count.toLocaleString("en");
  const faults = [
    `${number(counts.missing)} missing`,
    `${number(counts.damaged)} damaged`,
    `${number(stray ?? 0)} rows without a page or picture`,
    `${number(wrong ?? 0)} users with wrong byte counts`,
  ].filter((fault) => !fault.startsWith("0 "));
  const total = `${number(counts.pictures)} saved pictures, ${number(counts.bytes)} bytes`;
  if (faults.length > 0) {
    return {
      fault: `${total}: ${faults.join(", ")}; while the service runs, it fetches pictures of saved pages again if their sites still have them, and recounts the bytes within a day; or restore a backup that has them`,
    };
  }
  const unused = await countUnused(database, folder);
  return {
    found: `${total}, all matching their hashes${unused > 0 ? `; ${number(unused)} unused files, which the running service removes within a day` : ""}`,
  };
}

async function countUnused(database: Database, folder: string): Promise<number> {
  let unused = 0;
  for (const user of await namesIn(folder)) {
    for (const hash of await namesIn(path.join(folder, user))) {
      const sql = "SELECT 1 FROM pictures WHERE user = :user AND hash = :hash";
      if (database.get(sql, { user, hash }) === undefined) unused++;
    }
  }
  return unused;
}
