import { hasRoom, isWindowOpen } from "@reading-list/core/domain/limits.ts";
import { beginWalk, type PageWalks, walkSeconds } from "@reading-list/core/domain/page-walk.ts";
import { dayOf, isAccepted } from "@reading-list/core/domain/sign-in.ts";
import { isNothingNew, timeOfSync } from "@reading-list/core/domain/user-clock.ts";
import type { User, UserCall, UserCallOutcome } from "@reading-list/core/ports.ts";
import type { Table } from "./client.ts";
import { retryConflicts } from "./optimistic-locking.ts";
import type { PendingCalls } from "./pending-calls.ts";
import {
  type Attributes,
  completeRecord,
  readUserRecord,
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
export async function countCall(table: Table, pending: PendingCalls, call: UserCall): Promise<UserCallOutcome> {
  const since = call.verified ? undefined : call.sync?.since;
  const poll = since === undefined ? undefined : await countPoll(table, pending, call, since);
  return poll ?? countInRecord(table, pending, call);
}

/** The window of a record that counts a call, or else that of the call, and the calls of the window so far. */
function openWindow({ windowStart, calls }: User, { username, window }: UserCall, pending: PendingCalls) {
  const isNew = !isWindowOpen(windowStart, window);
  const start = isNew ? window.start : windowStart;
  return { isNew, start, calls: (isNew ? 0 : calls) + pending.of(username, start) };
}

/** The sign-in of a call. An entry of an older version has no id: the hash of the secret names it until the next one. */
const signInOf = ({ secretHash = "" }: UserCall, credential: Expectation["credential"], { signIns }: StoredUser) =>
  credential === "secret" ? (signIns[secretHash]?.id ?? secretHash) : undefined;

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
  const user = record?.passwordHash === undefined ? undefined : userOf(record);
  const credential = user && credentialOf(call, user);
  if (!credential) return { kind: "unproven", user };
  const isUsedToday = credential === "proof" || user.signIns[String(call.secretHash)]?.usedAt === dayOf(call.now);
  if (!isUsedToday || !isNothingNew(since, call.now, user.clock, call.sync?.part)) return undefined;
  const { start, calls } = openWindow(user, call, pending);
  if (!hasRoom(call.limit, calls, call.calls)) return undefined;
  pending.add(call.username, start, call.calls);
  const counted = { ...user, windowStart: start, calls: calls + call.calls };
  return { kind: "counted", user: counted, signInId: signInOf(call, credential, user) };
}

async function countInRecord(table: Table, pending: PendingCalls, call: UserCall): Promise<UserCallOutcome> {
  const { sync, verified } = call;
  const window = verified && openWindow(verified, call, pending);
  const isNew = window?.isNew === true && hasRoom(call.limit, window.calls, call.calls);
  const isSecret = call.secretHash !== undefined && !call.needsAccountPassword;
  const credential = verified ? "verified" : isSecret ? "secret" : "proof";
  let expected: Expectation = { credential, window: { start: call.window.start, isNew }, since: call.now };
  return retryConflicts<UserCallOutcome>(async () => {
    try {
      const user = await countOnce(table, pending, call, expected);
      return { kind: "counted", user, signInId: signInOf(call, expected.credential, user) };
    } catch (error) {
      const failed = recordThatFailed(error);
      const found = failed?.passwordHash === undefined ? undefined : userOf(failed);
      const credential = found && credentialOf(call, found);
      if (!failed || !credential) return { kind: "unproven", user: found };
      if (credential === "secret" && call.needsAccountPassword) return { kind: "appPassword" };
      const record = await completeRecord(table, call.username, failed);
      const user = userOf(record);
      const { isNew, start, calls } = openWindow(user, call, pending);
      if (!hasRoom(call.limit, calls, call.calls)) return { kind: "limited", user: { ...user, calls } };
      const since = timeOfSync(expected.since, user.clock);
      const seen = record.walks;
      const next = sync?.beginsWalk ? beginWalk(user.walks, { since, startedAt: call.now }) : undefined;
      expected = { credential, window: { start, isNew }, since, ...(next && { walks: { seen, next } }) };
      return undefined;
    }
  });
}

/** One attempt, which also adds the calls that are pending. Throws the error of a condition that fails. */
const countOnce = (table: Table, pending: PendingCalls, call: UserCall, expected: Expectation) =>
  pending.write(call.username, expected.window.start, call.calls, (calls) =>
    updateRecord(table, call, expected, calls),
  );

async function updateRecord(
  table: Table,
  call: UserCall,
  { credential, window, since, walks }: Expectation,
  calls: number,
) {
  const { username, proof, verified, secretHash, now, limit, sync } = call;
  const assignments = window.isNew ? ["calls = :calls", "windowStart = :window"] : ["calls = calls + :calls"];
  const conditions: string[] = [];
  const values: Attributes = { ":calls": calls, ":window": window.start };
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
    values[":max"] = calls > call.calls ? limit - calls : Math.max(0, limit - calls);
  }
  if (sync) {
    assignments.push("lastSince = :since");
    conditions.push("lastSince <= :since", "changedAt <= :since", "highlightsAt <= :since");
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
