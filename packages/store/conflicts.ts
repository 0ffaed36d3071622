import { TransactionCanceledException, TransactionConflictException } from "@aws-sdk/client-dynamodb";
import { ServiceError } from "@reading-list/core/errors.ts";
import { attempts } from "@reading-list/core/patience.ts";
import { count } from "@reading-list/core/tally.ts";

/** Reasons for a transaction to be cancelled that say nothing about its conditions. */
const passing = new Set(["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]);

function isPassingConflict(error: unknown): boolean {
  if (error instanceof TransactionConflictException) return true;
  if (!(error instanceof TransactionCanceledException)) return false;
  const codes = (error.CancellationReasons ?? []).map((reason) => reason.Code ?? "None");
  return !codes.includes("ConditionalCheckFailed") && codes.some((code) => passing.has(code));
}

/**
 * Repeats a write that met another one on the same record until both are in. Throws `unavailable` when patience ends,
 * and any other error as it is.
 */
export async function retryConflicts<T>(write: () => Promise<T>): Promise<T> {
  let conflict: unknown;
  for await (const _ of attempts()) {
    try {
      return await write();
    } catch (error) {
      if (!isPassingConflict(error)) throw error;
      conflict = error;
      count("conflictsRetried");
    }
  }
  throw new ServiceError("unavailable", "too many changes at once; try again", { retryAfter: 1, cause: conflict });
}
