// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import type { Access } from "@reading-list/core/domain/authorization.ts";
import { escapeHtml } from "@reading-list/core/domain/escape.ts";
import type { HttpAnswer } from "@reading-list/http/call.ts";
import { answerPage, paragraph } from "./pages.ts";

const accessInWords: Record<Access, string> = {
  full: "Read and change your list: saved pages, texts, tags, highlights",
  read: "Read your list: saved pages, texts, tags, highlights",
  profile: "See your username, but not your list",
};

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
export function askConsent({ name, access, details, note, destination = "", query }: Consent): HttpAnswer {
  const list = [["It may", accessInWords[access]] as const, ...details].map(
    ([term, text, name]) => `<dt>${escapeHtml(term)}</dt><dd${name ? ` class="${name}"` : ""}>${escapeHtml(text)}</dd>`,
  );
  const form = `<form method="post"${query === undefined ? "" : ` action="?${escapeHtml(query)}"`}>
<label>Username <input name="username" autocomplete="username" autocapitalize="none" spellcheck="false" required></label>
<label>Account password <input name="password" type="password" autocomplete="current-password" required></label>
<div class="buttons"><button class="main" name="decision" value="allow">Allow</button>
<button name="decision" value="deny" formnovalidate>Deny</button></div></form>`;
  return answerPage(`Let “${name}” sign in?`, `<dl>${list.join("")}</dl>${paragraph(note, "note")}${form}`, {
    destination,
  });
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
