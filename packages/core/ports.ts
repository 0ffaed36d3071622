// SPDX-License-Identifier: MIT

import type { KeyObject } from "node:crypto";
import type { Readable } from "node:stream";
import type { LRUCache } from "lru-cache";
import type { CountedCall, RefusedSecret } from "./domain/admission.ts";
import type { ArticlePicture } from "./domain/article-pictures.ts";
import type { Authorization } from "./domain/authorization.ts";
import type { BatchProgress, BatchStep } from "./domain/batch-progress.ts";
import type { ClockRecord, ErasePermit } from "./domain/clock-check.ts";
import type { Highlight, HighlightWrite } from "./domain/highlights.ts";
import type { Identity } from "./domain/identity.ts";
import type { Item, ItemParts, ItemWrite } from "./domain/item.ts";
import type { ByteBudget, KeptArticle } from "./domain/kept-article.ts";
import type { KeepingOfDay, KeptPage, KeptPageChange, KeptState } from "./domain/kept-page.ts";
import type { Limits } from "./domain/limits.ts";
import type { PageEnd } from "./domain/list-pages.ts";
import type { ListRange } from "./domain/list-range.ts";
import type { ListWalk } from "./domain/list-walk.ts";
import type { ListState } from "./domain/list-write.ts";
import type { BegunLogin } from "./domain/lockout.ts";
import type { PageWalks } from "./domain/page-walk.ts";
import type { Passkey } from "./domain/passkey.ts";
import type { SearchQuery } from "./domain/search-query.ts";
import type { Share } from "./domain/share.ts";
import type { Scope, Secrets, SignIn } from "./domain/sign-in.ts";
import type { TextRequest, TextView } from "./domain/text-view.ts";
import type { UserClock } from "./domain/user-clock.ts";
import type { AdministrationStore } from "./operator-ports.ts";

/** The dependencies of use cases. Times are unix seconds unless a name says otherwise. */

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
}

/** The present in unix seconds. */
export const secondsOf = (clock: Clock) => Math.floor(clock.now() / 1000);

/** The application behind an API key (docs/api.md 2.2). */
export interface Application {
  id: string;
  name: string;
  status: "enabled" | "disabled";
  limits: Limits;
  /** Anybody can read its key, as that of the web reader: each address has a share of its calls. */
  isPublic: boolean;
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
  createdAt: number;
  countUnread: number;
  countRead: number;
  /** Kept articles, and their bytes as stored. */
  articles: number;
  articleBytes: number;
  /** Highlights, also of items in the trash. */
  highlights: number;
  /** Whether pages are kept in the background; the service's default if undefined. */
  keepsPages?: boolean | undefined;
  /** Pages that were read in the background. */
  keeping?: KeepingOfDay | undefined;
  clock: UserClock;
  /** The time of the newest deletion; 0 if nothing was deleted. */
  deletedAt: number;
  /** Incremented by each write of the list; for optimistic locking. */
  revision: number;
  /** Batches that were written in part. */
  unfinished: readonly BatchProgress[];
  /** Calls in the window that `windowStart` begins. */
  calls: number;
  windowStart: number;
  walks: PageWalks | undefined;
  /** The ends of the far pages that were answered last, newest last. */
  pageEnds: readonly PageEnd[];
  /** Proofs of the password, if the store keeps them in the user's record. */
  proofs?: readonly string[];
  /** Signing in needs a passkey beside the password; only on one machine. */
  hasPasskeys?: boolean;
}

/** A call that counts against a user. */
export interface UserCall extends CountedCall {
  username: string;
  /** The hash of the password if it has the form of an app password; see `SignIn.secretHash`. */
  secretHash: string | undefined;
  verified?: User;
}

export type UserCallOutcome =
  /** `signInId`, `scope`: see `Caller`. */
  | { kind: "counted"; user: User; signInId: string | undefined; scope: Scope }
  | { kind: "limited"; user: User }
  /** The password is the secret of a sign-in that does not open the call. */
  | { kind: "refused"; reason: RefusedSecret }
  /**
   * The store does not know the proof: the password must be verified against `user`, which is undefined for an unknown user. With
   * `verified`: the password was changed, or the user deleted, meanwhile.
   */
  | { kind: "unproven"; user: User | undefined };

/** A user whose password was verified in this call. */
export type VerifiedUser = Pick<User, "username" | "userId" | "passwordHash">;

