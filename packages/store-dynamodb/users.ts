// SPDX-License-Identifier: MIT

import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { UpdateCommand, type UpdateCommandInput } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { KeepingOfDay } from "@reading-list/core/domain/kept-page.ts";
import type { KindCounts } from "@reading-list/core/domain/list-write.ts";
import type { SignIn } from "@reading-list/core/domain/sign-in.ts";
import { wrongCredentials } from "@reading-list/core/errors.ts";
import { emptyRecord, type UserRecord as OperatorsUserRecord } from "@reading-list/core/ports/operator.ts";
import type { User } from "@reading-list/core/ports/users.ts";
import { readRecord, type Table } from "./client.ts";
import { userKey } from "./keys.ts";
import { retryConflicts } from "./optimistic-locking.ts";

/** A user's record in the table. */
export interface UserRecord extends OperatorsUserRecord {
  /** The number of items, by kind, whose `time_updated` is `changedAt`. */
  newestUnread: number;
  newestRead: number;
  newestDeleted: number;
  /** The number of highlights and tombstones of highlights whose `time_updated` is `highlightsAt`. */
  newestHighlights: number;
  /** The number of kept pages (kept-pages.ts) whose time is `keptAt`. */
  newestKept: number;
  /** When items with highlights came back from the trash for the last time; 0 if never. */
  toldAt: number;
  /** Absent until items are imported with their original times. */
  importedAt?: number;
  /** The last proofs of the password, valid while the hash is the password's. */
  proofs?: { passwordHash: string; list: readonly string[] };
  /** The start of the last day (UTC) on which items were deleted that are listed to be erased (trash.ts). */
  trashDay?: number;
  /** When the keeper has work for the list, and lists it (keeper.ts); absent if it has none. */
  keepingAt?: number;
  /** Counts the writes of kept pages. */
  keptRevision: number;
  /** The `revision` and the `changedAt` of the list whose changes the keeper has noted. */
  notedRevision?: number;
  notedUpTo?: number;
  /** The pages that were read in the background today. */
  keeping?: KeepingOfDay;
  /** The secrets of apps that are accepted, by their hash; see `SignIn`. */
  signIns: SecretEntries;
  /** The user's subject at each issuer of single sign-on (identities.ts). */
  identities?: Readonly<Record<string, string>>;
}

/** The part of apps' sign-ins that the write which counts a call compares, by `SignIn.secretHash`. */
export type SecretEntries = Readonly<
  Record<string, Pick<SignIn, "usedAt" | "expiresAt"> & Partial<Pick<SignIn, "id" | "scope" | "audience">>>
>;

/** The first attributes of a new user's record, and the defaults for a record of an older version. */
export const initialAttributes = {
  ...emptyRecord,
  newestHighlights: 0,
  newestKept: 0,
  keptRevision: 0,
  toldAt: 0,
  newestUnread: 0,
  newestRead: 0,
  newestDeleted: 0,
  signIns: {},
};

export type Attributes = Record<string, unknown>;

/** A user's record, whichever version wrote it. */
export const parseUserRecord = (record: object) => ({ ...initialAttributes, ...record }) as UserRecord;

/** A user with the data that shows whether the newest change is visible (docs/data.md 4). */
export interface StoredUser extends User {
  /** The number of items, by kind, whose `time_updated` is `clock.changedAt`. */
  newest: Readonly<KindCounts>;
  /** See `UserRecord`. */
  newestHighlights: number;
  newestKept: number;
  toldAt: number;
  /** The greatest number of an item; 0 if none was given. */
  lastNumber: number;
  /** When items were last written with times before it, by an import; 0 if never. */
  importedAt: number;
  signIns: SecretEntries;
  /** See `UserRecord.trashDay`. */
  trashDay: number | undefined;
  /** See `UserRecord`. */
  keepingAt: number | undefined;
  keptRevision: number;
  notedRevision: number | undefined;
  notedUpTo: number;
}

