// SPDX-License-Identifier: MIT

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { canonicalForm, digestToId } from "@reading-list/core/domain/canonical-form.ts";
import { isPageNote } from "@reading-list/core/domain/highlight-fields.ts";
import { searchableText } from "@reading-list/core/domain/visible-text.ts";
import type { HighlightEntry } from "./entry.ts";

/** Why a highlight has no page: no page of the list has the title that the file gives, or several have it. */
export type Unplaced = "untitled" | "ambiguous";

/**
 * A highlight that has its page and its id; `formerId` is the id that earlier versions derived, including white space.
 */
export type PlacedHighlight = HighlightEntry & { id: string; formerId: string; url: string; itemId: string };

/**
 * Finds the page of a highlight, by its URL or else by its exact title: `urlsOf` are the pages of a list by title. The
 * id of a highlight of another service depends only on item, quotation without white space (or the note on the page),
 * and time, so that a second import adds no highlight.
 */
export function placeHighlight(
  highlight: HighlightEntry,
  urlsOf: ReadonlyMap<string, readonly string[]>,
): PlacedHighlight | Unplaced {
  const { id, url: known, title, quote, note, timeCreated = null } = highlight;
  const [url, other] = known === undefined ? (urlsOf.get(title) ?? []) : [known];
  if (url === undefined) return "untitled";
  if (other !== undefined) return "ambiguous";
  const itemId = digestToId(sha256(utf8ToBytes(canonicalForm(url))));
  const idFrom = (text: string | { note: string }) =>
    bytesToHex(sha256(utf8ToBytes(JSON.stringify([itemId, text, timeCreated])))).slice(0, 40);
  const derived = idFrom(isPageNote(highlight) ? { note } : searchableText(quote).folded);
  const formerId = id ?? (isPageNote(highlight) ? derived : idFrom(quote));
  return { ...highlight, id: id ?? derived, formerId, url, itemId };
}