export interface UserStore {
  /** Creates a user; false if the username is taken. */
  create(username: string, passwordHash: string, now: number): Promise<boolean>;
  /** Undefined if there is no such user, or the user is being deleted or moved here. */
  find(username: string): Promise<User | undefined>;
  /**
   * Checks the password, counts a call and raises the clock in one step, which is also the read of the user's record.
   * A sign-in remembers the day. A shared store may count a poll with nothing new in the memory of its process, and adds
   * it to the record with its next write.
   * Remembers the proof of a verified password, for as long as the user's hash is the same. A store of one process
   * remembers it in memory; a shared one in the record, for all processes. A forgotten proof costs a verification.
   */
  countCall(call: UserCall): Promise<UserCallOutcome>;
  /**
   * Replaces the account's password; with `revokesSignIns` all app passwords end in the same write. False if the
   * password is another one than that of `user` meanwhile.
   */
  changePassword(user: VerifiedUser, passwordHash: string, revokesSignIns: boolean): Promise<boolean>;
  /**
   * Adds to the counted calls of a window, whatever its limit; a negative number undoes calls. Returns the calls of the
   * window; undefined if it is not the present one.
   */
  addCalls(username: string, windowStart: number, calls: number): Promise<number | undefined>;
  /** Forgets all proofs of a user's password. */
  forgetProofs(username: string): Promise<void>;
}

/** The app passwords and OAuth sign-ins of users. */
export interface SignInStore {
  /**
   * Adds a sign-in; false if the user has `maxSignIns`, and `more`. Throws `unauthorized` if the password was changed, or
   * the user deleted, meanwhile.
   */
  add(user: VerifiedUser, signIn: SignIn, more?: number): Promise<boolean>;
  /** Oldest first. */
  list(username: string): Promise<SignIn[]>;
  /** Replaces the secrets of a sign-in as `exchange` says, or revokes it; false if they are not replaced. */
  renew(username: string, id: string, refreshHash: string, secrets: Secrets, now: number): Promise<boolean>;
  /** Revokes a sign-in; false if it does not exist. */
  remove(username: string, id: string): Promise<boolean>;
}

/** The codes of apps that sign in by OAuth, until some minutes after their end (docs/data.md 1.11). */
export interface AuthorizationStore {
  /** False if the id is taken. */
  add(authorization: Authorization): Promise<boolean>;
  find(id: string): Promise<Authorization | undefined>;
  /** Replaces the authorization with the same id and revision; false if it has changed in the meantime. */
  replace(authorization: Authorization): Promise<boolean>;
}

/** The users of identities at a provider of single sign-on. */
export interface IdentityStore {
  /** The user of an identity; undefined if it has none, or the user is being deleted. */
  find(identity: Identity): Promise<User | undefined>;
  /** The identities of a user, one of an issuer. */
  list(user: ClosedUser): Promise<Identity[]>;
  /**
   * Creates the user of an identity; with the secret hash of an invitation, which works once, in the same step. `taken`: there
   * is a user of the name; `linked`: the identity has a user by now; `gone`: there is no such invitation.
   */
  create(
    identity: Identity,
    user: { username: string; passwordHash: string; now: number },
    invitation?: string,
  ): Promise<"done" | "taken" | "linked" | "gone">;
  /**
   * False if the identity is that of another user. In place of the user's former one of the issuer. A user who is being
   * moved here has no password. Throws `unauthorized` if it is another one now.
   */
  link(identity: Identity, user: ClosedUser & { passwordHash?: string | undefined }): Promise<boolean>;
  /** Removes the identities of a user. */
  unlink(user: ClosedUser): Promise<void>;
}

/** The shares of users (docs/api.md 4.17). */
export interface ShareStore {
  /** Adds a share; false if the user has `maxShares`. Throws `unauthorized` if the user was deleted. */
  add(user: ClosedUser, share: Share): Promise<boolean>;
  /** Oldest first. */
  list(user: ClosedUser): Promise<Share[]>;
  /** The share of a token, and the name of its user, who may be gone. */
  find(token: string): Promise<{ username: string; share: Share } | undefined>;
  /** Stores another state of a share; false if it is gone. */
  replace(user: ClosedUser, share: Share): Promise<boolean>;
  /** Ends a share; false if the id is unknown. */
  remove(user: ClosedUser, id: string): Promise<boolean>;
}

/** The passkeys of users. */
export interface PasskeyStore {
  /** The oldest first. */
  list(user: Pick<User, "userId">): Promise<Passkey[]>;
  /** False if the user has it already, or as many as a user may have. Throws `unauthorized` if the password was changed. */
  add(user: VerifiedUser, passkey: Passkey): Promise<boolean>;
  /** Stores that it was used; false if it was removed, or used with that counter. */
  use(user: Pick<User, "userId">, id: string, counter: number, day: number): Promise<boolean>;
  /** False if the user has no such passkey. */
  remove(user: Pick<User, "userId">, id: string): Promise<boolean>;
}

/** Checks the second factor of a sign-in. */
export interface SecondFactor {
  /** Whether an authenticator that has a passkey of the user gave the answer, for the first time. */
  verify(user: Pick<User, "userId">, answer: string): Promise<boolean>;
}

/** A user whose deletion was begun. */
export type ClosedUser = Pick<User, "username" | "userId">;