/** The user of a record, whichever version wrote it. */
export function parseUser(attributes: object): StoredUser {
  const record = parseUserRecord(attributes);
  return {
    username: record.username,
    userId: record.userId,
    passwordHash: record.passwordHash ?? "",
    createdAt: record.userSince,
    countUnread: record.countUnread,
    countRead: record.countRead,
    articles: record.articles,
    articleBytes: record.articleBytes,
    highlights: record.highlights,
    keepsPages: record.keepsPages,
    hasPasskeys: record.hasPasskeys === true,
    isSuspended: record.isSuspended === true,
    clock: {
      lastSince: record.lastSince,
      changedAt: record.changedAt,
      highlightsAt: record.highlightsAt,
      keptAt: record.keptAt,
      repaired: record.repaired,
      firstSyncUpTo: record.firstSyncUpTo,
    },
    newestHighlights: record.newestHighlights,
    newestKept: record.newestKept,
    toldAt: record.toldAt,
    newest: { unread: record.newestUnread, read: record.newestRead, deleted: record.newestDeleted },
    deletedAt: record.deletedAt,
    lastNumber: record.lastNumber ?? 0,
    importedAt: record.importedAt ?? 0,
    revision: record.revision,
    // Version 0.2.0 kept one.
    unfinished: Array.isArray(record.unfinished) ? record.unfinished : [],
    calls: record.calls,
    publicCalls: record.publicCalls,
    windowStart: record.windowStart,
    walks: record.walks,
    signIns: record.signIns,
    trashDay: record.trashDay,
    keeping: record.keeping,
    keepingAt: record.keepingAt,
    keptRevision: record.keptRevision,
    notedRevision: record.notedRevision,
    notedUpTo: record.notedUpTo ?? 0,
    proofs: record.proofs?.passwordHash === record.passwordHash ? (record.proofs?.list ?? []) : [],
  };
}

/** The record that made a condition fail; undefined if no record did. Throws any other error. */
export function recordThatFailed(error: unknown): Attributes | undefined {
  if (!(error instanceof ConditionalCheckFailedException)) throw error;
  return error.Item && unmarshall(error.Item);
}

type UserUpdate = Omit<UpdateCommandInput, "TableName" | "Key">;

/** One attempt to change a user's record. */
export const updateUserRecord = ({ client, tableName }: Table, username: string, update: UserUpdate) =>
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

/** The attributes of a user's record, read consistently; undefined if it does not exist. */
export const readUserRecord = (table: Table, username: string): Promise<Attributes | undefined> =>
  readRecord(table, userKey(username));

/** Reads the user of a call again. Throws `unauthorized` if the user was deleted. */
export async function readUser(table: Table, { username, userId }: Pick<User, "username" | "userId">) {
  const record = await readUserRecord(table, username);
  if (record?.passwordHash === undefined || record.userId !== userId) throw wrongCredentials();
  return parseUser(record);
}

/**
 * The user of a name, with a `lastSince` that covers every change so far, for readers other than calls; undefined if the user
 * does not exist, or is being deleted or moved here.
 */
export async function findSyncedUser(table: Table, username: string): Promise<StoredUser | undefined> {
  for (;;) {
    const record = await readUserRecord(table, username);
    if (record?.passwordHash === undefined) return undefined;
    const user = parseUser(record);
    const { lastSince, changedAt, highlightsAt } = user.clock;
    const newest = Math.max(changedAt, highlightsAt);
    if (newest <= lastSince) return user;
    await changeUser(table, username, {
      UpdateExpression: "SET lastSince = :newest",
      ConditionExpression: "userId = :userId AND (attribute_not_exists(lastSince) OR lastSince < :newest)",
      ExpressionAttributeValues: { ":userId": user.userId, ":newest": newest },
    });
  }
}

/** Stores the defaults of attributes that a record of an older version lacks: the conditions of writes need them. */
export async function completeRecord(table: Table, username: string, record: Attributes): Promise<Attributes> {
  const missing = Object.entries(initialAttributes).filter(([name]) => record[name] === undefined);
  if (missing.length === 0) return record;
  const { Attributes } = await changeUserRecord(table, username, {
    // Another call may have stored them meanwhile.
    UpdateExpression: `SET ${missing.map(([name]) => `${name} = if_not_exists(${name}, :${name})`).join(", ")}`,
    ConditionExpression: "attribute_exists(passwordHash)",
    ExpressionAttributeValues: Object.fromEntries(missing.map(([name, initial]) => [`:${name}`, initial])),
    ReturnValues: "ALL_NEW",
  });
  return Attributes ?? {};
}
