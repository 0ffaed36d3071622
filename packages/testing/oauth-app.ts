// SPDX-License-Identifier: MIT

import { createHash, randomBytes } from "node:crypto";
import { type Account, type Answer, form, type ServiceClient } from "./client.ts";

type Fields = Record<string, string>;

export const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

/** The PKCE challenge of a verifier (RFC 7636). */
export const challengeOf = (verifier: string) => createHash("sha256").update(verifier).digest("base64url");

export const newVerifier = () => randomBytes(32).toString("base64url");

/** An app that signs a user in by Readeck's OAuth, and the user's browser. */
export class OAuthApp {
  readonly service: ServiceClient;
  readonly clientId: string;
  readonly redirectUri: string;
  /** All that the registration has answered. */
  readonly registered: Fields;

  private constructor(service: ServiceClient, registered: Fields, redirectUri: string) {
    this.service = service;
    this.registered = registered;
    this.clientId = registered.client_id ?? "";
    this.redirectUri = redirectUri;
  }

  static async register(
    service: ServiceClient,
    { redirectUri = "example.app:/callback", name = "Example app" } = {},
  ): Promise<OAuthApp> {
    const { status, body } = await postTo(service, "api/oauth/client", {
      client_name: name,
      client_uri: "https://app.example/",
      redirect_uris: redirectUri,
      software_id: "example",
      software_version: "1.0",
    });
    if (status !== 201) throw new Error(`registration: ${status} ${body}`);
    return new OAuthApp(service, JSON.parse(body), redirectUri);
  }

  /** The URL of the authorization page for a verifier. An empty parameter is left out. */
  authorizeUrl(verifier: string, changes: Fields = {}): string {
    const parameters = {
      client_id: this.clientId,
      redirect_uri: this.redirectUri,
      scope: "bookmarks:read bookmarks:write",
      code_challenge: challengeOf(verifier),
      code_challenge_method: "S256",
      state: "state of the app",
      ...changes,
    };
    const given = Object.entries(parameters).filter(([, value]) => value !== "");
    return `${this.service.baseUrl}/readeck/authorize?${form(Object.fromEntries(given))}`;
  }

  /** The headers that a browser sends with the form of a page loaded from `url`. */
  answerPage(url: string, fields: Fields, headers: Fields = {}): Promise<Answer> {
    return this.service.fetch(url, {
      method: "POST",
      redirect: "manual",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        origin: new URL(url).origin,
        ...headers,
      },
      body: form(fields).toString(),
    });
  }

  /** The user agrees at the page; the parameters with which the browser comes back to the app. */
  async agree(url: string, account: Account): Promise<Fields> {
    const { status, headers, body } = await this.answerPage(url, { ...account, decision: "allow" });
    if (status !== 302) throw new Error(`authorize: ${status} ${body}`);
    return parametersOf(headers.get("location"));
  }

  /** The answer to a request for a token, with the fields that the app sends. */
  token(fields: Fields): Promise<Answer> {
    return postTo(this.service, "api/oauth/token", fields);
  }

  redeem(code: string, verifier: string, more: Fields = {}): Promise<Answer> {
    return this.token({ grant_type: "authorization_code", code, code_verifier: verifier, ...more });
  }

  /** Signs a user in by the code flow; returns the token. */
  async signIn(account: Account, scope = "bookmarks:read bookmarks:write", resource = ""): Promise<string> {
    const verifier = newVerifier();
    const { code = "" } = await this.agree(this.authorizeUrl(verifier, { scope, resource }), account);
    const { status, body } = await this.redeem(code, verifier);
    if (status !== 200) throw new Error(`token: ${status} ${body}`);
    return JSON.parse(body).access_token;
  }

  requestDevice(fields: Fields = {}): Promise<Answer> {
    return postTo(this.service, "api/oauth/device", {
      client_id: this.clientId,
      scope: "bookmarks:read",
      ...fields,
    });
  }

  poll(deviceCode: string): Promise<Answer> {
    return this.token({ grant_type: deviceGrant, device_code: deviceCode, client_id: this.clientId });
  }

  revoke(token: string): Promise<Answer> {
    return postTo(this.service, "api/oauth/revoke", { token });
  }
}

export const parametersOf = (location: string | null): Fields =>
  Object.fromEntries(new URL(location ?? "none:").searchParams);

/** A form, posted below Readeck's address. */
export const postTo = (service: ServiceClient, path: string, fields: Fields): Promise<Answer> =>
  service.fetch(`${service.baseUrl}/readeck/${path}`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: form(fields).toString(),
  });