/** A user to delete; `passwordHash` if the password was verified in this call. */
export type DeletedUser = ClosedUser & Partial<Pick<User, "passwordHash">>;

/** The deletion of a user, step by step: see `deleteUser`, the one place that has all steps. */
export interface DeletionStore {
  /**
   * Begins the deletion of a user, or continues an interrupted one: from then on nobody can log in with that name or
   * register it, and the writes of calls under way fail. False if there is no such user, or the password is another one
   * meanwhile, if one was verified.
   */
  beginDeletion(user: DeletedUser, now: number): Promise<boolean>;
  /** The users whose deletion was begun and not ended. */
  unfinishedDeletions(now: number): AsyncIterable<ClosedUser>;
  /** Deletes all items of a user whose deletion was begun and not ended; returns the number in each batch. */
  deleteItems(user: ClosedUser): AsyncIterable<number>;
  /** The same for app passwords and OAuth sign-ins. */
  deleteSignIns(user: ClosedUser): AsyncIterable<number>;
  /** Deletes the login attempts for a user, which ends lockouts; returns the number in each batch. */
  deleteLoginAttempts(username: string): AsyncIterable<number>;
  /**
   * Ends a deletion that was begun, when nothing else of the user is left: the name is free then, and the `userId` listed
   * as deleted, so that no restore brings the user back.
   */
  endDeletion(user: ClosedUser, now: number): Promise<void>;
}

/** A part of a list as of one second. A store leaves out changes that are not wholly visible yet, and never waits. */
export interface Listing {
  /** Newest change first; some may have been changed after `asOf` (see `shownAsOf`). Can be read once. */
  items: ItemParts;
  /** The number of items; of a long listing the expected one. */
  size: number;
  /** The newest `time_updated`; 0 if there is no item, or if it is unknown. */
  newest: number;
  /** Tombstones of items deleted after `range.after`; none of them is in `items`. Can be read once. */
  deleted: ItemParts;
  /** Items that the database has looked at until now. */
  read: number;
  /**
   * The `since` to continue from: every change up to this second is in the listing, or has been followed by a change of
   * the same item after it; every later change has a greater time.
   */
  asOf: number;
  /** The user's record: of the call, or of a later page, read after the items. */
  user: User;
}

/** A part of a user's trash, by the times of deletion. */
export interface TrashSpan {
  order: "newestFirst" | "oldestFirst";
  /** Only items that were deleted after it. */
  after?: number;
  /** Only items that were deleted up to it. */
  upTo?: number;
}

/** A user whose trash may have items to erase. */
export interface DueTrash {
  user: ClosedUser;
  /** None of them is left. */
  settle: () => Promise<void>;
}

/** The trash: deleted items that have their content yet (docs/api.md 4.13). */
export interface TrashStore {
  /** Items of a user's trash, some at a time. */
  walk(user: ClosedUser, span: TrashSpan): AsyncIterable<Item[]>;
  /**
   * Erases the content of items for good; those that are not in the trash as they were read stay as they are. Throws
   * `unauthorized` if the user was deleted, or is being deleted or moved here.
   */
  erase(user: ClosedUser, items: readonly Item[]): Promise<void>;
  /** The users of whose trash something that was deleted up to a time may be left. */
  due(upTo: number): AsyncIterable<DueTrash>;
}

/** The state of a list that a write depends on. */
export type WritableList = Pick<User, "username" | "userId"> & ListState;

/** `stale`: an item has changed since it was read, and nothing was written. `list`: state for the next write. */
export interface WriteOutcome {
  kind: "written" | "stale";
  list: WritableList;
}

export interface ItemStore {
  /** The stored items of these ids, tombstones included. */
  find(username: string, itemIds: readonly string[]): Promise<Map<string, Item>>;
  /**
   * Reads a part of a list whose `clock.lastSince` was raised by `countCall`. A list without `limit` and `after`
   * contains every item that was in it before, also while others write. Throws `unauthorized` if the user was deleted.
   */
  list(user: User, range: ListRange): Promise<Listing>;
  /**
   * Gives a number to each of these items that has none, for clients that need small ids (docs/data.md 1.5), and returns
   * the numbers of all that there are, by item id. A number is an integer from 1, below 2^31, unique in the list, never
   * changed and never given again. Throws `unauthorized` if the user was deleted.
   */
  assignNumbers(user: Pick<User, "username" | "userId">, itemIds: readonly string[]): Promise<Map<string, number>>;
  /** The item that has a number, which may be a tombstone. */
  findByNumber(username: string, number: number): Promise<Item | undefined>;
  /**
   * Writes up to `writesAtOnce` items, the counts, the user's clock and the progress of a batch (`afterStep`), all or
   * nothing. Imported items have their original times in a list that was never synced (docs/data.md 4.1). Throws
   * `unavailable` if the call's deadline passes, `unauthorized` if the user was deleted.
   */
  write(list: WritableList, writes: readonly ItemWrite[], now: number, step?: BatchStep): Promise<WriteOutcome>;
}

