// SPDX-License-Identifier: MIT

import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { type ArticleStore, type Clock, type Stores, secondsOf, type TextCache } from "@reading-list/core/ports.ts";
import type { Settings } from "@reading-list/settings/settings.ts";
import { webApplication } from "@reading-list/web/web-application.ts";
import { openSubfolder } from "./data-folder.ts";
import { createFolderTextCache } from "./folder-text-cache.ts";
import type { readLocalSettings } from "./local-settings.ts";
import { openStage } from "./open-stage.ts";
import { openStore } from "./open-store.ts";
import { readReaderApiKey } from "./reader-api-key.ts";
import { localApplication, setApiKey } from "./set-api-key.ts";

/** The data of a service: database, kept articles, and cache of texts. */
export interface OpenData {
  stores: Stores & { articles: ArticleStore };
  textCache: TextCache;
  /** The API key of the application `local`; empty on a stage, which has its own keys. */
  apiKey: string;
  /** The API key of the web reader; undefined on a stage without one. */
  readerApiKey: string | undefined;
  /** Resolves if the database cannot be written durably any more: the process must end. */
  failure: Promise<Error>;
  close(): Promise<void>;
}

/** Opens the data of a stage with `STORE=dynamodb`, else that of this machine. Throws a SetupError if it cannot be used. */
export const openData = (
  settings: Settings,
  local: ReturnType<typeof readLocalSettings>,
  clock: Clock,
  wrapClient: (client: DynamoDBDocumentClient) => DynamoDBDocumentClient,
): Promise<OpenData> =>
  settings.store === "dynamodb"
    ? openStage(settings, clock, wrapClient)
    : openOwnData(settings, local, clock, wrapClient);

/** Opens the database of this machine, and creates what it lacks: tables, and the two API keys of a local service. */
async function openOwnData(
  settings: Settings,
  { dataDir, apiKey }: ReturnType<typeof readLocalSettings>,
  clock: Clock,
  wrapClient: (client: DynamoDBDocumentClient) => DynamoDBDocumentClient,
): Promise<OpenData> {
  const { stores, operator, failure, close } = await openStore(settings, dataDir, clock, wrapClient);
  try {
    const readerApiKey = readReaderApiKey(dataDir);
    await setApiKey(operator, localApplication, apiKey, secondsOf(clock));
    await setApiKey(operator, webApplication, readerApiKey, secondsOf(clock));
    const texts = openSubfolder(dataDir, "texts");
    return {
      ...{ stores, textCache: createFolderTextCache(texts.folder), apiKey, readerApiKey, failure },
      close: async () => {
        await texts.removeFolder();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
