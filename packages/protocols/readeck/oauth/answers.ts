// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import type { OAuthRefusal } from "@reading-list/core/domain/oauth-client.ts";
import type { ServiceError } from "@reading-list/core/errors.ts";
import type { HttpAnswer } from "@reading-list/http/call.ts";
import { apiStatusOf, createFailureHeaders } from "@reading-list/http/errors.ts";
import { answerJson } from "../answers.ts";
import { ascii } from "../fields.ts";

/** A refusal in OAuth's form. */
export const answerRefusal = ({ error, description }: OAuthRefusal): HttpAnswer =>
  answerJson({ error, error_description: description }, 400);

/** Another error of a call of OAuth's, in the same form. */
function answerOAuthError(error: ServiceError): HttpAnswer {
  const status = error.kind === "unauthorized" ? 401 : apiStatusOf[error.kind];
  const code =
    { 400: "invalid_request", 401: "invalid_token", 413: "invalid_request" }[status as number] ??
    "temporarily_unavailable";
  const body = { error: code, error_description: error.message };
  return answerJson(body, status, createFailureHeaders(error, status));
}

/** A parameter, in ASCII (RFC 6749, A). The id of a client has up to 2,100 characters. */
export const oauthText = ascii(2100);

/** The resource that an app asks for (RFC 8707), and the address of this server. */
export const resourceFields = { resource: oauthText, address: z.ofRequest<string>() };

/**
 * A route that apps call for themselves. They have no credentials of a user; some send a header anyway, and calls about
 * registrations have their own tokens in it.
 */
export const byApps = { caller: "application", signIn: () => ({}), answerError: answerOAuthError } as const;