/** Changes of highlights between two seconds: after `after`, up to `upTo`. */
export interface HighlightSpan {
  after?: number | undefined;
  upTo?: number | undefined;
  /** Highlights that are read at once, if the first ones are enough. */
  atOnce?: number | undefined;
  /** Highlights that there are, or tombstones. */
  kind: "live" | "deleted";
}

/** The highlights of users (docs/api.md 4.14). Highlights of items in the trash do not change. */
export interface HighlightStore {
  /** The stored highlights of these ids, tombstones included. */
  find(user: ClosedUser, ids: readonly string[]): Promise<Map<string, Highlight>>;
  /** The numbers of highlights of items. */
  count(user: ClosedUser, itemIds: readonly string[]): Promise<Map<string, number>>;
  /** Changes of a user's highlights, newest first, some at a time. */
  walk(user: ClosedUser, span: HighlightSpan): AsyncIterable<Highlight[]>;
  /** The highlights of one item in the order of their ids, some at a time. */
  walkItem(user: ClosedUser, itemId: string): AsyncIterable<Highlight[]>;
  /**
   * Items with highlights that came back to the list (`restored`), or were deleted, after a second and up to another one,
   * some at a time. A store may return others, too.
   */
  walkItems(user: User, kind: "restored" | "deleted", span: { after: number; upTo: number }): AsyncIterable<Item[]>;
  /**
   * The newest second up to which all changes of highlights and items are visible to later reads. `beginsWalk`: the answer
   * is the first of several pages, whose later ones continue from there.
   */
  visibleUpTo(user: User, beginsWalk: boolean): Promise<number>;
  /** The user's record as it is now. Throws `unauthorized` if the user was deleted, or is being deleted or moved here. */
  current(user: ClosedUser): Promise<User>;
  /**
   * Gives numbers to highlights, as `ItemStore.assignNumbers` to items; no highlight has that of an item. Returns those of
   * all that there are, by id.
   */
  assignNumbers(user: ClosedUser, ids: readonly string[]): Promise<Map<string, number>>;
  /** The highlight that has a number, which may be a tombstone. */
  findByNumber(user: ClosedUser, number: number): Promise<Highlight | undefined>;
  /**
   * Writes up to `writesAtOnce` highlights, the counts, the user's clock and the progress of a batch, all or nothing.
   * `stale`: something of the user has changed since `list` was read, and nothing was written. Throws `unavailable` if the
   * call's deadline passes, `unauthorized` if the user was deleted.
   */
  write(list: WritableList, writes: readonly HighlightWrite[], now: number, step?: BatchStep): Promise<WriteOutcome>;
}

/** The states of the texts of pages (docs/api.md 4.16). Records are derived from lists and articles. */
export interface KeptPageStore {
  find(owner: ArticleOwner, itemIds: readonly string[]): Promise<Map<string, KeptPage>>;
  /** Changes after a second and up to another one, newest first, some at a time. */
  walk(
    owner: ArticleOwner,
    span: { after?: number | undefined; upTo?: number | undefined; atOnce?: number | undefined },
  ): AsyncIterable<KeptPage[]>;
  counts(owner: ArticleOwner): Promise<Record<KeptState, number>>;
  /** See `HighlightStore.visibleUpTo` and `current`. */
  visibleUpTo(user: User, beginsWalk: boolean): Promise<number>;
  current(owner: ArticleOwner): Promise<User>;
  /** Writes records; one that is another than `before` meanwhile stays, and nothing is written for a user who is gone. */
  write(owner: ArticleOwner, changes: readonly KeptPageChange[], now: number): Promise<void>;
  /** Turns keeping in the background on or off. */
  setAuto(owner: ArticleOwner, auto: boolean): Promise<void>;
  /** The pages that have failed, some at a time. */
  walkFailed(owner: ArticleOwner): AsyncIterable<KeptPage[]>;
}

/** The database of the keeper in the background. The keeper is a client that syncs: no write of a list knows of it. */
export interface KeeperStore {
  /** The users whose lists may have changed since they were noted. */
  changedUsers(): AsyncIterable<User>;
  /** Items and tombstones that have changed since they were noted, some at a time; perhaps others, too. */
  changes(user: User): AsyncIterable<Item[]>;
  /** All changes of a list are noted that it had when its user was read. */
  setNoted(user: User): Promise<void>;
  /** Users who have pages with work at `now`, those who wait longest first. `hasMore`: others may have work, too. */
  usersWithWork(now: number): Promise<{ users: User[]; hasMore: boolean }>;
  /** Lets users who wait take the turn of this one, who is looked at again from a time on, if the user still has work. */
  postpone(user: User, until: number): Promise<void>;
  /**
   * The page of a user whose work is due first, of none of these sites. `reads`: the pages that are read, besides those
   * whose texts are kept.
   */
  nextWork(
    owner: ArticleOwner,
    now: number,
    options: { busySites: readonly string[]; reads: "none" | "asked" | "all" },
  ): Promise<KeptPage | undefined>;
  /** Counts a page that was read for a user. */
  countReading(owner: ArticleOwner, now: number): Promise<void>;
}

