import { hasRoom, isWindowOpen } from "@reading-list/core/domain/limits.ts";
import { beginWalk, type PageWalks, walkSeconds } from "@reading-list/core/domain/page-walk.ts";
import { dayOf, isAccepted } from "@reading-list/core/domain/sign-in.ts";
import { timeOfSync } from "@reading-list/core/domain/user-clock.ts";
import type { UserCall, UserCallOutcome } from "@reading-list/core/ports.ts";
import type { Table } from "./client.ts";
import { retryConflicts } from "./optimistic-locking.ts";
import {
  type Attributes,
  completeRecord,
  recordThatFailed,
  type StoredUser,
  updateUserRecord,
  userOf,
} from "./users.ts";

/** Maximum number of proofs in a record: a user's addresses and applications of a day. */
const proofsKept = 8;

/** The reason why the password of a call is right: it was verified in this call or before, or is an app's secret. */
type Credential = "verified" | "proof" | "secret";

function credentialOf({ verified, secretHash, proof, now }: UserCall, user: StoredUser): Credential | undefined {
  const entry = secretHash === undefined ? undefined : user.signIns[secretHash];
  if (entry && isAccepted(entry, now)) return "secret";
  if (verified) return user.passwordHash === verified.passwordHash ? "verified" : undefined;
  return user.proofs?.includes(proof) ? "proof" : undefined;
}

/** The state of the record that the conditions of one attempt to count a call require. */
interface Expectation {
  credential: Credential;
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
  const { sync, verified } = call;
  const isNew = call.limit > 0 && verified !== undefined && !isWindowOpen(verified.windowStart, call.window);
  const isSecret = call.secretHash !== undefined && !call.needsAccountPassword;
  const credential = verified ? "verified" : isSecret ? "secret" : "proof";
  let expected: Expectation = { credential, window: { start: call.window.start, isNew }, since: call.now };
  return retryConflicts<UserCallOutcome>(async () => {
    try {
      const user = await countOnce(table, call, expected);
      return { kind: "counted", user, isApp: expected.credential === "secret" };
    } catch (error) {
      const failed = recordThatFailed(error);
      const found = failed?.passwordHash === undefined ? undefined : userOf(failed);
      const credential = found && credentialOf(call, found);
      if (!failed || !credential) return { kind: "unproven", user: found };
      if (credential === "secret" && call.needsAccountPassword) return { kind: "appPassword" };
      const record = await completeRecord(table, call.username, failed);
      const user = userOf(record);
      const isNew = !isWindowOpen(user.windowStart, call.window);
      const start = isNew ? call.window.start : user.windowStart;
      const calls = isNew ? 0 : user.calls;
      if (!hasRoom(call.limit, calls, call.calls)) return { kind: "limited", user: { ...user, calls } };
      const since = timeOfSync(expected.since, user.clock);
      const seen = record.walks;
      const next = sync?.beginsWalk ? beginWalk(user.walks, { since, startedAt: call.now }) : undefined;
      expected = { credential, window: { start, isNew }, since, ...(next && { walks: { seen, next } }) };
      return undefined;
    }
  });
}

/** One attempt. Throws the error of a condition that fails. */
async function countOnce(table: Table, call: UserCall, { credential, window, since, walks }: Expectation) {
  const { username, proof, verified, secretHash, now, limit, sync } = call;
  const assignments = window.isNew ? ["calls = :calls", "windowStart = :window"] : ["calls = calls + :calls"];
  const conditions: string[] = [];
  const values: Attributes = { ":calls": call.calls, ":window": window.start };
  const names: Record<string, string> = {};
  if (credential === "secret") {
    assignments.push("signIns.#secret.usedAt = :day");
    conditions.push(
      "attribute_exists(passwordHash)",
      "attribute_exists(signIns.#secret)",
      "(attribute_not_exists(signIns.#secret.expiresAt) OR signIns.#secret.expiresAt > :now)",
    );
    names["#secret"] = String(secretHash);
    Object.assign(values, { ":day": dayOf(now), ":now": now });
  } else if (verified) {
    assignments.push("proofs = :proofs");
    conditions.push("passwordHash = :hash");
    const list = [...(verified.proofs ?? []), proof].slice(-proofsKept);
    Object.assign(values, {
      ":hash": verified.passwordHash,
      ":proofs": { passwordHash: verified.passwordHash, list },
    });
  } else {
    conditions.push("proofs.passwordHash = passwordHash", "contains(proofs.#list, :proof)");
    names["#list"] = "list";
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
    values[":stale"] = now - walkSeconds;
  }
  const { Attributes } = await updateUserRecord(table, username, {
    UpdateExpression: `SET ${assignments.join(", ")}`,
    ConditionExpression: conditions.join(" AND "),
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ExpressionAttributeValues: values,
    ReturnValues: "ALL_NEW",
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  });
  return userOf(await completeRecord(table, username, Attributes ?? {}));
}
