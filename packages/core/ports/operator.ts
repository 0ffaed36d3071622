// SPDX-License-Identifier: MIT

import type { Readable } from "node:stream";
import type { BatchProgress } from "../domain/batch-progress.ts";
import type { Highlight } from "../domain/highlights.ts";
import type { Item } from "../domain/item.ts";
import { noCalls } from "../domain/limits.ts";
import type { ListTotals } from "../domain/list-counts.ts";
import type { OperatorLink } from "../domain/operator-link.ts";
import type { Share } from "../domain/share.ts";
import type { Walks } from "../domain/walks.ts";
import type { Application } from "./applications.ts";
import type { ArticleStore } from "./articles.ts";
import type { ClockStore } from "./clock.ts";
import type { HighlightStore } from "./highlights.ts";
import type { ItemStore, TrashStore } from "./items.ts";
import type { KeptPageStore } from "./kept-pages.ts";
import type { PictureStore } from "./pictures.ts";
import type { ShareStore } from "./shares.ts";
import type { IdentityStore, SignInStore } from "./sign-ins.ts";
import type { ClosedUser, DeletionStore, UserStore } from "./users.ts";

/** A user's record, also of one who is being deleted or moved. */
export interface UserRecord {
  username: string;
  /** See `User.userId`. */
  userId: string;
  /** Absent while the user is being deleted or moved here: then nothing can be done in their name. */
  passwordHash?: string | undefined;
  /** See `User.hasPasskeys`. */
  hasPasskeys?: boolean | undefined;
  /** When the deletion of the user began. */
  deletingSince?: number | undefined;
  /** The move of the user to this database that is under way: a random id, and when it began. */
  moving?: { id: string; since: number } | undefined;
  /** State of the record at the end of a move. The list was not used since if it is the same. */
  moved?:
    | { revision: number; lastSince: number; lastNumber?: number | undefined; passwordDigest?: string | undefined }
    | undefined;
  userSince: number;
  countUnread: number;
  countRead: number;
  articles: number;
  articleBytes: number;
  /** See `User.highlights`. */
  highlights: number;
  lastSince: number;
  changedAt: number;
  /** See `UserClock.highlightsAt`. */
  highlightsAt: number;
  /** See `UserClock.keptAt`. */
  keptAt: number;
  /** See `User`. */
  isSuspended?: boolean | undefined;
  /** See `User.keepsPages`. */
  keepsPages?: boolean | undefined;
  /** See `UserClock.repaired`. */
  repaired?: { from: number; at: number } | undefined;
  /** See `UserClock.firstSyncUpTo`. */
  firstSyncUpTo?: number | undefined;
  /** 0 until an item is deleted. */
  deletedAt: number;
  revision: number;
  /** The greatest number of an item (`ItemStore.assignNumbers`); absent until one is given. */
  lastNumber?: number | undefined;
  windowStart: number;
  calls: number;
  publicCalls: number;
  walks: Walks;
  unfinished?: readonly BatchProgress[] | undefined;
}

/** The numbers of a user without a list. */
export const emptyRecord = {
  countUnread: 0,
  countRead: 0,
  articles: 0,
  articleBytes: 0,
  highlights: 0,
  lastSince: 0,
  changedAt: 0,
  highlightsAt: 0,
  keptAt: 0,
  deletedAt: 0,
  revision: 0,
  windowStart: 0,
  ...noCalls,
  walks: {},
};

/** Whether two readings of a user's record have the same state, for optimistic locking. */
export const isSameState = (one: UserRecord | undefined, other: UserRecord | undefined): boolean =>
  fingerprint(one) === fingerprint(other);

const fingerprint = (user: UserRecord | undefined) =>
  user &&
  JSON.stringify([
    user.userId,
    user.passwordHash,
    user.revision,
    user.lastSince,
    user.calls,
    user.deletingSince,
    user.moving?.id,
    user.moved?.revision,
    user.moved?.passwordDigest,
  ]);

