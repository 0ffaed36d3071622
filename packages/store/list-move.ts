import { createHash, randomUUID } from "node:crypto";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { PutCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { writesAtOnce } from "@reading-list/core/ports.ts";
import { walkPartition } from "./batches.ts";
import type { Table } from "./client.ts";
import { type ItemRecord, itemOf } from "./item-records.ts";
import { itemPrefix, userKey } from "./keys.ts";
import { ListCounts } from "./list-counts.ts";
import { isFirstConditionFailed, retryConflicts } from "./optimistic-locking.ts";
import { findUserRecord } from "./user-records.ts";
import { changeUser, parseUserRecord, type UserRecord } from "./users.ts";

/** What became of a move. */
export type MoveOutcome =
  /** The list is there. `items` are its items, `sha256` their checksum, which was verified. */
  | { kind: "moved"; items: number; sha256: string }
  /** An earlier move brought it, and it has not changed in the source since. */
  | { kind: "movedBefore" }
  /** There is no such user in the source, or one who is being deleted or moved there. */
  | { kind: "missing" }
  /** The target has another user of that name. */
  | { kind: "taken" }
  /** Another command moves the user, too, or deletes the user in the target. */
  | { kind: "overtaken" }
  /** An earlier move brought the list; then it was changed in the source, and changed or synced in the target. */
  | { kind: "diverged" }
  /** The list in the source never stopped changing. */
  | { kind: "busy" }
  /** The user's record in the source counts other items than there are. */
  | { kind: "drifted" }
  /** The target does not hold the items that were written to it. */
  | { kind: "corrupt" };

/** Copies before a move of a list that keeps changing gives up. */
const maxCopies = 5;

/**
 * Copies a user and the list from one table to another: password, times, ids, order and logical clock, so that clients
 * go on with the same `since`. The source is only read. Idempotent: a move that was interrupted is continued, and one
 * that was completed is repeated if the list was only used in the source since.
 *
 * The user cannot log in to the target until the list is whole there, and verified (docs/decisions/moves.md).
 */
export async function moveList(
  from: Table,
  to: Table,
  username: string,
  now: number,
  show: (copied: number, total: number) => void,
): Promise<MoveOutcome> {
  let source = await findUserRecord(from, username);
  if (source?.passwordHash === undefined) return { kind: "missing" };
  const target = await findUserRecord(to, username);
  if (target && !isSameUser(source, target)) return { kind: "taken" };
  if (target?.passwordHash !== undefined && target.moved?.revision === source.revision) return { kind: "movedBefore" };
  const id = randomUUID();
  if (!(await beginMove(to, source, target, { id, since: now }))) return { kind: "diverged" };

  for (let copy = 1; copy <= maxCopies; copy++) {
    const total = source.countUnread + source.countRead;
    let isOvertaken = false;
    const copied = await digestList(from, username, async (records, items) => {
      isOvertaken ||= !(await writeRecords(to, username, id, records));
      show(items, total);
    });
    if (isOvertaken) return { kind: "overtaken" };
    const before: UserRecord = source;
    source = await findUserRecord(from, username);
    if (source?.passwordHash === undefined) return { kind: "missing" };
    if (source.revision !== before.revision) continue;
    if (copied.counts.differFrom(source)) return { kind: "drifted" };
    const { items, sha256 } = await digestList(to, username);
    if (items !== copied.items || sha256 !== copied.sha256) return { kind: "corrupt" };
    return (await endMove(to, source, id)) ? { kind: "moved", items, sha256 } : { kind: "overtaken" };
  }
  return { kind: "busy" };
}

/** Records of older versions have no `userId` until a call completes them; a move gives the copy one. */
const isSameUser = (source: UserRecord, target: UserRecord) =>
  source.userSince === target.userSince &&
  (source.userId === target.userId || source.userId === "") &&
  target.deletingSince === undefined;

/** Locks the user out of the target; false if the list there was used since an earlier move. */
function beginMove(
  to: Table,
  { username, userId, userSince }: UserRecord,
  target: UserRecord | undefined,
  moving: { id: string; since: number },
): Promise<boolean> {
  if (!target) {
    const record = parseUserRecord({ username, userId: userId || moving.id, userSince, moving });
    return putUser(to, record, "attribute_not_exists(pk)", (there) => there.moving?.id === moving.id);
  }
  return changeUser(to, username, {
    UpdateExpression: "SET moving = :moving REMOVE passwordHash",
    ConditionExpression: [
      "userId = :userId AND attribute_not_exists(deletingSince)",
      "(attribute_exists(moving) OR (revision = moved.revision AND lastSince = moved.lastSince))",
    ].join(" AND "),
    ExpressionAttributeValues: { ":moving": moving, ":userId": target.userId },
  });
}

/** Holds while the move with the id `:id` is the one that writes the list. */
const isMoving = "moving.id = :id AND attribute_not_exists(deletingSince)";

/** Writes records of a list, whatever is in their place; false if another command has taken over. */
async function writeRecords(
  { client, tableName: TableName }: Table,
  username: string,
  id: string,
  records: readonly Record<string, unknown>[],
): Promise<boolean> {
  const ConditionCheck = {
    ...{ TableName, Key: userKey(username), ConditionExpression: isMoving },
    ExpressionAttributeValues: { ":id": id },
  };
  try {
    for (let start = 0; start < records.length; start += writesAtOnce) {
      const puts = records.slice(start, start + writesAtOnce).map((Item) => ({ Put: { TableName, Item } }));
      await retryConflicts(() =>
        client.send(new TransactWriteCommand({ TransactItems: [{ ConditionCheck }, ...puts] })),
      );
    }
    return true;
  } catch (error) {
    if (!isFirstConditionFailed(error)) throw error;
    return false;
  }
}

/** Writes the record of the source, which makes the list whole; false if another command has taken over. */
function endMove(to: Table, source: UserRecord, id: string): Promise<boolean> {
  const { revision, lastSince, passwordHash } = source;
  const isThere = (there: UserRecord) => there.passwordHash === passwordHash && there.moved?.revision === revision;
  const record = { ...source, userId: source.userId || id, moved: { revision, lastSince } };
  return putUser(to, record, isMoving, isThere, { ":id": id });
}

/** Writes a user's record on a condition. The client repeats a request whose answer was lost, hence `isThere`. */
async function putUser(
  { client, tableName }: Table,
  record: UserRecord,
  condition: string,
  isThere: (there: UserRecord) => boolean,
  values?: Record<string, string>,
): Promise<boolean> {
  try {
    await client.send(
      new PutCommand({
        TableName: tableName,
        Item: { ...record, ...userKey(record.username) },
        ConditionExpression: condition,
        ...(values && { ExpressionAttributeValues: values }),
      }),
    );
    return true;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const there = await findUserRecord({ client, tableName }, record.username);
    return there !== undefined && isThere(there);
  }
}

/** Reads all records of a list in the order of their keys; counts and checksum are of the items, without tombstones. */
async function digestList(
  table: Table,
  username: string,
  take: (records: Record<string, unknown>[], items: number) => Promise<void> = async () => {},
): Promise<{ items: number; sha256: string; counts: ListCounts }> {
  const hash = createHash("sha256");
  const counts = new ListCounts();
  for await (const records of walkPartition(table, userKey(username).pk, itemPrefix)) {
    for (const record of records) {
      const item = itemOf(record as unknown as ItemRecord);
      counts.add(item);
      const { sk, changed, unread, page } = record;
      // A tombstone may expire at any moment.
      if (!item.isDeleted) hash.update(`${JSON.stringify([sk, changed, unread, page])}\n`);
    }
    await take(records, counts.unread + counts.read);
  }
  return { items: counts.unread + counts.read, sha256: hash.digest("hex"), counts };
}
