// SPDX-License-Identifier: MIT

import { createPageReader } from "@reading-list/article/page-reader.ts";
import type { Highlight } from "@reading-list/core/domain/highlights.ts";
import type { Item } from "@reading-list/core/domain/item.ts";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import { belongsTo } from "@reading-list/core/domain/kept-article.ts";
import type { ArticleOwner } from "@reading-list/core/ports/articles.ts";
import type { OperatorStore } from "@reading-list/core/ports/operator.ts";
import type { Chapter } from "@reading-list/core/ports/pages.ts";
import { asChapter } from "@reading-list/core/use-cases/articles/make-book.ts";
import { markChapter } from "@reading-list/core/use-cases/articles/mark-chapter.ts";
import { separateQuotations } from "@reading-list/core/use-cases/articles/separate-quotations.ts";
import type { ExportedItem } from "@reading-list/exchange/exported-item.ts";
import { startZip } from "@reading-list/exchange/write-zip.ts";
import { writers } from "@reading-list/exchange/writers.ts";
import { writeArticleFile } from "./article-file.ts";
import { CommandError } from "./failures.ts";

/** A zip of the list as `list.jsonl`, and of each kept article as `articles/<item_id>.html`. */
export async function* writeArchive(
  store: OperatorStore,
  owner: ArticleOwner,
  items: AsyncIterable<ExportedItem>,
): AsyncGenerator<Uint8Array> {
  const { begin, chunks, zip } = startZip();
  const exported = new Map<string, ExportedItem>();
  async function* noted() {
    for await (const item of items) {
      if (item.itemId !== undefined) exported.set(item.itemId, item);
      yield item;
    }
  }
  const list = begin("list.jsonl");
  for await (const text of writers.jsonl(noted())) {
    list.push(Buffer.from(text));
    yield* chunks.splice(0);
  }
  list.push(new Uint8Array(), true);
  for await (const { itemId, article } of store.articles.walk(owner)) {
    const item = exported.get(itemId);
    if (!item || !belongsTo(article, item)) continue;
    begin(`articles/${itemId}.html`).push(Buffer.from(writeArticleFile(item.url, article)), true);
    yield* chunks.splice(0);
  }
  zip.end();
  yield* chunks;
}

/** The highlights of an item, with breaks between the blocks of their quotations where its article is kept. */
export const liveHighlights = async (store: OperatorStore, owner: ArticleOwner, item: Item) =>
  separateQuotations(store.articles, owner, item, await storedHighlights(store, owner, item.itemId));

async function storedHighlights(store: OperatorStore, owner: ArticleOwner, itemId: string): Promise<Highlight[]> {
  const found: Highlight[] = [];
  for await (const some of store.highlights.walkItem(owner, itemId)) found.push(...some);
  return found.filter(({ isDeleted }) => !isDeleted);
}

/** An EPUB of kept articles, in the order of `urls`. Throws a CommandError if one is not kept. */
export async function* writeEpub(
  store: OperatorStore,
  owner: ArticleOwner,
  urls: readonly string[],
): AsyncGenerator<Uint8Array> {
  if (urls.length === 0) throw new CommandError("choose the pages of the book with --url");
  const chapters: Chapter[] = [];
  for (const url of urls) {
    const article = URL.canParse(url) ? await store.articles.find(owner, toItemId(url)) : undefined;
    if (!article) throw new CommandError(`${url} has no saved copy; open it in an app first`);
    const highlights = await storedHighlights(store, owner, toItemId(url));
    chapters.push(await markChapter(asChapter(url, article, "less"), highlights));
  }
  const cache = { find: async () => undefined, keep: async () => {} };
  const reader = createPageReader({ allowedOrigins: [], cache, clock: Date });
  try {
    yield await reader.book(chapters);
  } finally {
    await reader.close();
  }
}