/** The record of an API key; an absent limit is the default. */
export interface ApiKeyRecord {
  applicationId: string;
  name: string;
  status: Application["status"];
  userLimit?: number | undefined;
  keyLimit?: number | undefined;
  /** See `Application.isPublic`. */
  isPublic?: boolean | undefined;
  created: number;
  /** When another key of the application took its place. */
  replaced?: number | undefined;
}

/** An API key as the command line shows it: its record and its hash. */
export interface ListedApiKey extends ApiKeyRecord {
  keyHash: string;
}

/** A change to a key's record: attributes to set, `undefined` to remove one. */
export type ApiKeyChange = Partial<Pick<ApiKeyRecord, "userLimit" | "keyLimit" | "isPublic" | "replaced" | "status">>;

/** Maintenance: every call is answered with 503 and this text. */
export interface Maintenance {
  text: string;
  /** Absent if the record was not written by the command line. */
  since?: number | undefined;
}

/** A user's record, and the counts of the stored items, articles and highlights. */
export interface ExaminedList {
  record: UserRecord;
  counts: ListTotals;
  /** The record has other counts than there are, as after a restore that lost some items. */
  isDrifted: boolean;
}

/** The result of a check; a fault says what to do. */
export type Finding = { found: string } | { fault: string };

export interface OperatorStore extends DeletionStore {
  /** Undefined if the database is not on this machine. */
  administration?: AdministrationStore;
  users: Pick<UserStore, "create" | "find">;
  items: ItemStore;
  trash: TrashStore;
  highlights: HighlightStore;
  signIns: SignInStore;
  shares: ShareStore;
  identities: IdentityStore;
  articles: ArticleStore;
  keptPages: KeptPageStore;
  pictureStore: PictureStore;
  /** The records of all users, in no order. */
  walkUsers(): AsyncIterable<UserRecord[]>;
  findUser(username: string): Promise<UserRecord | undefined>;
  /** Sets a user's password, and ends passkeys and fresh tokens; false if there is no such user. */
  setPasswordHash(username: string, passwordHash: string): Promise<boolean>;

  /**
   * Corrects the counts of a user's record. Returns the list as it was; undefined if there is no complete list, or it
   * never stops changing.
   */
  recountList(username: string): Promise<ExaminedList | undefined>;
  /** The lists of users whose records have other counts than there are. */
  findDriftedLists(): AsyncIterable<ExaminedList>;
  /** All items of a user, oldest change first, some at a time. */
  walkItems(username: string): AsyncIterable<Item[]>;

  /** All API keys, oldest first. Of one application's keys the current one is last. */
  listApiKeys(): Promise<ListedApiKey[]>;
  /** Writes a new API key and changes others, all or nothing; false, without any change, if the key exists. */
  createApiKey(
    apiKey: string,
    record: ApiKeyRecord,
    changes?: readonly [keyHash: string, ApiKeyChange][],
  ): Promise<boolean>;
  /** Changes the records of API keys, all or nothing. */
  changeApiKeys(changes: readonly [keyHash: string, ApiKeyChange][]): Promise<void>;
  /** The newest windows in which an application made calls, newest first. */
  listKeyWindows(applicationId: string, count: number): Promise<{ start: number; calls: number }[]>;

  /** The current maintenance; undefined if the service is up. */
  findMaintenance(): Promise<Maintenance | undefined>;
  beginMaintenance(maintenance: Maintenance): Promise<void>;
  endMaintenance(): Promise<void>;

  /** The checks of `readinglist doctor` on this database, by name. */
  checks(): Record<string, () => Promise<Finding>>;

  clock: ClockStore;

  /** Forgets times that were reserved for the answers of a process whose clock was ahead. */
  forgetReservedTimes(): Promise<void>;

