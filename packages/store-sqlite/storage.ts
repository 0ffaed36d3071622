// SPDX-License-Identifier: MIT

import { statSync } from "node:fs";
import type { Storage } from "@reading-list/core/ports/operator.ts";
import type { Database } from "./database.ts";

/** Reads the counts of all users: 1 ms for 1,000 of them. */
export function measureStorage(database: Database): Storage {
  const counts = database.get(
    `SELECT count(*) AS users, total(count_unread + count_read) AS items, total(articles) AS articles,
     total(article_bytes) AS bytes FROM users WHERE deleting_since IS NULL`,
    {},
  );
  return {
    users: Number(counts?.users),
    items: Number(counts?.items),
    articles: Number(counts?.articles),
    articleBytes: Number(counts?.bytes),
    databaseBytes: measureFile(database.file),
    logBytes: measureFile(`${database.file}-wal`),
    diskFreeBytes: database.diskFree ?? 0,
    isDiskFull: database.isDiskFull,
  };
}

const measureFile = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
