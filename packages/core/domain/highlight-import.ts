// SPDX-License-Identifier: MIT

import type { HighlightFields } from "./highlight-fields.ts";
import { type Highlight, type HighlightWrite, isPlace, maxOfItem, maxOfUser } from "./highlights.ts";
import type { Item } from "./item.ts";

/** A highlight to import; its fields are valid. */
export interface ImportedHighlight extends HighlightFields {
  id: string;
  /** The id that the highlight has if an older version imported it. */
  formerId?: string | undefined;
  itemId: string;
}

/**
 * The outcome of a highlight: it was added; it was there, or the user had deleted it; its page is neither in the list nor
 * in the trash; the page, or the user, has as many as they may have.
 */
export type HighlightOutcome = "new" | "existing" | "missing" | "full";

/**
 * The records that an import of highlights reads: the highlights with its ids, their items, and the numbers of
 * highlights.
 */
export interface KnownHighlights {
  existing: ReadonlyMap<string, Highlight>;
  items: ReadonlyMap<string, Item>;
  ofUser: number;
  ofItems: ReadonlyMap<string, number>;
}

/** The writes that import highlights, and the outcome of each. One that is there, or was deleted, stays as it is. */
export function planHighlightImport(
  highlights: readonly ImportedHighlight[],
  { existing, items, ofUser, ofItems }: KnownHighlights,
  now: number,
): { writes: HighlightWrite[]; outcomes: HighlightOutcome[] } {
  const writes = new Map<string, HighlightWrite>();
  const counts = new Map(ofItems);
  const outcomes = highlights.map((highlight): HighlightOutcome => {
    const { formerId = highlight.id, ...content } = highlight;
    const { id, itemId } = content;
    if (existing.has(id) || existing.has(formerId) || writes.has(id)) return "existing";
    const item = items.get(itemId);
    if (!isPlace(item, now)) return "missing";
    const count = counts.get(itemId) ?? 0;
    if (count >= maxOfItem || ofUser + writes.size >= maxOfUser) return "full";
    counts.set(itemId, count + 1);
    writes.set(id, {
      before: undefined,
      after: { ...content, isDeleted: false },
      isFirstOfItem: !item.hasHighlights,
    });
    return "new";
  });
  return { writes: [...writes.values()], outcomes };
}
