// SPDX-License-Identifier: MIT

import type { EndpointContract } from "../../contract/endpoint.ts";
import {
  comparedCalls,
  type LimitStatus,
  type LimitWindow,
  limitStatus,
  noCalls,
  noLimit,
  toUserCalls,
  type UserCalls,
  windowAt,
} from "../../domain/limits.ts";
import { isSecret, type Scope } from "../../domain/sign-in.ts";
import { type ErrorKind, ServiceError, wrongCredentials } from "../../errors.ts";
import type { Application, KeyWindowStore } from "../../ports/applications.ts";
import { unixTime } from "../../ports/clock.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import { secretRefused } from "../accounts/sign-in-apps.ts";
import type { AnyCaller, Caller, UseCase } from "../use-case.ts";
import { admitUser, type UserAdmission, type UserAdmissionPorts, type UserCallToAdmit } from "./admit-user.ts";

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
  const now = unixTime(deps.clock);
  const window = windowAt(now, deps.windowSeconds);
  return {
    user: limitStatus((application?.limits ?? deps.defaultLimits).user, 0, window, now),
    key: application ? limitStatus(chooseKeyLimit(deps, application), 0, window, now) : noLimit,
  };
}

/** The limit of a key. A public key has a limit for each address, because strangers could use up any other. */
const chooseKeyLimit = ({ addressLimit }: Pick<Dependencies, "addressLimit">, { isPublic, limits }: Application) =>
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
  request?: CallRequest<Input, Result, Ports>;
}

interface CallRequest<Input, Result, Ports> {
  useCase: UseCase<Input, Result, Ports, AnyCaller>;
  input: Input;
  /** Absent if the endpoint's callers are not existing users. */
  credentials: Credentials | undefined;
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
  call: CallToAdmit<Input, Result, Ports>,
): Promise<Admission<Result>> {
  return new CallAdmission(deps, call).admit();
}

/** The user of a call that was counted. */
type CountedUser = Extract<UserAdmission, { kind: "counted" }>;

type CallerFields = Pick<Caller, "user" | "signInId" | "scope" | "countFurther">;

/** The work that a use case has begun. */
type Work<Result> = ((caller: AnyCaller) => Promise<Result>) | undefined;

/** The admission of one call, and what it has counted so far. */
class CallAdmission<Input, Result, Ports extends AdmissionPorts> {
  readonly #deps: Ports;
  readonly #call: CallToAdmit<Input, Result, Ports>;
  readonly #limits: CallLimits;
  readonly #now: number;
  readonly #window: LimitWindow;
  readonly #keyId: string;
  readonly #keyLimit: number;
  /** Calls that this one counts as: against the key, and against the user. */
  readonly #calls: number;
  readonly #userCalls: number;
  /** A page has the public key from the web reader, and another key from its own maker. */
  readonly #mayBeForged: boolean;
  #countedKey: ReturnType<KeyWindowStore["countCall"]> | undefined;

  constructor(deps: Ports, call: CallToAdmit<Input, Result, Ports>) {
    const { application, address, isFromOtherSite, request } = call;
    this.#deps = deps;
    this.#call = call;
    this.#limits = untouchedLimits(deps, application);
    this.#now = unixTime(deps.clock);
    this.#window = windowAt(this.#now, deps.windowSeconds);
    this.#keyId = application.isPublic ? `${application.id} ${address}` : application.id;
    this.#keyLimit = chooseKeyLimit(deps, application);
    this.#calls = request?.useCase.calls?.(request.input) ?? 1;
    this.#userCalls = request?.useCase.userCalls?.(request.input) ?? this.#calls;
    this.#mayBeForged = application.isPublic && isFromOtherSite && !request?.credentials?.isToken;
  }