  /** All items and tombstones of a user in no order, some at a time. */
  walkRecords(username: string): AsyncIterable<Item[]>;
  /**
   * Replaces a user's record, if it is still the one read as `before` (optimistic locking); false if it is another
   * one now. The sign-ins of apps stay.
   */
  replaceUser(before: UserRecord | undefined, after: UserRecord): Promise<boolean>;
  /** All highlights and tombstones of a user in no order, some at a time. */
  walkHighlights(user: ClosedUser): AsyncIterable<Highlight[]>;
  /** Writes items as they are, over those in their places; false if the move `moveId` is not the one under way. */
  writeRecords(username: string, moveId: string, items: readonly Item[]): Promise<boolean>;
  /** The same for highlights. */
  writeHighlights(user: ClosedUser, moveId: string, highlights: readonly Highlight[]): Promise<boolean>;
}

/** A user as an operator sees it. */
export interface ListedUser extends UserRecord {
  isOperator: boolean;
}

/** Operators, and the links that they give: only of a database on one machine. */
export interface AdministrationStore {
  hasUsers(): Promise<boolean>;
  hasOperator(): Promise<boolean>;
  isOperator(user: ClosedUser): Promise<boolean>;
  /** False if there is no such user. */
  setOperator(username: string, isOperator: boolean): Promise<boolean>;
  /** By name; only those whose names contain `search`. */
  listUsers(range: { skip: number; count: number; search: string }): Promise<{ total: number; users: ListedUser[] }>;
  /** The newest shares of all users. */
  listShares(count: number): Promise<{ username: string; share: Share }[]>;
  /** False if the link is for a user who does not exist. */
  addLink(link: OperatorLink): Promise<boolean>;
  /** The links that have not expired, oldest first. */
  listLinks(now: number): Promise<OperatorLink[]>;
  removeLink(id: string): Promise<boolean>;
  findLink(secretHash: string, now: number): Promise<OperatorLink | undefined>;
  /**
   * Registers a user, or replaces the password of the link's user and ends its lockouts; the link works once. `taken`:
   * a user with this name exists; `gone`: this user has no such link.
   */
  useLink(use: { secretHash: string; username: string; passwordHash: string; now: number }): Promise<LinkUse>;
  /** Registers an operator; `gone` if there is one already. */
  createFirstOperator(username: string, passwordHash: string, now: number): Promise<LinkUse>;
}

type LinkUse = "done" | "taken" | "gone";

/** An encrypted backup at `BACKUP_TO`. */
export interface ListedBackup {
  /** As `readinglist restore` takes it. */
  address: string;
  /** Unix seconds. */
  time: number;
  /** The size of the encrypted database. */
  bytes: number;
}

/** An encrypted backup as a file. */
export interface BackupContent {
  name: string;
  bytes: number;
  stream: () => Readable;
}

/** The backups of this machine at `BACKUP_TO`. */
export interface Backups {
  list(): Promise<ListedBackup[]>;
  /** The encrypted database of a listed backup, by its address; undefined for an unknown address. */
  open(address: string): Promise<BackupContent | undefined>;
  /** Begins to write one, unless one is being written. */
  begin(): void;
  readonly isRunning: boolean;
  /** Why the last one failed. */
  readonly failure: string | undefined;
}

/** The findings of the checks of `readinglist doctor`. */
export interface CheckedData {
  /** Unix seconds at which they ended. */
  time: number;
  findings: readonly { check: string; ok: boolean; finding: string }[];
}

/** The checks of the data of this machine. */
export interface Checks {
  /** Begins, unless they are under way. */
  begin(): void;
  readonly isRunning: boolean;
  readonly last: CheckedData | undefined;
  /** Why the last ones failed. */
  readonly failure: string | undefined;
}

/** The sizes of what a service stores; bytes of files are 0 for a database in memory. */
export interface Storage {
  users: number;
  /** In lists, without deleted ones. */
  items: number;
  articles: number;
  articleBytes: number;
  databaseBytes: number;
  logBytes: number;
  /** Bytes that are free on the disk. */
  diskFreeBytes: number;
  /** Whether that is less than the reserve: then calls that add data are refused. */
  isDiskFull: boolean;
}
