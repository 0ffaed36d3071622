// SPDX-License-Identifier: MIT

import { buffer } from "node:stream/consumers";
import type { ArticleOwner } from "../../ports/articles.ts";
import type { PictureStore } from "../../ports/pictures.ts";

/** Copies the kept pictures of an article to another database, which has the article. */
export async function copyPictures(
  from: PictureStore,
  to: PictureStore,
  owner: ArticleOwner,
  itemId: string,
): Promise<void> {
  const there = new Set((await to.list(owner, itemId)).map(({ url, hash }) => `${hash} ${url}`));
  for (const { url, hash } of await from.list(owner, itemId)) {
    if (hash === undefined || there.has(`${hash} ${url}`)) continue;
    const picture = await from.find(owner.userId, hash);
    if (picture) await to.keep(owner, itemId, { url, content: await buffer(picture.open()) }, Number.MAX_SAFE_INTEGER);
  }
}
