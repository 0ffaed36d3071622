// SPDX-License-Identifier: MIT

import {
  ItemCollectionSizeLimitExceededException,
  TransactionCanceledException,
  TransactionConflictException,
} from "@aws-sdk/client-dynamodb";
import { TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { count, retries } from "@reading-list/core/call-scope.ts";
import { listIsFull, ServiceError } from "@reading-list/core/errors.ts";
import type { Table } from "./client.ts";

/** Codes of a cancelled transaction that do not depend on its conditions, so that the same write may succeed later. */
const transientCodes = new Set(["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]);

const conditionFailed = "ConditionalCheckFailed";

/** The code of each write of a transaction that was cancelled; none for another error. */
const listCancellationCodes = (error: unknown) =>
  error instanceof TransactionCanceledException
    ? (error.CancellationReasons ?? []).map(({ Code = "None" }) => Code)
    : [];

function isTransientConflict(error: unknown): boolean {
  if (error instanceof TransactionConflictException) return true;
  return !isConditionFailed(error) && listCancellationCodes(error).some((code) => transientCodes.has(code));
}

/** Whether a user's records have reached DynamoDB's limit of 10 GB for a partition with local indexes. */
const isCollectionFull = (error: unknown) =>
  error instanceof ItemCollectionSizeLimitExceededException ||
  listCancellationCodes(error).includes("ItemCollectionSizeLimitExceeded");

/** Whether a transaction was cancelled because the condition of a write does not hold. */
export const isConditionFailed = (error: unknown) => listCancellationCodes(error).includes(conditionFailed);

/** The same for the condition of its first write. */
export const isFirstConditionFailed = (error: unknown) => listCancellationCodes(error)[0] === conditionFailed;

/** The same for the condition of a write after its first. */
export const isOtherConditionFailed = (error: unknown) => listCancellationCodes(error).includes(conditionFailed, 1);

/**
 * Optimistic locking: repeats a conditional write with exponential backoff until it succeeds or the call's deadline is
 * reached. It is repeated
 * - as it is, if it throws a transaction conflict (two writes of one record at the same moment);
 * - if it returns undefined: its condition failed, and it has stored the record's current state for the next attempt.
 *
 * Throws `unavailable` at the deadline, `invalid` if the user's partition is full, and any other error of the write as it is.
 */
export async function retryConflicts<T extends {}>(write: () => Promise<T | undefined>): Promise<T> {
  let conflict: unknown;
  for await (const _ of retries()) {
    try {
      const result = await write();
      if (result !== undefined) return result;
    } catch (error) {
      if (isCollectionFull(error)) throw listIsFull();
      if (!isTransientConflict(error)) throw error;
      conflict = error;
      count("conflictsRetried");
    }
  }
  throw new ServiceError("unavailable", "too many changes at once; try again", { retryAfter: 1, cause: conflict });
}

/** Makes writes in one transaction; false, without any, if a condition does not hold. */
export async function transact(
  { client }: Table,
  TransactItems: NonNullable<TransactWriteCommandInput["TransactItems"]>,
): Promise<boolean> {
  try {
    await retryConflicts(() => client.send(new TransactWriteCommand({ TransactItems })));
    return true;
  } catch (error) {
    if (!isConditionFailed(error)) throw error;
    return false;
  }
}
