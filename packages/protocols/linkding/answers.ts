// SPDX-License-Identifier: MIT

import type { ServiceError } from "@reading-list/core/errors.ts";
import type { ApiRequest } from "@reading-list/http/api.ts";
import type { HttpAnswer } from "@reading-list/http/call.ts";
import { apiStatusOf, createFailureHeaders } from "@reading-list/http/errors.ts";
import { writeJsonList, writeJsonObject } from "../json-list.ts";

const json = { "Content-Type": "application/json" };

export const answerJson = (value: unknown, status = 200, headers: Record<string, string> = {}): HttpAnswer => ({
  status,
  headers: { ...json, ...headers },
  body: JSON.stringify(value),
});

export const answerNothing = (): HttpAnswer => ({ status: 204, headers: {}, body: "" });

/** The part of a list that a call asks for. */
export interface PageRange {
  offset: number;
  limit: number;
}

/** A page of a list, with the addresses of the next and the previous one. `total` entries are in the whole list. */
export function answerPage<T>(
  values: readonly T[],
  show: (value: T) => unknown,
  { path, total, offset, limit }: PageRange & { path: `/${string}/`; total: number },
  request: ApiRequest,
): HttpAnswer {
  const linkTo = (to: number) => request.linkTo(path, { limit, offset: to });
  const next = offset + limit < total ? linkTo(offset + limit) : null;
  const previous = offset > 0 ? linkTo(Math.max(0, offset - limit)) : null;
  const page = { count: total, next, previous };
  return { ...answerJson({}), body: "", parts: writeJsonObject(page, "results", writeJsonList(values, show)) };
}

/** A list that is always empty: this service has no such things. */
export const emptyPage = { count: 0, next: null, previous: null, results: [] };

/** Parameters that a message can begin with, and the rest of it. */
const ofField =
  /^(url|title|description|notes|tag_names|is_archived|unread|shared|date_added|name|q|limit|offset|sort)(?:\.[\w.]+)? (.+)$/s;

/** An error in the form of linkding: of a field, or of the whole call. */
export function answerError(error: ServiceError): HttpAnswer {
  const { kind, message } = error;
  const status = apiStatusOf[kind];
  const [, field, rule] = (kind === "invalid" && ofField.exec(message)) || [];
  const headers = { ...createFailureHeaders(error, status), ...(status === 401 && { "WWW-Authenticate": "Token" }) };
  return answerJson(field === undefined ? { detail: message } : { [field]: [rule] }, status, headers);
}
