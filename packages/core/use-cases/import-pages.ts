import { retries } from "../call-scope.ts";
import { type ImportedPage, type ImportOutcome, planImport } from "../domain/import.ts";
import { isTooFarAhead } from "../domain/user-clock.ts";
import { listIsBusy } from "../errors.ts";
import { type Dependencies, secondsOf, type WritableList } from "../ports.ts";

/** The application of imported items, for `myAppOnly`: no API key has it. */
const importer = "import";

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
  let seen = list;
  for await (const _ of retries()) {
    const now = secondsOf(deps.clock);
    if (isTooFarAhead(now, seen.clock)) continue;
    const existing = await deps.items.find(seen.username, [...new Set(pages.map(({ itemId }) => itemId))]);
    const { writes, outcomes } = planImport(existing, pages, importer);
    if (dryRun || writes.length === 0) return { list: seen, outcomes };
    const { kind, list: after } = await deps.items.write(seen, writes, now);
    seen = after;
    if (kind === "written") return { list: seen, outcomes };
  }
  throw listIsBusy();
}
