// SPDX-License-Identifier: MIT

import { hashApiKey } from "@reading-list/core/domain/applications.ts";
import type { ApiKeyChange, ListedApiKey, OperatorStore } from "@reading-list/core/ports/operator.ts";
import { assignAll, type Database, optional, type Parameters, type Row, writeInsert } from "./database.ts";

/** The record of a key, and its hash. */
export const parseKey = (row: Row): ListedApiKey => ({
  keyHash: String(row.key_hash),
  applicationId: String(row.application_id),
  name: String(row.name),
  status: row.status as ListedApiKey["status"],
  userLimit: optional(row.user_limit),
  keyLimit: optional(row.key_limit),
  isPublic: row.is_public === 1,
  created: Number(row.created),
  replaced: optional(row.replaced),
});

const columns: Record<keyof ApiKeyChange, string> = {
  status: "status",
  userLimit: "user_limit",
  keyLimit: "key_limit",
  isPublic: "is_public",
  replaced: "replaced",
};

/** The columns that a change, or a record, names. */
const columnValues = (change: ApiKeyChange): Parameters =>
  Object.fromEntries(
    Object.entries(columns)
      .filter(([name]) => name in change)
      .map(([name, column]) => {
        const value = change[name as keyof ApiKeyChange] ?? null;
        return [column, typeof value === "boolean" || name === "isPublic" ? Number(value) : value];
      }),
  );

/** The records of API keys, and the calls of their applications. */
export function createApiKeyRecords(
  database: Database,
): Pick<OperatorStore, "listApiKeys" | "createApiKey" | "changeApiKeys" | "listKeyWindows"> {
  function changeKeys(changes: readonly [keyHash: string, ApiKeyChange][]): void {
    for (const [keyHash, change] of changes) {
      const values = columnValues(change);
      if (Object.keys(values).length === 0) continue;
      database.run(`UPDATE api_keys SET ${assignAll(values)} WHERE key_hash = :keyHash`, { ...values, keyHash });
    }
    database.forget();
  }

  return {
    async listApiKeys() {
      // A key and its successor may have the same second: the current one is last.
      return database.all("SELECT * FROM api_keys ORDER BY created, replaced NULLS LAST").map(parseKey);
    },
    createApiKey: (apiKey, record, changes = []) =>
      database.save(() => {
        const { applicationId, name, created } = record;
        const values = {
          key_hash: hashApiKey(apiKey),
          application_id: applicationId,
          name,
          created,
          ...columnValues(record),
        };
        const isNew = database.run(`${writeInsert("api_keys", values)} ON CONFLICT DO NOTHING`, values);
        if (isNew) changeKeys(changes);
        return isNew === 1;
      }),
    changeApiKeys: (changes) => database.save(() => changeKeys(changes)),
    async listKeyWindows(applicationId, count) {
      return database
        .all(
          `SELECT window_start, calls FROM key_windows WHERE id = :applicationId
           ORDER BY window_start DESC LIMIT :count`,
          { applicationId, count },
        )
        .map((row) => ({ start: Number(row.window_start), calls: Number(row.calls) }));
    },
  };
}
