// SPDX-License-Identifier: MIT

import { signOn, toApiFolder } from "@reading-list/core/contract/apis.ts";
import { parseBearerSecret } from "@reading-list/core/contract/bearer-secret.ts";
import * as z from "@reading-list/core/contract/bounded.ts";
import type { Identity } from "@reading-list/core/domain/identity.ts";
import { hashLinkSecret } from "@reading-list/core/domain/operator-link.ts";
import { hashSecret, newSecret } from "@reading-list/core/domain/sign-in.ts";
import { openSigned, signValue } from "@reading-list/core/domain/signed-text.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { unixTime } from "@reading-list/core/ports/clock.ts";
import type { Dependencies } from "@reading-list/core/ports/dependencies.ts";
import {
  findAllowedUser,
  findUserByIdentity,
  notAllowed,
  type SignOnPorts,
} from "@reading-list/core/use-cases/accounts/sign-on.ts";
import { addCode, codeSeconds } from "@reading-list/core/use-cases/accounts/temporary-secrets.ts";
import type { AnyCaller, Caller, UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { type ApiRoute, defineRoute } from "@reading-list/http/api.ts";
import type { HttpAnswer } from "@reading-list/http/call.ts";
import {
  answerUncached,
  credentialFields,
  defineBrowserApi,
  type SignedIn,
  signInBrowser,
  toSignIn,
  wantedFields,
} from "../browser-sign-in.ts";
import { showError } from "../readeck/oauth/pages.ts";
import type { Checks, Provider } from "./provider.ts";

/**
 * Single sign-on of the web reader (docs/self-hosting.md). The walk begins at `/app/oidc`. A reader starts it by POST
 * and gets a verifier, which is required to finish the sign-in or to link an account: a deployed reader is on another
 * host, whose pages cannot read this host's cookies. Without a verifier, as by a link to `/app/oidc`, a cookie takes
 * its place.
 */

export type OidcPorts = SignOnPorts &
  Pick<Dependencies, "users"> & {
    provider: Provider;
    publicUrl: string;
    /** The page of the web reader, which may be on another host. */
    readerUrl: string;
  };

/** Characters of a signed value, which a URL or a cookie holds. */
const signedText = 8192;

/** The user who links an identity. */
const linkingUser = z.object({ username: z.string(20), userId: z.string(100) });

/** The purpose of a walk. `fresh`: a token instead of the account's password; `link`: the user who began is linked. */
const wanted = z.object({
  purpose: z.enum(["login", "fresh", "link"]),
  /** The hash of an invitation's secret. */
  invitation: z.string(100).optional(),
  user: linkingUser.optional(),
  verifierHash: z.string(100).optional(),
  /** When it began, in unix seconds. */
  at: z.number(),
});
type Wanted = z.output<typeof wanted>;

/** The value of the cookie of a browser until the provider sends that back. */
const begun = wanted.extend({
  checks: z.object({ state: z.string(200), nonce: z.string(200), verifier: z.string(200) }),
});
type Begun = z.output<typeof begun>;

/** Comes with a code: the browser that may exchange it has the cookie with this value, or the verifier. */
const codeProof = z.object({ code: z.string(100), verifierHash: z.string(100).optional() });

/** Leads back to the reader that links an identity. */
const linkProof = z.object({
  issuer: z.ascii(signedText),
  subject: z.ascii(signedText),
  user: linkingUser,
  verifierHash: z.string(100),
  at: z.number(),
});

const folder = toApiFolder(signOn);
const walkSeconds = 600;
const cookieName = "reading-list-oidc";

/** `Lax`: the provider leads back here from its own site. */
const writeCookie = (value: string, seconds: number, publicUrl: string) =>
  `${cookieName}=${value}; Path=${new URL(publicUrl + folder).pathname}; HttpOnly; SameSite=Lax; Max-Age=${seconds}${publicUrl.startsWith("https:") ? "; Secure" : ""}`;

/** Each kind of signed value has its own key, so that none is accepted as another kind. */
const signingKey = ({ signatureKey }: Pick<OidcPorts, "signatureKey">, kind: "wanted" | "cookie" | "code" | "link") =>
  signatureKey(`single sign-on ${kind}`);

interface Departure {
  url: string;
  cookie?: string;
}

async function depart(deps: OidcPorts, wanted: Wanted): Promise<Departure> {
  const { url, checks } = await deps.provider.begin(wanted.purpose === "fresh");
  const value: Begun = { ...wanted, checks: checks satisfies Checks };
  return { url, cookie: writeCookie(signValue(signingKey(deps, "cookie"), value), walkSeconds, deps.publicUrl) };
}

const redirect = ({ url: Location, cookie }: Departure): HttpAnswer => ({
  status: 302,
  headers: {
    Location,
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    ...(cookie !== undefined && { "Set-Cookie": cookie }),
  },
  body: "",
});

const arriveAt = ({ readerUrl }: Pick<OidcPorts, "readerUrl">, fragment: Record<string, string>) =>
  `${readerUrl}#${new URLSearchParams(fragment)}`;

const notBegun = () =>
  new ServiceError("unauthorized", "this browser did not start this sign-in, or started it too long ago; start again");

/** Reads a value that this service has signed in the last `seconds`. Throws `unauthorized` for any other text. */
function openRecent<Value extends { at: number }>(
  deps: OidcPorts,
  kind: Parameters<typeof signingKey>[1],
  schema: z.ZodType<Value>,
  signed: string,
  seconds: number,
): Value {
  const { data } = schema.safeParse(openSigned(signingKey(deps, kind), signed));
  if (!data || data.at < unixTime(deps.clock) - seconds) throw notBegun();
  return data;
}

const byAnybody = { caller: "application", signIn: () => ({}) } as const;

const beginFields = z.object({ fresh: z.literal("1").optional(), begin: z.ascii(signedText).optional() });
const begin: UseCase<z.output<typeof beginFields>, Departure, OidcPorts, AnyCaller> = {
  begin:
    (deps, { fresh, begin: signed }) =>
    async () => {
      if (signed !== undefined) return depart(deps, openRecent(deps, "wanted", wanted, signed, walkSeconds));
      const isElsewhere = new URL(deps.readerUrl).origin !== new URL(deps.publicUrl).origin;
      // Its page begins by POST: it would not see the cookie in the end.
      if (isElsewhere) return { url: deps.readerUrl };
      return depart(deps, { purpose: fresh ? "fresh" : "login", at: unixTime(deps.clock) });
    },
};

/** Answers a browser, which follows a link to here. */
const createShownRoute = <Schema extends z.ZodType, Result>(
  route: Omit<ApiRoute<Schema, Result, "application", OidcPorts>, "caller" | "signIn" | "answerError">,
  readerUrl: string,
) =>
  defineRoute({
    ...byAnybody,
    ...route,
    answerError: (error, _, acceptLanguage) => showError(error, readerUrl, acceptLanguage),
  });

interface Announced {
  url: string;
  verifier: string;
}

/** Where a browser begins, and the verifier that it keeps. */
function announce(deps: OidcPorts, extra: Pick<Wanted, "purpose" | "invitation" | "user">): Announced {
  const verifier = newSecret();
  const value: Wanted = { ...extra, verifierHash: hashSecret(verifier), at: unixTime(deps.clock) };
  return { url: `${deps.publicUrl}${folder}?begin=${signValue(signingKey(deps, "wanted"), value)}`, verifier };
}

const announceFields = z.object({ fresh: z.literal("1").optional(), invitation: z.string(60).optional() });
const announceWalk: UseCase<z.output<typeof announceFields>, Announced, OidcPorts, AnyCaller> = {
  begin:
    (deps, { fresh, invitation }) =>
    async () =>
      announce(deps, {
        purpose: fresh ? "fresh" : "login",
        ...(invitation !== undefined && { invitation: hashLinkSecret(invitation) }),
      }),
};

const announceRoute = defineRoute({
  ...byAnybody,
  route: "POST /",
  input: announceFields,
  useCase: announceWalk,
  isOfOwnSite: true,
  present: (announced) => answerUncached(announced),
});

const credentials = z.object(credentialFields);
const ofUser = { caller: "user", account: "signIns", input: credentials, isOfOwnSite: true } as const;

const beginLink: UseCase<unknown, Announced, OidcPorts, Caller> = {
  begin:
    (deps) =>
    async ({ user: { username, userId } }) =>
      announce(deps, { purpose: "link", user: { username, userId } }),
};

/** Links the identity to the user, whose account password it takes. */
const linkRoute = defineRoute({
  ...ofUser,
  route: "POST /link",
  useCase: beginLink,
  signIn: toSignIn,
  present: (announced) => answerUncached(announced),
});

const linkFields = z.object({ linked: z.ascii(signedText), verifier: z.string(100) });
const finishLink: UseCase<z.output<typeof linkFields>, void, OidcPorts, AnyCaller> = {
  begin:
    (deps, { linked, verifier }) =>
    async () => {
      const { issuer, subject, user: linking, verifierHash } = openRecent(deps, "link", linkProof, linked, codeSeconds);
      if (verifierHash !== hashSecret(verifier)) throw notBegun();
      const user = await deps.users.find(linking.username);
      if (user?.userId !== linking.userId) throw new ServiceError("unauthorized", "the account no longer exists");
      if (!(await deps.identities.link({ issuer, subject }, user))) {
        throw new ServiceError("unauthorized", "this identity is linked to another user");
      }
    },
};

const linkedRoute = defineRoute({
  ...byAnybody,
  route: "POST /linked",
  input: linkFields,
  useCase: finishLink,
  isOfOwnSite: true,
  present: () => answerUncached({}),
});

const unlink: UseCase<unknown, void, OidcPorts, Caller> = {
  begin:
    ({ identities }) =>
    ({ user }) =>
      identities.unlink(user),
};
const unlinkRoute = defineRoute({
  ...ofUser,
  route: "POST /unlink",
  useCase: unlink,
  signIn: toSignIn,
  present: () => answerUncached({}),
});

const showLink: UseCase<unknown, Identity[], OidcPorts, Caller> = {
  begin:
    ({ identities }) =>
    ({ user }) =>
      identities.list(user),
};
const stateRoute = defineRoute({
  ...ofUser,
  route: "POST /state",
  useCase: showLink,
  signIn: toSignIn,
  present: (linked) => answerUncached({ linked: linked.length > 0 }),
});

const end: UseCase<unknown, Departure, OidcPorts, AnyCaller> = {
  begin:
    ({ provider, readerUrl }) =>
    async () => ({ url: await provider.end(readerUrl) }),
};

const callbackFields = z.object({
  query: z.ofRequest<Record<string, string>>(),
  headers: z.ofRequest<{ cookie?: string }>(),
});

/** The value of the cookie of a browser; empty without one. */
const cookieIn = ({ cookie: cookies = "" }: { cookie?: string }): string =>
  new RegExp(`(?:^|[;,]\\s*)${cookieName}=([^;,\\s]+)`).exec(cookies)?.[1] ?? "";

const finish: UseCase<z.output<typeof callbackFields>, Departure, OidcPorts, AnyCaller> = {
  begin:
    (deps, { query, headers }) =>
    async ({ address }) => {
      const walk = openRecent(deps, "cookie", begun, cookieIn(headers), walkSeconds);
      const { purpose, checks, invitation, user: linking, verifierHash, at } = walk;
      const search = String(new URLSearchParams(query));
      const { claims, access, ...identity } = await deps.provider.finish(
        search,
        checks,
        purpose === "fresh" ? at : undefined,
      );
      const noCookie = writeCookie("", 0, deps.publicUrl);
      if (purpose === "link") {
        // So a stranger's identity, or an identity that lost its claim, cannot suspend another user.
        if (!access.isAllowed) throw notAllowed();
        // Only for the reader that started, because another person's link would replace its user.
        const value = { ...identity, user: linking, verifierHash, at: unixTime(deps.clock) };
        return { url: arriveAt(deps, { linked: signValue(signingKey(deps, "link"), value) }), cookie: noCookie };
      }
      const user =
        purpose === "fresh"
          ? await findAllowedUser(deps, identity, access)
          : await findUserByIdentity(deps, identity, { claims, access, invitation }, address);
      if (!user) throw new ServiceError("unauthorized", "no user is linked to this identity");
      const secret = await addCode(deps, user);
      const arrival = { [purpose === "fresh" ? "fresh" : "signin"]: `${user.username}.${secret}` };
      // The code works only in this browser: another person's code would sign its user in to another account.
      const proof = signValue(signingKey(deps, "code"), { code: hashSecret(secret), verifierHash });
      return verifierHash === undefined
        ? { url: arriveAt(deps, arrival), cookie: writeCookie(proof, codeSeconds, deps.publicUrl) }
        : { url: arriveAt(deps, { ...arrival, proof }), cookie: noCookie };
    },
};

const exchangeFields = z.object({
  code: z.string(100),
  proof: z.ascii(signedText).optional(),
  verifier: z.string(100).default(""),
  ...wantedFields,
  headers: z.ofRequest<{ cookie?: string }>(),
});

const exchange: UseCase<z.output<typeof exchangeFields>, SignedIn, OidcPorts, Caller> = {
  begin:
    (deps, { code, proof, verifier, headers, ...wanted }) =>
    async ({ user, signInId }) => {
      const { data } = codeProof.safeParse(openSigned(signingKey(deps, "code"), proof ?? cookieIn(headers)));
      const isOfCode = data?.code === hashSecret(parseBearerSecret(code)?.password ?? "");
      const isOfBrowser =
        proof === undefined ? data?.verifierHash === undefined : data?.verifierHash === hashSecret(verifier);
      if (!isOfCode || !isOfBrowser) {
        throw new ServiceError("unauthorized", "this browser has not signed in; start again");
      }
      // Of two who have the code, one succeeds.
      if (signInId === undefined || !(await deps.signIns.remove(user.username, signInId))) {
        throw new ServiceError("unauthorized", "this code has already been used; sign in again");
      }
      return signInBrowser(deps, user, wanted);
    },
};

/** The reader exchanges the code in its address for its own sign-in. */
const exchangeRoute = defineRoute({
  route: "POST /exchange",
  caller: "user",
  scope: "code",
  input: exchangeFields,
  useCase: exchange,
  isOfOwnSite: true,
  signIn: ({ code }) => {
    const credentials = parseBearerSecret(code);
    if (!credentials) throw new ServiceError("unauthorized", "this is not a single sign-on code; sign in again");
    return credentials;
  },
  present: (exchanged) => answerUncached(exchanged),
});

/** The routes that browsers follow links to: a page there says what went wrong, and leads back to the reader. */
const shownRoutes = (readerUrl: string) => [
  createShownRoute({ route: "GET /", input: beginFields, useCase: begin, present: redirect }, readerUrl),
  createShownRoute({ route: "GET /callback", input: callbackFields, useCase: finish, present: redirect }, readerUrl),
  // Ends only the session at the provider: the reader has already signed out.
  createShownRoute({ route: "GET /logout", input: z.object({}), useCase: end, present: redirect }, readerUrl),
];

const calledRoutes = [announceRoute, linkRoute, linkedRoute, unlinkRoute, stateRoute, exchangeRoute];

/** Single sign-on for the web reader at an address. */
export const createOidc = (readerUrl: string) =>
  defineBrowserApi<OidcPorts>(signOn, [...shownRoutes(readerUrl), ...calledRoutes]);
