// SPDX-License-Identifier: MIT

import { type ImportedPage, type ImportOutcome, importer, planImport } from "../../domain/import.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import type { WritableList } from "../../ports/items.ts";
import { writeItems } from "./write-items.ts";

/**
 * Imports up to `writesAtOnce` pages in order, all or none of them. Returns the outcome for each page, and the list for
 * the next import. A `dryRun` writes nothing. Throws `unavailable` at the call's deadline, `unauthorized` if the user
 * was deleted.
 */
export async function importPages(
  deps: Pick<Dependencies, "clock" | "items">,
  list: WritableList,
  pages: readonly ImportedPage[],
  { dryRun = false } = {},
): Promise<{ list: WritableList; outcomes: ImportOutcome[] }> {
  const itemIds = [...new Set(pages.map(({ itemId }) => itemId))];
  if (dryRun) {
    const { outcomes } = planImport(await deps.items.find(list.username, itemIds), pages, importer);
    return { list, outcomes };
  }
  const plan = (existing: Parameters<typeof planImport>[0]) => planImport(existing, pages, importer);
  const imported = await writeItems(deps, list, itemIds, plan);
  return { list: imported.list, outcomes: imported.plan.outcomes };
}