/** Articles that users keep, by the ids of user and item, so that a later user of the same name never reads them. */
export interface ArticleStore {
  /** Undefined, too, if the article has more decompressed bytes than it may have, or than the budget allows. */
  find(owner: ArticleOwner, itemId: string, budget?: ByteBudget): Promise<KeptArticle | undefined>;
  /**
   * Saves an article, replaces an earlier one, counts it, and writes its `KeptPage`. Returns the bytes that the user's articles would have
   * above `quota`: if they are not 0, nothing was changed. Throws `unauthorized` if the user was deleted.
   */
  keep(owner: ArticleOwner, itemId: string, article: KeptArticle, quota: number): Promise<number>;
  /** The bytes, as stored, of the articles that there are of items, in the order of the ids. */
  sizes(owner: ArticleOwner, itemIds: readonly string[]): Promise<Map<string, number>>;
  /** The bytes, as stored, of all articles of a user, also of those in the trash. */
  allSizes(owner: ArticleOwner): Promise<Map<string, number>>;
  /** Deletes the articles of items; idempotent. */
  delete(owner: ArticleOwner, itemIds: readonly string[]): Promise<void>;
  /** Deletes all articles of a user whose deletion was begun, and a stored search index; idempotent. */
  deleteAll(owner: ArticleOwner): Promise<void>;
  /** All articles of a user, in no order. */
  walk(owner: ArticleOwner): AsyncIterable<{ itemId: string; article: KeptArticle }>;
}

export type ArticleOwner = Pick<User, "username" | "userId">;

/** A picture as it is stored. */
export interface StoredPicture {
  bytes: number;
  open(): Readable;
}

/**
 * The pictures of kept articles. A picture is stored once for a user, under its hash, whichever articles have it, and
 * goes with the last of them. An article that is deleted loses its pictures with it (`ArticleStore.delete`).
 */
export interface PictureStore {
  /** The pictures of an article that were kept, or could not be, in no order. */
  list(owner: ArticleOwner, itemId: string): Promise<ArticlePicture[]>;
  /**
   * Keeps the content of the picture of an article. Returns the bytes that the user's pictures would have above `quota`:
   * if they are not 0, nothing was changed. Undefined, without a change, if the article is not kept. Throws
   * `unauthorized` if the user was deleted.
   */
  keep(
    owner: ArticleOwner,
    itemId: string,
    picture: { url: string; content: Uint8Array },
    quota: number,
  ): Promise<number | undefined>;
  /** Remembers that the picture of an article could not be kept; one that is kept stays. */
  note(owner: ArticleOwner, itemId: string, picture: ArticlePicture): Promise<void>;
  /** Forgets the pictures that an article has at some addresses. */
  forget(owner: ArticleOwner, itemId: string, urls: readonly string[]): Promise<void>;
  /** Forgets the pictures of items; idempotent. */
  delete(owner: ArticleOwner, itemIds: readonly string[]): Promise<void>;
  /** The bytes that would be free without the pictures of each of some items, at least. */
  sizes(owner: ArticleOwner, itemIds: readonly string[]): Promise<Map<string, number>>;
  /** The bytes of all pictures of a user. */
  bytes(owner: Pick<User, "userId">): Promise<number>;
  /** A picture of a user by its hash. */
  find(userId: string, hash: string): Promise<StoredPicture | undefined>;
}

/** Tombstones are kept for 90 days. A client that syncs less often gets the whole list. */
export const deletionsKeptSeconds = 90 * 86_400;

/** Items that one transaction can write in addition to the user's record. */
export const writesAtOnce = 99;

/** Counts calls in windows: those of an application, or of one address that uses a public key. */
export interface KeyWindowStore {
  /**
   * Counts `calls` (1 or more) if they are within `limit`, or if no call of the window is used and `limit` is not 0.
   * The result has the number of calls of the window so far.
   */
  countCall(
    id: string,
    windowStart: number,
    limit: number,
    calls: number,
  ): Promise<{ counted: boolean; calls: number }>;
  /** Adds calls, whatever the limit; a negative number undoes calls that this process counted. Returns those so far. */
  addCalls(id: string, windowStart: number, calls: number): Promise<number>;
  /** Returns the number of calls, without counting one. */
  read(id: string, windowStart: number): Promise<number>;
}

