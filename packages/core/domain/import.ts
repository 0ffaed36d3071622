// SPDX-License-Identifier: MIT

import type { Item, ItemContent, ItemState, ItemWrite, OriginalTimes, Progress } from "./item.ts";

/** The application of imported items, for `myAppOnly`: no API key has it. */
export const importer = "import";

/** A page to import; its fields are valid and its tags normalised. */
export interface ImportedPage extends OriginalTimes {
  itemId: string;
  url: string;
  /** Empty if unknown. */
  title: string;
  tags: string;
  state: ItemState;
  progress?: Progress | undefined;
}

/** The outcome of a page: it was added, its title or tags were filled, or it was in the list already. */
export type ImportOutcome = "new" | "changed" | "existing";

/**
 * The writes that import pages in order, and the outcome for each page. The list wins: of an item that is in it, only an
 * empty title, empty tags and an unknown progress are filled. So an import can be repeated without harm.
 */
export function planImport(
  existing: ReadonlyMap<string, Item>,
  pages: readonly ImportedPage[],
  applicationId: string,
): { writes: ItemWrite[]; outcomes: ImportOutcome[] } {
  const writes = new Map<string, ItemWrite>();
  const outcomes = pages.map((page): ImportOutcome => {
    const { itemId, timeAdded, timeUpdated } = page;
    const before = existing.get(itemId);
    const planned = writes.get(itemId);
    const current = planned?.after ?? (before?.isDeleted ? undefined : before);
    if (!current) {
      writes.set(itemId, { before, after: importedFields(page, applicationId), original: { timeAdded, timeUpdated } });
      return "new";
    }
    const filled = fill(current, page);
    if (!filled) return "existing";
    writes.set(itemId, { before, ...planned, after: filled });
    return "changed";
  });
  return { writes: [...writes.values()], outcomes };
}

const importedFields = (
  { itemId, url, title, tags, state, progress }: ImportedPage,
  applicationId: string,
): ItemContent => ({
  itemId,
  url,
  title: title || url,
  tags,
  state,
  applicationId,
  refId: undefined,
  ...(progress && { progress }),
  isDeleted: false,
});

/** The item with the title, tags and progress that were missing; undefined if the page adds nothing. */
function fill(item: ItemContent, { title, tags, progress }: ImportedPage): ItemContent | undefined {
  const takesTitle = item.title === item.url && title !== "" && title !== item.title;
  const takesTags = item.tags === "" && tags !== "";
  const takesProgress = !item.progress && progress !== undefined;
  if (!takesTitle && !takesTags && !takesProgress) return undefined;
  return { ...item, ...(takesTitle && { title }), ...(takesTags && { tags }), ...(takesProgress && { progress }) };
}
