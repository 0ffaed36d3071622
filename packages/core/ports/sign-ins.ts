// SPDX-License-Identifier: MIT

import type { KeyObject } from "node:crypto";
import type { Authorization } from "../domain/authorization.ts";
import type { Identity, SignOnAccess } from "../domain/identity.ts";
import type { BegunLogin, LoginAttempts } from "../domain/lockout.ts";
import type { Passkey } from "../domain/passkey.ts";
import type { Secrets, SignIn } from "../domain/sign-in.ts";
import type { ClosedUser, User, VerifiedUser } from "./users.ts";

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
   * Creates the user of an identity; with the secret hash of an invitation, which works once, in the same step.
   * `taken`: a user with this name exists; `linked`: the identity already has a user; `gone`: the invitation does not
   * exist.
   */
  create(
    identity: Identity,
    user: { username: string; passwordHash: string; now: number },
    invitation?: string,
  ): Promise<"done" | "taken" | "linked" | "gone">;
  /**
   * Replaces the user's earlier identity of the same issuer. False if the identity belongs to another user. A user who
   * is being moved here has no password. Throws `unauthorized` if the password has changed.
   */
  link(identity: Identity, user: ClosedUser & { passwordHash?: string | undefined }): Promise<boolean>;
  /**
   * Stores the result of a user's claims at a sign-in. A user without access is suspended. `isOperator` gives or
   * removes the administrator role, but never removes a role that an administrator gave; a stage has no administrators.
   */
  setAccess(user: ClosedUser, access: SignOnAccess): Promise<void>;
  /** Removes the identities of a user. */
  unlink(user: ClosedUser): Promise<void>;
}

/** A challenge that an authenticator has answered. */
export interface AnsweredChallenge {
  nonce: string;
  /** When the service gave it, in unix seconds. */
  at: number;
}

/** The passkeys of users. */
export interface PasskeyStore {
  /** The oldest first. */
  list(user: ClosedUser): Promise<Passkey[]>;
  /**
   * False if the user has it already, or as many as a user may have, or has answered the challenge before. Throws
   * `unauthorized` if the password was changed.
   */
  add(user: VerifiedUser, passkey: Passkey, challenge: AnsweredChallenge): Promise<boolean>;
  /** Stores that it was used; false if it was removed, used with that counter, or has answered the challenge before. */
  use(user: ClosedUser, id: string, counter: number, day: number, challenge: AnsweredChallenge): Promise<boolean>;
  /** False if the user has no such passkey. */
  remove(user: ClosedUser, id: string): Promise<boolean>;
}

/** Checks the second factor of a sign-in. */
export interface SecondFactor {
  /** Whether an authenticator that has a passkey of the user gave the answer, for the first time. */
  verify(user: ClosedUser, answer: string): Promise<boolean>;
}

/** A login that may verify its password. */
export interface LoginUnderWay {
  kind: "begun";
  /**
   * Stores a wrong password; `failLogin` calls this. Returns the attempts with it. Throws if it could not be stored: then
   * the caller must not learn that the password was wrong.
   */
  fail(): Promise<LoginAttempts>;
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
