// SPDX-License-Identifier: MIT

import { type HighlightFields, highlightLengths, isPageNote } from "../../domain/highlight-fields.ts";
import type { Highlight, HighlightChange } from "../../domain/highlights.ts";
import { isLongerThan } from "../../domain/page-fields.ts";
import type { Quotation } from "../../domain/quotation.ts";
import { ServiceError } from "../../errors.ts";
import type { HighlightStore } from "../../ports/highlights.ts";
import type { User } from "../../ports/users.ts";
import { type HighlightPorts, saveHighlights } from "./save-highlights.ts";

/** The live highlights of an item, notes on the page included. */
export async function readHighlights(
  { highlights }: { highlights: Pick<HighlightStore, "walkItem"> },
  user: User,
  itemId: string,
) {
  const found: Highlight[] = [];
  if (user.highlights === 0) return found;
  for await (const part of highlights.walkItem(user, itemId)) found.push(...part.filter(({ isDeleted }) => !isDeleted));
  return found;
}

/** The highlights that other services list as annotations, which quote a passage. */
export const annotationsIn = (highlights: readonly Highlight[]): Highlight[] =>
  highlights.filter((each) => !isPageNote(each));

/**
 * The same highlights with their numbers, which identify them in wallabag's API (docs/data.md 1.5). Highlights without
 * a number get one in the order of creation.
 */
export async function numberHighlights(
  { highlights }: Pick<HighlightPorts, "highlights">,
  user: User,
  list: readonly Highlight[],
): Promise<Highlight[]> {
  const missing = list
    .filter(({ number }) => number === undefined)
    .sort((a, b) => a.timeCreated - b.timeCreated || (a.id < b.id ? -1 : 1));
  if (missing.length === 0) return [...list];
  const numbers = await highlights.assignNumbers(
    user,
    missing.map(({ id }) => id),
  );
  return list
    .map((each) => ({ ...each, number: each.number ?? numbers.get(each.id) }))
    .filter(({ number }) => number !== undefined);
}

/** Saves a new highlight of a quotation; or returns why not: it is empty, or too long. */
export async function highlightQuotation(
  deps: HighlightPorts,
  user: User,
  { id, itemId }: { id: string; itemId: string },
  quotation: Quotation,
  fields: Partial<HighlightFields>,
): Promise<string | undefined> {
  if (quotation.quote === "") return "the passage is empty";
  if (isLongerThan(quotation.quote, highlightLengths.quote)) {
    return `the passage has more than ${highlightLengths.quote} characters`;
  }
  const change: HighlightChange = {
    kind: "save",
    id,
    name: "annotation",
    itemId,
    fields: { ...fields, ...quotation, position: quotation.position },
  };
  await saveHighlights(deps, user, [change]);
  return undefined;
}

/** The live highlight of an id, of one item if that is given; no note on a page. Throws `notFound`. */
export async function findHighlight(
  { highlights }: Pick<HighlightPorts, "highlights">,
  user: User,
  id: string,
  itemId?: string,
): Promise<Highlight> {
  const found = (await highlights.find(user, [id])).get(id);
  if (!found || found.isDeleted || isPageNote(found) || (itemId !== undefined && found.itemId !== itemId)) {
    throw new ServiceError("notFound", "the annotation does not exist");
  }
  return found;
}
