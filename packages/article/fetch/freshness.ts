// SPDX-License-Identifier: MIT

/** The response headers that control caching (RFC 9111). */
export interface CachingHeaders {
  /** Empty if there is none. */
  cacheControl: string;
  etag: string | undefined;
}

/** Limits and default of the seconds for which a page is fresh, that is, reused without a request to its origin. */
const minFreshSeconds = 60;
const maxFreshSeconds = 86_400;
const freshByDefault = 3600;

/** The directives of a Cache-Control header. The first of a repeated name counts. */
function directivesOf(cacheControl: string): Map<string, string> {
  const directives = new Map<string, string>();
  for (const part of cacheControl.split(/[,;]/)) {
    const [name = "", value = ""] = part.split("=", 2).map((text) => text.trim());
    if (!directives.has(name.toLowerCase())) directives.set(name.toLowerCase(), value.replaceAll('"', ""));
  }
  return directives;
}

/**
 * Seconds for which a page is fresh, between 60 and 86,400; 0 if each use must be revalidated, undefined if the page must
 * not be stored.
 */
export function freshSecondsOf({ cacheControl, etag }: CachingHeaders): number | undefined {
  const directives = directivesOf(cacheControl);
  if (directives.has("no-store") || directives.has("private")) return undefined;
  if (directives.has("no-cache")) return etag === undefined ? undefined : 0;
  const maxAge = directives.get("s-maxage") ?? directives.get("max-age");
  if (maxAge === undefined || !/^\d+$/.test(maxAge)) return freshByDefault;
  return Math.min(maxFreshSeconds, Math.max(minFreshSeconds, Number(maxAge)));
}
