// SPDX-License-Identifier: MIT

import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

export const oidcClient = { clientId: "reading-list", clientSecret: "a secret of 32 characters or more" };

/** A provider of OpenID Connect that signs in the user whom the test names, without a form. */
export class IdentityProvider {
  readonly issuer: string;
  /** The user who signs in next, or refuses. */
  person: { sub: string; claims?: Record<string, unknown>; refuses?: true; loginAgo?: number } = { sub: "1" };
  /** Changes what it answers at the token endpoint. */
  readonly #server: Server;

  private constructor(issuer: string, server: Server) {
    this.issuer = issuer;
    this.#server = server;
  }

  /** `redirectUri`: the service's, which may start later; `readerUrl`: the page after a sign-out. */
  static async start(redirectUri: string, readerUrl = new URL("..", redirectUri).href): Promise<IdentityProvider> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const self = new IdentityProvider(issuer, server);
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: oidcClient.clientId,
          client_secret: oidcClient.clientSecret,
          redirect_uris: [redirectUri],
          post_logout_redirect_uris: [readerUrl],
          require_auth_time: true,
        },
      ],
      claims: {
        openid: ["sub"],
        profile: ["preferred_username", "name", "nickname", "department"],
        // A client has to ask for this scope.
        groups: ["groups"],
      },
      conformIdTokenClaims: false,
      cookies: { keys: ["a key"] },
      features: { devInteractions: { enabled: false } },
      findAccount: (_, sub) => ({
        accountId: sub,
        claims: async (use) => {
          const { department, ...claims } = self.person.claims ?? {};
          // Some providers return some claims only at the userinfo endpoint.
          return { sub, ...claims, ...(use === "userinfo" && { department }) };
        },
      }),
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256", kid: "one" }] },
      pkce: { required: () => true },
      ttl: { Session: 3600, Interaction: 3600, Grant: 3600, AccessToken: 3600, IdToken: 3600 },
    });
    const callback = provider.callback();
    server.on("request", async (request, response) => {
      if (!request.url?.startsWith("/interaction/")) return callback(request, response);
      const { prompt, params, grantId } = await provider.interactionDetails(request, response);
      const { sub, refuses, loginAgo } = self.person;
      if (refuses) return provider.interactionFinished(request, response, { error: "access_denied" });
      if (prompt.name === "login") {
        const ts = loginAgo === undefined ? undefined : Math.floor(Date.now() / 1000) - loginAgo;
        const login = { accountId: sub, remember: true, ...(ts !== undefined && { ts }) };
        return provider.interactionFinished(request, response, { login });
      }
      const grant = grantId
        ? await provider.Grant.find(grantId)
        : new provider.Grant({ accountId: sub, clientId: String(params.client_id) });
      grant?.addOIDCScope(String(params.scope));
      const saved = await grant?.save();
      return provider.interactionFinished(
        request,
        response,
        { consent: { grantId: saved } },
        { mergeWithLastSubmission: true },
      );
    });
    return self;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** A browser without scripts: it follows redirects, and keeps cookies by host. */
export class RedirectFollower {
  readonly #cookies = new Map<string, Map<string, string>>();
  readonly #reach: (url: string) => string;

  /** `reach`: where a URL is found from here. */
  constructor(reach = (url: string) => url) {
    this.#reach = reach;
  }

  cookiesOf(url: string): Map<string, string> {
    const { host } = new URL(url);
    const jar = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, jar);
    return jar;
  }

  async fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const jar = this.cookiesOf(url);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...(init.headers as Record<string, string>), ...(cookie && { cookie }) };
    const response = await fetch(this.#reach(url), { ...init, headers, redirect: "manual" });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(set)) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }

  /** Follows redirects until an answer does not redirect, or leads to a URL that `ends` accepts. Returns that URL, and the answer before. */
  async follow(url: string, ends: (url: string) => boolean): Promise<{ url: string; response: Response }> {
    for (let next = url, steps = 0; steps < 20; steps++) {
      const response = await this.fetch(next);
      const location = response.headers.get("location");
      if (!location || response.status < 300 || response.status > 399) return { url: next, response };
      next = new URL(location, next).href;
      if (ends(next)) return { url: next, response };
    }
    throw new Error("more than 20 redirects");
  }
}
