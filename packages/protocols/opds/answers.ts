// SPDX-License-Identifier: MIT

import type { ServiceError } from "@reading-list/core/errors.ts";
import { answerFailure } from "@reading-list/http/answer.ts";
import type { Call, HttpAnswer } from "@reading-list/http/call.ts";
import { apiStatusOf, createFailureHeaders } from "@reading-list/http/errors.ts";

const authenticationType = "application/opds-authentication+json";
const authenticationRel = "http://opds-spec.org/auth/document";
const authenticationAddress = (catalog: string) => `${catalog}/authentication.json`;

export const authenticationLink = (catalog: string) => ({
  rel: authenticationRel,
  href: authenticationAddress(catalog),
  type: authenticationType,
});

/** Tells readers which fields to show for the sign-in (Authentication for OPDS 1.0). */
const writeAuthenticationDocument = (catalog: string) =>
  JSON.stringify({
    id: authenticationAddress(catalog),
    title: "Reading list",
    description: "Enter your username and an app password. Create one on the Account page of the web reader.",
    authentication: [
      { type: "http://opds-spec.org/auth/basic", labels: { login: "Username", password: "App password" } },
    ],
  });

export const answerAuthenticationDocument = (catalog: string): HttpAnswer => ({
  status: 200,
  headers: { "Content-Type": authenticationType },
  body: writeAuthenticationDocument(catalog),
});

/** An error as a text; 401 with the data that an e-reader needs to ask for the sign-in. */
export function answerError(error: ServiceError, { apiAddress = "" }: Pick<Call, "apiAddress">): HttpAnswer {
  const status = apiStatusOf[error.kind];
  const { headers, body } = answerFailure(status, error.message, error.code);
  const failure = { ...headers, ...createFailureHeaders(error, status) };
  if (status !== 401) return { status, headers: failure, body };
  const signIn = {
    "Content-Type": authenticationType,
    "WWW-Authenticate": 'Basic realm="Reading list", charset="UTF-8"',
    Link: `<${authenticationAddress(apiAddress)}>; rel="${authenticationRel}"; type="${authenticationType}"`,
  };
  return { status, headers: { ...failure, ...signIn }, body: writeAuthenticationDocument(apiAddress) };
}
