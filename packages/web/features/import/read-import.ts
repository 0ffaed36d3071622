// SPDX-License-Identifier: MIT

import { type Change, changeTags, toPageKey } from "@reading-list/client/change.ts";
import type { HighlightChange, LocalItem } from "@reading-list/client/main.ts";
import { withoutTracking } from "@reading-list/core/domain/tracking-parameters.ts";
import { countLost, countSkippedFiles, type LostCounts, showLost } from "@reading-list/exchange/lost.ts";
import {
  type Entry,
  FormatError,
  type HighlightEntry,
  isHighlight,
  type Problem,
  readEntries,
  refuseEmpty,
} from "@reading-list/exchange/main.ts";
import { mergeEntries } from "@reading-list/exchange/merge-entries.ts";
import { placeHighlight } from "@reading-list/exchange/place-highlight.ts";
import type { Mark } from "../../data/marks.ts";

export { FormatError };

export interface Import {
  /** The name of the format, for people. */
  format: string;
  /** Pages that the list does not have, the oldest first. */
  entries: Entry[];
  /** How far pages of the list were read that lack it. */
  places: Change[];
  /** Pages of the file that are in the list, or in the file before. */
  known: number;
  /** Marks that the user does not have. */
  marks: HighlightChange[];
  /** Marks of the file that the user has. */
  knownMarks: number;
  /** Highlights whose page is not in the list or in the file, or matches several pages there. */
  lostMarks: number;
  problems: Problem[];
  /** Fields that a list does not have, and how often; empty if all fields fit. */
  lost: string;
  /** Problems that are feeds whose sites could be pages. */
  feeds: number;
}

/** Reads a file; `withFeeds`: the sites of a list of feeds are pages. Throws a FormatError if it is of no known format. */
export async function readImport(
  file: Blob,
  items: readonly LocalItem[],
  marks: readonly Mark[],
  { withFeeds = false } = {},
): Promise<Import> {
  const pages = new Map<string, Pick<LocalItem, "progress">>(items.map((item) => [toPageKey(item.url), item]));
  const { format, rows, skippedFiles } = await readEntries(readChunks(file), { withFeeds });
  const result: Import = {
    format: format.title,
    entries: [],
    places: [],
    known: 0,
    ...noMarks(),
    problems: [],
    lost: "",
    feeds: 0,
  };
  // Our own file keeps its URLs.
  const isOwn = format.name === "json-lines";
  const clean = (url: string) => (isOwn || pages.has(toPageKey(url)) ? url : withoutTracking(url));
  const entries: Entry[] = [];
  const highlights: HighlightEntry[] = [];
  const lost: LostCounts = {};
  for await (const row of rows) {
    if ("problem" in row) {
      if (row.isFeed) result.feeds++;
      result.problems.push(row);
      continue;
    }
    if (isHighlight(row)) {
      highlights.push({ ...row, url: row.url && clean(row.url) });
      continue;
    }
    countLost(lost, row);
    const { lost: _, ...entry } = row;
    entries.push({ ...entry, url: clean(entry.url) });
  }
  if (entries.length + highlights.length + result.problems.length === 0) refuseEmpty(format);
  for (const { entry, others } of mergeEntries(entries, toPageKey)) {
    countLost(lost, entry);
    const key = toPageKey(entry.url);
    const page = pages.get(key);
    result.known += others.length + (page ? 1 : 0);
    if (!page) result.entries.push(entry);
    else if (entry.progress && !page.progress) result.places.push(progressChange(entry.url, entry.progress));
    pages.set(key, entry);
  }
  countSkippedFiles(lost, skippedFiles);
  result.lost = showLost(lost);
  placeMarks(
    result,
    highlights,
    new Set(pages.keys()),
    [...items, ...result.entries],
    new Set(marks.map(({ id }) => id)),
  );
  const chooseTime = ({ timeAdded }: Entry) => timeAdded ?? Number.POSITIVE_INFINITY;
  const [first, last] = [result.entries[0], result.entries.at(-1)];
  // Pages of the same time stay in the order of the file, which most services write newest first.
  if (first && last && !(chooseTime(first) < chooseTime(last))) result.entries.reverse();
  result.entries.sort((a, b) => chooseTime(a) - chooseTime(b) || 0);
  return result;
}

const noMarks = (): Pick<Import, "marks" | "knownMarks" | "lostMarks"> => ({ marks: [], knownMarks: 0, lostMarks: 0 });

/** Sorts the highlights of a file; `keys` are the keys of all `pages`. */
function placeMarks(
  result: Import,
  highlights: readonly HighlightEntry[],
  keys: ReadonlySet<string>,
  pages: readonly { title: string; url: string }[],
  known: Set<string>,
): void {
  const urlsOf = new Map<string, string[]>();
  for (const { title, url } of pages) urlsOf.set(title, [...(urlsOf.get(title) ?? []), url]);
  for (const highlight of highlights) {
    const placed = placeHighlight(highlight, urlsOf);
    if (typeof placed === "string" || !keys.has(toPageKey(placed.url))) {
      result.lostMarks++;
      continue;
    }
    const { id, formerId, url, quote, prefix, suffix, position, color, note, timeCreated } = placed;
    if (known.has(id) || known.has(formerId)) result.knownMarks++;
    else {
      const time = { timeCreated: new Date(Math.min(1000 * (timeCreated ?? Number.POSITIVE_INFINITY), Date.now())) };
      result.marks.push({ kind: "save", id, url, quote, prefix, suffix, position, color, note, ...time });
    }
    known.add(id);
  }
}

/** Not `for await` of the stream, which Safari does not have. */
async function* readChunks(file: Blob): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

const progressChange = (url: string, { percent, anchor, time }: NonNullable<Entry["progress"]>): Change => ({
  kind: "progress",
  url,
  percent,
  anchor,
  time: new Date(Math.min(1000 * time, Date.now())),
});

export const changesToImport = ({ entries, places }: Import): Change[] => [
  ...entries.flatMap(({ url, title, tags, state, timeAdded, progress }): Change[] => [
    {
      kind: "add",
      url,
      ...(title && { title }),
      // The service refuses times in the future.
      ...(timeAdded !== undefined && 1000 * timeAdded < Date.now() && { timeAdded: new Date(1000 * timeAdded) }),
    },
    ...(state === "read" ? [{ kind: "read" as const, url }] : []),
    ...changeTags({ url, tags: [] }, tags),
    ...(progress ? [progressChange(url, progress)] : []),
  ]),
  ...places,
];
