// SPDX-License-Identifier: MIT

/** Limits and default of the seconds for which a page is fresh (RFC 9111). */
const minFreshSeconds = 60;
const maxFreshSeconds = 86_400;
const freshByDefault = 3600;

/** The directives of a Cache-Control header. The first of a repeated name counts. */
function parseDirectives(cacheControl: string): Map<string, string> {
  const directives = new Map<string, string>();
  for (const part of cacheControl.split(/[,;]/)) {
    const [name = "", value = ""] = part.split("=", 2).map((text) => text.trim());
    if (!directives.has(name.toLowerCase())) directives.set(name.toLowerCase(), value.replaceAll('"', ""));
  }
  return directives;
}

/** Seconds for which a page is fresh, between 60 and 86,400; undefined if it must not be reused. */
export function parseFreshness(cacheControl: string): number | undefined {
  const directives = parseDirectives(cacheControl);
  if (["no-store", "private", "no-cache"].some((name) => directives.has(name))) return undefined;
  const maxAge = directives.get("s-maxage") ?? directives.get("max-age");
  if (maxAge === undefined || !/^\d+$/.test(maxAge)) return freshByDefault;
  return Math.min(maxFreshSeconds, Math.max(minFreshSeconds, Number(maxAge)));
}