/** A login that may verify its password. */
export interface LoginUnderWay {
  kind: "begun";
  /**
   * Counts a wrong password. True if all logins that are allowed have failed now. Throws if it could not be counted: then
   * the caller must not learn that the password was wrong.
   */
  fail(): Promise<boolean>;
  /** The password was right, or could not be verified. Does not throw. */
  undo(): Promise<void>;
}

/** A login that may verify its password, or why not. */
export type LoginAttempt = LoginUnderWay | Exclude<BegunLogin, { kind: "begun" }>;

/** Failed logins for a username from one address: protection from brute force. */
export interface LoginAttemptStore {
  /** `source`: the caller's address and application. `now` in unix seconds. */
  begin(username: string, source: string, now: number): Promise<LoginAttempt>;
}

export interface SettingStore {
  /**
   * The text to show while the service is down for maintenance; undefined while it is up. May be seconds old. Throws if
   * this version of the service cannot read the data.
   */
  maintenance(): Promise<string | undefined>;
  /** Throws if the database, or its data, cannot be read. */
  ping(): Promise<void>;
}

/** The record that a database has of its machine's clock. */
export interface ClockStore {
  /** Empty for a new installation. */
  find(): Promise<ClockRecord>;
  save(record: ClockRecord): Promise<void>;
  /** The newest time of a list, in unix seconds, up to `now`; undefined without lists. */
  newestChange(now: number): Promise<number | undefined>;
}

/** Both throw `busy` if too many passwords are being hashed. Callers of different addresses are served in turn. */
export interface PasswordHasher {
  hash(password: string, address?: string): Promise<string>;
  /** Takes the same time for a missing hash as for a wrong password. */
  verify(hash: string | undefined, password: string, address?: string): Promise<boolean>;
}

/**
 * A proof that a password was verified, for a user and a source (address and application): an HMAC under a secret outside
 * the database, which differs from day to day. Bound to the source, so that guesses from elsewhere never match it.
 */
export type PasswordProof = (login: { username: string; source: string; password: string }, now: number) => string;

/** The key of one kind of signature, by its label, under a secret that all processes share. */
export type SignatureKey = (label: string) => KeyObject;

