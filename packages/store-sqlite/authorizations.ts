// SPDX-License-Identifier: MIT

import { type Authorization, keptAfterEnd } from "@reading-list/core/domain/authorization.ts";
import type { AuthorizationStore } from "@reading-list/core/ports/sign-ins.ts";
import { type Database, parseJson } from "./database.ts";

/** The codes of apps that sign in by OAuth. */
export const createAuthorizationStore = (database: Database): AuthorizationStore => ({
  add: ({ revision, ...authorization }) =>
    database.write(
      () =>
        database.run(
          "INSERT INTO authorizations VALUES (:id, :revision, :keptUntil, :content) ON CONFLICT DO NOTHING",
          {
            id: authorization.id,
            revision,
            keptUntil: authorization.expiresAt + keptAfterEnd,
            content: JSON.stringify(authorization),
          },
        ) === 1,
    ),

  async find(id) {
    const row = database.get("SELECT revision, content FROM authorizations WHERE id = :id", { id });
    return row && ({ ...parseJson(row.content), revision: Number(row.revision) } as Authorization);
  },

  replace: ({ revision, ...authorization }) =>
    database.write(
      () =>
        database.run(
          `UPDATE authorizations SET revision = revision + 1, content = :content
           WHERE id = :id AND revision = :revision`,
          { id: authorization.id, revision, content: JSON.stringify(authorization) },
        ) === 1,
    ),
});
