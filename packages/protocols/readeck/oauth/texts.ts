// SPDX-License-Identifier: MIT

import type { ErrorCode } from "@reading-list/core/errors.ts";
import ar from "./locales/ar.json" with { type: "json" };
import de from "./locales/de.json" with { type: "json" };
import en from "./locales/en.json" with { type: "json" };
import es from "./locales/es.json" with { type: "json" };
import fr from "./locales/fr.json" with { type: "json" };

/** The texts of the pages in one language (docs/translating.md). */
export interface PageTexts extends Omit<typeof en, "error"> {
  language: string;
  error: Omit<typeof en.error, "codes"> & { codes: Partial<Record<ErrorCode, string>> };
}

const catalogues = new Map(Object.entries({ ar, de, en, es, fr }));

/** The texts in the first language of `Accept-Language` that has some. Browsers send the preferred language first. */
export function findPageTexts(acceptLanguage = ""): PageTexts {
  for (const accepted of acceptLanguage.slice(0, 500).split(",")) {
    const [tag = ""] = accepted.trim().toLowerCase().split(/[-;]/);
    const texts = catalogues.get(tag);
    if (texts) return { ...texts, language: tag };
  }
  return { ...en, language: "en" };
}

/** A text with its values, such as `{name}`. */
export const fill = (text: string, values: Record<string, string>): string =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");
