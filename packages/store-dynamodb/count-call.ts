// SPDX-License-Identifier: MIT

import { addProof, admitCall, type Credential } from "@reading-list/core/domain/admission.ts";
import { toUserCalls, type UserCalls } from "@reading-list/core/domain/limits.ts";
import { callingSignIn, startOfDay, storedHashes } from "@reading-list/core/domain/sign-in.ts";
import { isNothingNew } from "@reading-list/core/domain/user-clock.ts";
import { type Walks, walkSeconds } from "@reading-list/core/domain/walks.ts";
import type { UserCall, UserCallOutcome } from "@reading-list/core/ports/users.ts";
import type { Table } from "./client.ts";
import { retryConflicts } from "./optimistic-locking.ts";
import type { PendingCalls } from "./pending-calls.ts";
import {
  type Attributes,
  completeRecord,
  parseUser,
  readUserRecord,
  recordThatFailed,
  type StoredUser,
  updateUserRecord,
} from "./users.ts";

/** The state of the record that the conditions of one attempt to count a call require. */
interface Expectation {
  credential: Credential;
  /** The hash under which the record has the secret of the sign-in. */
  storedHash: string | undefined;
  window: { start: number; isNew: boolean };
  since: number;
  /**
   * The walks to store, on condition that the record still has `seen`. If undefined, the record keeps its walks, on
   * condition that the latest began within the last hour.
   */
  walks?: { seen: unknown; next: Walks };
}

/** Checks the password of a call, counts it and raises the user's clock: see `UserStore.countCall`. */
export async function countCall(table: Table, pending: PendingCalls, call: UserCall): Promise<UserCallOutcome> {
  const since = call.verified ? undefined : call.sync?.since;
  const poll = since === undefined ? undefined : await countPoll(table, pending, call, since);
  return poll ?? countInRecord(table, pending, call);
}

/** An entry of an older version has no id: the hash of the secret names it until the next one. */
function findSignIn({ secretHash }: UserCall, { signIns }: StoredUser) {
  if (secretHash === undefined) return undefined;
  const storedHash = storedHashes(secretHash).find((hash) => signIns[hash]);
  const entry = storedHash === undefined ? undefined : signIns[storedHash];
  return entry && { scope: "full" as const, ...entry, id: entry.id ?? secretHash, storedHash };
}

const admit = (pending: PendingCalls, call: UserCall, user: StoredUser) =>
  admitCall(call, user, { proofs: user.proofs ?? [], signIn: findSignIn(call, user) }, (windowStart) =>
    pending.of(call.username, windowStart),
  );

function countedAs(call: UserCall, credential: Credential, user: StoredUser): UserCallOutcome {
  const signIn = credential === "secret" ? findSignIn(call, user) : undefined;
  return { kind: "counted", user, ...callingSignIn(signIn) };
}

/**
 * Counts a poll with nothing new in memory, after one consistent read. Undefined if it needs a write, which is once a
 * day: the clock is raised then, and a sign-in or a proof remembers the day.
 */
async function countPoll(
  table: Table,
  pending: PendingCalls,
  call: UserCall,
  since: number,
): Promise<UserCallOutcome | undefined> {
  const record = await readUserRecord(table, call.username);
  if (record?.passwordHash === undefined) return { kind: "unproven", user: undefined };
  const user = parseUser(record);
  const admission = admit(pending, call, user);
  if (admission.kind !== "counted") return admission.kind === "limited" ? undefined : admission;
  const { credential, user: counted } = admission;
  const isUsedToday = credential === "proof" || findSignIn(call, user)?.usedAt === startOfDay(call.now);
  if (!isUsedToday || !isNothingNew(since, call.now, user.clock, call.sync?.part)) return undefined;
  pending.add(call.username, counted.windowStart, toUserCalls(call.calls, call.countsAlone));
  return countedAs(call, credential, { ...counted, clock: user.clock, walks: user.walks });
}

