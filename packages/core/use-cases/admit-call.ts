import type { EndpointContract } from "../contract/endpoint.ts";
import { type LimitStatus, limitStatus, noLimit, windowAt } from "../domain/limits.ts";
import { type ErrorKind, ServiceError, wrongCredentials } from "../errors.ts";
import { type Application, type Dependencies, secondsOf, type User } from "../ports.ts";
import { admitUser } from "./admit-user.ts";
import { appPasswordRefused } from "./sign-in-apps.ts";
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

/** The part of an endpoint, or of a route of another API, that admission depends on. */
export type CalledEndpoint = Pick<EndpointContract, "caller" | "counted" | "account">;

export interface CallToAdmit<Input, Result> {
  endpoint: CalledEndpoint;
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

export interface Credentials {
  username: string;
  password: string;
  /** The password can only be the secret of a sign-in, which nobody guesses: a wrong one is no failed login. */
  isToken?: boolean;
}

/** The limits to show with the response, and the rest of the use case or why the call ends here. */
export interface Admission<Result> {
  limits: CallLimits;
  run?: () => Promise<Result>;
  refusal?: ServiceError;
}

/**
 * Counts a call and checks its credentials (docs/api.md 1.5), in this order: disabled key, closed signup, the address's
 * share of a public key, key limit, lockout, credentials, user limit. A call refused with 403 is not counted; wrong
 * credentials count against the key alone.
 */
export async function admitCall<Input, Result>(
  deps: Dependencies,
  { endpoint, application, source, request }: CallToAdmit<Input, Result>,
): Promise<Admission<Result>> {
  const now = secondsOf(deps.clock);
  const window = windowAt(now, deps.windowSeconds);
  const limits = untouchedLimits(deps, application);
  const showKey = (used: number) => {
    limits.key = limitStatus(application.limits.key, used, window, now);
  };
  const refuseUncounted = async (kind: ErrorKind, message: string, used?: number): Promise<Admission<Result>> => {
    showKey(used ?? (await deps.keyWindows.read(application.id, window.start)));
    return { limits, refusal: new ServiceError(kind, message, { retryAfter: limits.key.reset }) };
  };

  if (application.status === "disabled") {
    return refuseUncounted("disabled", "apikey was disabled", application.limits.key);
  }
  if (request && endpoint.caller === "new-user" && !deps.isSignupOpen) {
    return refuseUncounted("signupClosed", "signup is closed: only the operator of this service creates users");
  }
  const begin = () => request?.useCase.begin(deps, request.input);
  const admitted = (work: ReturnType<typeof begin>, user?: User, isApp = false): Admission<Result> => ({
    limits,
    // The use case of an endpoint whose callers are not users does not use `user`.
    ...(work && { run: () => work({ application, user: user as User, isApp }) }),
  });
  if (!endpoint.counted) {
    showKey(await deps.keyWindows.read(application.id, window.start));
    return admitted(begin());
  }

  const calls = request?.useCase.calls?.(request.input) ?? 1;
  const userCalls = request?.useCase.userCalls?.(request.input) ?? calls;
  const counted: string[] = [];
  const count = async (id: string, limit: number) => {
    const outcome = await deps.keyWindows.countCall(id, window.start, limit, calls);
    if (outcome.counted) counted.push(id);
    return outcome;
  };
  const takeBack = () =>
    Promise.all(counted.map((id) => deps.keyWindows.uncountCall(id, window.start, calls).catch(ignoreFailedUndo)));

  if (application.isPublic && !(await count(`${application.id} ${source}`, deps.addressLimit)).counted) {
    const message = `limit of ${deps.addressLimit} calls from your address for this apikey reached; wait ${limits.key.reset} seconds`;
    return refuseUncounted("addressLimited", message);
  }
  const work = begin();
  const keyCount = count(application.id, application.limits.key);
  const userCall = request?.credentials && {
    ...request.credentials,
    // Guesses through one application, such as the public one of the web reader, do not lock another one out.
    source: `${source} ${application.id}`,
    now,
    window,
    limit: application.limits.user,
    calls: userCalls,
    needsAccountPassword: endpoint.account !== undefined,
    sync: request.useCase.sync?.(request.input),
  };
  const [key, user] = await Promise.all([
    keyCount,
    userCall && admitUser(deps, userCall, async () => (await keyCount).counted),
  ]);
  showKey(key.calls);

  if (!key.counted) {
    await takeBack();
    if (user?.kind === "counted") {
      await deps.users.uncountCall(user.user.username, user.user.windowStart, userCalls).catch(ignoreFailedUndo);
    }
    return { limits, refusal: limitReached("keyLimited", limits.key) };
  }
  if (user?.kind === "wrong") return { limits, refusal: wrongCredentials() };
  if (user?.kind === "appPassword") return { limits, refusal: appPasswordRefused() };
  if (user && "user" in user) limits.user = limitStatus(application.limits.user, user.user.calls, window, now);
  if (user === undefined || user.kind === "counted") return admitted(work, user?.user, user?.isApp);
  await takeBack();
  showKey(key.calls - calls);
  if (user.kind === "limited") return { limits, refusal: limitReached("userLimited", limits.user) };
  const message = "too many wrong passwords for this username from your address; wait before trying again";
  return { limits, refusal: new ServiceError("lockedOut", message, { retryAfter: user.retryAfter }) };
}

/** If the undo of a count fails, the window has one call too many, which is no reason to fail the call. */
const ignoreFailedUndo = () => {};

function limitReached(kind: "keyLimited" | "userLimited", { limit, reset, remaining }: LimitStatus): ServiceError {
  const parameter = kind === "keyLimited" ? "apikey" : "username";
  const message =
    remaining > 0
      ? `this send counts more calls than the ${remaining} that are left of ${limit} for this ${parameter}; wait ${reset} seconds`
      : `rate limit of ${limit} calls for this ${parameter} reached; wait ${reset} seconds`;
  return new ServiceError(kind, message, { retryAfter: reset });
}
