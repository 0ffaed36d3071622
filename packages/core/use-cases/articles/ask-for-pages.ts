// SPDX-License-Identifier: MIT

import type { Item } from "../../domain/item.ts";
import { askedAgain, isPageOf, type KeptPageChange, newPage } from "../../domain/kept-page.ts";
import type { ArticleOwner } from "../../ports/articles.ts";
import type { KeptPageStore } from "../../ports/kept-pages.ts";

/**
 * Asks the keeper for the pages among these items without a saved copy, including failed ones. Returns their number. It
 * can be repeated (docs/api.md 4.16).
 */
export async function askForPages(
  keptPages: Pick<KeptPageStore, "find" | "write">,
  user: ArticleOwner,
  items: readonly Item[],
  now: number,
): Promise<number> {
  const pages = items.filter(({ isDeleted }) => !isDeleted);
  const known = await keptPages.find(
    user,
    pages.map(({ itemId }) => itemId),
  );
  let lacking = 0;
  const changes = pages.flatMap((item): KeptPageChange[] => {
    const before = known.get(item.itemId);
    const current = isPageOf(before, item) ? before : undefined;
    if (current?.state === "kept") return [];
    lacking += 1;
    if (current?.state === "waiting" && current.isAsked) return [];
    return [{ before, after: askedAgain(current ?? newPage(item, "waiting", now), now) }];
  });
  if (changes.length > 0) await keptPages.write(user, changes, now);
  return lacking;
}
