// SPDX-License-Identifier: MIT

import type { KeyObject } from "node:crypto";
import { openSigned, signValue } from "./signed-text.ts";

/** An app as it has registered itself (RFC 7591): nobody has checked what it says. */
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

/** Schemes that are no app's own, or run what they name. */
const otherSchemes = [
  ...["javascript", "data", "blob", "file", "vbscript"],
  ...["about", "filesystem", "view-source", "ftp", "ws", "wss"],
];

const isLoopback = (hostname: string) =>
  hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);

/**
 * Whether a code may be sent to a URI: https, http on a loopback address, or an app's own scheme. Printable ASCII alone, so
 * that it is the same text in each header and parser.
 */
export function isRedirectUri(uri: string): boolean {
  const url = /^[\x21-\x7e]+$/.test(uri) ? URL.parse(uri) : null;
  if (!url || uri.includes("#") || url.username !== "" || url.password !== "") return false;
  if (url.protocol === "http:") return isLoopback(url.hostname);
  return !otherSchemes.includes(url.protocol.slice(0, -1));
}

/** The destination of a redirect as a person reads it: its host, or the scheme of an app. */
export function destinationOf(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri);
  return protocol === "https:" || protocol === "http:" ? host : protocol;
}

/** The id of a client: its data, signed. Nothing is stored for it. */
export function issueClientId(key: KeyObject, client: OAuthClient): { clientId: string } | OAuthRefusal {
  if (client.redirectUris.length > maxRedirects)
    return refuse("invalid_redirect_uri", `there are more than ${maxRedirects} redirect_uris`);
  if (!client.redirectUris.every(isRedirectUri))
    return refuse(
      "invalid_redirect_uri",
      "each of redirect_uris must be https, http on a loopback address, or of an app's own scheme, without a fragment",
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
      ...{ name: "", redirectUris: [], uri: "", softwareId: "", softwareVersion: "", issuedAt: 0 },
      ...opened,
    }
  );
}
