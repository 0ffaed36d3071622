// SPDX-License-Identifier: MIT

import { ApiError, type ApiErrorKind, type Limit, type Limits } from "./api-error.ts";

export interface PostOptions extends CallOptions {
  /** Read the body as bytes. */
  asBlob?: boolean | undefined;
}

export interface CallOptions {
  /** Ends the call, its retries and its waits; the call then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface TransportOptions {
  /** In place of the global `fetch`. */
  fetch?: typeof fetch | undefined;
  /**
   * Wait as long as `Retry-After` says, until a limit, a refusal or maintenance ends. Default: throw. Closed
   * registration and a disabled key may last: end such a wait with the `signal` of the call. A full disk is not waited for.
   */
  wait?: boolean | undefined;
  /** Retries after a 503 or a lost connection. Default: 5. */
  retries?: number | undefined;
  /** Maximum milliseconds of one attempt. Default: 30,000. */
  timeout?: number | undefined;
}

export interface Answer {
  /** Empty if `content` was asked for. */
  body: string;
  content: Blob | undefined;
  headers: Headers;
  limits: Limits | undefined;
}

/** Milliseconds: full jitter below ~250, ~500, ~1000, … 8000. */
const firstDelay = 250;
const maxDelay = 8000;

const kinds: Record<number, ApiErrorKind> = {
  400: "invalid",
  401: "unauthorized",
  403: "limited",
  404: "notFound",
  405: "notFound",
  413: "invalid",
  429: "unavailable",
};

/**
 * Posts forms to a service, with retries.
 *
 * A call is repeated after a 503 and after a lost connection, with exponential backoff and jitter. That is safe although
 * the first try may have been carried out: the API is idempotent (docs/api.md 4.1 and 4.2). Only `signup` answers its
 * repetition differently.
 */
export class Transport {
  readonly #fetch: typeof fetch;
  readonly #wait: boolean;
  readonly #retries: number;
  readonly #timeout: number;
  limits: Limits | undefined;

  constructor({ fetch: ownFetch, wait = false, retries = 5, timeout = 30_000 }: TransportOptions) {
    // Browsers refuse to call `fetch` as a method of another object.
    this.#fetch = ownFetch ?? ((...request) => fetch(...request));
    this.#wait = wait;
    this.#retries = retries;
    this.#timeout = timeout;
  }

  /**
   * Throws `ApiError`, or the reason of `signal`. Calls `onRepeat` before it repeats a call that may have been carried
   * out.
   */
  async post(
    url: string,
    form: Record<string, string>,
    { signal, asBlob }: PostOptions = {},
    onRepeat?: () => void,
  ): Promise<Answer> {
    for (let retry = 0; ; retry++) {
      signal?.throwIfAborted();
      try {
        return await this.#try(url, form, signal, asBlob);
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof ApiError)) throw error;
        const delay = this.#delayBefore(retry, error);
        if (delay === undefined) throw error;
        if (error.kind !== "limited") onRepeat?.();
        await pause(delay, signal);
      }
    }
  }

  /** Milliseconds before the next attempt; undefined after the last one. */
  #delayBefore(retry: number, { kind, code, retryAfter }: ApiError): number | undefined {
    const asked = 1000 * (retryAfter ?? 0);
    // Only a person frees space on a full disk.
    if (this.#wait && asked > 0 && code !== "disk_full") return asked + Math.random() * firstDelay;
    const isTransient = kind === "noResponse" || (kind === "unavailable" && asked <= maxDelay);
    if (!isTransient || retry >= this.#retries) return undefined;
    return Math.max(asked, Math.random() * Math.min(maxDelay, firstDelay * 2 ** retry));
  }

  async #try(
    url: string,
    form: Record<string, string>,
    signal: AbortSignal | undefined,
    asBlob: boolean | undefined,
  ): Promise<Answer> {
    const timeout = AbortSignal.timeout(this.#timeout);
    const sent = encodeForm(form);
    let response: Response;
    let body = "";
    let content: Blob | undefined;
    try {
      response = await this.#fetch(url, {
        method: "POST",
        body: sent,
        // A change that is on its way arrives, even if the user closes the page.
        keepalive: sent instanceof URLSearchParams && sent.toString().length < maxKeptAlive,
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        // A redirect of a POST would hand the password to another address.
        redirect: "error",
        credentials: "omit",
        cache: "no-store",
        referrerPolicy: "no-referrer",
      });
      if (asBlob) content = await response.blob();
      else body = await response.text();
    } catch (cause) {
      const message = timeout.aborted ? "the service did not answer in time" : "the service cannot be reached";
      throw new ApiError(message, { status: 0, kind: "noResponse", cause });
    }
    const { status, headers } = response;
    const limits = parseLimits(headers);
    if (limits) this.limits = limits;
    if (status === 200 && headers.get("status") === "200 OK") return { body, content, headers, limits };

    const retryAfter = Number(headers.get("retry-after")) || undefined;
    const kind = kinds[status] ?? (status >= 500 ? "unavailable" : "noResponse");
    const message =
      headers.get("x-error") ??
      (kind === "noResponse"
        ? "the answer does not come from a reading-list service"
        : `the service answered ${status}`);
    const code = headers.get("x-error-code") ?? undefined;
    throw new ApiError(message, { status, kind, code, retryAfter, limits });
  }
}

/** A form; multipart if it is long, because percent-encoding would exceed the size of a request. */
function encodeForm(form: Record<string, string>): URLSearchParams | FormData {
  if (Object.values(form).every((value) => value.length < longValue)) return new URLSearchParams(form);
  const body = new FormData();
  for (const [name, value] of Object.entries(form)) body.set(name, new Blob([value]));
  return body;
}

/** Bytes: browsers refuse a `keepalive` call if all such calls together exceed 64 KiB. */
const maxKeptAlive = 10_000;

/** Characters of a value above which a form is sent as multipart. */
const longValue = 1_000_000;

function parseLimits(headers: Headers): Limits | undefined {
  const readLimit = (holder: "user" | "key"): Limit => {
    const read = (name: string) => Number(headers.get(`x-limit-${holder}-${name}`));
    return { limit: read("limit"), remaining: read("remaining"), resetSeconds: read("reset") };
  };
  return headers.has("x-limit-key-limit") ? { user: readLimit("user"), key: readLimit("key") } : undefined;
}

/** Rejects with the reason of `signal` when it aborts. */
export function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", end, { once: true });
  });
}
