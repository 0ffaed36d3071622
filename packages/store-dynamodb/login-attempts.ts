// SPDX-License-Identifier: MIT

import { randomUUID } from "node:crypto";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { beginLogin, endLogin, type LoginAttempts } from "@reading-list/core/domain/lockout.ts";
import { tooManyLogins } from "@reading-list/core/errors.ts";
import type { LoginAttemptStore } from "@reading-list/core/ports/sign-ins.ts";
import type { Table } from "./client.ts";
import { loginAttemptsKey } from "./keys.ts";
import { retryConflicts } from "./optimistic-locking.ts";

/** The attempts for a username from one source, with a revision for optimistic locking. */
interface LoginAttemptsRecord extends LoginAttempts {
  /** Absent in a record of version 0.2. */
  revision?: number;
}

/** The first finds the record, the others write it, unless other logins of the moment did so before. */
const attemptsToBegin = 4;

/** Counts failed sign-ins for the brute-force lockout. */
export function createLoginAttemptStore({ client, tableName }: Table): LoginAttemptStore {
  return {
    async begin(username, source, now) {
      const id = randomUUID().slice(0, 8);
      let stored: LoginAttemptsRecord | undefined;

      /** Writes the attempts if the record is still as `stored`; else stores it as it is now, and returns undefined. */
      const write = async (attempts: LoginAttempts): Promise<LoginAttemptsRecord | undefined> => {
        const { expires, failed, underWay } = attempts;
        const revision = stored?.revision;
        const record = { expires, failed, underWay, revision: (revision ?? 0) + 1 };
        const isUnchanged = revision === undefined ? "attribute_not_exists(revision)" : "revision = :revision";
        try {
          await client.send(
            new UpdateCommand({
              TableName: tableName,
              Key: loginAttemptsKey(username, source),
              UpdateExpression: "SET expires = :expires, failed = :failed, underWay = :underWay, revision = :next",
              ConditionExpression: stored ? isUnchanged : "attribute_not_exists(pk)",
              ExpressionAttributeValues: {
                ":expires": expires,
                ":failed": failed,
                ":underWay": underWay,
                ":next": record.revision,
                ...(revision !== undefined && { ":revision": revision }),
              },
              ReturnValuesOnConditionCheckFailure: "ALL_OLD",
            }),
          );
          stored = record;
          return record;
        } catch (error) {
          if (!(error instanceof ConditionalCheckFailedException)) throw error;
          const found = error.Item && (unmarshall(error.Item) as Partial<LoginAttemptsRecord>);
          stored = found && { expires: 0, failed: 0, underWay: {}, ...found };
          return undefined;
        }
      };
      const end = (isWrong: boolean) =>
        retryConflicts(async () => {
          // The user is being deleted, with all attempts.
          if (!stored) return noAttempts;
          const attempts = endLogin(stored, id, isWrong);
          if (!attempts) throw tooManyLogins();
          return write(attempts);
        });

      for (let attempt = 1; attempt <= attemptsToBegin; attempt++) {
        const begun = beginLogin(stored, id, now);
        if (begun.kind !== "begun") return begun;
        if (!(await write(begun.attempts))) continue;
        return {
          kind: "begun",
          fail: () => end(true),
          // If it fails the place is free after some seconds.
          undo: () => end(false).then(ignoreResult, ignoreResult),
        };
      }
      return { kind: "busy" };
    },
  };
}

const noAttempts: LoginAttemptsRecord = { expires: 0, failed: 0, underWay: {} };

const ignoreResult = () => {};
