// SPDX-License-Identifier: MIT

import { hashApiKey, toCallRules } from "@reading-list/core/domain/applications.ts";
import type { Limits } from "@reading-list/core/domain/limits.ts";
import type { ApiKeyStore, Application } from "@reading-list/core/ports/applications.ts";
import type { SettingStore } from "@reading-list/core/ports/maintenance.ts";
import type { Maintenance, OperatorStore } from "@reading-list/core/ports/operator.ts";
import { parseKey } from "./api-key-records.ts";
import { type Database, parseJson } from "./database.ts";

/** The applications' keys. */
export function createApiKeyStore(database: Database, defaults: Limits): ApiKeyStore {
  function read(apiKey: string): Application | undefined {
    const row = database.get("SELECT * FROM api_keys WHERE key_hash = :keyHash", { keyHash: hashApiKey(apiKey) });
    if (!row) return undefined;
    return {
      id: String(row.application_id),
      name: String(row.name),
      status: row.status as Application["status"],
      ...toCallRules(parseKey(row), defaults),
    };
  }
  return { find: async (apiKey) => database.remember(`key ${apiKey}`, () => read(apiKey)) };
}

const readMaintenance = (database: Database): Maintenance | undefined =>
  parseJson(database.get("SELECT value FROM settings WHERE name = 'maintenance'")?.value);

export const createSettingStore = (database: Database): SettingStore => ({
  async ping() {
    database.get("SELECT id FROM users LIMIT 1");
    await database.untilSaved();
  },
  async maintenance() {
    return database.remember("maintenance", () => readMaintenance(database) ?? null)?.text;
  },
});

export const createMaintenance = (
  database: Database,
): Pick<OperatorStore, "findMaintenance" | "beginMaintenance" | "endMaintenance"> => ({
  async findMaintenance() {
    return readMaintenance(database);
  },
  async beginMaintenance(maintenance) {
    const value = JSON.stringify(maintenance);
    await database.save(() => {
      database.run("INSERT OR REPLACE INTO settings VALUES ('maintenance', :value)", { value });
      database.forget();
    });
  },
  async endMaintenance() {
    await database.save(() => {
      database.run("DELETE FROM settings WHERE name = 'maintenance'");
      database.forget();
    });
  },
});
