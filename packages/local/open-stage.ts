// SPDX-License-Identifier: MIT

import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { SetupError } from "@reading-list/core/errors.ts";
import type { Clock } from "@reading-list/core/ports/clock.ts";
import type { Settings } from "@reading-list/settings/settings.ts";
import { createArticleStore } from "@reading-list/store-dynamodb/articles.ts";
import { checkBucket, createKeptBuckets } from "@reading-list/store-dynamodb/bucket.ts";
import { createDocumentClient } from "@reading-list/store-dynamodb/client.ts";
import { checkDataVersion } from "@reading-list/store-dynamodb/data-version.ts";
import { createIdentityStore } from "@reading-list/store-dynamodb/identities.ts";
import { createIndexObjects } from "@reading-list/store-dynamodb/index-objects.ts";
import { createKeptPageStore } from "@reading-list/store-dynamodb/kept-pages.ts";
import { createPasskeyStore } from "@reading-list/store-dynamodb/passkeys.ts";
import { createPictureStore } from "@reading-list/store-dynamodb/pictures.ts";
import { createStores } from "@reading-list/store-dynamodb/stores.ts";
import { createBucketTextCache } from "@reading-list/store-dynamodb/text-caches.ts";

/**
 * Opens the table and the buckets of a deployed stage, as its functions do (docs/aws/operations.md, "Container mode"). It
 * creates nothing, and leaves the continuation of deletions to the stage's schedule, so that any number of processes can
 * use them. Throws a SetupError that names the variable at fault.
 */
export async function openStage(
  settings: Settings,
  clock: Clock,
  wrapClient: (client: DynamoDBDocumentClient) => DynamoDBDocumentClient,
) {
  const { tableName, dynamodbEndpoint, articleBucket, pictureBucket, textBucket, searchBucket } = settings;
  const table = { client: wrapClient(createDocumentClient(dynamodbEndpoint)), tableName };
  const remedy = "check it, AWS_REGION, and the account and permissions of the credentials";
  const requireIt = async (variable: string, name: string, isThere: () => Promise<unknown>) => {
    try {
      if ((await isThere()) !== false) return;
    } catch (error) {
      if (error instanceof SetupError) throw error;
      throw new SetupError(`${variable}: ${name} cannot be used (${(error as Error).name}); ${remedy}`, error);
    }
    throw new SetupError(`${variable}: there is no table ${name}; ${remedy}`);
  };
  try {
    await Promise.all([
      requireIt("TABLE_NAME", tableName, () => checkDataVersion(table, `the table ${tableName}`)),
      requireIt("ARTICLE_BUCKET", articleBucket, () => checkBucket(articleBucket)),
      requireIt("PICTURE_BUCKET", pictureBucket, () => checkBucket(pictureBucket)),
      requireIt("TEXT_BUCKET", textBucket, () => checkBucket(textBucket)),
      requireIt("SEARCH_BUCKET", searchBucket, () => checkBucket(searchBucket)),
    ]);
  } catch (error) {
    table.client.destroy();
    throw error;
  }
  const indexObjects = createIndexObjects(async () => searchBucket);
  const objects = createKeptBuckets(settings);
  const articles = createArticleStore(table, objects, indexObjects);
  return {
    stores: {
      ...createStores(table, clock, settings.defaultLimits),
      articles,
      pictureStore: createPictureStore(table, objects),
      keptPages: createKeptPageStore(table, clock),
      keeper: undefined,
    },
    indexObjects,
    identities: createIdentityStore(table),
    passkeys: createPasskeyStore(table),
    textCache: createBucketTextCache(textBucket),
    apiKey: "",
    isApiKeyNew: false,
    readerApiKey: settings.publicApiKey,
    proofSecret: settings.proofSecret,
    storage: undefined,
    failure: new Promise<never>(() => {}),
    close: async () => table.client.destroy(),
  };
}
