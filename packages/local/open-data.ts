// SPDX-License-Identifier: MIT

import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { type Clock, unixTime } from "@reading-list/core/ports/clock.ts";
import type { OperatorStore, Storage } from "@reading-list/core/ports/operator.ts";
import type { TextCache } from "@reading-list/core/ports/pages.ts";
import type { IndexObjects } from "@reading-list/core/ports/search.ts";
import type { IdentityStore, PasskeyStore } from "@reading-list/core/ports/sign-ins.ts";
import type { ClockGuard } from "@reading-list/core/use-cases/operator/clock-guard.ts";
import type { Settings } from "@reading-list/settings/settings.ts";
import { webApplication } from "@reading-list/web/web-application.ts";
import { openSubfolder } from "./data-folder.ts";
import { createFolderTextCache } from "./folder-text-cache.ts";
import type { LocalSettings } from "./local-settings.ts";
import { type DatabaseSettings, type MachineStores, openStore } from "./open-store.ts";
import { readSecretFile } from "./secret-file.ts";
import { localApplication, setApiKey } from "./set-api-key.ts";

/** The data of a service: database, kept articles, and cache of texts. */
export interface OpenData {
  stores: MachineStores;
  /** Judges the clock of this machine; undefined on a stage, whose schedule has its own. */
  clockGuard?: ClockGuard;
  textCache: TextCache;
  /** The stored search indexes of a stage. */
  indexObjects?: IndexObjects;
  /** The API key of the application `local`; empty on a stage, which has its own keys. */
  apiKey: string;
  /** Whether this start has registered the API key. */
  isApiKeyNew: boolean;
  /** The API key of the web reader; undefined on a stage without one. */
  readerApiKey: string | undefined;
  /** The secret of the proofs of passwords and of signatures. */
  proofSecret: string | undefined;
  /** Undefined on a stage. */
  operator?: OperatorStore;
  identities: IdentityStore;
  passkeys: PasskeyStore;
  /** Undefined if the database is not on this machine. */
  storage: (() => Storage) | undefined;
  /** Resolves if the database cannot be written durably any more: the process must end. */
  failure: Promise<Error>;
  close(): Promise<void>;
}

type OwnSettings = LocalSettings & Pick<DatabaseSettings, "measureDisk">;

/**
 * Opens the data of a stage with `STORE=dynamodb`, otherwise the data of this machine. Throws a SetupError if it cannot
 * be used.
 */
export async function openData(
  settings: Settings,
  local: OwnSettings,
  clock: Clock,
  wrapClient: (client: DynamoDBDocumentClient) => DynamoDBDocumentClient,
): Promise<OpenData> {
  if (settings.store !== "dynamodb") return openOwnData(settings, local, clock, wrapClient);
  const { openStage } = await import("./open-stage.ts");
  return openStage(settings, clock, wrapClient);
}

/** Opens the database of this machine, and creates what it lacks: tables, and the two API keys of a local service. */
async function openOwnData(
  settings: Settings,
  local: OwnSettings,
  clock: Clock,
  wrapClient: (client: DynamoDBDocumentClient) => DynamoDBDocumentClient,
): Promise<OpenData> {
  const { dataDir, apiKey } = local;
  const opened = await openStore(settings, local, clock, wrapClient);
  const { stores, clockGuard, operator, passkeys, storage, failure, close } = opened;
  try {
    const readerApiKey = readSecretFile(dataDir, "web-api-key");
    const proofSecret = settings.proofSecret ?? readSecretFile(dataDir, "secret");
    const isApiKeyNew = await setApiKey(operator, localApplication, apiKey, unixTime(clock));
    await setApiKey(operator, webApplication, readerApiKey, unixTime(clock));
    const texts = openSubfolder(dataDir, "texts");
    return {
      stores,
      clockGuard,
      storage,
      failure,
      textCache: createFolderTextCache(texts.folder, {
        isDiskFull: stores.isDiskFull,
        findPermit: () => clockGuard.lastPermit,
      }),
      apiKey,
      isApiKeyNew,
      readerApiKey,
      proofSecret,
      operator,
      identities: operator.identities,
      passkeys,
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
