// SPDX-License-Identifier: MIT

import type { z } from "zod";
import { article } from "../../contract/article.ts";
import { describeDrawings } from "../../domain/drawing.ts";
import { toItemId } from "../../domain/item-id.ts";
import { chooseView } from "../../domain/kept-article.ts";
import type { TextView } from "../../domain/text-view.ts";
import type { HighlightStore } from "../../ports/highlights.ts";
import { type ArticlePorts, keepHtml, readArticle } from "../articles/keep-article.ts";
import { type ShowingPorts, showKeptPictures } from "../articles/keep-pictures.ts";
import { type Book, makeBook } from "../articles/make-book.ts";
import { defineEndpoint, type UseCase } from "../use-case.ts";

type Input = z.output<typeof article.input>;
type Ports = ArticlePorts & ShowingPorts & { highlights: Pick<HighlightStore, "walkItem"> };

/** Pages of a book that count as one call. */
const pagesOfCall = 10;

/** Returns the kept article of a page of the list, or a book of several (docs/api.md 4.9). */
const showArticle: UseCase<Input, (TextView & { keptAt: number | undefined }) | Book, Ports> = {
  calls: ({ urls }) => Math.max(1, Math.ceil((urls?.length ?? 0) / pagesOfCall)),
  begin:
    (deps, { html, urls, ...given }) =>
    async (caller) => {
      const input = { ...given, url: given.url ?? "" };
      if (given.format === "epub") {
        if (html !== undefined) await keepHtml(deps, caller, { ...input, html });
        else if (input.refresh) await readArticle(deps, caller, input);
        return makeBook(deps, caller, urls ?? input.url, input.mode);
      }
      const found = html === undefined ? readArticle(deps, caller, input) : keepHtml(deps, caller, { ...input, html });
      const { keptAt, ...kept } = await found;
      const view = chooseView(kept, { mode: input.mode, images: input.images !== "0" });
      if (input.images !== "kept") return { ...view, html: describeDrawings(view.html), keptAt };
      const item = { itemId: toItemId(input.url), url: kept.resolvedUrl };
      return {
        ...(await showKeptPictures(deps, caller, item, { article: kept, view, isReload: input.refresh })),
        keptAt,
      };
    },
};

export const endpoint = defineEndpoint({ contract: article, useCase: showArticle });