  async admit(): Promise<Admission<Result>> {
    const { endpoint, application, request } = this.#call;
    const { isPublic } = application;
    const uncounted = this.#findUncountedRefusal();
    if (uncounted) return this.#refuseUncounted(uncounted);
    if (!endpoint.counted) {
      this.#showKey(await this.#readKey());
      return this.#admitWith(this.#begin());
    }

    // With a public key the call counts against the address only if the user is not signed in.
    const used = isPublic && request?.credentials ? this.#compareKey() : this.#countKey();
    const userCall = request?.credentials && this.#toUserCall(request, request.credentials);
    const work = this.#begin();
    const [share, user] = await Promise.all([
      used,
      userCall && admitUser(this.#deps, userCall, async () => (await this.#countKey()).counted),
    ]);
    const isSignedIn = isPublic && (user?.kind === "counted" || user?.kind === "limited");
    const key = isSignedIn ? share : await this.#countKey();
    this.#showKey(key.calls);

    if (!key.counted && !(isSignedIn && (user.kind === "limited" || user.signInId !== undefined))) {
      if (user?.kind === "counted") await this.#uncountUser(user);
      return this.#refuse(limitReached(isPublic ? "addressLimited" : "keyLimited", this.#limits.key));
    }
    if (user?.kind === "wrong") return this.#refuse(wrongCredentials());
    if (user?.kind === "refused") return this.#refuse(secretRefused(user.reason));
    if (user && "user" in user) this.#showUser(user.user);
    if (user === undefined) return this.#admitWith(work);
    if (user.kind === "counted") return this.#admitUser(user, isSignedIn, work);
    await this.#uncountKey();
    if (user.kind === "limited") return this.#refuse(limitReached("userLimited", this.#limits.user));
    const message = "too many wrong passwords for this username from your address; wait before trying again";
    return this.#refuse(new ServiceError("lockedOut", message, { retryAfter: user.retryAfter }));
  }

  #findUncountedRefusal(): { kind: ErrorKind; message: string } | undefined {
    const { endpoint, application, isFromOtherSite, request } = this.#call;
    if (application.status === "disabled") return { kind: "disabled", message: "apikey was disabled" };
    if (isFromOtherSite && endpoint.isOfOwnSite) {
      return { kind: "otherSite", message: "a web page of another site cannot call this address" };
    }
    const { isSignupOpen, isSignOnOnly } = this.#deps;
    const isInvited = Object(request?.input).invitation !== undefined;
    if (request && endpoint.caller === "new-user" && !isSignupOpen && (isSignOnOnly || !isInvited)) {
      return { kind: "signupClosed", message: "sign-up is closed; ask the administrator for an account" };
    }
    if (request?.credentials && this.#mayBeForged && !isSecret(request.credentials.password)) {
      const message =
        "a page of another site cannot send the account's password; use an app password or your own apikey";
      return { kind: "otherSite", message };
    }
    return undefined;
  }

