// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import { escapeHtml } from "@reading-list/core/domain/escape.ts";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import { readArticle, rejectUnreadable } from "@reading-list/core/use-cases/articles/keep-article.ts";
import { findItem } from "@reading-list/core/use-cases/lists/change-item.ts";
import type { UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { defineRoute } from "@reading-list/http/api.ts";
import type { ApiPorts } from "../ports.ts";
import { answerJson } from "./answers.ts";
import * as fields from "./fields.ts";
import { signImage, takeImagesOut } from "./images.ts";

/** `refresh` is ignored, because the saved copy may be from a page that only the user's browser could read. */
const input = z.object({ url: fields.url, images: fields.flag });

interface Downloaded {
  html: string;
  /** The query strings of its images. */
  images: string[];
}

/** The article of an item, read now if none is kept. Throws `notFound` if its page cannot be read, so that it is tried later. */
const download: UseCase<z.output<typeof input>, Downloaded, ApiPorts> = {
  begin:
    (deps, { url, images: wantsImages = true }) =>
    async (caller) => {
      const itemId = toItemId(url);
      await findItem(deps, caller.user, itemId);
      const { less, more } = await readArticle(deps, caller, { url }).catch(rejectUnreadable);
      const article = less || more || `<p><a href="${escapeHtml(url)}">${escapeHtml(url)}</a></p>`;
      const { html, urls } = takeImagesOut(article, wantsImages && deps.pictures ? undefined : 0);
      const pictures = urls.length > 0 ? await deps.pictureStore?.list(caller.user, itemId) : undefined;
      const hashes = new Map(pictures?.map((picture) => [picture.url, picture.hash]));
      const user = caller.user.userId;
      return { html, images: urls.map((each) => signImage(deps, { url: each, user, picture: hashes.get(each) })) };
    },
};

const downloadRoute = defineRoute({
  route: "POST /api/kobo/download",
  scope: "read",
  caller: "user",
  input,
  useCase: download,
  present: ({ html, images }, _, { address }) =>
    answerJson({
      article: html,
      images: Object.fromEntries(
        images.map((query, id) => [
          id,
          { image_id: String(id), item_id: String(id), src: `${address}/image?${query}` },
        ]),
      ),
    }),
});

export const articleRoutes = [downloadRoute];
