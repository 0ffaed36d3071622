import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { guessWindowSeconds } from "@reading-list/core/domain/limits.ts";
import type { GuessStore } from "@reading-list/core/ports.ts";
import type { Table } from "./client.ts";
import { guessKey } from "./keys.ts";

/** Wrong passwords by username and address; they expire, so that an attacker leaves nothing behind. */
export function createGuessStore({ client, tableName }: Table): GuessStore {
  const update = (username: string, source: string, expression: string, condition: string, values: object) =>
    client.send(
      new UpdateCommand({
        TableName: tableName,
        Key: guessKey(username, source),
        UpdateExpression: expression,
        ConditionExpression: condition,
        ExpressionAttributeValues: { ":one": 1, ...values },
      }),
    );

  return {
    async find(username, source) {
      const { Item } = await client.send(
        new GetCommand({ TableName: tableName, Key: guessKey(username, source), ConsistentRead: true }),
      );
      return Item && { failures: Item.failures, until: Item.expires };
    },

    async record(username, source, now) {
      const further = { ":now": now };
      const first = { ":now": now, ":end": now + guessWindowSeconds };
      for (;;) {
        try {
          await update(username, source, "SET failures = failures + :one", "expires > :now", further);
          return;
        } catch (error) {
          if (!(error instanceof ConditionalCheckFailedException)) throw error;
        }
        try {
          const condition = "attribute_not_exists(pk) OR expires <= :now";
          await update(username, source, "SET failures = :one, expires = :end", condition, first);
          return;
        } catch (error) {
          // Another wrong password came first and opened the span that this one now falls into.
          if (!(error instanceof ConditionalCheckFailedException)) throw error;
        }
      }
    },
  };
}
