// SPDX-License-Identifier: MIT

import { randomUUID } from "node:crypto";
import { isPageNote } from "../../domain/highlight-fields.ts";
import type { Highlight, HighlightChange } from "../../domain/highlights.ts";
import type { HighlightStore } from "../../ports/highlights.ts";
import type { User } from "../../ports/users.ts";
import { forEach } from "../for-each.ts";
import { readHighlights } from "./page-highlights.ts";
import { type HighlightPorts, saveHighlights } from "./save-highlights.ts";

/**
 * The newest note on a page among its highlights, which APIs with a single field for it show and edit. Two devices may
 * each have added one while they were offline.
 */
const newestNote = (highlights: readonly Highlight[]): Highlight | undefined =>
  highlights
    .filter(isPageNote)
    .toSorted((a, b) => b.timeCreated - a.timeCreated || (a.id < b.id ? 1 : -1))
    .at(0);

type ReadPorts = { highlights: Pick<HighlightStore, "walk" | "walkItem"> };

const queriesAtOnce = 16;
/**
 * If the user has fewer highlights than this for each requested page, all of them are read, which takes fewer queries.
 */
const readForPage = 10;

/** The newest notes on pages by item id; pages without one are absent. */
export async function readPageNotes(
  deps: ReadPorts,
  user: User,
  items: readonly { itemId: string }[],
): Promise<Map<string, string>> {
  const itemIds = items.map(({ itemId }) => itemId);
  const found = new Map<string, Highlight[]>(itemIds.map((itemId) => [itemId, []]));
  if (user.highlights === 0) return new Map();
  if (user.highlights <= readForPage * itemIds.length) {
    for await (const part of deps.highlights.walk(user, { kind: "live" })) {
      for (const each of part) if (isPageNote(each)) found.get(each.itemId)?.push(each);
    }
  } else {
    await forEach(itemIds, queriesAtOnce, async (itemId) => {
      found.set(itemId, await readHighlights(deps, user, itemId));
    });
  }
  return new Map(
    [...found].flatMap(([itemId, highlights]) => {
      const newest = newestNote(highlights);
      return newest ? [[itemId, newest.note]] : [];
    }),
  );
}

/**
 * Sets the note on a page as a service with a single field does: changes the newest one, adds the first one, or deletes the
 * newest one if `text` is empty.
 */
export async function setPageNote(deps: HighlightPorts, caller: User, itemId: string, text: string): Promise<void> {
  // The same call may have changed the list.
  const user = await deps.highlights.current(caller);
  const known = newestNote(await readHighlights(deps, user, itemId));
  const isEmpty = text.trim() === "";
  if (known ? known.note === text : isEmpty) return;
  const id = known?.id ?? randomUUID();
  const change: HighlightChange = isEmpty
    ? { kind: "delete", id }
    : { kind: "save", id, name: "note", itemId, fields: { note: text } };
  await saveHighlights(deps, user, [change]);
}
