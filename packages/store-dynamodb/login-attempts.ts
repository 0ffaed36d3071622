import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { UpdateCommand, type UpdateCommandInput } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { lockoutSeconds, maxFailedLogins } from "@reading-list/core/domain/limits.ts";
import type { LoginAttempt, LoginAttemptStore } from "@reading-list/core/ports.ts";
import { sendOnce, type Table } from "./client.ts";
import { loginAttemptsKey } from "./keys.ts";
import { retryConflicts } from "./optimistic-locking.ts";

/** The logins for a username from one source within a span of time. */
interface LoginAttemptsRecord {
  /** Logins that have failed, or whose password is being verified. */
  attempts: number;
  failed: number;
  /** Unix seconds at which the span ends. */
  expires: number;
}

/** Counts login attempts for the brute-force lockout. */
export function createLoginAttemptStore({ client, tableName }: Table): LoginAttemptStore {
  return {
    begin(username, source, now) {
      const end = now + lockoutSeconds;
      /** A span that ends later was begun by a machine with a wrong clock. */
      const latestEnd = end + lockoutSeconds;
      const updateOf = (input: Partial<UpdateCommandInput>) =>
        new UpdateCommand({
          TableName: tableName,
          Key: loginAttemptsKey(username, source),
          ReturnValues: "ALL_NEW",
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          ...input,
        });
      const countInSpan = () =>
        updateOf({
          UpdateExpression: "SET expires = if_not_exists(expires, :end) ADD attempts :one",
          ConditionExpression: `attribute_not_exists(pk)
            OR expires > :now AND expires <= :latest AND attempts < :allowed`,
          ExpressionAttributeValues: {
            ":one": 1,
            ":now": now,
            ":end": end,
            ":latest": latestEnd,
            ":allowed": maxFailedLogins,
          },
        });
      /** The record outlives its span, as DynamoDB deletes expired records within days. */
      const countInNewSpan = (expires: number) =>
        updateOf({
          UpdateExpression: "SET expires = :end, attempts = :one REMOVE failed",
          ConditionExpression: "expires = :seen",
          ExpressionAttributeValues: { ":one": 1, ":end": end, ":seen": expires },
        });
      /**
       * Counts how the login has ended, unless its span has ended, too. Sent once: an undo that is repeated would allow one
       * more guess. If it fails the attempt stays counted for some minutes.
       */
      const settle = async (expires: number, counter: "attempts" | "failed", step: 1 | -1) => {
        const update = updateOf({
          UpdateExpression: `ADD ${counter} :step`,
          ConditionExpression: "expires = :span",
          ExpressionAttributeValues: { ":span": expires, ":step": step },
        });
        const output = await sendOnce(client, update).catch(() => undefined);
        return output?.Attributes as LoginAttemptsRecord | undefined;
      };

      let count = countInSpan;
      return retryConflicts(async (): Promise<LoginAttempt | undefined> => {
        try {
          const { expires } = (await client.send(count())).Attributes as LoginAttemptsRecord;
          return {
            kind: "begun",
            fail: async () => ((await settle(expires, "failed", 1))?.failed ?? 0) >= maxFailedLogins,
            undo: async () => void (await settle(expires, "attempts", -1)),
          };
        } catch (error) {
          if (!(error instanceof ConditionalCheckFailedException)) throw error;
          const record = error.Item && (unmarshall(error.Item) as Partial<LoginAttemptsRecord>);
          const { expires = 0, attempts = 0, failed = 0 } = record ?? {};
          const isOpen = expires > now && expires <= latestEnd;
          if (isOpen && attempts >= maxFailedLogins) {
            return { kind: failed < maxFailedLogins ? "busy" : "lockedOut", until: expires };
          }
          count = isOpen || !record ? countInSpan : () => countInNewSpan(expires);
          return undefined;
        }
      });
    },
  };
}
