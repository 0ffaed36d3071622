// SPDX-License-Identifier: MIT

import type { CountedCall, RefusedSecret } from "../domain/admission.ts";
import type { BatchProgress } from "../domain/batch-progress.ts";
import type { KeepingOfDay } from "../domain/kept-page.ts";
import type { UserCalls } from "../domain/limits.ts";
import type { Scope } from "../domain/sign-in.ts";
import type { UserClock } from "../domain/user-clock.ts";
import type { Walks } from "../domain/walks.ts";

export interface User extends UserCalls {
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
  /** The beginning of the window whose calls are counted. */
  windowStart: number;
  walks: Walks;
  /** Proofs of the password, if the store keeps them in the user's record. */
  proofs?: readonly string[];
  /** Signing in needs a passkey beside the password. */
  hasPasskeys?: boolean;
  /** Single sign-on no longer lets the user in: nobody can sign in to the account. */
  isSuspended?: boolean;
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
   * The store does not have the proof: the password must be verified against `user`, which is undefined for an unknown
   * user. With `verified`: the password was changed, or the user deleted, meanwhile.
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
   * Replaces the account's password; with `revokesSignIns`, the same write revokes all app passwords. False if the
   * password no longer matches `user`.
   */
  changePassword(user: VerifiedUser, passwordHash: string, revokesSignIns: boolean): Promise<boolean>;
  /**
   * Adds to the counted calls of a window, whatever its limit; negative numbers undo calls. Returns the calls of the
   * window; undefined if it is not the present one.
   */
  addCalls(username: string, windowStart: number, calls: UserCalls): Promise<UserCalls | undefined>;
  /** Forgets all proofs of a user's password. */
  forgetProofs(username: string): Promise<void>;
}

/** A user whose deletion was begun. */
export type ClosedUser = Pick<User, "username" | "userId">;

/** A user to delete; `passwordHash` if the password was verified in this call. */
export type DeletedUser = ClosedUser & Partial<Pick<User, "passwordHash">>;

/** The deletion of a user, step by step: see `deleteUser`, the one place that has all steps. */
export interface DeletionStore {
  /**
   * Begins the deletion of a user, or continues an interrupted one: from then on nobody can sign in with that name or
   * register it, and the writes of calls in progress fail. False if there is no such user, or the password is another
   * one meanwhile, if one was verified.
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
