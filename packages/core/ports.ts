import type { Item, ItemState, ItemWrite } from "./domain/item.ts";
import type { Limits } from "./domain/limits.ts";
import type { ListRange, PageMark } from "./domain/page-mark.ts";
import type { PageWalks } from "./domain/page-walk.ts";
import type { UserClock } from "./domain/user-clock.ts";

/** What use-cases need of the world. Times are unix seconds unless a name says otherwise. */

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
}

/** The present in unix seconds. */
export const secondsOf = (clock: Clock) => Math.floor(clock.now() / 1000);

/** The application behind an API key (spec section 2.2). */
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
  passwordHash: string;
  since: number;
  countUnread: number;
  countRead: number;
  clock: UserClock;
  /** How many items of each state have the newest `time_updated`. */
  newest: Readonly<Record<ItemState, number>>;
  /** Raised with each write of the list. */
  revision: number;
  marks: readonly PageMark[];
  /** Calls in the window that `windowStart` begins. */
  calls: number;
  windowStart: number;
  /** By application id. */
  walks: Readonly<Record<string, PageWalks>>;
}

/** A call that counts against a user. */
export interface UserCall {
  username: string;
  /** The hash that the caller's password was verified against. */
  passwordHash: string;
  windowStart: number;
  limit: number;
  /** The user as just read, where that was needed. */
  seen?: User;
  /**
   * For a call that will answer with a `since`: the present time, to which the user's clock is raised, and the
   * application where its answer may begin a walk over pages.
   */
  sync?: { now: number; walkOf: string | undefined };
}

export type UserCallOutcome =
  | { kind: "counted"; user: User }
  | { kind: "limited"; user: User }
  /** The password was changed, or the user deleted, since it was verified. */
  | { kind: "stale" };

export interface UserStore {
  /** Creates a user; false where the username is taken. */
  create(username: string, passwordHash: string, now: number): Promise<boolean>;
  find(username: string): Promise<User | undefined>;
  /** Counts a call and raises the clock in one step, which is also the read of the user's record. */
  countCall(call: UserCall): Promise<UserCallOutcome>;
  /** Takes back one counted call of a window. */
  uncountCall(username: string, windowStart: number): Promise<void>;
  /** Raises the clock so that a response may carry `since`; returns the user as it stands afterwards. */
  raiseSince(username: string, since: number): Promise<User>;
  /** Keeps marks of the list; false where it has changed since `user` was read, and nothing is kept. */
  keepMarks(user: User, marks: readonly PageMark[]): Promise<boolean>;
}

/** The items of a range, newest first. */
export interface Listing {
  items: Item[];
  /** False where an item is missing that the user's record knows of: it is moving, or an index is late. */
  isComplete: boolean;
}

/** What a write must know of the list that it changes. */
export type WritableList = Pick<User, "username" | "clock" | "marks">;

export interface ItemStore {
  /** The items of these ids that are in the list, as they stand now. */
  find(username: string, itemIds: readonly string[]): Promise<Map<string, Item>>;
  /** Reads a range of the list as it stands now; `user` tells what it holds at least. */
  list(user: User, range: ListRange): Promise<Listing>;
  /**
   * Writes up to `writesAtOnce` items, the counts and the user's clock, all or nothing; returns the list for a further
   * write. `stale` where an item is no longer as it was read; nothing is written then.
   */
  write(list: WritableList, writes: readonly ItemWrite[], now: number): Promise<WritableList | "stale">;
}

/** Items that one transaction can write, beside the user's record. */
export const writesAtOnce = 99;

/** The calls of an application in a window, of which each process may hold some that it has not made yet. */
export interface KeyWindowStore {
  /** Counts a call unless all that `limit` allows are made or held; says how many are, but for those held here. */
  countCall(applicationId: string, windowStart: number, limit: number): Promise<{ counted: boolean; calls: number }>;
  /** Takes back a call that this process counted. */
  uncountCall(applicationId: string, windowStart: number): Promise<void>;
  /** Says the same without counting a call. */
  read(applicationId: string, windowStart: number): Promise<number>;
}

/** Wrong passwords for a username from one address. */
export interface GuessStore {
  find(username: string, source: string): Promise<{ failures: number; until: number } | undefined>;
  record(username: string, source: string, now: number): Promise<void>;
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

/** Remembers which password was right a moment ago, without keeping it. */
export interface VerifiedPasswords {
  /** The hash that this password was verified against for this user from this address. */
  recall(username: string, source: string, password: string): string | undefined;
  remember(username: string, source: string, password: string, hash: string): void;
  forget(username: string, source: string): void;
}

export interface TextRequest {
  url: string;
  mode: "less" | "more";
  images: boolean;
}

/** A page as the text view shows it (spec section 4.7). URLs are absolute http(s) URLs. */
export interface TextView {
  /** A clean HTML fragment; empty where no article was found. */
  html: string;
  title: string;
  resolvedUrl: string;
  nextUrl: string | undefined;
  loginFound: boolean;
}

/** A text view that is kept for a while, and what is known of how long it holds. */
export interface CachedText {
  view: TextView;
  /** Seconds for which it may be served without asking the page's origin again. */
  freshSeconds: number;
  /** Unix seconds at which they end. */
  freshUntil: number;
  /** Unix seconds at which it was made from its page. */
  madeAt: number;
  /** The page's ETag, with which the origin can be asked whether it has changed. */
  etag: string | undefined;
}

/** Texts kept by an opaque key. A cache may lose what it keeps, and fail: the page is then read again. */
export interface TextCache {
  find(key: string): Promise<CachedText | undefined>;
  keep(key: string, text: CachedText): Promise<void>;
}

/** A text view, and whether it was kept from before. */
export interface TextAnswer extends TextView {
  isKept: boolean;
}

export interface PageReader {
  /** Throws a ServiceError of kind `invalid` where the page cannot be fetched. */
  read(request: TextRequest): Promise<TextAnswer>;
}

export interface Dependencies {
  clock: Clock;
  defaultLimits: Limits;
  windowSeconds: number;
  apiKeys: ApiKeyStore;
  users: UserStore;
  items: ItemStore;
  keyWindows: KeyWindowStore;
  guesses: GuessStore;
  settings: SettingStore;
  passwords: PasswordHasher;
  verifiedPasswords: VerifiedPasswords;
  reader: PageReader;
}
