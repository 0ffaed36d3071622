// SPDX-License-Identifier: MIT

/** The entry of a language, else of the language without its last subtag: `de-AT`, then `de` ("lookup" of RFC 4647). */
export function catalogueOf<T>(catalogues: Record<string, T>, tag: string): T | undefined {
  if (tag === "" || tag in catalogues) return catalogues[tag];
  return catalogueOf(catalogues, tag.slice(0, Math.max(0, tag.lastIndexOf("-"))));
}
