// SPDX-License-Identifier: MIT

import { errorHeader } from "@reading-list/core/contract/headers.ts";
import type { ServiceError } from "@reading-list/core/errors.ts";
import type { HttpAnswer } from "@reading-list/http/call.ts";
import { apiStatusOf, asHeaderLine, createFailureHeaders } from "@reading-list/http/errors.ts";

/** An answer of another site must not be read by pages of others. */
export const ofSameOrigin = { "Cross-Origin-Resource-Policy": "same-origin" };

export const answerJson = (value: unknown, status = 200, headers: Record<string, string> = {}): HttpAnswer => ({
  status,
  headers: { "Content-Type": "application/json", ...ofSameOrigin, ...headers },
  body: JSON.stringify(value),
});

/** An error: a device checks only the status, and tries again at its next sync; the web reader shows `X-Error`. */
export function answerError(error: ServiceError): HttpAnswer {
  const status = apiStatusOf[error.kind];
  const headers = { ...createFailureHeaders(error, status), [errorHeader]: asHeaderLine(error.message) };
  return answerJson({ status: 0, error: error.message }, status, headers);
}
