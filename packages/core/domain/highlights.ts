// SPDX-License-Identifier: MIT

import { ServiceError } from "../errors.ts";
import { colors, type HighlightFields, isPageNote } from "./highlight-fields.ts";
import { type Item, isInTrash, toChangeKey } from "./item.ts";
import type { ListState } from "./list-write.ts";
import { chooseChangeTime } from "./user-clock.ts";

/** Maximum highlights of one item, and of a user, including the trash. */
export const maxOfItem = 1000;
export const maxOfUser = 50_000;

/** Highlights of any length whose bytes fit into one write: a transaction of DynamoDB takes 4 MB. */
export const longestAtOnce = 40;
export const maxBytesOfWrite = 3_500_000;

/** A highlight as a write leaves it. One that was deleted has no content. */
export interface HighlightContent extends HighlightFields {
  /** Chosen by the client, unique for the user. */
  id: string;
  itemId: string;
  /** True for a tombstone: the highlight was deleted, and syncing clients do not have the deletion yet. */
  isDeleted: boolean;
  /** See `HighlightStore.assignNumbers`; undefined until it is given. */
  number?: number | undefined;
}

/** A highlight of a user. Times are unix seconds of the user's logical clock. */
export interface Highlight extends HighlightContent {
  timeUpdated: number;
  /** The order of changes, as `Item.changeKey`, and the version for optimistic locking. */
  changeKey: string;
}

/** A write of a highlight: before and after. The store assigns the time. */
export interface HighlightWrite {
  before: Highlight | undefined;
  after: HighlightContent;
  /** The highlight is the first of its item: the store notes that the item has highlights (`Item.hasHighlights`). */
  isFirstOfItem?: boolean;
}

/** One requested change. Absent fields keep their values; `name` says where it was given. */
export type HighlightChange =
  | { kind: "save"; id: string; name: string; itemId: string | undefined; fields: Partial<HighlightFields> }
  | { kind: "delete"; id: string };

/**
 * The write that carries out the changes of one highlight in order; undefined if they alter nothing, so that a retried
 * request is harmless. A deleted highlight stays deleted. Throws `invalid` if a new one lacks its page, or both
 * quotation and note; if a note on a page becomes empty; or if a stored one is given another page.
 */
export function planHighlight(
  before: Highlight | undefined,
  changes: readonly HighlightChange[],
  now: number,
): HighlightWrite | undefined {
  let after: HighlightContent | undefined = before;
  for (const change of changes) {
    if (after?.isDeleted) break;
    if (change.kind === "delete") after = after && erasedHighlight(after);
    else after = after ? changed(after, change) : created(change, now);
  }
  return after && !isSame(before, after) ? { before, after } : undefined;
}

function created({ id, itemId, name, fields }: Extract<HighlightChange, { kind: "save" }>, now: number) {
  if (itemId === undefined) throw invalid(`${name}.url is missing`);
  if (!fields.quote && !fields.note?.trim()) throw invalid(`${name}.quote is missing; a note on the page needs a note`);
  const defaults = { quote: "", prefix: "", suffix: "", position: undefined, color: colors[0], note: "" };
  return { ...defaults, timeCreated: now, ...fields, id, itemId, isDeleted: false };
}

function changed(stored: HighlightContent, { itemId, name, fields }: Extract<HighlightChange, { kind: "save" }>) {
  if (itemId !== undefined && itemId !== stored.itemId) throw invalid(`${name}.url is not the page of this highlight`);
  const after = { ...stored, ...fields };
  if (isPageNote(after) && !after.note.trim())
    throw invalid(`${name}.note is empty; delete the note on the page instead`);
  return after;
}

const isSame = (before: HighlightContent | undefined, after: HighlightContent) =>
  before !== undefined &&
  (Object.keys(after) as (keyof HighlightContent)[]).every((field) => before[field] === after[field]);

/** A deleted highlight: id, number, page and times, for clients that do not have the deletion yet. */
const erasedHighlight = ({ id, number, itemId, timeCreated }: HighlightContent): HighlightContent => ({
  id,
  number,
  itemId,
  timeCreated,
  quote: "",
  prefix: "",
  suffix: "",
  position: undefined,
  color: colors[0],
  note: "",
  isDeleted: true,
});

