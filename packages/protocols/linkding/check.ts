// SPDX-License-Identifier: MIT

import { extendDeadline } from "@reading-list/core/call-scope.ts";
import * as z from "@reading-list/core/contract/bounded.ts";
import { summarise } from "@reading-list/core/domain/article-summary.ts";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { findKept } from "@reading-list/core/use-cases/articles/keep-article.ts";
import { inPageSlot } from "@reading-list/core/use-cases/articles/page-slot.ts";
import { itemIn } from "@reading-list/core/use-cases/lists/change-item.ts";
import { cleanUrl } from "@reading-list/core/use-cases/lists/clean-additions.ts";
import type { Caller, UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { defineRoute } from "@reading-list/http/api.ts";
import type { LinkdingPorts } from "../ports.ts";
import { answerJson } from "./answers.ts";
import { type Shown, showItem, writeBookmark } from "./bookmark.ts";
import * as fields from "./fields.ts";

/** The declarations of a page about itself; empty for a page that cannot be read. */
interface Metadata {
  title: string | null;
  description: string | null;
  preview_image: string | null;
}

const unknown: Metadata = { title: null, description: null, preview_image: null };

/** Deadline of a call that reads a page, in ms. */
const deadlineMs = 20_000;

const toMetadata = (article: { title: string } & Parameters<typeof summarise>[0]): Metadata => {
  const { excerpt, image } = summarise(article);
  return { title: article.title || null, description: excerpt || null, preview_image: image || null };
};

/** The description is the excerpt that the bookmark will have, because apps send it with the bookmark. */
async function readMetadata(deps: LinkdingPorts, caller: Caller, url: string): Promise<Metadata> {
  extendDeadline(deadlineMs);
  try {
    const { less, more } = await inPageSlot(deps, "article", caller, (turn) => deps.reader.readArticle(url, {}, turn));
    return toMetadata({ ...less, less: less.html, more: more.html });
  } catch (error) {
    if (error instanceof ServiceError) return unknown;
    throw error;
  }
}

/** The bookmark of a URL, if there is one, and the metadata of its page. */
const checkUrl: UseCase<{ url: string }, { shown: Shown | undefined; metadata: Metadata }, LinkdingPorts> = {
  begin:
    (deps, { url }) =>
    async (caller) => {
      const item = await itemIn(deps.items, caller.user, toItemId(await cleanUrl(deps, caller.user, url)));
      const kept = item && (await findKept(deps, caller.user, item));
      const metadata = kept ? toMetadata(kept) : await readMetadata(deps, caller, url);
      return { shown: item && (await showItem(deps, caller.user, item.itemId)), metadata };
    },
};

export const check = defineRoute({
  route: "GET /api/bookmarks/check",
  caller: "user",
  input: z.object({ url: fields.url }),
  useCase: checkUrl,
  present: ({ shown, metadata }, { url }) =>
    answerJson({ bookmark: shown ? writeBookmark(shown) : null, metadata: { url, ...metadata }, auto_tags: [] }),
});