/** A cached text view. */
export interface CachedText {
  view: TextView;
  /** Unix seconds from which its page must be read again. */
  freshUntil: number;
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

/** An article of a book. */
export interface Chapter extends Pick<TextView, "title" | "html" | "author" | "publishedAt"> {
  url: string;
  keptAt: number | undefined;
  /** HTML of the notes of its highlights, which follows it. */
  notes?: string | undefined;
}

/** Who a page is read for: addresses and users are served in turn, and no address holds all workers. */
export interface Turn {
  address: string;
  user?: string | undefined;
}

export interface PageReader {
  /** Throws a ServiceError of kind `invalid` if the page cannot be fetched; its message names `url`, and no endpoint. */
  read(request: TextRequest, turn?: Turn): Promise<TextAnswer>;
  /**
   * The views of both modes, with images, of one reading of a page: also of one that is cached, unless `isReload`; or of
   * `html`, as the user sees the page, which no cache gets.
   */
  readArticle(
    url: string,
    source: { isReload?: boolean; html?: string },
    turn?: Turn,
  ): Promise<Record<"less" | "more", TextView>>;
  /**
   * An EPUB of articles, with their images of up to 2 MB each, and `maxImageBytes` or 20 MB in all; an image that cannot
   * be fetched is left out. `kept`: those that are not fetched, by address. `isVerbatim`: a book of one article, which has its elements as they are in `<main>` of the only
   * document of its spine, so that places in the book are places in the HTML.
   */
  book(
    chapters: readonly Chapter[],
    options?: {
      maxImageBytes?: number;
      turn?: Turn;
      isVerbatim?: boolean;
      kept?: ReadonlyMap<string, Uint8Array> | undefined;
    },
  ): Promise<Uint8Array>;
}

/** Pictures of pages for e-readers, decoded in a process that owns nothing. */
export interface PictureReader {
  /**
   * A picture as JPEG of at most the size of an e-reader's screen. Throws `notFound` if it cannot be fetched or decoded,
   * `busy` if too many are read at once.
   */
  jpeg(url: string, turn: Turn): Promise<Uint8Array>;
  /** A stored picture as such a JPEG. Throws as `jpeg` does. */
  toJpeg(content: Uint8Array, turn: Turn): Promise<Uint8Array>;
  /** A picture that a file has, as `webp` makes it. */
  toWebp(content: Uint8Array, turn: Turn): Promise<Uint8Array | undefined>;
  /**
   * A picture of a page as WebP of at most 1,600 pixels in width, upright, without metadata; undefined if it is too small,
   * or has a format that is not decoded, so that retrying is pointless. Throws `notFound` if it cannot be fetched, `busy` if
   * too many are read at once.
   */
  webp(url: string, pageUrl: string, turn: Turn): Promise<Uint8Array | undefined>;
}

/** Kobo's shop, to which calls of e-readers are passed (docs/apps.md). */
export interface KoboShop {
  /** The origin of its host. */
  url: string;
  /** Milliseconds for an answer. */
  timeoutMs: number;
}

/** Sends mails of the service. */
export interface Mailer {
  /** Throws `invalid` if the server refuses the address, `busy` if it does not take the mail now. */
  send(mail: {
    to: string;
    subject: string;
    text: string;
    file: { name: string; type: string; content: Uint8Array };
  }): Promise<void>;
}

/** A list as of a second (see `Listing.asOf`), by item id. */
export interface WholeList {
  items: ReadonlyMap<string, Item>;
  asOf: number;
  revision: number;
}

/** Whole lists of users whose clock was raised by `countCall`, for orders and conditions that no index has. */
export interface WholeListReader {
  read(user: User): Promise<WholeList>;
  /** The items that were changed, and those that were deleted, after a second and up to `asOf`. */
  changes(user: User, after: number): Promise<{ changed: Item[]; deleted: Item[]; asOf: number }>;
}

/** A page as the search index knows it. */
export interface IndexedPage
  extends Pick<Item, "itemId" | "url" | "title" | "tags" | "state" | "timeAdded" | "changeKey"> {
  site: string;
  /** Bytes of the kept article, as stored; 0 without one. */
  articleBytes: number;
  /** Differs if the kept article, or the highlights, differ. */
  contentKey: string;
}

/** The texts of a page besides its fields: HTML of the kept article, and quotations and notes. */
export interface PageContent {
  author: string;
  note: string;
  html: string;
}

/** The state of a list that an index holds: every change up to `asOf`. `articles` differs if the kept articles do. */
export interface IndexState {
  username: string;
  asOf: number;
  revision: number;
  articles: string;
}

export interface SearchOrder {
  sort: "best" | "newest";
  skip: number;
  count: number;
}

export interface FoundPages {
  total: number;
  itemIds: string[];
}

/** The full-text indexes of users, which are derived from their lists. All throw `busy` if too many calls wait. */
export interface SearchIndex {
  /** Undefined if there is no index, or an unfinished one. */
  state(userId: string): Promise<IndexState | undefined>;
  setState(userId: string, state: IndexState): Promise<void>;
  /** Notes the fields of pages; returns the ids of those whose contents must be put, too. */
  putPages(userId: string, pages: readonly IndexedPage[]): Promise<string[]>;
  putContents(userId: string, contents: readonly { page: IndexedPage; content: PageContent }[]): Promise<void>;
  remove(userId: string, itemIds: readonly string[]): Promise<void>;
  /** The ids of pages whose articles have other sizes than those that are given, or none. */
  findResized(userId: string, sizes: ReadonlyMap<string, number>): Promise<string[]>;
  find(userId: string, query: SearchQuery, order: SearchOrder): Promise<FoundPages>;
  /** For each page the part of its text that has the terms; `marks`: from, and length, in UTF-16 units. */
  cutSnippets(userId: string, query: SearchQuery, pages: readonly PageContent[]): Promise<Snippet[]>;
  /** Overwrites what was removed. */
  compact(userId: string): Promise<void>;
  drop(userId: string): Promise<void>;
  /** The users who have an index. */
  owners(): Promise<string[]>;
  /** Bytes of an index on the disk; 0 without one. */
  size(userId: string): Promise<number>;
}

/** Search indexes that are copies of stored ones, as whole files. */
export interface CopiedIndex extends SearchIndex {
  exportFile(userId: string): Promise<Uint8Array>;
  importFile(userId: string, content: Uint8Array): Promise<void>;
}

/** The stored search indexes of a stage, each an object that is replaced as a whole, by optimistic locking. */
export interface IndexObjects {
  /** `unchanged`: the object still has the `etag`. A closed object has empty content. Undefined if it does not exist. */
  read(userId: string, etag?: string): Promise<{ etag: string; content: Uint8Array } | "unchanged" | undefined>;
  /** Replaces the index of `etag`, or none, and returns the new ETag; undefined if there is another one meanwhile. */
  write(userId: string, content: Uint8Array, etag: string | undefined): Promise<string | undefined>;
  /** Replaces an index by an empty one, so that no write that is under way makes it again. */
  close(userId: string): Promise<void>;
}

/** Plain text around the words of a search, and their places in it. */
export interface Snippet {
  snippet: string;
  marks: [from: number, length: number][];
}

/** Brings search indexes up to date. */
export interface ListIndexer {
  /**
   * Indexes what has changed, for a second at most: the rest follows in the background. Returns the second up to which all
   * changes are indexed; 0 if the list is being indexed for the first time.
   */
  update(user: User): Promise<number>;
}

/** Finds pages by their texts, for the apps of other services. */
export interface ListSearch {
  /**
   * The ids of all pages that meet what a person typed; undefined if nothing is searched for, or the list is not indexed
   * yet. Throws a `SearchError`.
   */
  find(user: User, search: string): Promise<ReadonlySet<string> | undefined>;
}

/** Whose walk it is: that of a sign-in, or of the account's password. */
export type WalkOwner = Pick<User, "username" | "userId"> & { signInId: string | undefined };

/** The walks of apps over the pages of lists (docs/data.md 5). */
export interface WalkStore {
  /** The walk of a name, with the ids of `limit` items from `offset`. It may be over. */
  find(owner: WalkOwner, name: string, page: { offset: number; limit: number }): Promise<ListWalk | undefined>;
  /** Remembers a walk and replaces one of the same name. It forgets all but the newest of the owner's other walks. */
  begin(owner: WalkOwner, name: string, walk: ListWalk): Promise<void>;
}

export interface Dependencies {
  clock: Clock;
  defaultLimits: Limits;
  windowSeconds: number;
  /** Calls of one address with a public key in a window. */
  addressLimit: number;
  /** Pages of a list. */
  listLimit: number;
  /** Pages that one key may read at once; no limit if undefined. */
  textsAtOnce: number | undefined;
  /** Whether `signup` creates users; if not, only an operator does. */
  isSignupOpen: boolean;
  /** Accounts that one address makes in an hour. */
  signupAddressLimit: number;
  /** Operators and their links; undefined if the database is not on this machine. */
  administration: AdministrationStore | undefined;
  /** The code that makes the first operator; undefined if there is one already. */
  operatorCode: string | undefined;
  /** Account passwords do not work, and nobody can sign up: users sign in by single sign-on. */
  isSignOnOnly: boolean;
  /** The key of clients that have none of their own (docs/apps.md); undefined if the stage has none. */
  publicApiKey: string | undefined;
  /** The address of the main host that answers name; undefined: that which the client has called. */
  publicUrl: string | undefined;
  /** The same for the text host. */
  textUrl: string | undefined;
  /** The address of the text host for a client that has reached the main host at `calledUrl`. */
  textUrlFor: (calledUrl: string) => string;
  /** Whether users may share articles and tags. */
  isSharingOn: boolean;
  shares: ShareStore;
  /** Origins of the service and its web reader, in addition to the host that a call names. */
  ownOrigins: readonly string[];
  apiKeys: ApiKeyStore;
  users: UserStore;
  signIns: SignInStore;
  authorizations: AuthorizationStore;
  walks: WalkStore;
  deletion: DeletionStore;
  items: ItemStore;
  trash: TrashStore;
  highlights: HighlightStore;
  articles: ArticleStore;
  /** Bytes of all articles that one user keeps. */
  articleQuota: number;
  /** Undefined if no pictures are kept. */
  pictureStore: PictureStore | undefined;
  /** Bytes of all pictures that one user keeps. */
  pictureQuota: number;
  /** Milliseconds for which a call waits for pictures that are not kept yet; the next one has those that come later. */
  pictureWaitMs: number;
  /** Milliseconds for which a call waits for articles that are not kept yet: some clients time out after 10 s. */
  articleWaitMs: number;
  keptPages: KeptPageStore;
  /** Whether pages are kept in the background for users who have not chosen. */
  keepsPages: boolean;
  keyWindows: KeyWindowStore;
  loginAttempts: LoginAttemptStore;
  settings: SettingStore;
  /** Whether the disk of the database has no room for more data; undefined if it is not on this machine. */
  isDiskFull?: (() => boolean) | undefined;
  /** Asked before anything is erased by age; undefined under an implausible clock. */
  erasePermit: () => Promise<ErasePermit | undefined>;
  /** Waits until everything is durable that was read or written. Throws if it cannot become so. */
  untilDurable: () => Promise<void>;
  passwords: PasswordHasher;
  /** Undefined if the service has no passkeys. */
  secondFactor: SecondFactor | undefined;
  proofOf: PasswordProof;
  signatureKey: SignatureKey;
  reader: PageReader;
  /** Undefined if pictures are left out. */
  pictures: PictureReader | undefined;
  koboShop: KoboShop;
  /** Pages that could not be read for a user's list within the last hour, by the ids of user and item. */
  unreadablePages: LRUCache<string, true>;
  wholeLists: WholeListReader;
  searchIndex: SearchIndex;
  listIndexer: ListIndexer;
  /** Undefined where there is no index: then titles, URLs and tags are searched. */
  listSearch: ListSearch | undefined;
}

/** The parts that a database provides. */
export type Stores = Pick<
  Dependencies,
  | "apiKeys"
  | "users"
  | "signIns"
  | "authorizations"
  | "shares"
  | "walks"
  | "deletion"
  | "items"
  | "trash"
  | "highlights"
  | "keyWindows"
  | "loginAttempts"
  | "settings"
  | "erasePermit"
  | "untilDurable"
>;
