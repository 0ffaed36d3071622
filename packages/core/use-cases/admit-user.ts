import { guessesAllowed } from "../domain/limits.ts";
import type { Dependencies, User, UserCall } from "../ports.ts";

/** A call to be made for a user, who is known by name and password so far. */
export interface UserCallToAdmit extends Omit<UserCall, "passwordHash"> {
  password: string;
  /** The address the call came from. */
  source: string;
  /** Unix seconds. */
  now: number;
}

export type UserAdmission =
  | { kind: "counted" | "limited"; user: User }
  /** Too many wrong passwords from this address; the password was not looked at. */
  | { kind: "braked"; retryAfter: number }
  | { kind: "wrong" };

/**
 * Checks the credentials of a call and counts it against its user. A password that was right a moment ago costs one
 * database call: the count, on condition that the password's hash still stands. Any other is verified first, so that
 * wrong passwords never eat the user's quota; `mayVerify` is asked before that work is done.
 */
export async function admitUser(
  deps: Dependencies,
  call: UserCallToAdmit,
  mayVerify: () => Promise<boolean>,
): Promise<UserAdmission | undefined> {
  const { username, password, source, now, ...counted } = call;
  const remembered = deps.verifiedPasswords.recall(username, source, password);
  if (remembered) {
    const outcome = await deps.users.countCall({ ...counted, username, passwordHash: remembered });
    if (outcome.kind !== "stale") return outcome;
  }

  const [user, guesses, allowed] = await Promise.all([
    deps.users.find(username),
    deps.guesses.find(username, source),
    mayVerify(),
  ]);
  if (!allowed) return undefined;
  if (guesses && guesses.until > now && guesses.failures >= guessesAllowed) {
    deps.verifiedPasswords.forget(username, source);
    return { kind: "braked", retryAfter: guesses.until - now };
  }
  const right = await deps.passwords.verify(user?.passwordHash, password);
  if (!user || !right) {
    deps.verifiedPasswords.forget(username, source);
    await deps.guesses.record(username, source, now);
    return { kind: "wrong" };
  }
  deps.verifiedPasswords.remember(username, source, password, user.passwordHash);
  const outcome = await deps.users.countCall({ ...counted, username, passwordHash: user.passwordHash, seen: user });
  return outcome.kind === "stale" ? { kind: "wrong" } : outcome;
}
