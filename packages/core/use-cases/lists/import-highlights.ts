// SPDX-License-Identifier: MIT

import { type HighlightOutcome, type ImportedHighlight, planHighlightImport } from "../../domain/highlight-import.ts";
import { unixTime } from "../../ports/clock.ts";
import type { User } from "../../ports/users.ts";
import { countByItem, type HighlightPorts, writeHighlights } from "./save-highlights.ts";

/**
 * Imports up to `longestAtOnce` highlights, all that can be added or none. Returns the outcome of each, and the user for
 * the next import. A `dryRun` writes nothing. Throws `unavailable` at the call's deadline, `unauthorized` if the user was
 * deleted.
 */
export async function importHighlights(
  deps: HighlightPorts,
  user: User,
  highlights: readonly ImportedHighlight[],
  { dryRun = false } = {},
): Promise<{ user: User; outcomes: HighlightOutcome[] }> {
  const ids = [...new Set(highlights.flatMap(({ id, formerId = id }) => [id, formerId]))];
  const itemIds = [...new Set(highlights.map(({ itemId }) => itemId))];
  let outcomes: HighlightOutcome[] = [];
  const plan = async (of: User) => {
    const known = {
      existing: await deps.highlights.find(of, ids),
      items: await deps.items.find(of.username, itemIds),
      ofUser: of.highlights,
      ofItems: await countByItem(deps.highlights, of, itemIds, highlights.length),
    };
    const planned = planHighlightImport(highlights, known, unixTime(deps.clock));
    outcomes = planned.outcomes;
    return planned.writes;
  };
  if (!dryRun) return { user: await writeHighlights(deps, user, plan), outcomes };
  await plan(user);
  return { user, outcomes };
}
