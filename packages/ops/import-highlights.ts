// SPDX-License-Identifier: MIT

import { type HighlightOutcome, idOfImported } from "@reading-list/core/domain/highlight-import.ts";
import { longestAtOnce } from "@reading-list/core/domain/highlights.ts";
import { itemIdOf } from "@reading-list/core/domain/item-id.ts";
import type { Entry, HighlightEntry } from "@reading-list/exchange/main.ts";
import type { HighlightToImport, ImportTarget } from "./import-targets.ts";
import { createProgress } from "./progress.ts";
import { countOf, showNumber } from "./report.ts";
import type { Terminal } from "./terminal.ts";

/**
 * How many highlights had each outcome. `untitled`: no page of the list has the title that the file gives; `ambiguous`:
 * several have it.
 */
export type HighlightCounts = Record<HighlightOutcome | "untitled" | "ambiguous", number>;

/** A target that takes highlights. */
export type HighlightTarget = Required<Pick<ImportTarget, "importHighlights" | "findTitles">>;

export const takesHighlights = (target: ImportTarget): target is ImportTarget & HighlightTarget =>
  target.importHighlights !== undefined && target.findTitles !== undefined;

/** Imports the highlights of a file whose `entries` were imported. `note` is told the outcome of each. */
export async function importHighlights(
  highlights: readonly HighlightEntry[],
  entries: readonly Entry[],
  target: HighlightTarget,
  { dryRun, signal }: { dryRun: boolean; signal: AbortSignal },
  { stderr }: Terminal,
  note: (highlight: HighlightEntry, outcome: keyof HighlightCounts) => Promise<void>,
): Promise<HighlightCounts> {
  const counts = { new: 0, existing: 0, missing: 0, full: 0, untitled: 0, ambiguous: 0 };
  const progress = createProgress(dryRun ? "comparing highlights" : "importing highlights", stderr);
  const say = async (highlight: HighlightEntry, outcome: keyof HighlightCounts) => {
    counts[outcome]++;
    await note(highlight, outcome);
  };
  // In a dry run the pages of the file are not in the list.
  const added = new Set(dryRun ? entries.map(({ url }) => itemIdOf(url)) : []);
  const urlsOf = await target.findTitles(
    new Set(highlights.filter(({ url }) => url === undefined).map(({ title }) => title)),
  );
  try {
    for (let start = 0; start < highlights.length; start += longestAtOnce) {
      signal.throwIfAborted();
      const batch = new Map<HighlightEntry, HighlightToImport>();
      for (const highlight of highlights.slice(start, start + longestAtOnce)) {
        const [url, other] = highlight.url === undefined ? (urlsOf.get(highlight.title) ?? []) : [highlight.url];
        if (url === undefined || other !== undefined)
          await say(highlight, url === undefined ? "untitled" : "ambiguous");
        else batch.set(highlight, atPage(highlight, url));
      }
      const outcomes = await target.importHighlights([...batch.values()], { dryRun, signal });
      for (const [index, [highlight, { itemId }]] of [...batch].entries()) {
        const outcome = outcomes[index] ?? "missing";
        await say(highlight, outcome === "missing" && added.has(itemId) ? "new" : outcome);
      }
      progress.show(start + longestAtOnce, highlights.length);
    }
    return counts;
  } finally {
    progress.end();
  }
}

function atPage(
  { id, quote, prefix, suffix, position, color, note, timeCreated }: HighlightEntry,
  url: string,
): HighlightToImport {
  const itemId = itemIdOf(url);
  const place = { itemId, quote, prefix, suffix, position };
  return { id: id ?? idOfImported(itemId, quote, timeCreated), ...place, color, note, timeCreated };
}

export const reasonsOfHighlights = {
  untitled: "the file names no URL, and no page of the list has this title",
  ambiguous: "the file names no URL, and several pages of the list have this title",
  missing: "its page is not in the list",
  full: "a page has at most 1,000 highlights, a user 50,000",
};

/** Lines for the person who imports. */
export function showHighlights(counts: HighlightCounts, dryRun: boolean): string[] {
  return [
    `Highlights: ${showNumber(counts.new)} ${dryRun ? "would be new" : "new"}, ${showNumber(counts.existing)} existing.`,
    ...Object.entries(reasonsOfHighlights).flatMap(([outcome, reason]) => {
      const count = counts[outcome as keyof typeof reasonsOfHighlights];
      return count > 0 ? [`Rejected ${countOf(count, "highlight")}: ${reason}.`] : [];
    }),
  ];
}

export const isPartial = ({ new: added, existing, ...others }: HighlightCounts) =>
  Object.values(others).some((count) => count > 0);
