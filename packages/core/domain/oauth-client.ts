// SPDX-License-Identifier: MIT

import type { KeyObject } from "node:crypto";
import { isLoopback } from "./hosts.ts";
import { openSigned, signValue } from "./signed-text.ts";

/** An app as it has registered itself (RFC 7591). Its data are not verified. */
export interface OAuthClient {
  name: string;
  redirectUris: readonly string[];
  uri: string;
  softwareId: string;
  softwareVersion: string;
  /** Unix seconds. */
  issuedAt: number;
}

/** A refusal in OAuth's form: its code (RFC 6749, 7591, 8628) and a text for developers, in ASCII without quotes. */
export interface OAuthRefusal {
  error:
    | "invalid_request"
    | "invalid_client"
    | "invalid_client_metadata"
    | "invalid_redirect_uri"
    | "invalid_grant"
    | "invalid_scope"
    | "invalid_target"
    | "unsupported_grant_type"
    | "unsupported_response_type"
    | "access_denied"
    | "authorization_pending"
    | "slow_down"
    | "expired_token";
  description: string;
}

export const refuse = (error: OAuthRefusal["error"], description: string): OAuthRefusal => ({ error, description });

/** Bytes of a client's data: its id, which is these data and a signature, fits into a request line twice. */
const maxClientBytes = 1500;
const maxRedirects = 5;

/** Schemes without a dot of apps that are known to use them (docs/apps.md 5). Any other one may start any program. */
// biome-ignore format: a line holds many short names
export const schemesOfApps = [
  "mydeck", "mydeck-permissive", "mydeck-snapshot", "mydeck-snapshot-permissive", "readeck", "cursor", "raycast",
  "vscode", "vscode-insiders", "warp", "windsurf",
];

/** A domain that its owner has reversed, such as `com.example.app` (RFC 8252, 7.1). */
const reversedDomain = /^(?:[a-z]{2,63}|xn--[a-z0-9-]+)(?:\.[a-z0-9-]+)+$/;

/**
 * Whether a code may be sent to a URI: https, http on a loopback address, a reversed domain or a known scheme of an
 * app. Only printable ASCII, and a host as parsers write it, so that every header and parser has the same text.
 */
export function isRedirectUri(uri: string): boolean {
  const url = /^[\x21-\x7e]+$/.test(uri) ? URL.parse(uri) : null;
  if (!url || uri.includes("#") || url.username !== "" || url.password !== "") return false;
  const scheme = url.protocol.slice(0, -1);
  if (scheme === "https" || scheme === "http")
    return uri.toLowerCase().startsWith(url.origin) && (scheme === "https" || isLoopback(url.hostname));
  return reversedDomain.test(scheme) || schemesOfApps.includes(scheme);
}

/** The destination of a redirect as a person reads it: its host, or the scheme of an app. */
export function showDestination(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri);
  return protocol === "https:" || protocol === "http:" ? host : protocol;
}

/** The id of a client: its data, signed. Nothing is stored for it. */
export function issueClientId(key: KeyObject, client: OAuthClient): { clientId: string } | OAuthRefusal {
  if (client.redirectUris.length > maxRedirects)
    return refuse("invalid_redirect_uri", `redirect_uris has more than ${maxRedirects} entries`);
  if (!client.redirectUris.every(isRedirectUri))
    return refuse(
      "invalid_redirect_uri",
      "redirect_uris must be https:// URLs, http:// URLs on a loopback address, or have a scheme with a dot (com.example.app:/) or of an app in docs/apps.md, all without a fragment",
    );
  if (Buffer.byteLength(JSON.stringify(client)) > maxClientBytes)
    return refuse("invalid_client_metadata", `the fields have more than ${maxClientBytes} bytes together`);
  return { clientId: signValue(key, client) };
}

/** The client of an id; undefined if this service has not issued it. */
export function openClientId(key: KeyObject, clientId: string): OAuthClient | undefined {
  const opened = openSigned(key, clientId) as Partial<OAuthClient> | undefined;
  return (
    opened && {
      name: "",
      redirectUris: [],
      uri: "",
      softwareId: "",
      softwareVersion: "",
      issuedAt: 0,
      ...opened,
    }
  );
}
