// SPDX-License-Identifier: MIT

import { parseBearerSecret } from "@reading-list/core/contract/bearer-secret.ts";
import { readerWith } from "@reading-list/core/domain/operator-link.ts";
import { hashOfSecret } from "@reading-list/core/domain/sign-in.ts";
import { openSigned, signValue } from "@reading-list/core/domain/signed-text.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { type Dependencies, secondsOf, type User } from "@reading-list/core/ports.ts";
import { type SignOnPorts, userOfIdentity } from "@reading-list/core/use-cases/accounts/sign-on.ts";
import { addCode, codeSeconds } from "@reading-list/core/use-cases/accounts/temporary-secrets.ts";
import type { AnyCaller, Caller, UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { answerError } from "@reading-list/http/answer.ts";
import { type Api, defineRoute } from "@reading-list/http/api.ts";
import type { HttpAnswer } from "@reading-list/http/call.ts";
import * as z from "zod";
import {
  answerUncached,
  credentialFields,
  type SignedIn,
  signInBrowser,
  signInOfFields,
  wantedFields,
} from "../browser-sign-in.ts";
import { showError } from "../readeck/oauth/pages.ts";
import type { Checks, Provider } from "./provider.ts";

/** Single sign-on of the web reader (docs/self-hosting.md). The walk begins at `/app/oidc`. */

export type OidcPorts = SignOnPorts & Pick<Dependencies, "users"> & { provider: Provider; publicUrl: string };

/** `fresh`: for a token in place of the account's password; `link`: for the user who began. */
type Purpose = "login" | "fresh" | "link";

/** The value of the cookie of a browser until the provider sends that back. */
const begun = z.object({
  purpose: z.enum(["login", "fresh", "link"]),
  checks: z.object({ state: z.string(), nonce: z.string(), verifier: z.string() }),
  /** The secret of an invitation. */
  invitation: z.string().optional(),
  /** The user who links an identity. */
  user: z.object({ username: z.string(), userId: z.string() }).optional(),
  /** Unix seconds. */
  at: z.number(),
});
type Begun = z.output<typeof begun>;

const walkSeconds = 600;
const cookieName = "reading-list-oidc";

/** `Lax`: the provider leads back here from its own site. */
const cookieOf = (value: string, seconds: number, publicUrl: string) =>
  `${cookieName}=${value}; Path=/app/oidc; HttpOnly; SameSite=Lax; Max-Age=${seconds}${publicUrl.startsWith("https:") ? "; Secure" : ""}`;

const keyOf = ({ signatureKey }: Pick<OidcPorts, "signatureKey">) => signatureKey("single sign-on");

interface Departure {
  url: string;
  cookie: string;
}

async function depart(
  deps: OidcPorts,
  purpose: Purpose,
  extra: Pick<Begun, "invitation" | "user"> = {},
): Promise<Departure> {
  const { url, checks } = await deps.provider.begin(purpose === "fresh");
  const value: Begun = { purpose, checks: checks satisfies Checks, ...extra, at: secondsOf(deps.clock) };
  return { url, cookie: cookieOf(signValue(keyOf(deps), value), walkSeconds, deps.publicUrl) };
}

const redirect = (Location: string, cookie: string): HttpAnswer => ({
  status: 302,
  headers: { Location, "Set-Cookie": cookie, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer" },
  body: "",
});

const showOnPage = (error: ServiceError) => showError(error, "/app/");

const byAnybody = { caller: "application", signIn: () => ({}) } as const;

const beginFields = z.object({ fresh: z.literal("1").optional() });
const begin: UseCase<z.output<typeof beginFields>, Departure, OidcPorts, AnyCaller> = {
  begin:
    (deps, { fresh }) =>
    () =>
      depart(deps, fresh ? "fresh" : "login"),
};

/** A browser follows a link to here. */
const beginRoute = defineRoute({
  ...byAnybody,
  ...{ route: "GET /", input: beginFields, useCase: begin, answerError: showOnPage },
  present: ({ url, cookie }) => redirect(url, cookie),
});

const inviteFields = z.object({ invitation: z.string().max(60) });
const beginInvited: UseCase<z.output<typeof inviteFields>, Departure, OidcPorts, AnyCaller> = {
  begin:
    (deps, { invitation }) =>
    () =>
      depart(deps, "login", { invitation }),
};

/** With an invitation, whose secret must not be in a URL. */
const invitedRoute = defineRoute({
  ...byAnybody,
  ...{ route: "POST /", input: inviteFields, useCase: beginInvited, isOfOwnSite: true },
  present: ({ url, cookie }) => answerUncached({ url }, { "Set-Cookie": cookie }),
});

const credentials = z.object(credentialFields);
const ofUser = { caller: "user", account: "signIns", input: credentials, isOfOwnSite: true } as const;

const beginLink: UseCase<unknown, Departure, OidcPorts, Caller> = {
  begin:
    (deps) =>
    ({ user: { username, userId } }) =>
      depart(deps, "link", { user: { username, userId } }),
};

/** Links the identity to the user, whose account password it takes. */
const linkRoute = defineRoute({
  ...ofUser,
  ...{ route: "POST /link", useCase: beginLink, signIn: signInOfFields },
  present: ({ url, cookie }) => answerUncached({ url }, { "Set-Cookie": cookie }),
});

const unlink: UseCase<unknown, void, OidcPorts, Caller> = {
  begin:
    ({ identities }) =>
    ({ user }) =>
      identities.unlink(user),
};
const unlinkRoute = defineRoute({
  ...ofUser,
  ...{ route: "POST /unlink", useCase: unlink, signIn: signInOfFields, present: () => answerUncached({}) },
});

const showLink: UseCase<unknown, boolean, OidcPorts, Caller> = {
  begin:
    ({ identities }) =>
    ({ user }) =>
      identities.isLinked(user),
};
const stateRoute = defineRoute({
  ...ofUser,
  ...{ route: "POST /state", useCase: showLink, signIn: signInOfFields },
  present: (isLinked) => answerUncached({ linked: isLinked }),
});

const end: UseCase<unknown, string, OidcPorts, AnyCaller> = {
  begin:
    ({ provider, publicUrl }) =>
    () =>
      provider.end(`${publicUrl}/app/`),
};

/** A browser follows a link to here. It ends the session at the provider alone: the reader has signed out by then. */
const endRoute = defineRoute({
  ...byAnybody,
  ...{ route: "GET /logout", input: z.object({}), useCase: end, answerError: showOnPage },
  present: (url) => redirect(url, cookieOf("", 0, "")),
});

const callbackFields = z.object({
  query: z.record(z.string(), z.string()),
  headers: z.object({ cookie: z.string().default("") }),
});

/** The value that this service has signed in the cookie of a browser; undefined without one. */
const readCookie = (deps: OidcPorts, cookies: string): unknown =>
  openSigned(keyOf(deps), new RegExp(`(?:^|[;,]\\s*)${cookieName}=([^;,\\s]+)`).exec(cookies)?.[1] ?? "");

/** Reads the walk that the browser began. Throws `unauthorized` without one of the last 10 minutes. */
function readBegun(deps: OidcPorts, cookies: string): Begun {
  const { data } = begun.safeParse(readCookie(deps, cookies));
  if (!data || data.at < secondsOf(deps.clock) - walkSeconds) {
    throw new ServiceError("unauthorized", "this browser has not begun to sign in, or too long ago; begin anew");
  }
  return data;
}

const finish: UseCase<z.output<typeof callbackFields>, Departure, OidcPorts, AnyCaller> = {
  begin:
    (deps, { query, headers }) =>
    async ({ address }) => {
      const { purpose, checks, invitation, user: linking, at } = readBegun(deps, headers.cookie);
      const search = String(new URLSearchParams(query));
      const { claims, ...identity } = await deps.provider.finish(search, checks, purpose === "fresh" ? at : undefined);
      /** The code works in this browser alone: somebody else's would sign its user in to another account. */
      const withCode = async (kind: "signin" | "fresh", user: User): Promise<Departure> => {
        const secret = await addCode(deps, user);
        const value = signValue(keyOf(deps), { code: hashOfSecret(secret) });
        const url = readerWith(deps.publicUrl, { [kind]: `${user.username}.${secret}` });
        return { url, cookie: cookieOf(value, codeSeconds, deps.publicUrl) };
      };
      const { identities } = deps;
      if (purpose === "link") {
        const user = await deps.users.find(linking?.username ?? "");
        if (user?.userId !== linking?.userId || !user) throw new ServiceError("unauthorized", "the account is gone");
        if (!(await identities.link(identity, user))) {
          throw new ServiceError("unauthorized", "another user of this service has this identity");
        }
        return { url: readerWith(deps.publicUrl, { linked: "1" }), cookie: cookieOf("", 0, deps.publicUrl) };
      }
      if (purpose === "fresh") {
        const user = await identities.find(identity);
        if (!user) throw new ServiceError("unauthorized", "nobody here has this identity");
        return withCode("fresh", user);
      }
      return withCode("signin", await userOfIdentity(deps, identity, { claims, invitation }, address));
    },
};

/** The provider sends the browser here. */
const callbackRoute = defineRoute({
  ...byAnybody,
  ...{ route: "GET /callback", input: callbackFields, useCase: finish, answerError: showOnPage },
  present: ({ url, cookie }) => redirect(url, cookie),
});

const exchangeFields = z.object({
  code: z.string(),
  ...wantedFields,
  headers: z.object({ cookie: z.string().default("") }),
});

/** The cookie that came with a code. */
const codeCookie = z.object({ code: z.string() });

const exchange: UseCase<z.output<typeof exchangeFields>, SignedIn, OidcPorts, Caller> = {
  begin:
    (deps, { code, headers, ...wanted }) =>
    async ({ user, signInId }) => {
      const { data } = codeCookie.safeParse(readCookie(deps, headers.cookie));
      if (data?.code !== hashOfSecret(parseBearerSecret(code)?.password ?? "")) {
        throw new ServiceError("unauthorized", "this browser has not signed in; begin anew");
      }
      // Of two who have the code, one succeeds.
      if (signInId === undefined || !(await deps.signIns.remove(user.username, signInId))) {
        throw new ServiceError("unauthorized", "this code was used; sign in anew");
      }
      return signInBrowser(deps, user, wanted);
    },
};

/** The reader gets a sign-in of its own for the code in its address. */
const exchangeRoute = defineRoute({
  ...{ route: "POST /exchange", caller: "user", scope: "code", input: exchangeFields, useCase: exchange },
  isOfOwnSite: true,
  signIn: ({ code }) => {
    const credentials = parseBearerSecret(code);
    if (!credentials) throw new ServiceError("unauthorized", "this is no code of single sign-on; sign in anew");
    return credentials;
  },
  present: (exchanged) => answerUncached(exchanged),
});

export const oidc: Api<OidcPorts> = {
  contract: {
    ...{ name: "oidc", path: "app/oidc", caller: "user", counted: true, host: "main", list: "readWhole" },
    account: "signIns",
  },
  routes: [
    ...[beginRoute, endRoute, invitedRoute, linkRoute, unlinkRoute, stateRoute, callbackRoute, exchangeRoute],
  ] as unknown as Api<OidcPorts>["routes"],
  signIn: () => undefined,
  answerError,
  tooLarge: "the answer is too large",
};
