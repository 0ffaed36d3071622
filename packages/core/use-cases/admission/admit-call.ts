// SPDX-License-Identifier: MIT

import type { EndpointContract } from "../../contract/endpoint.ts";
import {
  comparedCalls,
  type LimitStatus,
  limitStatus,
  noCalls,
  noLimit,
  type UserCalls,
  userCallsOf,
  windowAt,
} from "../../domain/limits.ts";
import { isSecret, type Scope } from "../../domain/sign-in.ts";
import { type ErrorKind, ServiceError, wrongCredentials } from "../../errors.ts";
import type { Application, KeyWindowStore } from "../../ports/applications.ts";
import { secondsOf } from "../../ports/clock.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import { secretRefused } from "../accounts/sign-in-apps.ts";
import type { AnyCaller, UseCase } from "../use-case.ts";
import { admitUser, type UserAdmissionPorts } from "./admit-user.ts";

/** The values of the six limit headers (docs/api.md 8.2). */
export interface CallLimits {
  user: LimitStatus;
  key: LimitStatus;
}

/** The limits to show while nothing was counted. */
export function untouchedLimits(
  deps: Pick<Dependencies, "clock" | "defaultLimits" | "windowSeconds" | "addressLimit">,
  application?: Application,
): CallLimits {
  const now = secondsOf(deps.clock);
  const window = windowAt(now, deps.windowSeconds);
  return {
    user: limitStatus((application?.limits ?? deps.defaultLimits).user, 0, window, now),
    key: application ? limitStatus(keyLimitOf(deps, application), 0, window, now) : noLimit,
  };
}

/** The limit of a key. A public key has a limit for each address, because strangers could use up any other. */
const keyLimitOf = ({ addressLimit }: Pick<Dependencies, "addressLimit">, { isPublic, limits }: Application) =>
  isPublic ? addressLimit : limits.key;

/** The ports of the admission of every call. */
export type AdmissionPorts = Pick<
  Dependencies,
  "clock" | "defaultLimits" | "windowSeconds" | "addressLimit" | "isSignupOpen" | "isSignOnOnly" | "keyWindows"
> &
  UserAdmissionPorts;

/** The part of an endpoint, or of a route of another API, that admission depends on. */
export interface CalledEndpoint extends Pick<EndpointContract, "caller" | "counted" | "account"> {
  /** It refuses calls of web pages of other sites, whatever their credentials are. */
  isOfOwnSite?: true;
  /** If `BASE_URL` is set, every other host is another site. */
  isOfOwnHost?: true;
  /** The API of another service that it belongs to. */
  api?: string;
  /** The scope that a sign-in needs for a call. */
  scopeOf: (input: unknown) => Scope;
  /** Whether a call adds data, which a full disk refuses. */
  addsData: (input: unknown) => boolean;
}

export interface CallToAdmit<Input, Result, Ports> {
  endpoint: CalledEndpoint;
  application: Application;
  /** See `Caller.address`. */
  address: string;
  /** See `Caller.calledUrl`. */
  calledUrl: string;
  /** A web page of another site may have sent it. */
  isFromOtherSite: boolean;
  isGet: boolean;
  /** Absent if the call's syntax is invalid: such a call is counted against its key only. */
  request?: {
    useCase: UseCase<Input, Result, Ports, AnyCaller>;
    input: Input;
    /** Absent if the endpoint's callers are not existing users. */
    credentials: Credentials | undefined;
  };
}

export interface Credentials {
  username: string;
  password: string;
  /** The answer of an authenticator that has a passkey of the user. */
  passkey?: string | undefined;
  /**
   * The password can only be the secret of a sign-in, which nobody can guess, so a wrong one does not count as a failed
   * sign-in.
   */
  isToken?: boolean;
  /** Only an app password is accepted; the account's password counts as wrong. */
  needsAppPassword?: boolean;
}

/** The limits to show with the response, and the rest of the use case or why the call ends here. */
export interface Admission<Result> {
  limits: CallLimits;
  run?: () => Promise<Result>;
  refusal?: ServiceError;
}

