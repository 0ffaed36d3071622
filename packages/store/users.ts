import { randomUUID } from "node:crypto";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { GetCommand, PutCommand, UpdateCommand, type UpdateCommandInput } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { LimitWindow } from "@reading-list/core/domain/limits.ts";
import type { PageCursor } from "@reading-list/core/domain/page-cursor.ts";
import { beginWalk, type PageWalks, walkSeconds } from "@reading-list/core/domain/page-walk.ts";
import { timeOfSync } from "@reading-list/core/domain/user-clock.ts";
import { wrongCredentials } from "@reading-list/core/errors.ts";
import type { BatchProgress, User, UserCall, UserCallOutcome, UserStore } from "@reading-list/core/ports.ts";
import { sendOnce, type Table } from "./client.ts";
import { userKey } from "./keys.ts";
import { retryConflicts } from "./optimistic-locking.ts";

/** A user's record in the table. */
export interface UserRecord {
  username: string;
  /** See `User.userId`. */
  userId: string;
  /** Absent while the user is being deleted or moved here: then nothing can be done in their name. */
  passwordHash?: string;
  /** Unix seconds at which the deletion of the user began. */
  deletingSince?: number;
  /** The move of the user to this table that is under way: a random id, and when it began in unix seconds. */
  moving?: { id: string; since: number };
  /** What a move ended with. The list was not used since if the record has the same values. */
  moved?: { revision: number; lastSince: number };
  userSince: number;
  countUnread: number;
  countRead: number;
  lastSince: number;
  changedAt: number;
  /** The number of items, by kind, whose `time_updated` is `changedAt`. */
  newestUnread: number;
  newestRead: number;
  newestDeleted: number;
  /** 0 until an item is deleted. */
  deletedAt: number;
  /** Absent until items are imported with their original times. */
  importedAt?: number;
  revision: number;
  windowStart: number;
  calls: number;
  /** Absent until a list is read by pages. */
  walks?: PageWalks;
  /** Valid while `revision` is the same. */
  cursors?: { revision: number; places: PageCursor[] };
  unfinished?: BatchProgress;
}

/** What the record of a new user begins with, and the defaults for a record of an older version. */
const initialAttributes = {
  userId: "",
  countUnread: 0,
  countRead: 0,
  lastSince: 0,
  changedAt: 0,
  newestUnread: 0,
  newestRead: 0,
  newestDeleted: 0,
  deletedAt: 0,
  revision: 0,
  windowStart: 0,
  calls: 0,
};

type Attributes = Record<string, unknown>;

/** A user's record, whichever version wrote it. */
export const parseUserRecord = (record: object) => ({ ...initialAttributes, ...record }) as UserRecord;

/** The user of a record, whichever version wrote it. */
export function userOf(attributes: object): User {
  const record = parseUserRecord(attributes);
  return {
    username: record.username,
    userId: record.userId,
    passwordHash: record.passwordHash ?? "",
    since: record.userSince,
    countUnread: record.countUnread,
    countRead: record.countRead,
    clock: { lastSince: record.lastSince, changedAt: record.changedAt },
    newest: { unread: record.newestUnread, read: record.newestRead, deleted: record.newestDeleted },
    deletedAt: record.deletedAt,
    importedAt: record.importedAt ?? 0,
    revision: record.revision,
    cursors: record.cursors?.revision === record.revision ? record.cursors.places : [],
    unfinished: record.unfinished,
    calls: record.calls,
    windowStart: record.windowStart,
    walks: record.walks?.latest && record.walks,
  };
}

/** The record that made a condition fail; undefined if there is none. Throws any other error. */
function recordThatFailed(error: unknown): Attributes | undefined {
  if (!(error instanceof ConditionalCheckFailedException)) throw error;
  return error.Item && unmarshall(error.Item);
}

/**
 * Whether a record's window counts a call made in `window`: it is the same, or the next, which a machine with a faster
 * clock has opened. A later one comes from a wrong clock; without this bound it would lock the user out until then.
 */
const isOpen = (windowStart: number, { start, end }: LimitWindow) => windowStart === start || windowStart === end;

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

type UserUpdate = Omit<UpdateCommandInput, "TableName" | "Key">;

/** One attempt to change a user's record. */
const updateUserRecord = ({ client, tableName }: Table, username: string, update: UserUpdate) =>
  client.send(new UpdateCommand({ TableName: tableName, Key: userKey(username), ...update }));

/** Changes a user's record. Throws the error of a condition that fails. */
const changeUserRecord = (table: Table, username: string, update: UserUpdate) =>
  retryConflicts(() => updateUserRecord(table, username, update));

/** Changes a user's record; false if the condition does not hold. */
export async function changeUser(table: Table, username: string, update: UserUpdate): Promise<boolean> {
  try {
    await changeUserRecord(table, username, update);
    return true;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return false;
  }
}

/** The attributes of a user's record, read consistently; undefined if there is none. */
export async function readUserRecord({ client, tableName }: Table, username: string): Promise<Attributes | undefined> {
  const { Item } = await client.send(
    new GetCommand({ TableName: tableName, Key: userKey(username), ConsistentRead: true }),
  );
  return Item;
}

