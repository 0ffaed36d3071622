// SPDX-License-Identifier: MIT

import { STATUS_CODES } from "node:http";
import type { ServiceError } from "@reading-list/core/errors.ts";
import type { HttpAnswer } from "@reading-list/http/call.ts";
import { apiStatusOf, createFailureHeaders } from "@reading-list/http/errors.ts";

/** JSON as Readeck writes it. */
export const answerJson = (value: unknown, status = 200, headers: Record<string, string> = {}): HttpAnswer => ({
  status,
  headers: { "Content-Type": "application/json; charset=utf-8", ...headers },
  body: JSON.stringify(value),
});

/** A list of any length, which `parts` write. */
export const answerJsonList = (parts: AsyncIterable<string>, headers: Record<string, string> = {}): HttpAnswer => ({
  ...answerJson([], 200, headers),
  parts,
});

const statuses = { ...apiStatusOf, invalid: 422 };

/** An error in Readeck's form. Invalid fields use the form of its HTML forms, in which clients look for `errors`. */
export function answerError(error: ServiceError): HttpAnswer {
  const { kind, message } = error;
  const status = statuses[kind];
  const fields = kind === "invalid" ? { is_valid: false, errors: [message], fields: {} } : {};
  const body = { status, message: `${STATUS_CODES[status]}: ${message}`, ...fields };
  return answerJson(body, status, createFailureHeaders(error, status));
}
