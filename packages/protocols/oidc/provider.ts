// SPDX-License-Identifier: MIT

import { signOn, toApiFolder } from "@reading-list/core/contract/apis.ts";
import { type ClaimRule, type Identity, meetsRule, type SignOnAccess } from "@reading-list/core/domain/identity.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import * as client from "openid-client";

export interface ProviderSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Its name for people. */
  name: string;
  /** The rule for people who may sign in; all people if undefined. */
  allowed: ClaimRule | undefined;
  /** The rule for administrators; a claim makes no administrator if undefined. */
  operators: ClaimRule | undefined;
}

/** The values that the answer of a provider is checked against; they stay in the browser that began. */
export interface Checks {
  state: string;
  nonce: string;
  verifier: string;
}

/** The identity of a person who has signed in, and names that the provider proposes: those find nobody. */
export interface SignedOn extends Identity {
  claims: (string | undefined)[];
  access: SignOnAccess;
}

/** Where the provider sends a browser back. */
export const callbackUrl = (publicUrl: string) => `${publicUrl}${toApiFolder(signOn)}/callback`;

/** Seconds for a request to the provider, and for which its metadata are used. */
const timeoutSeconds = 10;
const metadataSeconds = 3600;

/** Seconds by which the clock of the provider may differ. */
const clockTolerance = 30;

/** A provider of OpenID Connect (docs/self-hosting.md, "Single sign-on"). */
export class Provider {
  readonly #settings: ProviderSettings;
  readonly #redirectUri: string;
  #found: { configuration: Promise<client.Configuration>; until: number } | undefined;

  constructor(settings: ProviderSettings, redirectUri: string) {
    this.#settings = settings;
    this.#redirectUri = redirectUri;
  }

  /** The address at which the person signs in; with `isFresh`, the person must sign in again in spite of a session. */
  async begin(isFresh: boolean): Promise<{ url: string; checks: Checks }> {
    const configuration = await this.#configuration();
    const checks = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    };
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#redirectUri,
      scope: this.#scope(configuration),
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: "S256",
      ...(isFresh && { max_age: "0", prompt: "login" }),
    });
    return { url: url.href, checks };
  }

  /**
   * Who signed in, by the query string with which the provider sent the browser back. Throws `unauthorized` if the answer is
   * not the one to `checks`, or of another issuer, or if the person did not sign in just now and `freshSince` (unix seconds)
   * is given; `unavailable` if the provider does not answer.
   */
  async finish(query: string, checks: Checks, freshSince: number | undefined): Promise<SignedOn> {
    const configuration = await this.#configuration();
    const tokens = await client
      .authorizationCodeGrant(configuration, new URL(`${this.#redirectUri}?${query}`), {
        pkceCodeVerifier: checks.verifier,
        expectedState: checks.state,
        expectedNonce: checks.nonce,
        idTokenExpected: true,
        ...(freshSince !== undefined && { maxAge: 0 }),
      })
      .catch((error) => {
        throw toRefusal(error);
      });
    const claims = tokens.claims();
    if (!claims) throw new ServiceError("unauthorized", "single sign-on failed: the provider's answer has no identity");
    if (freshSince !== undefined && (claims.auth_time ?? 0) < freshSince - clockTolerance) {
      throw new ServiceError(
        "unauthorized",
        "single sign-on failed: the provider did not ask you to sign in; sign in again",
      );
    }
    const access = await this.#access(configuration, tokens, claims);
    const text = (claim: unknown) => (typeof claim === "string" ? claim : undefined);
    const { preferred_username: name, nickname, name: fullName, email } = claims;
    return { issuer: claims.iss, subject: claims.sub, claims: [name, nickname, email, fullName].map(text), access };
  }

  /** Where a person signs out at the provider, which leads back to `returnTo`. Throws `invalid` if it has no such page. */
  async end(returnTo: string): Promise<string> {
    const configuration = await this.#configuration();
    if (configuration.serverMetadata().end_session_endpoint === undefined) {
      throw new ServiceError("invalid", "the single sign-on provider has no sign-out page; sign out on its own site");
    }
    return client.buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo }).href;
  }

  /** Claims such as `groups` have a scope of that name at many providers, and others refuse an unknown scope. */
  #scope(configuration: client.Configuration): string {
    const { scopes_supported: supported = [] } = configuration.serverMetadata();
    const scopes = this.#rules().flatMap(({ claim }) => (supported.includes(claim) ? [claim] : []));
    return [...new Set(["openid", "profile", ...scopes])].join(" ");
  }

  #rules(): ClaimRule[] {
    const { allowed, operators } = this.#settings;
    return [allowed, operators].filter((rule) => rule !== undefined);
  }

  /** Evaluates the claims of the ID token, and others of the userinfo endpoint. */
  async #access(
    configuration: client.Configuration,
    { access_token: token }: client.TokenEndpointResponse,
    claims: client.IDToken,
  ): Promise<SignOnAccess> {
    const isIncomplete = this.#rules().some(({ claim }) => claims[claim] === undefined);
    const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined;
    const more =
      isIncomplete && hasMore
        ? await client.fetchUserInfo(configuration, token, claims.sub).catch((error) => {
            throw toRefusal(error);
          })
        : {};
    const all = { ...more, ...claims };
    const { allowed, operators } = this.#settings;
    return {
      isAllowed: !allowed || meetsRule(all, allowed),
      isOperator: operators !== undefined && meetsRule(all, operators),
    };
  }

  #configuration(): Promise<client.Configuration> {
    if (this.#found && this.#found.until > Date.now()) return this.#found.configuration;
    const { issuer, clientId, clientSecret } = this.#settings;
    const execute = issuer.startsWith("http:") ? [client.allowInsecureRequests] : [];
    const metadata = { client_secret: clientSecret, [client.clockTolerance]: clockTolerance };
    const configuration = client
      .discovery(new URL(issuer), clientId, metadata, authenticate(clientSecret), { execute, timeout: timeoutSeconds })
      .catch((error) => {
        this.#found = undefined;
        throw toRefusal(error);
      });
    this.#found = { configuration, until: Date.now() + metadataSeconds * 1000 };
    return configuration;
  }
}

/** In the header, as the specification prefers, unless the provider accepts only the body. */
const authenticate =
  (secret: string): client.ClientAuth =>
  (server, ...request) => {
    const { token_endpoint_auth_methods_supported: methods = ["client_secret_basic"] } = server;
    const form = methods.includes("client_secret_basic") ? client.ClientSecretBasic : client.ClientSecretPost;
    return form(secret)(server, ...request);
  };

/** The library's text may contain data that the provider sent. */
function toRefusal(error: unknown): ServiceError {
  if (error instanceof client.AuthorizationResponseError) {
    const isDenied = error.error === "access_denied";
    const reason = isDenied ? "you did not agree" : "the provider refused";
    return new ServiceError("unauthorized", `single sign-on failed: ${reason}`, { cause: error });
  }
  const { code } = error as { code?: string };
  const isLost = error instanceof TypeError || code === "OAUTH_TIMEOUT" || code === "OAUTH_RESPONSE_IS_NOT_CONFORM";
  return isLost
    ? new ServiceError("unavailable", "the single sign-on provider does not respond; try again later", {
        retryAfter: 5,
        cause: error,
      })
    : new ServiceError("unauthorized", "single sign-on failed: start again", { cause: error });
}
