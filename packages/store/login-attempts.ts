import { randomUUID } from "node:crypto";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { UpdateCommand, type UpdateCommandInput } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { failedLoginsAllowed, lockoutSeconds } from "@reading-list/core/domain/limits.ts";
import type { LoginAttempt, LoginAttemptStore } from "@reading-list/core/ports.ts";
import type { Table } from "./client.ts";
import { loginAttemptsKey } from "./keys.ts";
import { retryConflicts } from "./optimistic-locking.ts";

/**
 * The logins for a username from one address within a span of time. Sets of ids, so that each update is idempotent: the
 * client repeats a request whose answer was lost.
 */
interface LoginAttemptsRecord {
  /** Failed, or their password is being verified. */
  attempts: Set<string>;
  failed: Set<string>;
  /** Unix seconds at which the span ends. */
  expires: number;
}

/** Counts login attempts for the brute-force lockout. */
export function createLoginAttemptStore({ client, tableName }: Table): LoginAttemptStore {
  const processId = randomUUID();
  let attemptsBegun = 0;
  const underWay = new Set<string>();

  return {
    async begin(username, source, now) {
      const id = `${processId} ${++attemptsBegun}`;
      const end = now + lockoutSeconds;
      /** A span that ends later was begun by a machine with a wrong clock. */
      const latestEnd = end + lockoutSeconds;
      const update = (input: Partial<UpdateCommandInput>) =>
        client.send(
          new UpdateCommand({
            TableName: tableName,
            Key: loginAttemptsKey(username, source),
            ReturnValues: "ALL_NEW",
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
            ...input,
          }),
        );
      const countInSpan = () =>
        update({
          UpdateExpression: "SET expires = if_not_exists(expires, :end) ADD attempts :id",
          ConditionExpression: `attribute_not_exists(pk) OR expires > :now AND expires <= :latest
            AND (attribute_not_exists(attempts) OR size(attempts) < :allowed OR contains(attempts, :self))`,
          ExpressionAttributeValues: {
            ":id": new Set([id]),
            ":self": id,
            ":now": now,
            ":end": end,
            ":latest": latestEnd,
            ":allowed": failedLoginsAllowed,
          },
        });
      /** The record outlives its span, as DynamoDB deletes expired records within days. */
      const countInNewSpan = (expires: number) =>
        update({
          UpdateExpression: "SET expires = :end, attempts = :id REMOVE failed",
          ConditionExpression: "expires = :seen",
          ExpressionAttributeValues: { ":id": new Set([id]), ":end": end, ":seen": expires },
        });
      /** Changes nothing if the span has ended meanwhile, or an operator deleted the record. */
      const settle = async (expires: number, expression: string) => {
        try {
          await update({
            UpdateExpression: expression,
            ConditionExpression: "expires = :span",
            ExpressionAttributeValues: { ":span": expires, ":id": new Set([id]) },
          });
        } catch {
          // The attempt stays counted for some minutes, which is no reason to fail the call.
        } finally {
          underWay.delete(id);
        }
      };

      let count = countInSpan;
      underWay.add(id);
      const attempt = await retryConflicts(async (): Promise<LoginAttempt | undefined> => {
        const underWayBefore = new Set(underWay);
        try {
          const { expires } = (await count()).Attributes as LoginAttemptsRecord;
          return {
            kind: "begun",
            fail: () => settle(expires, "ADD failed :id"),
            undo: () => settle(expires, "DELETE attempts :id"),
          };
        } catch (error) {
          if (!(error instanceof ConditionalCheckFailedException)) throw error;
          const record = error.Item && (unmarshall(error.Item) as Partial<LoginAttemptsRecord>);
          const { expires = 0, attempts = new Set<string>(), failed = new Set<string>() } = record ?? {};
          const isOpen = expires > now && expires <= latestEnd;
          if (isOpen && attempts.size >= failedLoginsAllowed) {
            // An attempt of this process that has ended, but not in the record, never will: its update has failed.
            const mayStillSucceed = (each: string) =>
              !each.startsWith(processId) || underWay.has(each) || underWayBefore.has(each);
            const isBusy = [...attempts].some((each) => !failed.has(each) && mayStillSucceed(each));
            return { kind: isBusy ? "busy" : "lockedOut", until: expires };
          }
          count = isOpen || !record ? countInSpan : () => countInNewSpan(expires);
          return undefined;
        }
      }).catch((error) => {
        underWay.delete(id);
        throw error;
      });
      if (attempt.kind !== "begun") underWay.delete(id);
      return attempt;
    },
  };
}
