import type { Item, ItemWrite } from "./domain/item.ts";
import type { Limits, LimitWindow } from "./domain/limits.ts";
import type { ListRange, PageCursor } from "./domain/page-cursor.ts";
import type { PageWalks } from "./domain/page-walk.ts";
import type { UserClock } from "./domain/user-clock.ts";

/** The dependencies of use cases. Times are unix seconds unless a name says otherwise. */

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
}

/** For the ages of cached values, as a clock may be set back. */
export interface Stopwatch {
  /** Milliseconds since some start; never goes back. */
  elapsed(): number;
}

/** The present in unix seconds. */
export const secondsOf = (clock: Clock) => Math.floor(clock.now() / 1000);

/** The application behind an API key (docs/api.md 2.2). */
export interface Application {
  id: string;
  name: string;
  status: "enabled" | "disabled";
  limits: Limits;
}

export interface ApiKeyStore {
  /** The application of a key; undefined for an unknown key. May be some seconds old. */
  find(apiKey: string): Promise<Application | undefined>;
}

export interface User {
  username: string;
  /**
   * Random, created at signup, unchanged by a new password: distinguishes a user from a later one who registers the
   * name after a deletion.
   */
  userId: string;
  passwordHash: string;
  since: number;
  countUnread: number;
  countRead: number;
  clock: UserClock;
  /** The number of items, by kind, whose `time_updated` is `clock.changedAt`. */
  newest: Readonly<Record<"unread" | "read" | "deleted", number>>;
  /** The time of the newest deletion; 0 if nothing was deleted. */
  deletedAt: number;
  /** When items were last written with times before it, by an import; 0 if never. */
  importedAt: number;
  /** Incremented by each write of the list; for optimistic locking. */
  revision: number;
  /** Cursors of the list at this revision. */
  cursors: readonly PageCursor[];
  /** The `send` that was cut short, if the last write of the list was part of one. */
  unfinished?: BatchProgress | undefined;
  /** Calls in the window that `windowStart` begins. */
  calls: number;
  windowStart: number;
  walks: PageWalks | undefined;
}

/** How far a `send` of more than one transaction has come, so that its retry continues there. */
export interface BatchProgress {
  /** Hash of its changes. */
  digest: string;
  /** The number of its items, in order, that need no more writing. */
  done: number;
}

/** A call that counts against a user. */
export interface UserCall {
  username: string;
  /** The hash that the caller's password was verified against. */
  passwordHash: string;
  window: LimitWindow;
  limit: number;
  /** The user as just read, if it was read. */
  seen?: User;
  /**
   * For a call that will answer with a `since`: the present time, to which the user's clock is raised, and whether the
   * answer is the first page of a possible walk over pages.
   */
  sync?: { now: number; beginsWalk: boolean };
}

export type UserCallOutcome =
  | { kind: "counted"; user: User }
  | { kind: "limited"; user: User }
  /** The password was changed, or the user deleted, since it was verified. */
  | { kind: "stale" };

export interface UserStore {
  /** Creates a user; false if the username is taken. */
  create(username: string, passwordHash: string, now: number): Promise<boolean>;
  find(username: string): Promise<User | undefined>;
  /** Counts a call and raises the clock in one step, which is also the read of the user's record. */
  countCall(call: UserCall): Promise<UserCallOutcome>;
  /** Undoes one counted call of a window. */
  uncountCall(username: string, windowStart: number): Promise<void>;
  /**
   * Raises the clock so that a response may carry `since`; returns the user as it stands afterwards. Throws
   * `unauthorized` if the user was deleted.
   */
  raiseSince(user: Pick<User, "username" | "userId">, since: number): Promise<User>;
  /** Saves cursors of the list; false if it has changed since `user` was read. */
  saveCursors(user: User, cursors: readonly PageCursor[]): Promise<boolean>;
}

/** The items of a range, newest first. */
export interface Listing {
  items: Item[];
  /** False if an item is missing that the user's record counts: a transaction becomes visible item by item. */
  isSettled: boolean;
}

/** What a write needs to know of the list that it changes. */
export type WritableList = Pick<User, "username" | "userId" | "clock" | "revision">;

/** `stale`: an item has changed since it was read, and nothing was written. `list`: state for the next write. */
export interface WriteOutcome {
  kind: "written" | "stale";
  list: WritableList;
}

