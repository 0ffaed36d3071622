import { hasRoom, isWindowOpen } from "@reading-list/core/domain/limits.ts";
import { beginWalk, type PageWalks, walkSeconds } from "@reading-list/core/domain/page-walk.ts";
import { timeOfSync } from "@reading-list/core/domain/user-clock.ts";
import type { UserCall, UserCallOutcome } from "@reading-list/core/ports.ts";
import type { Table } from "./client.ts";
import { retryConflicts } from "./optimistic-locking.ts";
import { type Attributes, completeRecord, recordThatFailed, updateUserRecord, userOf } from "./users.ts";

/** Maximum number of proofs in a record: a user's addresses and applications of a day. */
const proofsKept = 8;

/** The state of the record that the conditions of one attempt to count a call require. */
interface Expectation {
  window: { start: number; isNew: boolean };
  since: number;
  /**
   * The walks to store, on condition that the record still has `seen`. If undefined, the record keeps its walks, on
   * condition that the latest began within the last hour.
   */
  walks?: { seen: unknown; next: PageWalks };
}

/** Checks the password of a call, counts it and raises the user's clock: see `UserStore.countCall`. */
export async function countCall(table: Table, call: UserCall): Promise<UserCallOutcome> {
  const { sync, verified, proof } = call;
  const isNew = call.limit > 0 && verified !== undefined && !isWindowOpen(verified.windowStart, call.window);
  let expected: Expectation = { window: { start: call.window.start, isNew }, since: sync?.now ?? 0 };
  return retryConflicts<UserCallOutcome>(async () => {
    try {
      return { kind: "counted", user: await countOnce(table, call, expected) };
    } catch (error) {
      const failed = recordThatFailed(error);
      const found = failed?.passwordHash === undefined ? undefined : userOf(failed);
      const isProven = verified ? found?.passwordHash === verified.passwordHash : found?.proofs?.includes(proof);
      if (!failed || !isProven) return { kind: "unproven", user: found };
      const record = await completeRecord(table, call.username, failed);
      const user = userOf(record);
      const isNew = !isWindowOpen(user.windowStart, call.window);
      const start = isNew ? call.window.start : user.windowStart;
      const calls = isNew ? 0 : user.calls;
      if (!hasRoom(call.limit, calls, call.calls)) return { kind: "limited", user: { ...user, calls } };
      const since = timeOfSync(expected.since, user.clock);
      const seen = record.walks;
      const next = sync?.beginsWalk ? beginWalk(user.walks, { since, startedAt: sync.now }) : undefined;
      expected = { window: { start, isNew }, since, ...(next && { walks: { seen, next } }) };
      return undefined;
    }
  });
}

/** One attempt. Throws the error of a condition that fails. */
async function countOnce(table: Table, call: UserCall, { window, since, walks }: Expectation) {
  const { username, proof, verified, limit, sync } = call;
  const assignments = window.isNew ? ["calls = :calls", "windowStart = :window"] : ["calls = calls + :calls"];
  const conditions: string[] = [];
  const values: Attributes = { ":calls": call.calls, ":window": window.start };
  if (verified) {
    assignments.push("proofs = :proofs");
    conditions.push("passwordHash = :hash");
    const list = [...(verified.proofs ?? []), proof].slice(-proofsKept);
    Object.assign(values, {
      ":hash": verified.passwordHash,
      ":proofs": { passwordHash: verified.passwordHash, list },
    });
  } else {
    conditions.push("proofs.passwordHash = passwordHash", "contains(proofs.#list, :proof)");
    values[":proof"] = proof;
  }
  if (window.isNew) {
    conditions.push("(windowStart < :window OR windowStart > :next)");
    values[":next"] = call.window.end;
  } else {
    conditions.push("windowStart = :window", "calls <= :max");
    // A call that counts many is admitted to an unused window.
    values[":max"] = Math.max(0, limit - call.calls);
  }
  if (sync) {
    assignments.push("lastSince = :since");
    conditions.push("lastSince <= :since", "changedAt <= :since");
    values[":since"] = since;
  }
  if (walks) {
    assignments.push("walks = :walks");
    conditions.push(walks.seen ? "walks = :seen" : "attribute_not_exists(walks)");
    values[":walks"] = walks.next;
    if (walks.seen) values[":seen"] = walks.seen;
  } else if (sync?.beginsWalk) {
    conditions.push("walks.latest.startedAt > :stale");
    values[":stale"] = sync.now - walkSeconds;
  }
  const { Attributes } = await updateUserRecord(table, username, {
    UpdateExpression: `SET ${assignments.join(", ")}`,
    ConditionExpression: conditions.join(" AND "),
    ...(!verified && { ExpressionAttributeNames: { "#list": "list" } }),
    ExpressionAttributeValues: values,
    ReturnValues: "ALL_NEW",
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  });
  return userOf(await completeRecord(table, username, Attributes ?? {}));
}
