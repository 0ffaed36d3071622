// SPDX-License-Identifier: MIT

import type { ArticleOwner, ArticleStore } from "../../ports/articles.ts";
import type { TrashStore } from "../../ports/items.ts";

/**
 * Deletes the articles, or the pictures, of the items that were deleted first, until `bytes` are free. False, without any
 * change, if they have fewer.
 */
export async function makeRoom(
  trash: Pick<TrashStore, "walk">,
  stored: Pick<ArticleStore, "sizes" | "delete">,
  owner: ArticleOwner,
  bytes: number,
): Promise<boolean> {
  const dropped: string[] = [];
  let left = bytes;
  for await (const items of trash.walk(owner, { order: "oldestFirst" })) {
    const sizes = await stored.sizes(
      owner,
      items.map(({ itemId }) => itemId),
    );
    for (const [itemId, size] of sizes) {
      if (left <= 0) break;
      dropped.push(itemId);
      left -= size;
    }
    if (left <= 0) {
      await stored.delete(owner, dropped);
      return true;
    }
  }
  return false;
}