/**
 * Counts a call and checks its credentials (docs/api.md 1.5), in this order: disabled key, closed signup, page of
 * another site, key limit, lockout, credentials, user limit. A call refused with 403 is not counted; wrong credentials
 * count only against the key. A call of a signed-in user counts against the user, and against the key unless that is
 * public.
 */
export async function admitCall<Input, Result, Ports extends AdmissionPorts>(
  deps: Ports,
  { endpoint, application, address, calledUrl, isFromOtherSite, isGet, request }: CallToAdmit<Input, Result, Ports>,
): Promise<Admission<Result>> {
  const now = secondsOf(deps.clock);
  const window = windowAt(now, deps.windowSeconds);
  const limits = untouchedLimits(deps, application);
  const { isPublic, countsAlone } = application;
  const source = `${address} ${application.id}`;
  const keyId = isPublic ? `${application.id} ${address}` : application.id;
  const keyLimit = keyLimitOf(deps, application);
  const showKey = (used: number) => {
    limits.key = limitStatus(keyLimit, used, window, now);
  };
  const showUser = (used: UserCalls) => {
    limits.user = limitStatus(application.limits.user, comparedCalls(used, countsAlone), window, now);
  };
  const readKey = () => deps.keyWindows.read(keyId, window.start);
  const refuseUncounted = async (kind: ErrorKind, message: string, used?: number): Promise<Admission<Result>> => {
    showKey(used ?? (await readKey()));
    return { limits, refusal: new ServiceError(kind, message, { retryAfter: limits.key.reset }) };
  };

  if (application.status === "disabled") {
    return refuseUncounted("disabled", "apikey was disabled", keyLimit);
  }
  if (isFromOtherSite && endpoint.isOfOwnSite) {
    return refuseUncounted("otherSite", "a web page of another site cannot call this address");
  }
  const isInvited = Object(request?.input).invitation !== undefined;
  if (request && endpoint.caller === "new-user" && !deps.isSignupOpen && (deps.isSignOnOnly || !isInvited)) {
    return refuseUncounted("signupClosed", "sign-up is closed; ask the administrator for an account");
  }
  const { credentials } = request ?? {};
  // A page has the public key from the web reader, and another key from its own maker.
  const mayBeForged = isPublic && isFromOtherSite && !credentials?.isToken;
  if (credentials && mayBeForged && !isSecret(credentials.password)) {
    const message = "a page of another site cannot send the account's password; use an app password or your own apikey";
    return refuseUncounted("otherSite", message);
  }
  const begin = () => request?.useCase.begin(deps, request.input);
  const admitted = (
    work: ReturnType<typeof begin>,
    caller: AnyCaller = { application, address, calledUrl },
  ): Admission<Result> => ({
    limits,
    ...(work && { run: () => work(caller) }),
  });
  if (!endpoint.counted) {
    showKey(await readKey());
    return admitted(begin());
  }

  const calls = request?.useCase.calls?.(request.input) ?? 1;
  const userCalls = request?.useCase.userCalls?.(request.input) ?? calls;
  let counting: ReturnType<KeyWindowStore["countCall"]> | undefined;
  const countKey = () => (counting ??= deps.keyWindows.countCall(keyId, window.start, keyLimit, calls));
  const uncountKey = async () => {
    const key = await counting;
    if (!key?.counted) return;
    showKey(key.calls - calls);
    await deps.keyWindows.addCalls(keyId, window.start, -calls).catch(ignoreFailedUndo);
  };
  // With a public key the call counts against the address only if the user is not signed in.
  const used = isPublic && credentials ? readKey().then((calls) => ({ counted: calls < keyLimit, calls })) : countKey();
  const userCall = request &&
    credentials && {
      ...credentials,
      ...((mayBeForged || deps.isSignOnOnly) && { isToken: true }),
      address,
      source,
      // Guesses through one application, such as the public one of the web reader, do not lock another one out; guesses
      // by GET, which a page of another site can send unnoticed, do not lock out calls by POST.
      lockoutSource: isGet ? `${source} GET` : source,
      now,
      window,
      limit: application.limits.user,
      countsAlone,
      calls: userCalls,
      needsAccountPassword: endpoint.account !== undefined,
      scope: endpoint.scopeOf(request.input),
      api: endpoint.api,
      sync: request.useCase.sync?.(request.input),
    };
  const work = begin();
  const [share, user] = await Promise.all([
    used,
    userCall && admitUser(deps, userCall, async () => (await countKey()).counted),
  ]);
  const isSignedIn = isPublic && (user?.kind === "counted" || user?.kind === "limited");
  const key = isSignedIn ? share : await countKey();
  showKey(key.calls);

  if (!key.counted && !(isSignedIn && (user.kind === "limited" || user.signInId !== undefined))) {
    if (user?.kind === "counted") {
      const { username, windowStart } = user.user;
      await deps.users.addCalls(username, windowStart, userCallsOf(-userCalls, countsAlone)).catch(ignoreFailedUndo);
    }
    return { limits, refusal: limitReached(isPublic ? "addressLimited" : "keyLimited", limits.key) };
  }
  if (user?.kind === "wrong") return { limits, refusal: wrongCredentials() };
  if (user?.kind === "refused") return { limits, refusal: secretRefused(user.reason) };
  if (user && "user" in user) showUser(user.user);
  if (user === undefined) return admitted(work);
  if (user.kind === "counted") {
    if (isSignedIn) await uncountKey();
    const { username, windowStart } = user.user;
    if (isSignedIn && userCalls < calls) {
      // A later page of a listing, which counts against no user, counts against a key; against a public one nothing does.
      const pages = await deps.keyWindows.countCall(
        `${application.id} of ${user.user.userId}`,
        window.start,
        keyLimit,
        calls,
      );
      const share = limitStatus(keyLimit, pages.calls, window, now);
      if (!pages.counted) return { limits, refusal: limitReached("userLimited", share) };
    }
    const addCalls = async (more: number) => {
      const [ofUser = noCalls, ofKey] = await Promise.all([
        deps.users.addCalls(username, windowStart, userCallsOf(more, countsAlone)),
        isSignedIn ? undefined : deps.keyWindows.addCalls(keyId, window.start, more),
      ]);
      showUser(ofUser);
      if (ofKey !== undefined) showKey(ofKey);
      return { ofUser: comparedCalls(ofUser, countsAlone), ofKey };
    };
    const needed = request?.useCase.callsOf?.(deps, request.input, { user: user.user, application }) ?? userCalls;
    if (needed > userCalls) {
      const { ofUser, ofKey = 0 } = await addCalls(needed - userCalls);
      const fits = (limit: number, used: number) => used <= limit || used <= needed;
      const full = !fits(application.limits.user, ofUser)
        ? "userLimited"
        : !fits(keyLimit, ofKey)
          ? "keyLimited"
          : undefined;
      if (full) {
        await addCalls(-needed);
        return { limits, refusal: limitReached(full, full === "userLimited" ? limits.user : limits.key, "get") };
      }
    }
    const countFurther = async (more: number) => void (await addCalls(more));
    const { signInId, scope } = user;
    return admitted(work, { application, address, calledUrl, user: user.user, signInId, scope, countFurther });
  }
  await uncountKey();
  if (user.kind === "limited") return { limits, refusal: limitReached("userLimited", limits.user) };
  const message = "too many wrong passwords for this username from your address; wait before trying again";
  return { limits, refusal: new ServiceError("lockedOut", message, { retryAfter: user.retryAfter }) };
}

/** If the undo of a count fails, the window has one extra call, which is no reason to fail the call. */
const ignoreFailedUndo = () => {};

function limitReached(
  kind: "keyLimited" | "addressLimited" | "userLimited",
  { limit, reset, remaining }: LimitStatus,
  call: "send" | "get" = "send",
): ServiceError {
  const calls = {
    keyLimited: "for this apikey",
    addressLimited: "from your address for this apikey",
    userLimited: "for this username",
  }[kind];
  const message =
    remaining > 0
      ? `this ${call} counts as more calls than are left (${remaining} of ${limit} ${calls}); wait ${reset} seconds${call === "get" ? ", or ask for fewer items with count" : ""}`
      : `rate limit of ${limit} calls ${calls} reached; wait ${reset} seconds`;
  return new ServiceError(kind, message, { retryAfter: reset });
}
