// SPDX-License-Identifier: MIT

import { ApiError } from "./api-error.ts";
import { newestFirst, parseDate } from "./item.ts";

export type HighlightColor = "yellow" | "red" | "green" | "blue" | "purple";

/** A marked passage of a page; or a note on the page, whose `quote` is empty. */
export interface Highlight {
  id: string;
  itemId: string;
  /** The page. */
  url: string;
  /** The marked text, and up to 64 characters before and after it. */
  quote: string;
  prefix: string;
  suffix: string;
  /** UTF-16 units before it in the joined text nodes of the kept article with images; undefined if unknown. */
  position: number | undefined;
  color: HighlightColor;
  note: string;
  timeCreated: Date;
  /** When it was last changed, or came back with its page, by the user's clock on the service. */
  timeUpdated: Date;
}

/**
 * A change of a highlight. A `save` of a new id needs `url`, and `quote` or, for a note on the page, `note`. In one of a
 * known id fields that are absent keep their values, so that edits of different fields on two devices are both kept. A
 * deleted id stays deleted: to undo a deletion, save the highlight with a new id (`copyHighlight`).
 */
export type HighlightChange =
  | ({ kind: "save"; id: string } & Partial<Omit<Highlight, "id" | "itemId" | "timeUpdated">>)
  | { kind: "delete"; id: string };

/** A change that the service has refused, and why. */
export interface RejectedHighlight {
  change: HighlightChange;
  message: string;
}

/** A highlight as the user sees it on this device. */
export interface LocalHighlight extends Omit<Highlight, "itemId" | "timeUpdated"> {
  /** Absent for a highlight that was made on this device and is not on the service yet. */
  itemId?: string | undefined;
  timeUpdated?: Date | undefined;
  /** Shows local changes that are not in the replica yet. */
  isPending: boolean;
}

/** Which highlights to retrieve; all if empty. */
export interface HighlightQuery {
  /** Only the highlights of this page. */
  url?: string | undefined;
  /** Only changes since then: the `since` of an earlier response. */
  since?: number | undefined;
  /** Highlights on a page. */
  count?: number | undefined;
  /** From 1; only with `count`. */
  page?: number | undefined;
}

export interface HighlightList {
  /** The last change first. */
  highlights: Highlight[];
  /** Times of deletion by id, if `since` was given. */
  deleted: Record<string, Date>;
  /** The same by item id, of pages that were deleted with their highlights. */
  deletedItems: Record<string, Date>;
  /** The `since` for the next call: Unix seconds of the service's clock. */
  since: number;
  /** `highlights` are all that the user has. */
  isComplete: boolean;
  /** Nothing has changed after the `since` that was given. */
  isUnchanged: boolean;
}

/** An id that no other device chooses. Not `randomUUID`, which pages of http: do not have. */
export const newHighlightId = (): string =>
  crypto.getRandomValues(new Uint32Array(4)).reduce((id, part) => id + part.toString(36), "m");

/** The change that brings a deleted highlight back, under a new id. */
export const copyHighlight = ({
  itemId: _,
  timeUpdated: __,
  isPending: ___,
  ...fields
}: Omit<Highlight, "itemId" | "timeUpdated"> & Partial<LocalHighlight>): HighlightChange => ({
  ...fields,
  kind: "save",
  id: newHighlightId(),
});

interface ListFields {
  status: string;
  since: string;
  complete?: string;
  list: Record<string, Record<string, string>>;
  deleted: Record<string, string>;
  deleted_items: Record<string, string>;
}

const parseDates = (times: Record<string, string>) =>
  Object.fromEntries(Object.entries(times).map(([id, time]) => [id, parseDate(time)]));

/** The answer of `highlights`. */
export function parseHighlights(body: string): HighlightList {
  const { status, since, complete, list, deleted, deleted_items } = JSON.parse(body) as ListFields;
  return {
    // A parsed object has ids that are integers first, whatever their place in the text.
    highlights: Object.values(list).map(parseHighlight).sort(newestFirst),
    deleted: parseDates(deleted),
    deletedItems: parseDates(deleted_items),
    since: Number(since),
    isComplete: complete === "1",
    isUnchanged: status === "2",
  };
}

const parseHighlight = ({
  item_id = "",
  time_created = "",
  time_updated = "",
  position,
  color,
  ...texts
}: Record<string, string>) => ({
  ...(texts as Pick<Highlight, "id" | "url" | "quote" | "prefix" | "suffix" | "note">),
  itemId: item_id,
  position: position ? Number(position) : undefined,
  color: color as HighlightColor,
  timeCreated: parseDate(time_created),
  timeUpdated: parseDate(time_updated),
});

/** The service applies this number completely or not at all, and accepts 1 MB of them. */
const changesAtOnce = 99;
const maxBytes = 900_000;

const isSave = (change: HighlightChange) => change.kind === "save";

function writeEntry({ kind: _, timeCreated, ...fields }: Extract<HighlightChange, { kind: "save" }>) {
  return { ...fields, ...(timeCreated && { time_created: Math.floor(timeCreated.getTime() / 1000) }) };
}

/** The first changes that fit into one request. */
export function firstHighlights(changes: readonly HighlightChange[]): HighlightChange[] {
  let bytes = 0;
  const end = changes.slice(0, changesAtOnce).findIndex((change, place) => {
    bytes += isSave(change) ? new TextEncoder().encode(JSON.stringify(writeEntry(change))).length + 1 : 0;
    return place > 0 && bytes > maxBytes;
  });
  return changes.slice(0, end === -1 ? changesAtOnce : end);
}

/** The parameters of a request. The service applies its saves before its deletions, which makes no difference. */
export function writeHighlightForm(changes: readonly HighlightChange[]): Record<string, string> {
  const saves = changes.filter(isSave).map(writeEntry);
  const ids = changes.filter((change) => !isSave(change)).map(({ id }) => id);
  return {
    ...(saves.length > 0 && { save: JSON.stringify(saves) }),
    ...(ids.length > 0 && { delete: JSON.stringify(ids) }),
  };
}

/** The change that an error of the service names; undefined for any other error. */
export function refusedHighlight(error: unknown, changes: readonly HighlightChange[]): HighlightChange | undefined {
  if (!(error instanceof ApiError) || error.kind !== "invalid") return undefined;
  const [, kind, entry] = /^highlights: (save|delete)\.(\d+)/.exec(error.message) ?? [];
  return changes.filter((change) => change.kind === kind)[Number(entry)];
}
