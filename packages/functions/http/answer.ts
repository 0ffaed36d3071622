import { STATUS_CODES } from "node:http";
import { errorHeader, limitHeaders, statusHeader } from "@reading-list/core/contract/headers.ts";
import type { LimitStatus } from "@reading-list/core/domain/limits.ts";
import type { ServiceError } from "@reading-list/core/errors.ts";
import type { CallLimits } from "@reading-list/core/use-cases/admit-call.ts";
import type { HttpAnswer } from "./call.ts";
import { asHeaderLine, statusOf } from "./errors.ts";

/** A status in words, as the `Status` header and the plain bodies carry it. */
const statusLine = (status: number) => `${status} ${STATUS_CODES[status]}`;

/** An answer in words: the body of `add`, `send`, `auth`, `signup` and `api`, and of every error. */
export function answerInWords(status: number, headers: Record<string, string> = {}): HttpAnswer {
  return {
    statusCode: status,
    headers: { "Content-Type": "text/plain; charset=utf-8", ...headers },
    body: statusLine(status),
  };
}

/** The answer of a failed call (spec section 7). */
export function answerError(error: ServiceError): HttpAnswer {
  const retry = error.retryAfter === undefined ? undefined : { "Retry-After": String(error.retryAfter) };
  return answerInWords(statusOf[error.kind], { [errorHeader]: asHeaderLine(error.message), ...retry });
}

const limitLines = (names: Record<keyof LimitStatus, string>, status: LimitStatus) => ({
  [names.limit]: String(status.limit),
  [names.remaining]: String(status.remaining),
  [names.reset]: String(status.reset),
});

/** Adds the headers that every answer carries (spec section 7). */
export function finishAnswer(answer: HttpAnswer, limits: CallLimits): HttpAnswer {
  return {
    ...answer,
    headers: {
      "Cache-Control": "no-store",
      ...answer.headers,
      [statusHeader]: statusLine(answer.statusCode ?? 200),
      ...limitLines(limitHeaders.user, limits.user),
      ...limitLines(limitHeaders.key, limits.key),
    },
  };
}