export interface ItemStore {
  /** The stored items of these ids, tombstones included. */
  find(username: string, itemIds: readonly string[]): Promise<Map<string, Item>>;
  /** Reads a range of the list; `user` has the expected number of items. */
  list(user: User, range: ListRange): Promise<Listing>;
  /** The tombstones of items deleted after `after` and up to `upTo`. */
  listDeleted(user: User, after: number, upTo: number | undefined): Promise<Listing>;
  /**
   * Writes up to `writesAtOnce` items, the counts and the user's clock, all or nothing. `progress` is recorded with
   * them, for a retry of the request; without it the record of an earlier request is removed. Imported items have
   * their original times in a list that was never synced (docs/data.md 4.1). Throws `unavailable` if the call's
   * deadline passes, `unauthorized` if the user was deleted.
   */
  write(list: WritableList, writes: readonly ItemWrite[], now: number, progress?: BatchProgress): Promise<WriteOutcome>;
}

/** Tombstones are kept for 90 days. A client that syncs less often gets the whole list. */
export const deletionsKeptSeconds = 90 * 86_400;

/** Items that one transaction can write in addition to the user's record. */
export const writesAtOnce = 99;

/** Counts the calls of an application in a window. Each process may lease some in advance. */
export interface KeyWindowStore {
  /** Counts one call unless `limit` is reached. `calls`: made by anyone, or leased by other processes. */
  countCall(applicationId: string, windowStart: number, limit: number): Promise<{ counted: boolean; calls: number }>;
  /** Undoes a call that this process counted. */
  uncountCall(applicationId: string, windowStart: number): Promise<void>;
  /** Returns the number of calls, without counting one. */
  read(applicationId: string, windowStart: number): Promise<number>;
}

/** A login that counts as failed until it is undone. Neither call throws: if it fails the attempt stays counted. */
export interface LoginUnderWay {
  kind: "begun";
  /** The password was wrong. */
  fail(): Promise<void>;
  /** The password was right, or could not be verified. */
  undo(): Promise<void>;
}

/** A login that may verify its password, or why not. */
export type LoginAttempt =
  | LoginUnderWay
  /** Too many failed logins, up to `until` (unix seconds). */
  | { kind: "lockedOut"; until: number }
  /** As many attempts as are allowed have failed or are being verified at this moment; some may still succeed. */
  | { kind: "busy"; until: number };

/** Failed logins for a username from one address: protection from brute force. */
export interface LoginAttemptStore {
  begin(username: string, source: string, now: number): Promise<LoginAttempt>;
}

export interface SettingStore {
  /** The text to show while the service is down for maintenance; undefined while it is up. May be seconds old. */
  maintenance(): Promise<string | undefined>;
}

export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /** Takes the same time for a missing hash as for a wrong password. */
  verify(hash: string | undefined, password: string): Promise<boolean>;
}

/** Caches which passwords were verified, without storing them. */
export interface VerifiedPasswords {
  /** The hash that this password was verified against for this user from this address. */
  get(username: string, source: string, password: string): string | undefined;
  set(username: string, source: string, password: string, hash: string): void;
  delete(username: string, source: string): void;
}

export interface TextRequest {
  url: string;
  mode: "less" | "more";
  images: boolean;
}

/** A page as the text view shows it (docs/api.md 9). URLs are absolute http(s) URLs. */
export interface TextView {
  /** A clean HTML fragment; empty if no article was found. */
  html: string;
  title: string;
  resolvedUrl: string;
  nextUrl: string | undefined;
  loginFound: boolean;
}

/** A cached text view with its freshness. */
export interface CachedText {
  view: TextView;
  /** Seconds for which it may be served without a request to the page's origin. */
  freshSeconds: number;
  /** Unix seconds at which its freshness ends. */
  freshUntil: number;
  /** Unix seconds at which it was extracted from its page. */
  madeAt: number;
  /** The page's ETag, for revalidation (`If-None-Match`). */
  etag: string | undefined;
}

/** Texts by an opaque key. If the cache fails or has lost an entry, the page is read again. */
export interface TextCache {
  find(key: string): Promise<CachedText | undefined>;
  keep(key: string, text: CachedText): Promise<void>;
}

/** A text view, and whether it came from the cache. */
export interface TextAnswer extends TextView {
  isCached: boolean;
}

export interface PageReader {
  /** Throws a ServiceError of kind `invalid` if the page cannot be fetched. */
  read(request: TextRequest): Promise<TextAnswer>;
}

export interface Dependencies {
  clock: Clock;
  defaultLimits: Limits;
  windowSeconds: number;
  /** Whether `signup` creates users; if not, only an operator does. */
  isSignupOpen: boolean;
  apiKeys: ApiKeyStore;
  users: UserStore;
  items: ItemStore;
  keyWindows: KeyWindowStore;
  loginAttempts: LoginAttemptStore;
  settings: SettingStore;
  passwords: PasswordHasher;
  verifiedPasswords: VerifiedPasswords;
  reader: PageReader;
}
