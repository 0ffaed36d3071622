// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import type { Access } from "@reading-list/core/domain/authorization.ts";
import { escapeHtml } from "@reading-list/core/domain/escape.ts";
import type { HttpAnswer } from "@reading-list/http/call.ts";
import { answerPage, paragraph } from "./pages.ts";
import { fill, type PageTexts } from "./texts.ts";

interface Consent {
  name: string;
  access: Access;
  /** The text of the page about where the answer goes: a host, a scheme, or a code. */
  details: [term: string, text: string, name?: string][];
  note: string;
  destination?: string;
  /** The query string to which the form is sent; by default, the page's. */
  query?: string;
}

/** The page on which a user agrees, with the account's password, that an app signs in. */
export function askConsent(
  texts: PageTexts,
  { name, access, details, note, destination = "", query }: Consent,
): HttpAnswer {
  const { consent } = texts;
  const list = [[consent.may, consent.access[access]] as const, ...details].map(
    ([term, text, name]) =>
      `<dt>${escapeHtml(term)}</dt><dd${name ? ` class="${name}"` : ""}><bdi>${escapeHtml(text)}</bdi></dd>`,
  );
  const form = `<form method="post"${query === undefined ? "" : ` action="?${escapeHtml(query)}"`}>
<label>${escapeHtml(consent.username)} <input name="username" autocomplete="username" autocapitalize="none" spellcheck="false" required></label>
<label>${escapeHtml(consent.password)} <input name="password" type="password" autocomplete="current-password" required></label>
<div class="buttons"><button class="main" name="decision" value="allow">${escapeHtml(consent.allow)}</button>
<button name="decision" value="deny" formnovalidate>${escapeHtml(consent.deny)}</button></div></form>`;
  const content = `<dl>${list.join("")}</dl>${paragraph(note, "note")}${form}`;
  return answerPage(texts, fill(consent.title, { name }), content, { destination });
}

/** The fields of its form. */
export const consentFields = {
  decision: z.enum(["allow", "deny"], "must be allow or deny"),
  username: z.string(200).default(""),
  password: z.string(200).default(""),
};

/** The credentials as typed. Usernames of this service have no capitals, which phones begin words with. */
export const readTyped = ({ username, password }: { username: string; password: string }) => {
  return { username: username.trim().toLowerCase(), password };
};
