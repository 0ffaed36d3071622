import type { EndpointContract } from "../contract/endpoint.ts";
import { type LimitStatus, limitStatus, noLimit, windowAt } from "../domain/limits.ts";
import { ServiceError } from "../errors.ts";
import { type Application, type Dependencies, secondsOf, type User } from "../ports.ts";
import { admitUser } from "./admit-user.ts";

/** What the six limit headers show (spec section 7). */
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

export interface CallToAdmit {
  endpoint: EndpointContract;
  application: Application;
  /** Absent where the call names no existing user. */
  credentials?: { username: string; password: string } | undefined;
  /** The address the call came from. */
  source: string;
  /** For a call whose answer carries a `since`. */
  sync?: { walkOf: string | undefined } | undefined;
}

/** The limits to show with the response, and the user or why the call ends here. */
export interface Admission {
  limits: CallLimits;
  user?: User;
  refusal?: ServiceError;
}

/**
 * Counts a call and checks its credentials (spec sections 5, 7 and 8), in this order: disabled key, key limit,
 * guessing brake, credentials, user limit. A call refused with 403 is not counted; wrong credentials count against
 * the key alone.
 */
export async function admitCall(deps: Dependencies, call: CallToAdmit): Promise<Admission> {
  const { endpoint, application, credentials, source, sync } = call;
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
  if (!endpoint.counted) {
    showKey(await deps.keyWindows.read(application.id, window.start));
    return { limits };
  }

  const keyCount = deps.keyWindows.countCall(application.id, window.start, application.limits.key);
  const userCall = credentials && {
    ...credentials,
    source,
    now,
    windowStart: window.start,
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
  const refuse = async (refusal: ServiceError): Promise<Admission> => {
    await takeBack(deps.keyWindows.uncountCall(application.id, window.start));
    showKey(key.calls - 1);
    return { limits, refusal };
  };
  switch (user?.kind) {
    case undefined:
      return { limits };
    case "counted":
      limits.user = limitStatus(application.limits.user, user.user.calls, window, now);
      return { limits, user: user.user };
    case "limited":
      limits.user = limitStatus(application.limits.user, user.user.calls, window, now);
      return refuse(limitReached("userLimited", application.limits.user, limits.user));
    case "braked": {
      const message = "too many wrong passwords for this username from your address; wait before trying again";
      return refuse(new ServiceError("braked", message, { retryAfter: user.retryAfter }));
    }
    case "wrong":
      return { limits, refusal: new ServiceError("unauthorized", "username and/or password incorrect") };
  }
}

/** A count that cannot be taken back leaves one call too many in the window, which is no reason to fail the call. */
const takeBack = (uncount: Promise<void>) => uncount.catch(() => {});

function limitReached(kind: "keyLimited" | "userLimited", limit: number, status: LimitStatus): ServiceError {
  const parameter = kind === "keyLimited" ? "apikey" : "username";
  const message = `rate limit of ${limit} calls for this ${parameter} reached; wait ${status.reset} seconds`;
  return new ServiceError(kind, message, { retryAfter: status.reset });
}
