// SPDX-License-Identifier: MIT

import { emptyTally, runCall } from "@reading-list/core/call-scope.ts";
import { checkDataVersion } from "@reading-list/store-dynamodb/data-version.ts";
import { findSyncedUser } from "@reading-list/store-dynamodb/users.ts";
import { liveSettings, liveTable } from "../compose/live.ts";
import { createLiveIndexes } from "../compose/live-search.ts";
import type { IndexingCall } from "../compose/remote-indexing.ts";

/** Milliseconds of one run, of the 900 s of the function (stacks/functions.ts). */
const deadlineMs = 870_000;

const table = liveTable();
const { indexes } = createLiveIndexes({ updateMs: deadlineMs });

/** Stores the search index of a user. Lambda logs and counts the error of a call that fails, and repeats it. */
export const handler = (call: IndexingCall) => runCall(emptyTally(), () => store(call), deadlineMs);

async function store({ username, onlyIfStored }: IndexingCall): Promise<void> {
  await checkDataVersion(table, `the table ${liveSettings.tableName}`);
  const user = await findSyncedUser(table, username);
  if (user) await (onlyIfStored ? indexes.storeAgain(user) : indexes.store(user));
}
