// SPDX-License-Identifier: MIT

import type catalogue from "@reading-list/web/locales/en.json";
import type { Problem } from "./outbox.ts";
import type { tagTexts } from "./tag-texts.ts";

/** The texts that build.ts takes from the catalogue, and two facts of the language. */
type TextName = keyof (typeof catalogue)["extension"] | (typeof tagTexts)[number] | "language" | "direction";

/** A text in the language of the browser; `values` replace its `$1`, `$2`. */
export const text = (name: TextName, ...values: string[]): string => chrome.i18n.getMessage(name, values);

/** Replaces the name of each text, such as `{save}`, in the elements of a page. */
export function fillTexts(page: Document): void {
  for (const element of page.body.querySelectorAll(":not(:has(*))")) {
    const name = /^\{(\w+)\}$/.exec(element.textContent)?.[1];
    if (name) element.textContent = text(name as TextName);
  }
  page.documentElement.lang = text("language");
  page.documentElement.dir = text("direction");
  page.body.hidden = false;
}

/** The problem and its cure, in one sentence. */
export function problemText({ kind, message }: Problem): string {
  if (kind === "noAccount") return text("noAccount");
  if (kind === "unauthorized") return text("remedyUnauthorized", message);
  if (kind === "invalid") return text("remedyInvalid", message);
  if (kind === "notFound") return text("remedyNotFound");
  return kind === "noResponse" ? text("remedyNoResponse", message) : text("remedyLater", message);
}
