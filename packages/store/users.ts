import { randomUUID } from "node:crypto";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { GetCommand, PutCommand, UpdateCommand, type UpdateCommandInput } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { PageMark } from "@reading-list/core/domain/page-mark.ts";
import { beginWalk, type PageWalks, walkSeconds } from "@reading-list/core/domain/page-walk.ts";
import { timeOfSync, type UserClock } from "@reading-list/core/domain/user-clock.ts";
import type { User, UserCall, UserCallOutcome, UserStore } from "@reading-list/core/ports.ts";
import type { Table } from "./client.ts";
import { retryConflicts } from "./conflicts.ts";
import { userKey } from "./keys.ts";

/** A user's record as it stands in the table. */
export interface UserRecord {
  username: string;
  /** Absent while the user is being deleted: then nothing can be done in their name. */
  passwordHash?: string;
  /** Unix seconds at which the deletion of the user began. */
  deletingSince?: number;
  userSince: number;
  countUnread: number;
  countRead: number;
  lastSince: number;
  changedAt: number;
  /** Items of each state whose `time_updated` is `changedAt`. */
  newestUnread: number;
  newestRead: number;
  revision: number;
  windowStart: number;
  calls: number;
  walks: Record<string, PageWalks>;
  /** The call that was taken back last; absent until one is. */
  takenBack?: string;
  /** Absent until a page deep in the list was read. */
  marks?: PageMark[];
}

const clockOf = ({ lastSince, changedAt }: UserRecord): UserClock => ({ lastSince, changedAt });

export const userOf = (record: UserRecord): User => ({
  username: record.username,
  passwordHash: record.passwordHash ?? "",
  since: record.userSince,
  countUnread: record.countUnread,
  countRead: record.countRead,
  clock: clockOf(record),
  newest: { "0": record.newestUnread, "1": record.newestRead },
  revision: record.revision,
  marks: record.marks ?? [],
  calls: record.calls,
  windowStart: record.windowStart,
  walks: record.walks,
});

/** The record that made a condition fail; undefined where there is none. Throws any other error. */
function recordThatFailed(error: unknown): UserRecord | undefined {
  if (!(error instanceof ConditionalCheckFailedException)) throw error;
  return error.Item && (unmarshall(error.Item) as UserRecord);
}

/** What one attempt at counting a call takes the record to be. */
interface Expectation {
  window: { start: number; isNew: boolean };
  since: number;
  /** The walks to remember in place of those read; undefined where those in the record are taken to be of this hour. */
  walks?: { seen: PageWalks | undefined; next: PageWalks };
}

/** Changes a user's record. Throws the error of a condition that fails. */
export const changeUserRecord = (
  { client, tableName }: Table,
  username: string,
  update: Omit<UpdateCommandInput, "TableName" | "Key">,
) => retryConflicts(() => client.send(new UpdateCommand({ TableName: tableName, Key: userKey(username), ...update })));

