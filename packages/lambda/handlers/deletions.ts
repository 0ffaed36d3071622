// SPDX-License-Identifier: MIT

import { emptyTally, runCall } from "@reading-list/core/call-scope.ts";
import { secondsOf } from "@reading-list/core/ports.ts";
import { finishDeletions } from "@reading-list/core/use-cases/accounts/delete-user.ts";
import { eraseOldTrash } from "@reading-list/core/use-cases/lists/erase-trash.ts";
import { readSettings } from "@reading-list/settings/settings.ts";
import { createArticleStore } from "@reading-list/store-dynamodb/articles.ts";
import { createBucket } from "@reading-list/store-dynamodb/bucket.ts";
import { createDocumentClient } from "@reading-list/store-dynamodb/client.ts";
import { checkDataVersion } from "@reading-list/store-dynamodb/data-version.ts";
import { createDeletionStore } from "@reading-list/store-dynamodb/deletion.ts";
import { createHighlightStore } from "@reading-list/store-dynamodb/highlights.ts";
import { createItemStore } from "@reading-list/store-dynamodb/items.ts";
import { createTrashStore } from "@reading-list/store-dynamodb/trash.ts";

/** Milliseconds of one run, of the 300 s of the function (stacks/deletions.ts). The next run continues. */
const deadlineMs = 280_000;

const { dynamodbEndpoint, tableName, articleBucket } = readSettings(process.env);
const table = { client: createDocumentClient(dynamodbEndpoint), tableName };
const deletion = createDeletionStore(table);
const articles = createArticleStore(
  table,
  createBucket(async () => articleBucket),
);

const trash = createTrashStore(table);
const highlights = createHighlightStore(table);
const items = createItemStore(table);

/**
 * Continues the deletions of accounts that were interrupted, and erases what has been in the trash for 30 days. Lambda logs
 * and counts the error of one that failed.
 */
export const handler = async () => {
  await checkDataVersion(table, `the table ${tableName}`);
  await runCall(emptyTally(), work, deadlineMs);
};

async function work(): Promise<void> {
  const now = secondsOf(Date);
  const results = await Promise.allSettled([
    finishDeletions(deletion, articles, now),
    eraseOldTrash({ trash, articles, highlights, items }, now),
  ]);
  for (const result of results) if (result.status === "rejected") throw result.reason;
}
