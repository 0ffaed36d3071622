// SPDX-License-Identifier: MIT

import { parseDate } from "./item.ts";

/** Whether a page has a saved copy. */
export interface KeptPage {
  itemId: string;
  url: string;
  /** `waiting`: the page will be read, perhaps again; `failed`: it could not be read. */
  state: "kept" | "waiting" | "failed";
  /** Why the last attempt failed, such as `answers with status 404`; may be empty. */
  error: string;
  /** Undefined if unknown. */
  words: number | undefined;
  /** The beginning of the text. */
  excerpt: string;
  /** URL of its picture. */
  imageUrl: string | undefined;
  updatedAt: Date;
}

/** Bytes of texts or pictures, and how many there may be. */
export interface Quota {
  bytes: number;
  quota: number;
}

/** Which pages have saved copies, or the changes since the `since` of the query. */
export interface KeptPages {
  pages: KeptPage[];
  since: number;
  isUnchanged: boolean;
  /** `pages` are complete: any other page has no saved copy. */
  isComplete: boolean;
  /** `1` if copies are saved in the background, otherwise `0`. */
  isAuto: boolean;
  /** Why no page is read now. */
  stopped: "quota_full" | "day_full" | undefined;
  counts: Record<KeptPage["state"], number>;
  texts: Quota;
  pictures: Quota;
}

export interface KeptQuery {
  /** Only changes after it: the `since` of the call before. */
  since?: number | undefined;
  /** Pages of one answer. */
  count?: number | undefined;
  /** From 1; only with `count`. */
  page?: number | undefined;
}

export interface KeptChange {
  /** Keeps pages in the background, or not. */
  isAuto?: boolean | undefined;
  /** Tries failed pages again. */
  retries?: boolean | undefined;
}

export const writeKeptForm = ({ isAuto, retries }: KeptChange): Record<string, string> => ({
  ...(isAuto !== undefined && { auto: isAuto ? "1" : "0" }),
  ...(retries && { retry: "1" }),
});

/** The pages of a `kept` answer, newest change first. */
export function parseKept(body: string): KeptPages {
  const { list, ...fields } = JSON.parse(body) as Record<string, string> & {
    list: Record<string, Record<string, string>>;
  };
  const readNumber = (name: string) => Number(fields[name] ?? 0);
  const pages = Object.values(list).map(
    ({
      item_id: itemId = "",
      url = "",
      state,
      error = "",
      words = "",
      excerpt = "",
      image,
      time_updated = "0",
    }): KeptPage => ({
      itemId,
      url,
      state: state as KeptPage["state"],
      error,
      words: words === "" ? undefined : Number(words),
      excerpt,
      imageUrl: image || undefined,
      updatedAt: parseDate(time_updated),
    }),
  );
  return {
    pages: pages.sort((one, other) => +other.updatedAt - +one.updatedAt),
    since: readNumber("since"),
    isUnchanged: fields.status === "2",
    isComplete: fields.complete === "1",
    isAuto: fields.auto === "1",
    stopped: (fields.stopped || undefined) as KeptPages["stopped"],
    counts: {
      kept: readNumber("count_kept"),
      waiting: readNumber("count_waiting"),
      failed: readNumber("count_failed"),
    },
    texts: { bytes: readNumber("bytes"), quota: readNumber("quota") },
    pictures: { bytes: readNumber("picture_bytes"), quota: readNumber("picture_quota") },
  };
}
