// SPDX-License-Identifier: MIT

import { STATUS_CODES } from "node:http";
import { findNotice } from "@reading-list/core/call-scope.ts";
import {
  errorCodeHeader,
  errorHeader,
  limitHeaders,
  statusHeader,
  textHeaders,
} from "@reading-list/core/contract/headers.ts";
import type { LimitStatus } from "@reading-list/core/domain/limits.ts";
import type { ErrorCode, ServiceError } from "@reading-list/core/errors.ts";
import type { CallLimits } from "@reading-list/core/use-cases/admission/admit-call.ts";
import type { Call, HttpAnswer } from "./call.ts";
import { asHeaderLine, asServiceError, statusOf } from "./errors.ts";

/** The status as text, such as `200 OK`. */
const statusLine = (status: number) => `${status} ${STATUS_CODES[status]}`;

/** An answer that a browser opens as a page runs nothing and loads nothing. */
export const inert = {
  "Content-Security-Policy": "sandbox; default-src 'none'",
  "X-Content-Type-Options": "nosniff",
};

const plainText = { "Content-Type": "text/plain; charset=utf-8" };

/** The answer of a successful `add`, `send`, `auth`, `signup` or `api`. */
export const answerOk = (): HttpAnswer => ({ status: 200, headers: { ...plainText }, body: statusLine(200) });

/** An answer with a status other than 200. The body repeats `X-Error`, because many tools do not show headers. */
export function answerFailure(status: number, message: string, code: ErrorCode): HttpAnswer {
  const line = asHeaderLine(message);
  const headers = { ...plainText, [errorHeader]: line, [errorCodeHeader]: code };
  return { status, headers, body: `${statusLine(status)}\n${line}` };
}

/** The answer of a failed call. */
export function answerError({ kind, message, retryAfter, code }: ServiceError): HttpAnswer {
  const answer = answerFailure(statusOf[kind], message, code);
  if (retryAfter !== undefined) answer.headers["Retry-After"] = String(retryAfter);
  return answer;
}

function addLimit(headers: HttpAnswer["headers"], names: Record<keyof LimitStatus, string>, status: LimitStatus): void {
  headers[names.limit] = String(status.limit);
  headers[names.remaining] = String(status.remaining);
  headers[names.reset] = String(status.reset);
}

/** The whole answer of a call that needs no key: the answer of `work`, or of its error. */
export async function answerCall(call: Call, work: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
  try {
    return finishAnswer(await work(), call.limits);
  } catch (error) {
    call.error = asServiceError(error);
    return finishAnswer(answerError(call.error), call.limits);
  }
}

/** Adds the headers that every answer carries. */
export function finishAnswer(answer: HttpAnswer, limits: CallLimits): HttpAnswer {
  const headers: HttpAnswer["headers"] = { "Cache-Control": "no-store", ...answer.headers };
  const notice = findNotice();
  if (notice !== undefined) headers[textHeaders.notice] = notice;
  headers[statusHeader] = statusLine(answer.status);
  addLimit(headers, limitHeaders.user, limits.user);
  addLimit(headers, limitHeaders.key, limits.key);
  return { ...answer, headers };
}
