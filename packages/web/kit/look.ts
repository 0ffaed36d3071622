// SPDX-License-Identifier: MIT

import { readStoredJson } from "./browser-storage.ts";

export const settingsKey = "reading-list.settings";

/** The part of the settings that applies before the first rendering. */
export interface Look {
  /** A BCP 47 tag, or empty for the language of the browser. */
  language: string;
  theme: "system" | "light" | "sepia" | "dark" | "eink";
  density: "comfortable" | "compact" | "excerpts" | "cards";
}

export const storedSettings = () => readStoredJson<Partial<Look>>(settingsKey, {});

export function applyLook({ theme, density }: Partial<Look>): void {
  Object.assign(document.documentElement.dataset, { theme, density });
}

/** The entry of a language, else of the language without its last subtag: `de-AT`, then `de` ("lookup" of RFC 4647). */
export function findCatalogue<T>(catalogues: Record<string, T>, tag: string): T | undefined {
  if (tag === "" || tag in catalogues) return catalogues[tag];
  return findCatalogue(catalogues, tag.slice(0, Math.max(0, tag.lastIndexOf("-"))));
}
