// SPDX-License-Identifier: MIT

import type { OAuthRefusal } from "@reading-list/core/domain/oauth-client.ts";
import type { ServiceError } from "@reading-list/core/errors.ts";
import type { HttpAnswer } from "@reading-list/http/call.ts";
import { apiStatusOf, createFailureHeaders } from "@reading-list/http/errors.ts";
import * as z from "zod";
import { answerJson } from "../answers.ts";
import { text } from "../fields.ts";

/** A refusal in OAuth's form. */
export const answerRefusal = ({ error, description }: OAuthRefusal): HttpAnswer =>
  answerJson({ error, error_description: description }, 400);

/** Another error of a call of OAuth's, in the same form. */
function answerOAuthError(error: ServiceError): HttpAnswer {
  const status = error.kind === "unauthorized" ? 401 : apiStatusOf[error.kind];
  const code = { 400: "invalid_request", 401: "invalid_token" }[status as number] ?? "temporarily_unavailable";
  const body = { error: code, error_description: error.message };
  return answerJson(body, status, createFailureHeaders(error, status));
}

/** The resource that an app asks for (RFC 8707), and the address of this server. */
export const resourceFields = { resource: text, address: z.string() };

/**
 * A route that apps call for themselves. They have no credentials of a user; some send a header all the same, and those of
 * registrations have tokens of their own in it.
 */
export const byApps = { caller: "application", signIn: () => ({}), answerError: answerOAuthError } as const;
