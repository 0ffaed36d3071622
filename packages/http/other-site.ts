// SPDX-License-Identifier: MIT

import type { HttpRequest } from "./call.ts";

/**
 * Whether a browser has called a host other than `publicUrl`. If the owner of a name has pointed it at the service's
 * address meanwhile (DNS rebinding), a page at that name has the same origin as its calls.
 */
export function isForOtherHost({ headers }: Pick<HttpRequest, "headers">, publicUrl: string | undefined): boolean {
  const { origin, host, "sec-fetch-site": site } = headers;
  if (publicUrl === undefined || (origin === undefined && site === undefined)) return false;
  const own = new URL(publicUrl);
  return URL.parse(`${own.protocol}//${host}`)?.host !== own.host;
}

/**
 * Whether a web page of another site may have sent a call (docs/api.md 5.4): a browser then sends its `Origin`, or with
 * some GET requests only `Sec-Fetch-Site`. Apps and extensions are not web pages. `ownOrigins` has the origins of web
 * readers on other hosts, such as `https://read.example.com`; the host that was called is one of the service's own.
 */
export function isFromOtherSite({ headers }: HttpRequest, ownOrigins: readonly string[]): boolean {
  const { origin, host, "sec-fetch-site": site = "" } = headers;
  if (origin === undefined) return site === "cross-site" || site === "same-site";
  if (origin === "null") return true;
  const { protocol, host: originHost = "" } = URL.parse(origin) ?? {};
  if (protocol !== "https:" && protocol !== "http:") return false;
  if (originHost === URL.parse(`${protocol}//${host}`)?.host) return false;
  return !ownOrigins.includes(`${protocol}//${originHost}`);
}