/** Bytes of a highlight as stored, at most. */
export const countHighlightBytes = ({ quote, prefix, suffix, note }: HighlightFields): number =>
  [quote, prefix, suffix, note].reduce((sum, text) => sum + Buffer.byteLength(text), 500);

const isAddition = ({ before, after }: HighlightWrite) => !before && !after.isDeleted;

/** The ids of the items that get new highlights. */
export const listNewItems = (writes: readonly HighlightWrite[]): string[] => [
  ...new Set(writes.filter(isAddition).map(({ after }) => after.itemId)),
];

/** Whether highlights can be added to an item as read: it is in the list or in the trash. */
export const isPlace = (item: Item | undefined, now: number): item is Item =>
  item !== undefined && (!item.isDeleted || isInTrash(item, now));

/**
 * The writes, completed with data of their items as read. Throws `invalid` for the first new highlight whose page is
 * neither in the list nor in the trash. `names` says where each save was given, by id.
 */
export const atPages = (
  writes: readonly HighlightWrite[],
  items: ReadonlyMap<string, Item>,
  names: ReadonlyMap<string, string>,
  now: number,
): HighlightWrite[] =>
  writes.map((write) => {
    if (!isAddition(write)) return write;
    const { id, itemId } = write.after;
    const item = items.get(itemId);
    if (!isPlace(item, now)) {
      throw invalid(`${names.get(id)}.url is not in the list; add it first`);
    }
    return { ...write, isFirstOfItem: !item.hasHighlights };
  });

/** Throws `invalid` if the highlights of an item, or of the user, become too many. `counts`: the existing numbers. */
export function checkCounts(
  writes: readonly HighlightWrite[],
  names: ReadonlyMap<string, string>,
  counts: { ofUser: number; ofItems: ReadonlyMap<string, number> },
): void {
  const ofItems = new Map(counts.ofItems);
  let ofUser = counts.ofUser;
  for (const { before, after } of writes) {
    const change = Number(!after.isDeleted) - Number(before !== undefined && !before.isDeleted);
    ofUser += change;
    const ofItem = (ofItems.get(after.itemId) ?? 0) + change;
    ofItems.set(after.itemId, ofItem);
    if (change <= 0) continue;
    const name = names.get(after.id);
    if (ofItem > maxOfItem) throw tooMany(`${name}.url: a page has at most`, maxOfItem);
    if (ofUser > maxOfUser) throw tooMany(`${name}: a user has at most`, maxOfUser);
  }
}

const tooMany = (text: string, max: number) =>
  invalid(`${text} ${max.toLocaleString("en")} highlights; delete some first`);

export const invalid = (message: string): ServiceError => new ServiceError("invalid", `highlights: ${message}`);

/** How the number of a user's highlights changes with these writes. */
export const countChange = (writes: readonly HighlightWrite[]): number =>
  writes.reduce((sum, { before, after }) => sum + Number(!after.isDeleted) - Number(before?.isDeleted === false), 0);

/** Highlights with the time and the change keys of their write at `now`. */
export function timeHighlights(
  writes: readonly HighlightWrite[],
  { clock, revision }: Pick<ListState, "clock" | "revision">,
  now: number,
): { time: number; highlights: Highlight[] } {
  const time = chooseChangeTime(now, clock);
  const highlights = writes.map(({ after }, position) => ({
    ...after,
    timeUpdated: time,
    changeKey: toChangeKey(time, revision + 1, position),
  }));
  return { time, highlights };
}

/**
 * An item as the place of highlights: they are shown while it is in the list, and listed as changes when it comes back.
 */
export type HighlightedItem = Pick<Item, "itemId" | "url" | "isDeleted" | "highlightsToldAt">;

/**
 * A highlight as a listing as of a second shows it; undefined if its item is not in the list, or if it has neither
 * changed nor come back after `after`.
 */
export function shownHighlight(
  highlight: Highlight,
  item: HighlightedItem | undefined,
  { after = -1, asOf }: { after: number | undefined; asOf: number },
): (Highlight & { url: string }) | undefined {
  if (!item || item.isDeleted || highlight.isDeleted) return undefined;
  const time = Math.max(highlight.timeUpdated, item.highlightsToldAt ?? 0);
  return time > after ? { ...highlight, url: item.url, timeUpdated: Math.min(time, asOf) } : undefined;
}
