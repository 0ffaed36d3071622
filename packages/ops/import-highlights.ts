// SPDX-License-Identifier: MIT

import type { HighlightOutcome } from "@reading-list/core/domain/highlight-import.ts";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import type { Entry, HighlightEntry } from "@reading-list/exchange/main.ts";
import { type PlacedHighlight, placeHighlight, type Unplaced } from "@reading-list/exchange/place-highlight.ts";
import type { ImportTarget } from "./import-targets.ts";
import { createProgress } from "./progress.ts";
import { showNumber, showRejected } from "./report.ts";
import type { Terminal } from "./terminal.ts";

/** How many highlights had each outcome. */
export type HighlightCounts = Record<HighlightOutcome | Unplaced, number>;

/** Imports the highlights of a file whose `entries` were imported. It calls `note` with the outcome of each. */
export async function importHighlights(
  highlights: readonly HighlightEntry[],
  entries: readonly Entry[],
  target: ImportTarget,
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
  const added = new Set(dryRun ? entries.map(({ url }) => toItemId(url)) : []);
  const urlsOf = await target.findTitles(
    new Set(highlights.filter(({ url }) => url === undefined).map(({ title }) => title)),
  );
  try {
    for (let start = 0; start < highlights.length; start += target.highlightsAtOnce) {
      signal.throwIfAborted();
      const batch: PlacedHighlight[] = [];
      for (const highlight of highlights.slice(start, start + target.highlightsAtOnce)) {
        const placed = placeHighlight(highlight, urlsOf);
        if (typeof placed === "string") await say(highlight, placed);
        else batch.push(placed);
      }
      const outcomes = await target.importHighlights(batch, { dryRun, signal });
      for (const [index, placed] of batch.entries()) {
        const outcome = outcomes[index] ?? "missing";
        await say(placed, outcome === "missing" && added.has(placed.itemId) ? "new" : outcome);
      }
      progress.show(start + target.highlightsAtOnce, highlights.length);
    }
    return counts;
  } finally {
    progress.end();
  }
}

export const reasonsOfHighlights = {
  untitled: "the file has no URL, and no page in the list has this title",
  ambiguous: "the file has no URL, and several pages in the list have this title",
  missing: "its page is not in the list",
  full: "a page can have at most 1,000 highlights, a user 50,000",
};

/** Lines for the person who imports. */
export function showHighlights(counts: HighlightCounts, dryRun: boolean): string[] {
  return [
    `Highlights: ${showNumber(counts.new)} ${dryRun ? "would be new" : "new"}, ${showNumber(counts.existing)} existing.`,
    ...showRejected(counts, reasonsOfHighlights, "highlight"),
  ];
}

export const isPartial = ({ new: added, existing, ...others }: HighlightCounts) =>
  Object.values(others).some((count) => count > 0);
