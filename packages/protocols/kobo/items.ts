// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import type { Item } from "@reading-list/core/domain/item.ts";
import type { ListQuery } from "@reading-list/core/domain/list-query.ts";
import { isStarred, listLabels } from "@reading-list/core/domain/tags.ts";
import { type NumberedItem, numberItems } from "@reading-list/core/use-cases/lists/numbered-items.ts";
import { queryList } from "@reading-list/core/use-cases/lists/query-list.ts";
import type { UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { defineRoute } from "@reading-list/http/api.ts";
import { clockMarginSeconds } from "../fields.ts";
import type { ApiPorts } from "../ports.ts";
import { answerJson } from "./answers.ts";
import * as fields from "./fields.ts";

/** Items of an answer: 1.5 MB. */
const maxItems = 2000;

/** The status of a deleted item; all others have their state as status. */
const deletedStatus = "2";

/** An item as the device reads it. Its article comes with the download. */
function writeItem(item: NumberedItem) {
  const id = String(item.number);
  const { url, title } = item;
  return {
    item_id: id,
    resolved_id: id,
    given_url: url,
    resolved_url: url,
    given_title: title,
    resolved_title: title,
    excerpt: "",
    favorite: isStarred(item) ? "1" : "0",
    status: item.state,
    is_article: "1",
    has_image: "0",
    has_video: "0",
    word_count: 0,
    time_added: item.timeAdded,
    time_updated: item.timeUpdated,
    time_read: 0,
    authors: {},
    images: {},
    image: {},
    videos: [],
    tags: Object.fromEntries(listLabels(item).map((tag) => [tag, { item_id: id, tag }])),
  };
}

const getInput = z
  .object({ since: fields.wholeNumber, count: fields.wholeNumber, offset: fields.wholeNumber })
  .transform(({ since = 0, count = 0, offset = 0 }): ListQuery => {
    // Changes are answered at once: we do not know whether devices ask for further pages of them.
    if (since > 0) {
      const changedAfter = Math.max(0, since - clockMarginSeconds);
      return { changedAfter, sort: { by: "changed", descending: false }, offset, limit: maxItems };
    }
    const limit = Math.min(count || maxItems, maxItems);
    return { conditions: [{ kind: "state", state: "0" }], sort: { by: "added", descending: true }, offset, limit };
  });

interface Listed {
  items: NumberedItem[];
  deleted: readonly Item[];
  total: number;
  since: number;
}

/** The unread items, or all that was changed and deleted after a second. */
const listItems: UseCase<ListQuery, Listed, ApiPorts> = {
  userCalls: (query) => queryList.userCalls?.(query) ?? 1,
  sync: ({ changedAfter: since }) => ({ beginsWalk: false, since }),
  begin: (deps, query) => async (caller) => {
    const { items, deleted, total, all, asOf } = await queryList.begin(deps, query)(caller);
    const numbered = await numberItems(deps, caller.user, items, all);
    return { items: numbered, deleted: query.offset === 0 ? deleted : [], total, since: asOf };
  },
};

const get = defineRoute({
  route: "POST /api/kobo/get",
  scope: "read",
  caller: "user",
  input: getInput,
  useCase: listItems,
  present: ({ items, deleted, total, since }) => {
    const list: Record<string, unknown> = {};
    for (const item of items) list[item.number] = writeItem(item);
    // A device has never seen an item without a number.
    for (const { number } of deleted)
      if (number !== undefined) list[number] = { item_id: String(number), status: deletedStatus };
    return answerJson({ status: 1, list, total, since });
  },
});

export const itemRoutes = [get];
