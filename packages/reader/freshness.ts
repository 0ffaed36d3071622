/** What an origin says of keeping its answer (RFC 9111). */
export interface CachingHeaders {
  /** Empty where there is none. */
  cacheControl: string;
  etag: string | undefined;
}

/** Seconds for which a page is taken as it was without asking its origin again. */
const leastFresh = 60;
const mostFresh = 86_400;
const freshByDefault = 3600;

/** The directives of a Cache-Control header; the first of a repeated name counts. */
function directivesOf(cacheControl: string): Map<string, string> {
  const directives = new Map<string, string>();
  for (const part of cacheControl.split(/[,;]/)) {
    const [name = "", value = ""] = part.split("=", 2).map((text) => text.trim());
    if (!directives.has(name.toLowerCase())) directives.set(name.toLowerCase(), value.replaceAll('"', ""));
  }
  return directives;
}

/**
 * Seconds for which the text of a page may be served without asking its origin again; 0 where each time must be asked,
 * undefined where it must not be kept at all. `max-age` counts between a minute and a day.
 */
export function freshSecondsOf({ cacheControl, etag }: CachingHeaders): number | undefined {
  const directives = directivesOf(cacheControl);
  if (directives.has("no-store") || directives.has("private")) return undefined;
  if (directives.has("no-cache")) return etag === undefined ? undefined : 0;
  const maxAge = directives.get("s-maxage") ?? directives.get("max-age");
  if (maxAge === undefined || !/^\d+$/.test(maxAge)) return freshByDefault;
  return Math.min(mostFresh, Math.max(leastFresh, Number(maxAge)));
}
