// SPDX-License-Identifier: MIT

import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { type Authorization, keptAfterEnd } from "@reading-list/core/domain/authorization.ts";
import type { AuthorizationStore } from "@reading-list/core/ports/sign-ins.ts";
import { readRecord, type Table } from "./client.ts";
import { authorizationKey } from "./keys.ts";

type AuthorizationRecord = Authorization & Record<"pk" | "sk" | "expires", unknown>;

/** The codes of apps that sign in by OAuth. */
export function createAuthorizationStore(table: Table): AuthorizationStore {
  const { client, tableName: TableName } = table;

  /** Writes a record; false if the condition fails. */
  async function put(authorization: Authorization, condition: Partial<PutCommand["input"]>): Promise<boolean> {
    const Item = {
      ...authorizationKey(authorization.id),
      ...authorization,
      expires: authorization.expiresAt + keptAfterEnd,
    };
    try {
      await client.send(new PutCommand({ TableName, Item, ...condition }));
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  return {
    add: (authorization) => put(authorization, { ConditionExpression: "attribute_not_exists(pk)" }),

    async find(id) {
      const record: object | undefined = await readRecord(table, authorizationKey(id));
      if (!record) return undefined;
      const { pk: _, sk: __, expires: ___, ...authorization } = record as AuthorizationRecord;
      return authorization;
    },

    replace: (authorization) =>
      put(
        { ...authorization, revision: authorization.revision + 1 },
        {
          ConditionExpression: "revision = :revision",
          ExpressionAttributeValues: { ":revision": authorization.revision },
        },
      ),
  };
}
