import type { EndpointContract } from "../contract/endpoint.ts";
import { type LimitStatus, limitStatus, noLimit, windowAt } from "../domain/limits.ts";
import { ServiceError, wrongCredentials } from "../errors.ts";
import { type Application, type Dependencies, secondsOf, type User } from "../ports.ts";
import { admitUser } from "./admit-user.ts";
import type { UseCase } from "./use-case.ts";

/** The values of the six limit headers (docs/api.md 8.2). */
export interface CallLimits {
  user: LimitStatus;
  key: LimitStatus;
}

/** The limits to show while nothing was counted. */
export function untouchedLimits(
  deps: Pick<Dependencies, "clock" | "defaultLimits" | "windowSeconds">,
  application?: Application,
): CallLimits {
  const now = secondsOf(deps.clock);
  const window = windowAt(now, deps.windowSeconds);
  return {
    user: limitStatus((application?.limits ?? deps.defaultLimits).user, 0, window, now),
    key: application ? limitStatus(application.limits.key, 0, window, now) : noLimit,
  };
}

export interface CallToAdmit<Input, Result> {
  endpoint: EndpointContract;
  application: Application;
  /** The network address of the caller. */
  source: string;
  /** Absent if the call's syntax is invalid: such a call is counted against its key only. */
  request?: {
    useCase: UseCase<Input, Result>;
    input: Input;
    /** Absent if the endpoint's callers are not existing users. */
    credentials: Credentials | undefined;
  };
}

interface Credentials {
  username: string;
  password: string;
}

/** The limits to show with the response, and the rest of the use case or why the call ends here. */
export interface Admission<Result> {
  limits: CallLimits;
  run?: () => Promise<Result>;
  refusal?: ServiceError;
}

/**
 * Counts a call and checks its credentials (docs/api.md 1.5), in this order: disabled key, closed signup, key limit,
 * lockout, credentials, user limit. A call refused with 403 is not counted; wrong credentials count against
 * the key alone.
 */
export async function admitCall<Input, Result>(
  deps: Dependencies,
  { endpoint, application, source, request }: CallToAdmit<Input, Result>,
): Promise<Admission<Result>> {
  const now = secondsOf(deps.clock);
  const window = windowAt(now, deps.windowSeconds);
  const limits = untouchedLimits(deps, application);
  const showKey = (calls: number) => {
    limits.key = limitStatus(application.limits.key, calls, window, now);
  };

  if (application.status === "disabled") {
    limits.key.remaining = 0;
    return { limits, refusal: new ServiceError("disabled", "apikey was disabled", { retryAfter: limits.key.reset }) };
  }
  if (request && endpoint.caller === "new-user" && !deps.isSignupOpen) {
    showKey(await deps.keyWindows.read(application.id, window.start));
    const message = "signup is closed: only the operator of this service creates users";
    return { limits, refusal: new ServiceError("signupClosed", message, { retryAfter: limits.key.reset }) };
  }
  const begin = request && (() => request.useCase.begin(deps, request.input));
  const admitted = (rest = begin?.(), user?: User): Admission<Result> => ({
    limits,
    // The use case of an endpoint whose callers are not users does not use `user`.
    ...(rest && { run: () => rest({ application, user: user as User }) }),
  });
  if (!endpoint.counted) {
    showKey(await deps.keyWindows.read(application.id, window.start));
    return admitted();
  }

  const keyCount = deps.keyWindows.countCall(application.id, window.start, application.limits.key);
  const { credentials } = request ?? {};
  const isVerified =
    credentials && deps.verifiedPasswords.get(credentials.username, source, credentials.password) !== undefined;
  // Prefetch only if this process verified the password before: strangers must not trigger reads of the user's items.
  const begun = isVerified ? begin?.() : undefined;
  const sync = request?.useCase.sync?.(request.input);
  const userCall = credentials && {
    ...credentials,
    source,
    now,
    window,
    limit: application.limits.user,
    ...(sync && { sync: { now, ...sync } }),
  };
  const [key, user] = await Promise.all([
    keyCount,
    userCall && admitUser(deps, userCall, async () => (await keyCount).counted),
  ]);
  showKey(key.calls);

  if (!key.counted) {
    if (user?.kind === "counted") await takeBack(deps.users.uncountCall(user.user.username, user.user.windowStart));
    return { limits, refusal: limitReached("keyLimited", application.limits.key, limits.key) };
  }
  const refuse = async (refusal: ServiceError): Promise<Admission<Result>> => {
    await takeBack(deps.keyWindows.uncountCall(application.id, window.start));
    showKey(key.calls - 1);
    return { limits, refusal };
  };
  switch (user?.kind) {
    case undefined:
      return admitted();
    case "counted":
      limits.user = limitStatus(application.limits.user, user.user.calls, window, now);
      return admitted(begun, user.user);
    case "limited":
      limits.user = limitStatus(application.limits.user, user.user.calls, window, now);
      return refuse(limitReached("userLimited", application.limits.user, limits.user));
    case "lockedOut": {
      const message = "too many wrong passwords for this username from your address; wait before trying again";
      return refuse(new ServiceError("lockedOut", message, { retryAfter: user.retryAfter }));
    }
    case "wrong":
      return { limits, refusal: wrongCredentials() };
  }
}

/** If the undo of a count fails, the window has one call too many, which is no reason to fail the call. */
const takeBack = (uncount: Promise<void>) => uncount.catch(() => {});

function limitReached(kind: "keyLimited" | "userLimited", limit: number, status: LimitStatus): ServiceError {
  const parameter = kind === "keyLimited" ? "apikey" : "username";
  const message = `rate limit of ${limit} calls for this ${parameter} reached; wait ${status.reset} seconds`;
  return new ServiceError(kind, message, { retryAfter: status.reset });
}
