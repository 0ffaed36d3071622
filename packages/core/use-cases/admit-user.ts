import { retries } from "../call-scope.ts";
import { ServiceError } from "../errors.ts";
import type { Dependencies, LoginUnderWay, User, UserCall } from "../ports.ts";
import { prefetch } from "./use-case.ts";

/** A call for a user, with credentials that are not verified yet. */
export interface UserCallToAdmit extends Omit<UserCall, "passwordHash"> {
  password: string;
  /** The address the call came from. */
  source: string;
  /** Unix seconds. */
  now: number;
}

export type UserAdmission =
  | { kind: "counted" | "limited"; user: User }
  /** Too many failed logins from this address; the password was not verified. */
  | { kind: "lockedOut"; retryAfter: number }
  | { kind: "wrong" };

/** Attempts of a login that has to wait for concurrent ones: 2 s, in which most of those end. */
const attemptsWhileBusy = 20;

/**
 * Checks the credentials of a call and counts it against its user. A password that this process has verified before
 * costs one database call: the count, on condition that the hash is unchanged. Any other is verified first, so that
 * wrong passwords never use up the user's calls; `mayVerify` is awaited before that work.
 *
 * A login counts as failed before its password is verified, so that concurrent guesses cannot pass the lockout. The
 * user's own concurrent logins wait for each other; the first that succeeds puts the password into this process's
 * cache.
 */
export async function admitUser(
  deps: Dependencies,
  call: UserCallToAdmit,
  mayVerify: () => Promise<boolean>,
): Promise<UserAdmission | undefined> {
  const { username, password, source, now, ...counted } = call;
  for await (const attempt of retries()) {
    const verifiedHash = deps.verifiedPasswords.get(username, source, password);
    if (verifiedHash !== undefined) {
      const outcome = await deps.users.countCall({ ...counted, username, passwordHash: verifiedHash });
      if (outcome.kind !== "stale") return outcome;
    }
    if (!(await mayVerify())) return undefined;

    const finding = prefetch(deps.users.find(username));
    const login = await deps.loginAttempts.begin(username, source, now);
    if (login.kind === "busy" && attempt < attemptsWhileBusy) continue;
    if (login.kind !== "begun") {
      deps.verifiedPasswords.delete(username, source);
      return { kind: "lockedOut", retryAfter: login.until - now };
    }
    const user = await verify(deps, finding, password, login);
    if (!user) {
      deps.verifiedPasswords.delete(username, source);
      return { kind: "wrong" };
    }
    deps.verifiedPasswords.set(username, source, password, user.passwordHash);
    const [outcome] = await Promise.all([
      deps.users.countCall({ ...counted, username, passwordHash: user.passwordHash, seen: user }),
      login.undo(),
    ]);
    return outcome.kind === "stale" ? { kind: "wrong" } : outcome;
  }
  throw tooManyLogins();
}

/** The user if the password is right. A wrong password is a failed login; an error during verification is not. */
async function verify(
  deps: Dependencies,
  finding: Promise<User | undefined>,
  password: string,
  login: LoginUnderWay,
): Promise<User | undefined> {
  let isRight = false;
  let user: User | undefined;
  try {
    user = await finding;
    isRight = await deps.passwords.verify(user?.passwordHash, password);
  } catch (error) {
    await login.undo();
    throw error;
  }
  if (!isRight) await login.fail();
  return isRight ? user : undefined;
}

const tooManyLogins = () =>
  new ServiceError("unavailable", "too many logins for this username at once; try again", { retryAfter: 1 });
