import type { Clock, Dependencies, PageReader, PasswordHasher, Stopwatch } from "@reading-list/core/ports.ts";
import { createApiKeyStore } from "@reading-list/store/api-keys.ts";
import type { Table } from "@reading-list/store/client.ts";
import { createItemStore } from "@reading-list/store/items.ts";
import { createKeyWindowStore } from "@reading-list/store/key-windows.ts";
import { createLoginAttemptStore } from "@reading-list/store/login-attempts.ts";
import { createSettingStore } from "@reading-list/store/settings.ts";
import { createUserStore } from "@reading-list/store/users.ts";
import type { Settings } from "./settings.ts";
import { createVerifiedPasswords } from "./verified-passwords.ts";

/** Large dependencies: a function's bundle contains them only if its endpoint needs them. */
export interface HeavyParts {
  passwords?: PasswordHasher;
  reader?: PageReader;
}

const noPasswords: PasswordHasher = {
  hash: () => Promise.reject(new Error("this function was composed without passwords")),
  verify: () => Promise.reject(new Error("this function was composed without passwords")),
};
const noReader: PageReader = { read: () => Promise.reject(new Error("this function was composed without a reader")) };

/** Binds the ports of the core to DynamoDB and this process. */
export function createDependencies(
  settings: Settings,
  table: Table,
  clock: Clock & Stopwatch,
  parts: HeavyParts,
): Dependencies {
  return {
    clock,
    defaultLimits: settings.defaultLimits,
    windowSeconds: settings.windowSeconds,
    isSignupOpen: settings.signup === "open",
    apiKeys: createApiKeyStore(table, clock, settings.defaultLimits),
    users: createUserStore(table),
    items: createItemStore(table),
    keyWindows: createKeyWindowStore(table, clock),
    loginAttempts: createLoginAttemptStore(table),
    settings: createSettingStore(table, clock),
    passwords: parts.passwords ?? noPasswords,
    verifiedPasswords: createVerifiedPasswords(clock),
    reader: parts.reader ?? noReader,
  };
}
