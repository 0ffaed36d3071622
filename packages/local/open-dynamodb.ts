// SPDX-License-Identifier: MIT

import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { SetupError } from "@reading-list/core/errors.ts";
import { type Clock, unixTime } from "@reading-list/core/ports/clock.ts";
import { finishDeletions } from "@reading-list/core/use-cases/accounts/delete-user.ts";
import { eraseOldTrash } from "@reading-list/core/use-cases/lists/erase-trash.ts";
import { ClockGuard } from "@reading-list/core/use-cases/operator/clock-guard.ts";
import type { Settings } from "@reading-list/settings/settings.ts";
import { createArticleStore } from "@reading-list/store-dynamodb/articles.ts";
import { createDocumentClient } from "@reading-list/store-dynamodb/client.ts";
import { ensureTable } from "@reading-list/store-dynamodb/create-table.ts";
import { createKeeperStore } from "@reading-list/store-dynamodb/keeper.ts";
import { createKeptPageStore } from "@reading-list/store-dynamodb/kept-pages.ts";
import { createOperatorStore } from "@reading-list/store-dynamodb/operator.ts";
import { createPasskeyStore } from "@reading-list/store-dynamodb/passkeys.ts";
import { createPictureStore } from "@reading-list/store-dynamodb/pictures.ts";
import { createStores } from "@reading-list/store-dynamodb/stores.ts";
import { openObjects } from "./folder-objects.ts";
import { repeatWork } from "./repeat-work.ts";

const eraseIntervalMs = 3_600_000;

/** Opens the DynamoDB at `endpoint`, and creates the table if it does not exist. Throws a SetupError if it cannot be used. */
export async function openDynamodb(
  { tableName, defaultLimits }: Settings,
  endpoint: string,
  dataDir: string,
  clock: Clock,
  wrapClient: (client: DynamoDBDocumentClient) => DynamoDBDocumentClient,
) {
  const table = { client: wrapClient(createDocumentClient(endpoint)), tableName };
  const { objects, removeFolder } = openObjects(dataDir);
  try {
    await ensureTable(table);
    const articles = createArticleStore(table, objects);
    const pages = { keptPages: createKeptPageStore(table, clock), keeper: createKeeperStore(table, clock) };
    const stores = {
      ...createStores(table, clock, defaultLimits),
      ...pages,
      articles,
      pictureStore: createPictureStore(table, objects),
    };
    // A deployed stage has a separate function for them.
    finishDeletions(stores.deletion, stores.articles, unixTime(clock)).catch(() => {});
    const operator = createOperatorStore(table, objects);
    const clockGuard = new ClockGuard(operator.clock, clock);
    const stopErasing = repeatWork(async () => {
      const permit = await clockGuard.permit();
      if (permit) await eraseOldTrash(stores, permit);
    }, eraseIntervalMs);
    return {
      stores: { ...stores, erasePermit: () => clockGuard.permit() },
      clockGuard,
      operator,
      passkeys: createPasskeyStore(table),
      storage: undefined,
      failure: new Promise<never>(() => {}),
      close: async () => {
        stopErasing();
        table.client.destroy();
        await removeFolder();
      },
    };
  } catch (error) {
    table.client.destroy();
    await removeFolder();
    if (error instanceof SetupError) throw error;
    throw new SetupError(`the database at ${endpoint} does not respond as expected (DYNAMODB_ENDPOINT)`, error);
  }
}
