// SPDX-License-Identifier: MIT

import { summarise } from "@reading-list/core/domain/article-summary.ts";
import type { Item } from "@reading-list/core/domain/item.ts";
import type { KeptArticle } from "@reading-list/core/domain/kept-article.ts";
import { findContentTime } from "@reading-list/core/domain/list-query.ts";
import { listLabels } from "@reading-list/core/domain/tags.ts";
import type { User } from "@reading-list/core/ports/users.ts";
import { findKept } from "@reading-list/core/use-cases/articles/keep-article.ts";
import { findItem } from "@reading-list/core/use-cases/lists/change-item.ts";
import { type NumberedItem, numberItems } from "@reading-list/core/use-cases/lists/numbered-items.ts";
import { readPageNotes } from "@reading-list/core/use-cases/lists/page-notes.ts";
import type { LinkdingPorts } from "../ports.ts";
import { writeTime } from "../shown-page.ts";

/** A bookmark: an item with the note on its page, and the excerpt of its article. */
export interface Shown {
  item: NumberedItem;
  note: string | undefined;
  /** Absent in a list, which reads no articles. */
  excerpt?: string | undefined;
}

/** An item as linkding's bookmark. Nothing is loaded from other sites, so it has no icon and no picture. */
export function writeBookmark({ item, note = "", excerpt = "" }: Shown) {
  const { number: id, url, title } = item;
  const added = writeTime(item.timeAdded);
  const isArchived = item.state === "1";
  return {
    id,
    url,
    title: title === url ? "" : title,
    description: excerpt,
    notes: note,
    web_archive_snapshot_url: `https://web.archive.org/web/${added.replaceAll(/[-T:Z]/g, "")}/${url}`,
    favicon_url: null,
    preview_image_url: null,
    is_archived: isArchived,
    unread: !isArchived,
    shared: false,
    tag_names: listLabels(item),
    date_added: added,
    date_modified: writeTime(findContentTime(item)),
    website_title: null,
    website_description: null,
  };
}

/** The excerpt of an article that may be kept. */
export const writeDescription = (article: Pick<KeptArticle, "less" | "more"> | undefined): string =>
  article ? summarise(article).excerpt : "";

/** The bookmark of an item as it is now. Throws `notFound`. */
export async function showItem(deps: LinkdingPorts, user: User, itemId: string): Promise<Shown> {
  const found = await findItem(deps, user, itemId);
  const [item = found as NumberedItem] = await numberItems(deps, user, [found]);
  const note = (await readPageNotes(deps, user, [found])).get(itemId);
  return { item, note, excerpt: writeDescription(await findKept(deps, user, item)) };
}

const hasBlank = /\s/;

/**
 * The labels of an item after an edit by an app that writes tags without blanks: `tag-1`, or `tag 1` as two tags, is the
 * item's own label `tag 1`.
 */
export function labelsAfterEdit(item: Pick<Item, "tags">, sent: readonly string[]): string[] {
  const own = listLabels(item);
  const labels = [...sent];
  for (const label of own) {
    if (!hasBlank.test(label) || labels.includes(label)) continue;
    const parts = label.split(/\s+/);
    const dashed = parts.join("-");
    const wholeAt = own.includes(dashed) ? -1 : labels.indexOf(dashed);
    const partsAt = labels.findIndex((_, i) => parts.every((part, j) => labels[i + j] === part));
    if (wholeAt >= 0) labels.splice(wholeAt, 1, label);
    else if (partsAt >= 0) labels.splice(partsAt, parts.length, label);
  }
  return labels;
}
