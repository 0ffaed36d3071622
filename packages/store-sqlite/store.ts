// SPDX-License-Identifier: MIT

import type { Limits } from "@reading-list/core/domain/limits.ts";
import type { ArticleStore } from "@reading-list/core/ports/articles.ts";
import type { Stores } from "@reading-list/core/ports/dependencies.ts";
import type { KeeperStore, KeptPageStore } from "@reading-list/core/ports/kept-pages.ts";
import type { OperatorStore } from "@reading-list/core/ports/operator.ts";
import type { PictureStore } from "@reading-list/core/ports/pictures.ts";
import type { PasskeyStore } from "@reading-list/core/ports/sign-ins.ts";
import { createArticleStore } from "./articles.ts";
import { createAuthorizationStore } from "./authorizations.ts";
import type { Database } from "./database.ts";
import { createDeletionStore } from "./deletion.ts";
import { createHighlightStore } from "./highlights.ts";
import { createItemStore } from "./items.ts";
import { createKeeperStore, createKeptPageStore } from "./kept-pages.ts";
import { createApiKeyStore, createSettingStore } from "./keys.ts";
import { createKeyWindowStore } from "./limits.ts";
import { createSnapshotStore } from "./list-snapshots.ts";
import { createLoginAttemptStore } from "./logins.ts";
import { createOperatorStore } from "./operator.ts";
import { createPasskeyStore } from "./passkeys.ts";
import { PictureFiles } from "./picture-files.ts";
import { createPictureStore } from "./pictures.ts";
import { createShareStore } from "./shares.ts";
import { createSignInStore } from "./sign-ins.ts";
import { createTrashStore } from "./trash.ts";
import { createUserStore } from "./users.ts";

/**
 * Everything that the service and the operator's commands need of a database. `defaults`: limits of keys without own ones.
 * The files of pictures are beside the database by default.
 */
export const createStore = (
  database: Database,
  defaults: Limits,
  pictureFiles = new PictureFiles(database),
): Omit<Stores, "erasePermit"> & {
  articles: ArticleStore;
  pictureStore: PictureStore;
  keptPages: KeptPageStore;
  keeper: KeeperStore;
  passkeys: PasskeyStore;
  operator: OperatorStore;
} => ({
  apiKeys: createApiKeyStore(database, defaults),
  users: createUserStore(database),
  signIns: createSignInStore(database),
  passkeys: createPasskeyStore(database),
  authorizations: createAuthorizationStore(database),
  shares: createShareStore(database),
  snapshots: createSnapshotStore(database),
  deletion: createDeletionStore(database),
  items: createItemStore(database),
  trash: createTrashStore(database),
  highlights: createHighlightStore(database),
  articles: createArticleStore(database, pictureFiles),
  pictureStore: createPictureStore(database, pictureFiles),
  keptPages: createKeptPageStore(database),
  keeper: createKeeperStore(database),
  keyWindows: createKeyWindowStore(database),
  loginAttempts: createLoginAttemptStore(database),
  settings: createSettingStore(database),
  untilDurable: () => database.untilSaved(),
  operator: createOperatorStore(database, pictureFiles),
});