async function countInRecord(table: Table, pending: PendingCalls, call: UserCall): Promise<UserCallOutcome> {
  const { verified, secretHash, needsAccountPassword, now } = call;
  const first = verified && admit(pending, call, verified as StoredUser);
  const isSecret = secretHash !== undefined && !needsAccountPassword;
  let expected: Expectation = {
    credential: verified ? "verified" : isSecret ? "secret" : "proof",
    storedHash: secretHash,
    window: { start: call.window.start, isNew: first?.kind === "counted" && first.opensWindow },
    since: now,
  };
  return retryConflicts<UserCallOutcome>(async () => {
    try {
      return countedAs(call, expected.credential, await countOnce(table, pending, call, expected));
    } catch (error) {
      const failed = recordThatFailed(error);
      if (failed?.passwordHash === undefined) return { kind: "unproven", user: undefined };
      const { kind } = admit(pending, call, parseUser(failed));
      const isRightSoFar = kind === "counted" || kind === "limited";
      const record = isRightSoFar ? await completeRecord(table, call.username, failed) : failed;
      const admission = admit(pending, call, parseUser(record));
      if (admission.kind !== "counted") return admission;
      const { user, credential, opensWindow, beginsWalk } = admission;
      expected = {
        credential,
        storedHash: findSignIn(call, user)?.storedHash,
        window: { start: user.windowStart, isNew: opensWindow },
        since: user.clock.lastSince,
        ...(beginsWalk && { walks: { seen: record.walks, next: user.walks } }),
      };
      return undefined;
    }
  });
}

/** One attempt, which also adds the calls that are pending. Throws the error of a condition that fails. */
const countOnce = (table: Table, pending: PendingCalls, call: UserCall, expected: Expectation) =>
  pending.write(call.username, expected.window.start, toUserCalls(call.calls, call.countsAlone), (calls) =>
    updateRecord(table, call, expected, calls),
  );

async function updateRecord(
  table: Table,
  call: UserCall,
  { credential, storedHash, window, since, walks }: Expectation,
  { calls, publicCalls }: UserCalls,
) {
  const { username, proof, verified, now, limit, countsAlone, sync } = call;
  const assignments = window.isNew
    ? ["calls = :calls", "publicCalls = :public", "windowStart = :window"]
    : ["calls = calls + :calls", "publicCalls = if_not_exists(publicCalls, :none) + :public"];
  const conditions = ["(attribute_not_exists(isSuspended) OR isSuspended = :no)"];
  const values: Attributes = { ":calls": calls, ":public": publicCalls, ":window": window.start, ":no": false };
  const names: Record<string, string> = {};
  if (credential === "secret") {
    assignments.push("signIns.#secret.usedAt = :day");
    conditions.push(
      "attribute_exists(passwordHash)",
      "attribute_exists(signIns.#secret)",
      "(attribute_not_exists(signIns.#secret.expiresAt) OR signIns.#secret.expiresAt > :now)",
    );
    names["#secret"] = String(storedHash);
    Object.assign(values, { ":day": startOfDay(now), ":now": now });
  } else if (verified) {
    assignments.push("proofs = :proofs");
    conditions.push("passwordHash = :hash", `attribute_${verified.hasPasskeys ? "" : "not_"}exists(hasPasskeys)`);
    const list = addProof(verified.proofs ?? [], proof);
    Object.assign(values, {
      ":hash": verified.passwordHash,
      ":proofs": { passwordHash: verified.passwordHash, list },
    });
  } else {
    conditions.push(
      "proofs.passwordHash = passwordHash",
      "contains(proofs.#list, :proof)",
      "attribute_not_exists(hasPasskeys)",
    );
    names["#list"] = "list";
    values[":proof"] = proof;
  }
  if (window.isNew) {
    conditions.push("(windowStart < :window OR windowStart > :next)");
    values[":next"] = call.window.end;
  } else {
    conditions.push("windowStart = :window", `${countsAlone ? "publicCalls" : "calls"} <= :max`);
    const more = countsAlone ? publicCalls : calls;
    values[":none"] = 0;
    // A call that counts many is admitted to an unused window.
    values[":max"] = more > call.calls ? limit - more : Math.max(0, limit - more);
  }
  if (sync) {
    assignments.push("lastSince = :since");
    conditions.push(...["lastSince", "changedAt", "highlightsAt", "keptAt"].map((name) => `${name} <= :since`));
    values[":since"] = since;
  }
  if (walks) {
    assignments.push("walks = :walks");
    conditions.push("walks = :seen");
    Object.assign(values, { ":walks": walks.next, ":seen": walks.seen });
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
  return parseUser(await completeRecord(table, username, Attributes ?? {}));
}
