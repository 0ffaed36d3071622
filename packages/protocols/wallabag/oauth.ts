// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import { isSecret } from "@reading-list/core/domain/sign-in.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { accessSeconds, grantTokens, renewTokens } from "@reading-list/core/use-cases/accounts/grant-tokens.ts";
import { nameSignIn } from "@reading-list/core/use-cases/accounts/sign-in-apps.ts";
import type { AnyCaller, UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { defineRoute, type SignIn } from "@reading-list/http/api.ts";
import type { ApiPorts } from "../ports.ts";
import { answerJson, tokenRoutes } from "./answers.ts";
import { text } from "./fields.ts";

/**
 * A token: the username, the id of the sign-in if it is a refresh token, the secret, and the API key of the client if
 * it has its own. An app password is a token, too, which its user revokes by itself.
 */
const tokenForm = /^([a-z0-9_-]{1,20})\.(?:([a-z2-7]{10})\.)?([a-z2-7]{20})(?:\.(.+))?$/;

interface Token {
  username: string;
  id: string | undefined;
  secret: string;
  apiKey: string | undefined;
}

function parseToken(token: string): Token | undefined {
  const [, username, id, secret, apiKey] = tokenForm.exec(token) ?? [];
  return username === undefined || secret === undefined ? undefined : { username, id, secret, apiKey };
}

const writeToken = ({ username, id, secret, apiKey }: Token) =>
  [username, id, secret, apiKey].filter((part) => part !== undefined).join(".");

/** The sign-in of a call by its access token. Throws `unauthorized`. */
export function parseSignIn(authorization: string | undefined): (SignIn & { isToken: true }) | undefined {
  if (authorization === undefined) return undefined;
  const token = parseToken(/^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "");
  if (!token || token.id !== undefined)
    throw new ServiceError("unauthorized", "the access token is not from this service");
  const { username, secret: password, apiKey } = token;
  return { username, password, apiKey, isToken: true };
}

/** Characters of a key, a name, a password or a token: longer ones are of nobody. */
const secretLength = 1000;

const input = z
  .object({
    grant_type: z.enum(["password", "refresh_token"], "must be password or refresh_token"),
    client_id: text(secretLength),
    username: text(secretLength),
    password: text(secretLength),
    refresh_token: text(secretLength),
    userAgent: z.ofRequest<string | undefined>(),
  })
  .transform(({ grant_type: grant, client_id: clientId, userAgent = "unknown app", ...input }) => {
    const name = nameSignIn("wallabag", userAgent);
    if (grant === "refresh_token") {
      return { name, clientId, refresh: parseToken(input.refresh_token ?? "") ?? noToken, password: undefined };
    }
    const { password = "" } = input;
    // Usernames of this service have no capitals, which phones begin words with.
    const username = (input.username ?? "").toLowerCase();
    return { name, clientId, refresh: undefined, password: { username, password } };
  });

/** A token that nobody has. */
const noToken: Token = { username: "", id: "", secret: "", apiKey: undefined };

type Input = z.output<typeof input>;

interface Granted {
  username: string;
  access: string;
  refresh: { id: string | undefined; secret: string };
}

const grant: UseCase<Input, Granted, ApiPorts, AnyCaller> = {
  begin:
    (deps, { name, refresh, password }) =>
    async (caller) => {
      if (!caller.user) {
        const { username, id = "", secret } = refresh ?? noToken;
        return { username, ...(await renewTokens(deps, { username, id, secret })) };
      }
      const { username } = caller.user;
      const secret = refresh?.secret ?? password?.password ?? "";
      // The app password is the token, so that revoking it signs the app out.
      if (caller.signInId !== undefined && isSecret(secret))
        return { username, access: secret, refresh: { id: undefined, secret } };
      return { username, ...(await grantTokens(deps, caller, name)) };
    },
};

/** wallabag's OAuth2: a password or a refresh token for new tokens. The Python client sends them in a query string. */
const tokenRoute = defineRoute({
  route: tokenRoutes[0],
  caller: "either",
  // An app password is its own token.
  scope: "read",
  input,
  useCase: grant,
  signIn: async ({ clientId, refresh, password }, { apiKeys }) => {
    const apiKey = refresh?.apiKey ?? (clientId && (await apiKeys.find(clientId)) ? clientId : undefined);
    if (password) return { ...password, apiKey };
    if (refresh && refresh.id === undefined)
      return { username: refresh.username, password: refresh.secret, apiKey, isToken: true };
    return { apiKey };
  },
  present: ({ username, access, refresh }, _, { apiKey }) =>
    answerJson({
      access_token: writeToken({ username, id: undefined, secret: access, apiKey }),
      expires_in: accessSeconds,
      token_type: "bearer",
      scope: null,
      refresh_token: writeToken({ username, ...refresh, apiKey }),
    }),
});

export const oauthRoutes = tokenRoutes.map((route) => ({ ...tokenRoute, route }));
