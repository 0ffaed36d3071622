import { retries } from "../call-scope.ts";
import { hashOfSecret, isSecret } from "../domain/sign-in.ts";
import { ServiceError } from "../errors.ts";
import type { Dependencies, LoginUnderWay, User, UserCall, UserCallOutcome } from "../ports.ts";

/** A call for a user, with credentials that are not verified yet. */
export interface UserCallToAdmit extends Omit<UserCall, "proof" | "verified" | "secretHash"> {
  password: string;
  /** The password can only be the secret of a sign-in. */
  isToken?: boolean;
  /** The address and the application the call came from. */
  source: string;
}

export type UserAdmission =
  | Exclude<UserCallOutcome, { kind: "unproven" }>
  /** Too many failed logins from this source; the password was not verified. */
  | { kind: "lockedOut"; retryAfter: number }
  | { kind: "wrong" };

/** Attempts of a login that has to wait for concurrent ones: 2 s, in which most of those end. */
const attemptsWhileBusy = 20;

/**
 * Checks the credentials of a call and counts it against its user. If the store knows a proof of the password this is
 * one database call, and so it is if the password is an app password. Else the password is verified first, so that wrong
 * ones never use up the user's calls; `mayVerify` is awaited before that work.
 *
 * A login counts as failed before its password is verified, so that concurrent guesses cannot pass the lockout. The
 * user's own concurrent logins wait for each other; the first that succeeds stores the proof. The last failure that is
 * allowed deletes the proofs, so that the lockout applies to the right password, too. A right app password passes the
 * lockout: nobody can guess 100 random bits, and an old app must not lock out a new one. For the same reason a wrong
 * token, such as one that has expired, is no failed login.
 */
export async function admitUser(
  deps: Dependencies,
  login: UserCallToAdmit,
  mayVerify: () => Promise<boolean>,
): Promise<UserAdmission | undefined> {
  const { password, isToken = false, source, ...counted } = login;
  const { username, now } = counted;
  const secretHash = isSecret(password) ? hashOfSecret(password) : undefined;
  const call: UserCall = { ...counted, proof: deps.proofOf(login, now), secretHash };
  for await (const attempt of retries()) {
    const outcome = await deps.users.countCall(call);
    if (outcome.kind !== "unproven") return outcome;
    if (isToken) return { kind: "wrong" };
    if (!(await mayVerify())) return undefined;

    const { user } = outcome;
    const begun = await deps.loginAttempts.begin(username, source, now);
    if (begun.kind === "busy" && attempt < attemptsWhileBusy) continue;
    if (begun.kind !== "begun") return { kind: "lockedOut", retryAfter: begun.until - now };
    const isRight = await verify(deps, user, password, begun);
    if (!isRight || !user) return { kind: "wrong" };
    const [verified] = await Promise.all([deps.users.countCall({ ...call, verified: user }), begun.undo()]);
    return verified.kind === "unproven" ? { kind: "wrong" } : verified;
  }
  throw tooManyLogins();
}

/** Whether the password is right. A wrong one is a failed login; an error during verification is not. */
async function verify(
  deps: Dependencies,
  user: User | undefined,
  password: string,
  login: LoginUnderWay,
): Promise<boolean> {
  let isRight: boolean;
  try {
    isRight = await deps.passwords.verify(user?.passwordHash, password);
  } catch (error) {
    await login.undo();
    throw error;
  }
  if (!isRight && (await login.fail()) && user) await deps.users.forgetProofs(user.username);
  return isRight;
}

const tooManyLogins = () =>
  new ServiceError("unavailable", "too many logins for this username at once; try again", { retryAfter: 1 });