/** Stores the defaults of attributes that a record of an older version lacks: the conditions of writes need them. */
export async function completeRecord(table: Table, username: string, record: Attributes): Promise<Attributes> {
  const missing = Object.entries(initialAttributes).filter(([name]) => record[name] === undefined);
  if (missing.length === 0) return record;
  const { Attributes } = await changeUserRecord(table, username, {
    // Another call may have stored them meanwhile.
    UpdateExpression: `SET ${missing.map(([name]) => `${name} = if_not_exists(${name}, :${name})`).join(", ")}`,
    ConditionExpression: "attribute_exists(passwordHash)",
    ExpressionAttributeValues: Object.fromEntries(
      missing.map(([name, initial]) => [`:${name}`, name === "userId" ? randomUUID() : initial]),
    ),
    ReturnValues: "ALL_NEW",
  });
  return Attributes ?? {};
}

/** The users' records (docs/data.md 1.1) and their logical clocks (docs/data.md 4). */
export function createUserStore(table: Table): UserStore {
  const { client, tableName } = table;

  async function countOnce(call: UserCall, { window, since, walks }: Expectation) {
    const { username, passwordHash, limit, sync } = call;
    const assignments = window.isNew ? ["calls = :one", "windowStart = :window"] : ["calls = calls + :one"];
    const conditions = ["passwordHash = :hash"];
    const values: Attributes = { ":one": 1, ":window": window.start, ":hash": passwordHash };
    if (window.isNew) {
      conditions.push("(windowStart < :window OR windowStart > :next)");
      values[":next"] = call.window.end;
    } else {
      conditions.push("windowStart = :window", "calls < :limit");
      values[":limit"] = limit;
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
      ExpressionAttributeValues: values,
      ReturnValues: "ALL_NEW",
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    });
    return userOf(await completeRecord(table, username, Attributes ?? {}));
  }

  return {
    async create(username, passwordHash, now) {
      const record: UserRecord = {
        ...initialAttributes,
        username,
        userId: randomUUID(),
        passwordHash,
        userSince: now,
      };
      try {
        await client.send(
          new PutCommand({
            TableName: tableName,
            Item: { ...userKey(username), ...record },
            ConditionExpression: "attribute_not_exists(pk)",
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        );
        return true;
      } catch (error) {
        // The client repeats a request whose answer was lost: our own salted hash there means that the first arrived.
        return recordThatFailed(error)?.passwordHash === passwordHash;
      }
    },

    async find(username) {
      const record = await readUserRecord(table, username);
      return record?.passwordHash === undefined ? undefined : userOf(record);
    },

    async countCall(call): Promise<UserCallOutcome> {
      const { sync } = call;
      const isNew = call.limit > 0 && call.seen !== undefined && !isOpen(call.seen.windowStart, call.window);
      let expected: Expectation = { window: { start: call.window.start, isNew }, since: sync?.now ?? 0 };
      return retryConflicts<UserCallOutcome>(async () => {
        try {
          return { kind: "counted", user: await countOnce(call, expected) };
        } catch (error) {
          const failed = recordThatFailed(error);
          if (failed?.passwordHash !== call.passwordHash) return { kind: "stale" };
          const record = await completeRecord(table, call.username, failed);
          const user = userOf(record);
          const isNew = !isOpen(user.windowStart, call.window);
          const start = isNew ? call.window.start : user.windowStart;
          const calls = isNew ? 0 : user.calls;
          if (calls >= call.limit) return { kind: "limited", user: { ...user, calls } };
          const since = timeOfSync(expected.since, user.clock);
          const seen = record.walks;
          const next = sync?.beginsWalk ? beginWalk(user.walks, { since, startedAt: sync.now }) : undefined;
          expected = { window: { start, isNew }, since, ...(next && { walks: { seen, next } }) };
          return undefined;
        }
      });
    },

    async uncountCall(username, windowStart) {
      const undo = () =>
        new UpdateCommand({
          TableName: tableName,
          Key: userKey(username),
          UpdateExpression: "SET calls = calls - :one",
          ConditionExpression: "windowStart = :window AND calls > :none",
          ExpressionAttributeValues: { ":one": 1, ":none": 0, ":window": windowStart },
        });
      try {
        await retryConflicts(() => sendOnce(client, undo()));
      } catch (error) {
        recordThatFailed(error);
      }
    },

    async raiseSince(user, wanted) {
      let since = wanted;
      return retryConflicts(async () => {
        try {
          const { Attributes } = await updateUserRecord(table, user.username, {
            UpdateExpression: "SET lastSince = :since",
            ConditionExpression: "userId = :userId AND lastSince <= :since AND changedAt <= :since",
            ExpressionAttributeValues: { ":userId": user.userId, ":since": since },
            ReturnValues: "ALL_NEW",
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          });
          return userOf(Attributes ?? {});
        } catch (error) {
          const record = recordThatFailed(error);
          if (record?.userId !== user.userId) throw wrongCredentials();
          since = timeOfSync(since, userOf(record).clock);
          return undefined;
        }
      });
    },

    saveCursors: ({ username, userId, revision }, places) =>
      changeUser(table, username, {
        UpdateExpression: "SET cursors = :cursors",
        ConditionExpression: "userId = :userId AND revision = :seen",
        ExpressionAttributeValues: { ":userId": userId, ":cursors": { revision, places }, ":seen": revision },
      }),
  };
}