  async #refuseUncounted({ kind, message }: { kind: ErrorKind; message: string }): Promise<Admission<Result>> {
    this.#showKey(kind === "disabled" ? this.#keyLimit : await this.#readKey());
    return this.#refuse(new ServiceError(kind, message, { retryAfter: this.#limits.key.reset }));
  }

  #toUserCall({ useCase, input }: CallRequest<Input, Result, Ports>, credentials: Credentials): UserCallToAdmit {
    const { endpoint, application, address, isGet } = this.#call;
    const source = `${address} ${application.id}`;
    const { username, password, passkey, isToken = false, needsAppPassword = false } = credentials;
    // Field by field: each call makes this object, and one that begins with a spread takes longer.
    return {
      username,
      password,
      passkey,
      isToken: isToken || this.#mayBeForged || this.#deps.isSignOnOnly,
      needsAppPassword,
      address,
      source,
      // Guesses through one application, such as the public one of the web reader, do not lock another one out; guesses
      // by GET, which a page of another site can send unnoticed, do not lock out calls by POST.
      lockoutSource: isGet ? `${source} GET` : source,
      now: this.#now,
      window: this.#window,
      limit: application.limits.user,
      countsAlone: application.countsAlone,
      calls: this.#userCalls,
      needsAccountPassword: endpoint.account !== undefined,
      scope: endpoint.scopeOf(input),
      api: endpoint.api,
      sync: useCase.sync?.(input),
    };
  }

  /** Admits the call of a user who was counted, if the limits allow the further calls that it counts as. */
  async #admitUser(user: CountedUser, isSignedIn: boolean, work: Work<Result>): Promise<Admission<Result>> {
    if (isSignedIn) {
      await this.#uncountKey();
      const refusal = await this.#countLaterPage(user);
      if (refusal) return this.#refuse(refusal);
    }
    const addCalls = (more: number) => this.#addCalls(user, isSignedIn, more);
    const refusal = await this.#countNeeded(user, addCalls);
    if (refusal) return this.#refuse(refusal);
    const countFurther = async (more: number) => void (await addCalls(more));
    const { signInId, scope } = user;
    return this.#admitWith(work, { user: user.user, signInId, scope, countFurther });
  }

  /** A later page of a listing, which counts against no user, counts against a key; against a public one nothing does. */
  async #countLaterPage({ user: { userId } }: CountedUser): Promise<ServiceError | undefined> {
    if (this.#userCalls >= this.#calls) return undefined;
    const id = `${this.#call.application.id} of ${userId}`;
    const pages = await this.#deps.keyWindows.countCall(id, this.#window.start, this.#keyLimit, this.#calls);
    if (pages.counted) return undefined;
    return limitReached("userLimited", limitStatus(this.#keyLimit, pages.calls, this.#window, this.#now));
  }

  /** Counts the calls that only the user's record tells; if they are above a limit, none of the call. */
  async #countNeeded(
    { user }: CountedUser,
    addCalls: (more: number) => Promise<{ ofUser: number; ofKey: number | undefined }>,
  ): Promise<ServiceError | undefined> {
    const { application, request } = this.#call;
    const needed = request?.useCase.countCalls?.(this.#deps, request.input, { user, application }) ?? this.#userCalls;
    if (needed <= this.#userCalls) return undefined;
    const { ofUser, ofKey = 0 } = await addCalls(needed - this.#userCalls);
    const fits = (limit: number, used: number) => used <= limit || used <= needed;
    const isUserFull = !fits(application.limits.user, ofUser);
    if (!isUserFull && fits(this.#keyLimit, ofKey)) return undefined;
    await addCalls(-needed);
    const { user: ofUserNow, key } = this.#limits;
    return isUserFull ? limitReached("userLimited", ofUserNow, "get") : limitReached("keyLimited", key, "get");
  }

  /** Adds calls of a user who was counted, and of the key, unless it is public. */
  async #addCalls({ user: { username, windowStart } }: CountedUser, isSignedIn: boolean, more: number) {
    const { users, keyWindows } = this.#deps;
    const { countsAlone } = this.#call.application;
    const [ofUser = noCalls, ofKey] = await Promise.all([
      users.addCalls(username, windowStart, toUserCalls(more, countsAlone)),
      isSignedIn ? undefined : keyWindows.addCalls(this.#keyId, this.#window.start, more),
    ]);
    this.#showUser(ofUser);
    if (ofKey !== undefined) this.#showKey(ofKey);
    return { ofUser: comparedCalls(ofUser, countsAlone), ofKey };
  }

  async #uncountUser({ user: { username, windowStart } }: CountedUser): Promise<void> {
    const calls = toUserCalls(-this.#userCalls, this.#call.application.countsAlone);
    await this.#deps.users.addCalls(username, windowStart, calls).catch(ignoreFailedUndo);
  }

  #readKey = () => this.#deps.keyWindows.read(this.#keyId, this.#window.start);

  /** Whether the key has calls left, as if this one was counted. */
  async #compareKey(): Promise<{ counted: boolean; calls: number }> {
    const calls = await this.#readKey();
    return { counted: calls < this.#keyLimit, calls };
  }

  /** Counts the call against the key, once. */
  #countKey = () =>
    (this.#countedKey ??= this.#deps.keyWindows.countCall(
      this.#keyId,
      this.#window.start,
      this.#keyLimit,
      this.#calls,
    ));

  /** Undoes `#countKey`. */
  async #uncountKey(): Promise<void> {
    const key = await this.#countedKey;
    if (!key?.counted) return;
    this.#showKey(key.calls - this.#calls);
    await this.#deps.keyWindows.addCalls(this.#keyId, this.#window.start, -this.#calls).catch(ignoreFailedUndo);
  }

  #showKey(used: number): void {
    this.#limits.key = limitStatus(this.#keyLimit, used, this.#window, this.#now);
  }

  #showUser(used: UserCalls): void {
    const { limits, countsAlone } = this.#call.application;
    this.#limits.user = limitStatus(limits.user, comparedCalls(used, countsAlone), this.#window, this.#now);
  }

  #begin(): Work<Result> {
    const { request } = this.#call;
    return request?.useCase.begin(this.#deps, request.input);
  }

  #admitWith(work: Work<Result>, ofUser?: CallerFields): Admission<Result> {
    const { application, address, calledUrl } = this.#call;
    const called = { application, address, calledUrl };
    const caller: AnyCaller = ofUser ? { ...called, ...ofUser } : called;
    return { limits: this.#limits, ...(work && { run: () => work(caller) }) };
  }

  #refuse = (refusal: ServiceError): Admission<Result> => ({ limits: this.#limits, refusal });
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
