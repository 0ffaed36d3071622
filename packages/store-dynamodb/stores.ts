// SPDX-License-Identifier: MIT

import { judgeClock } from "@reading-list/core/domain/clock-check.ts";
import type { Limits } from "@reading-list/core/domain/limits.ts";
import { type Clock, unixTime } from "@reading-list/core/ports/clock.ts";
import type { Stores } from "@reading-list/core/ports/dependencies.ts";
import { createApiKeyStore } from "./api-keys.ts";
import { createAuthorizationStore } from "./authorizations.ts";
import type { Table } from "./client.ts";
import { findClock } from "./clock-record.ts";
import { createDeletionStore } from "./deletion.ts";
import { createHighlightStore } from "./highlights.ts";
import { createItemStore } from "./items.ts";
import { createKeyWindowStore } from "./key-windows.ts";
import { createSnapshotStore } from "./list-snapshots.ts";
import { createLoginAttemptStore } from "./login-attempts.ts";
import { createSettingStore } from "./settings.ts";
import { createShareStore } from "./shares.ts";
import { createSignInStore } from "./sign-ins.ts";
import { createTrashStore } from "./trash.ts";
import { createUserStore } from "./user-store.ts";

/** The ports of use cases on a table of DynamoDB. `defaults`: limits of keys without own ones. */
export const createStores = (table: Table, clock: Clock, defaults: Limits): Stores => ({
  apiKeys: createApiKeyStore(table, clock, defaults),
  users: createUserStore(table),
  signIns: createSignInStore(table),
  authorizations: createAuthorizationStore(table),
  shares: createShareStore(table),
  snapshots: createSnapshotStore(table),
  deletion: createDeletionStore(table),
  items: createItemStore(table),
  trash: createTrashStore(table),
  highlights: createHighlightStore(table),
  keyWindows: createKeyWindowStore(table, clock),
  loginAttempts: createLoginAttemptStore(table),
  settings: createSettingStore(table, clock),
  erasePermit: async () => judgeClock(await findClock(table), unixTime(clock)).permit,
  // DynamoDB confirms only durable writes, and consistent reads return only those.
  untilDurable: async () => {},
});
