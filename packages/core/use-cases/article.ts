import type { z } from "zod";
import { article } from "../contract/article.ts";
import { viewOf } from "../domain/kept-article.ts";
import type { TextView } from "../ports.ts";
import { keepHtml, readArticle } from "./keep-article.ts";
import { defineEndpoint, type UseCase } from "./use-case.ts";

type Input = z.output<typeof article.input>;

/** Returns the kept article of a page of the list (docs/api.md 4.9). */
const showArticle: UseCase<Input, TextView & { keptAt: number | undefined }> = {
  begin:
    (deps, { html, ...input }) =>
    async (caller) => {
      const found = html === undefined ? readArticle(deps, caller, input) : keepHtml(deps, caller, { ...input, html });
      const { keptAt, ...kept } = await found;
      return { ...viewOf(kept, input), keptAt };
    },
};

export const endpoint = defineEndpoint({ contract: article, useCase: showArticle });