/** The users' records (architecture, "Data" and "The user's clock"). */
export function createUserStore(table: Table): UserStore {
  const { client, tableName } = table;

  async function countOnce(call: UserCall, { window, since, walks }: Expectation) {
    const { username, passwordHash, limit, sync } = call;
    const assignments = window.isNew ? ["calls = :one", "windowStart = :window"] : ["calls = calls + :one"];
    const conditions = ["passwordHash = :hash"];
    conditions.push(...(window.isNew ? ["windowStart < :window"] : ["windowStart = :window", "calls < :limit"]));
    const values: Record<string, unknown> = { ":one": 1, ":window": window.start, ":hash": passwordHash };
    if (!window.isNew) values[":limit"] = limit;
    if (sync) {
      assignments.push("lastSince = :since");
      conditions.push("lastSince <= :since", "changedAt <= :since");
      values[":since"] = since;
    }
    if (sync?.walkOf !== undefined && walks) {
      assignments.push("walks.#application = :walks");
      conditions.push(walks.seen ? "walks.#application = :seen" : "attribute_not_exists(walks.#application)");
      values[":walks"] = walks.next;
      if (walks.seen) values[":seen"] = walks.seen;
    } else if (sync?.walkOf !== undefined) {
      conditions.push("walks.#application.#current.startedAt > :stale");
      values[":stale"] = sync.now - walkSeconds;
    }
    const { Attributes } = await changeUserRecord(table, username, {
      UpdateExpression: `SET ${assignments.join(", ")}`,
      ConditionExpression: conditions.join(" AND "),
      ...(sync?.walkOf !== undefined && {
        ExpressionAttributeNames: { "#application": sync.walkOf, ...(!walks && { "#current": "current" }) },
      }),
      ExpressionAttributeValues: values,
      ReturnValues: "ALL_NEW",
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    });
    return userOf(Attributes as UserRecord);
  }

  return {
    async create(username, passwordHash, now) {
      const record: UserRecord = {
        username,
        passwordHash,
        userSince: now,
        countUnread: 0,
        countRead: 0,
        lastSince: 0,
        changedAt: 0,
        newestUnread: 0,
        newestRead: 0,
        revision: 0,
        windowStart: 0,
        calls: 0,
        walks: {},
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
      const { Item } = await client.send(
        new GetCommand({ TableName: tableName, Key: userKey(username), ConsistentRead: true }),
      );
      return Item?.passwordHash === undefined ? undefined : userOf(Item as UserRecord);
    },

    async countCall(call): Promise<UserCallOutcome> {
      const { sync } = call;
      const isNew = call.limit > 0 && call.seen !== undefined && call.seen.windowStart < call.windowStart;
      let expected: Expectation = { window: { start: call.windowStart, isNew }, since: sync?.now ?? 0 };
      for (;;) {
        try {
          return { kind: "counted", user: await countOnce(call, expected) };
        } catch (error) {
          const record = recordThatFailed(error);
          if (record?.passwordHash !== call.passwordHash) return { kind: "stale" };
          // A machine with a faster clock may have opened the next window already: that one counts.
          const start = Math.max(call.windowStart, record.windowStart);
          const isNew = record.windowStart < call.windowStart;
          const calls = isNew ? 0 : record.calls;
          if (calls >= call.limit) return { kind: "limited", user: { ...userOf(record), calls } };
          const since = timeOfSync(expected.since, clockOf(record));
          const seen = sync?.walkOf === undefined ? undefined : record.walks[sync.walkOf];
          const next = sync?.walkOf === undefined ? undefined : beginWalk(seen, { since, startedAt: sync.now });
          expected = { window: { start, isNew }, since, ...(next && { walks: { seen, next } }) };
        }
      }
    },

    async uncountCall(username, windowStart) {
      const takenBack = randomUUID();
      try {
        await changeUserRecord(table, username, {
          UpdateExpression: "SET calls = calls - :one, takenBack = :this",
          // The client repeats a request whose answer was lost: taken back twice, a call would pass the limit.
          ConditionExpression:
            "windowStart = :window AND calls > :none AND (attribute_not_exists(takenBack) OR takenBack <> :this)",
          ExpressionAttributeValues: { ":one": 1, ":none": 0, ":window": windowStart, ":this": takenBack },
        });
      } catch (error) {
        recordThatFailed(error);
      }
    },

    async raiseSince(username, wanted) {
      for (let since = wanted; ; ) {
        try {
          const { Attributes } = await changeUserRecord(table, username, {
            UpdateExpression: "SET lastSince = :since",
            ConditionExpression: "lastSince <= :since AND changedAt <= :since",
            ExpressionAttributeValues: { ":since": since },
            ReturnValues: "ALL_NEW",
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          });
          return userOf(Attributes as UserRecord);
        } catch (error) {
          const record = recordThatFailed(error);
          if (!record) throw error;
          since = timeOfSync(since, clockOf(record));
        }
      }
    },

    async keepMarks({ username, revision }, marks) {
      try {
        await changeUserRecord(table, username, {
          UpdateExpression: "SET marks = :marks",
          ConditionExpression: "revision = :seen",
          ExpressionAttributeValues: { ":marks": marks, ":seen": revision },
        });
        return true;
      } catch (error) {
        recordThatFailed(error);
        return false;
      }
    },
  };
}
