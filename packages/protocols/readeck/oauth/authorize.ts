// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import { addToRedirect, type ReadAuthorizationRequest } from "@reading-list/core/domain/authorization.ts";
import { refuse, showDestination } from "@reading-list/core/domain/oauth-client.ts";
import {
  type AuthorizationPorts,
  grantCode,
  readRequest,
} from "@reading-list/core/use-cases/accounts/authorize-apps.ts";
import type { AnyCaller, UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { type ApiRequest, defineRoute } from "@reading-list/http/api.ts";
import type { HttpAnswer } from "@reading-list/http/call.ts";
import { ascii } from "../fields.ts";
import { oauthText, resourceFields } from "./answers.ts";
import { askConsent, consentFields, readTyped } from "./consent.ts";
import { showError, showMessage } from "./pages.ts";
import { readScopes } from "./scopes.ts";
import { fill, findPageTexts } from "./texts.ts";

const parameters = z.object({
  client_id: oauthText,
  redirect_uri: oauthText,
  response_type: oauthText,
  scope: oauthText,
  state: ascii(4096),
  code_challenge: oauthText,
  code_challenge_method: oauthText,
  ...resourceFields,
});

type Parameters = z.output<typeof parameters>;

type Outcome =
  | ReadAuthorizationRequest
  | { kind: "granted"; redirectUri: string; code: string }
  /** Denied by a user, or, without a redirect, by someone who did not sign in. */
  | { kind: "denied"; redirectUri: string | undefined };

/** 302 to the app, with its state, and our name: an app of several servers notices an answer of another one (RFC 9207). */
function redirect(
  redirectUri: string,
  parameters: Record<string, string>,
  { state }: Parameters,
  { address }: ApiRequest,
): HttpAnswer {
  const Location = addToRedirect(redirectUri, { ...parameters, state, iss: address });
  return { status: 302, headers: { Location, "Referrer-Policy": "no-referrer" }, body: "" };
}

/** A source of `form-action`. Of an address in brackets, which sources cannot have, it is the scheme. */
function toSource(redirectUri: string): string {
  const { protocol, origin, hostname } = new URL(redirectUri);
  return origin === "null" || hostname.startsWith("[") ? protocol : origin;
}

function present(outcome: Outcome, given: Parameters, request: ApiRequest): HttpAnswer {
  const texts = findPageTexts(request.acceptLanguage);
  const { app, consent } = texts;
  if (outcome.kind === "invalid") {
    const { description } = outcome.refusal;
    return showMessage(texts, app.wrong, fill(app.wrongHint, { description }), 400);
  }
  const { redirectUri } = outcome;
  if (redirectUri === undefined) return showMessage(texts, app.denied, app.deniedHint);
  if (outcome.kind === "granted") return redirect(redirectUri, { code: outcome.code }, given, request);
  if (outcome.kind === "denied") {
    const { error, description } = refuse("access_denied", "the user denied access");
    return redirect(redirectUri, { error, error_description: description }, given, request);
  }
  const { client, access } = outcome;
  return askConsent(texts, {
    name: client.name,
    access,
    details: [[consent.continuesAt, showDestination(redirectUri)]],
    note: consent.appHint,
    destination: toSource(redirectUri),
  });
}

const read: UseCase<Parameters, Outcome, AuthorizationPorts, AnyCaller> = {
  begin: (deps, given) => async () => readRequest(deps, { ...given, access: readScopes(given.scope) }),
};

const show = defineRoute({
  route: "GET /authorize",
  caller: "application",
  input: parameters,
  useCase: read,
  signIn: () => ({}),
  present,
  answerError: showError,
});

const answerInput = parameters.extend(consentFields);

const answer: UseCase<z.output<typeof answerInput>, Outcome, AuthorizationPorts, AnyCaller> = {
  begin: (deps, given) => async (caller) => {
    const read = readRequest(deps, { ...given, access: readScopes(given.scope) });
    if (read.kind !== "valid") return read;
    const { redirectUri } = read;
    if (given.decision === "deny" || !caller.user) return { kind: "denied", redirectUri: caller.user && redirectUri };
    return { kind: "granted", redirectUri, code: await grantCode(deps, caller, given.client_id ?? "", read) };
  },
};

const decide = defineRoute({
  route: "POST /authorize",
  caller: "either",
  account: "signIns",
  isOfOwnSite: true,
  input: answerInput,
  useCase: answer,
  // Who refuses may leave the fields empty: then no redirect follows.
  signIn: ({ decision, ...typed }) =>
    decision === "deny" && (typed.username === "" || typed.password === "") ? {} : readTyped(typed),
  present,
  answerError: showError,
});

/** The page on which a user lets an app sign in, and its redirect (RFC 6749, 4.1). */
export const authorizeRoutes = [show, decide];
