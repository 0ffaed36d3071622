import { dateOf } from "./item.ts";

export type HighlightColor = "yellow" | "red" | "green" | "blue" | "purple";

/** A marked passage of a page, with a note. */
export interface Highlight {
  /** Chosen by the client: 1 to 40 of `A-Z`, `a-z`, `0-9`, `-` and `_`, the first a letter or digit. */
  id: string;
  url: string;
  /** The marked text, and up to 64 characters before and after it. */
  quote: string;
  prefix: string;
  suffix: string;
  /** UTF-16 units before it in the kept text; undefined if unknown. */
  position?: number | undefined;
  color: HighlightColor;
  note: string;
  timeCreated: Date;
}

/** A highlight as the service has it. */
export interface StoredHighlight extends Highlight {
  itemId: string;
}

/** A new highlight, or the fields of a known one that change. */
export type HighlightChange = Pick<Highlight, "id"> & Partial<Omit<Highlight, "id">>;

export interface HighlightQuery {
  /** Only what has changed since then: the `since` of an earlier response. */
  since?: number | undefined;
  /** Highlights on a page. */
  count?: number | undefined;
  /** From 1; only with `count`. */
  page?: number | undefined;
}

export interface HighlightList {
  highlights: StoredHighlight[];
  /** Ids of highlights, and of items with highlights, that were deleted after `since`. */
  deleted: string[];
  deletedItems: string[];
  /** The `since` for the next call. */
  since: number;
  /** `highlights` are all of the user. */
  isComplete: boolean;
}

interface HighlightListFields {
  since: string;
  complete?: string;
  list: Record<string, Record<string, string>>;
  deleted?: Record<string, string>;
  deleted_items?: Record<string, string>;
}

export function highlightsOf({ since, complete, list, deleted, deleted_items }: HighlightListFields): HighlightList {
  const highlights = Object.values(list).map((fields): StoredHighlight => {
    const { id = "", item_id = "", url = "", quote = "", prefix = "", suffix = "", note = "" } = fields;
    return {
      ...{ id, itemId: item_id, url, quote, prefix, suffix, note },
      position: fields.position ? Number(fields.position) : undefined,
      color: fields.color as HighlightColor,
      timeCreated: dateOf(fields.time_created ?? "0"),
    };
  });
  return {
    highlights,
    deleted: Object.keys(deleted ?? {}),
    deletedItems: Object.keys(deleted_items ?? {}),
    since: Number(since),
    isComplete: complete === "1",
  };
}

/** An entry of `save`. */
export const highlightEntry = ({ timeCreated, ...fields }: HighlightChange): Record<string, unknown> => ({
  ...fields,
  ...(timeCreated && { time_created: Math.floor(timeCreated.getTime() / 1000) }),
});
