// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import type { Change } from "@reading-list/core/domain/changes.ts";
import { planFieldChanges } from "@reading-list/core/domain/changes-of-fields.ts";
import type { Item } from "@reading-list/core/domain/item.ts";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import type { KeptArticle } from "@reading-list/core/domain/kept-article.ts";
import { type ListQuery, toConditions } from "@reading-list/core/domain/list-query.ts";
import { findKept } from "@reading-list/core/use-cases/articles/keep-article.ts";
import { changeItem, findItem, type ItemChange } from "@reading-list/core/use-cases/lists/change-item.ts";
import { cleanUrl } from "@reading-list/core/use-cases/lists/clean-additions.ts";
import { readPageNotes, setPageNote } from "@reading-list/core/use-cases/lists/page-notes.ts";
import { type ItemPage, queryList } from "@reading-list/core/use-cases/lists/query-list.ts";
import { type SavedPage, savePage } from "@reading-list/core/use-cases/lists/save-page.ts";
import type { Caller, UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { type ApiRequest, defineRoute } from "@reading-list/http/api.ts";
import type { ApiPorts } from "../ports.ts";
import { answerJson } from "./answers.ts";
import { writeBookmark, writeBookmarkInfo } from "./bookmark.ts";
import * as fields from "./fields.ts";
import { readHtml } from "./uploaded-page.ts";

/** Bookmarks of a page, if the client does not say, and at most. */
const defaultLimit = 50;
const maxLimit = 100;

const sorts = ["created", "updated", "published", "title", "domain", "site", "duration"] as const;
const sortNames = sorts.flatMap((name) => [name, `-${name}`] as const);
/** A page's time of publication and reading time are in no list. */
const sortFields: Record<(typeof sorts)[number], ListQuery["sort"]["by"]> = {
  created: "added",
  updated: "changed",
  published: "added",
  title: "title",
  domain: "site",
  site: "site",
  duration: "added",
};

/**
 * Whether no bookmark can match the conditions: each is an article, loaded and without errors, there are no
 * collections, and a list has no authors.
 */
const isNone = (input: Record<string, unknown> & { type?: string[] | undefined }) =>
  (input.type && !input.type.includes("article")) ||
  input.is_loaded === false ||
  input.has_errors === true ||
  (input.author ?? input.collection) !== undefined;

export const listInput = z
  .object({
    limit: fields.wholeNumber,
    offset: fields.wholeNumber,
    page: fields.wholeNumber,
    is_archived: fields.flag,
    is_marked: fields.flag,
    type: fields.texts(20),
    labels: fields.text(fields.uncutText),
    search: fields.search,
    title: fields.search,
    site: fields.text(1000),
    sort: fields.texts(20),
    updated_since: fields.since,
    id: fields.texts(fields.idLength),
    author: fields.text(1000),
    collection: fields.text(fields.idLength),
    has_errors: fields.flag,
    has_labels: fields.flag,
    is_loaded: fields.flag,
    read_status: fields.readStatus,
    range_start: fields.time,
    range_end: fields.time,
  })
  .transform(({ limit: wanted = defaultLimit, page = 1, ...input }, context): ListQuery => {
    const limit = Math.max(1, Math.min(wanted, maxLimit));
    const sort = input.sort?.[0] ?? "-created";
    const name = sortNames.find((each) => each === sort);
    if (!name) {
      context.addIssue({ code: "custom", path: ["sort"], message: `must be one of ${sortNames.join(", ")}` });
      return z.NEVER;
    }
    return {
      conditions: toConditions({
        state: input.is_archived === undefined ? undefined : input.is_archived ? "1" : "0",
        isStarred: input.is_marked,
        tags: labelsIn(input.labels ?? ""),
        itemIds: isNone(input) ? [] : input.id,
        hasLabels: input.has_labels,
        addedFrom: input.range_start,
        addedTo: input.range_end,
        site: input.site,
      }),
      readStatus: input.read_status,
      changedAfter: input.updated_since,
      search: [input.search, input.title].filter(Boolean).join(" "),
      sort: { by: sortFields[name.replace("-", "") as (typeof sorts)[number]], descending: name.startsWith("-") },
      offset: input.offset ?? Math.max(0, page - 1) * limit,
      limit,
    };
  });

/** Labels as a client writes them: separated by commas or spaces, those with spaces in quotation marks. */
const labelsIn = (text: string) =>
  [...text.matchAll(/"([^"]*)"|([^\s,]+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "").filter(Boolean);

/** A page of bookmarks, and the notes on their pages by item id. */
const listBookmarks: UseCase<ListQuery, ItemPage & { notes: ReadonlyMap<string, string> }, ApiPorts> = {
  ...queryList,
  begin: (deps, query) => async (caller) => {
    const page = await queryList.begin(deps, query)(caller);
    return {
      ...page,
      notes: await readPageNotes(deps, caller.user, page.items),
    };
  },
};

function pageHeaders({ total }: ItemPage, { limit, offset }: ListQuery, request: ApiRequest) {
  const pages = Math.ceil(total / limit);
  const linkTo = (rel: string, at: number) =>
    `<${request.linkTo("/api/bookmarks", { limit, offset: at })}>; rel="${rel}"`;
  const links = [
    linkTo("first", 0),
    ...(offset > 0 ? [linkTo("prev", Math.max(0, offset - limit))] : []),
    ...(offset + limit < total ? [linkTo("next", offset + limit)] : []),
    linkTo("last", Math.max(0, pages - 1) * limit),
  ];
  return {
    "Total-Count": String(total),
    "Total-Pages": String(pages),
    "Current-Page": String(Math.floor(offset / limit) + 1),
    Link: links.join(", "),
  };
}

const list = defineRoute({
  route: "GET /api/bookmarks",
  caller: "user",
  input: listInput,
  useCase: listBookmarks,
  present: (page, query, request) =>
    answerJson(
      page.items.map((item) => writeBookmark(item, request.address, { note: page.notes.get(item.itemId) })),
      200,
      pageHeaders(page, query, request),
    ),
});

/** Saves a page, and adds the labels to its existing ones. Returns its id. */
const createBookmark: UseCase<Omit<SavedPage, "changes"> & { labels: string[] }, string, ApiPorts> = {
  begin:
    (deps, { labels, ...page }) =>
    async (caller) => {
      const url = await cleanUrl(deps, caller.user, page.url);
      const itemId = toItemId(url);
      await savePage(deps, caller, { ...page, url, changes: [{ kind: "retag", itemId, add: labels, remove: [] }] });
      return itemId;
    },
};

const create = defineRoute({
  route: "POST /api/bookmarks",
  caller: "user",
  input: z
    .object({
      url: fields.url,
      title: fields.title,
      labels: fields.labels,
      html: fields.html,
      resource: fields.files,
    })
    .transform(({ url, title, labels = [], html, resource = [] }) => ({
      url,
      title,
      labels,
      html: html ?? resource.map((each) => readHtml(each, url)).find((html) => html !== undefined),
    })),
  useCase: createBookmark,
  present: (id, _, { address }) => {
    const headers = { "Bookmark-Id": id, Location: `${address}/api/bookmarks/${id}` };
    return answerJson({ status: 202, message: "Link submited" }, 202, headers);
  },
});

interface NotedItem {
  item: Item;
  note: string | undefined;
}

const readNote = async (deps: ApiPorts, { user }: Caller, item: Item) =>
  (await readPageNotes(deps, user, [item])).get(item.itemId);

/** A bookmark with its note, and the metadata of its saved copy, if there is one. Throws `notFound`. */
const readBookmark: UseCase<{ id: string }, NotedItem & { article: KeptArticle | undefined }, ApiPorts> = {
  begin:
    (deps, { id }) =>
    async (caller) => {
      const item = await findItem(deps, caller.user, id);
      return { item, note: await readNote(deps, caller, item), article: await findKept(deps, caller.user, item) };
    },
};

const read = defineRoute({
  route: "GET /api/bookmarks/{id}",
  caller: "user",
  input: z.object({ id: fields.id }),
  useCase: readBookmark,
  present: ({ item, ...details }, _, { address }) => answerJson(writeBookmarkInfo(item, address, details)),
});

/** The change of the place; a field that the call lacks keeps its value. */
function changeProgress(
  { itemId, progress }: Item,
  { read_progress, read_anchor }: { read_progress?: number | undefined; read_anchor?: string | undefined },
): Change[] {
  if (read_progress === undefined && read_anchor === undefined) return [];
  const percent = read_progress ?? progress?.percent ?? 0;
  return [
    {
      kind: "progress",
      itemId,
      percent,
      anchor: "",
      selector: read_anchor ?? progress?.selector ?? "",
      time: undefined,
    },
  ];
}

interface BookmarkChange extends ItemChange {
  description?: string | undefined;
}

/** Changes a bookmark, and the note on its page, which is its description. */
const changeBookmark: UseCase<BookmarkChange, NotedItem, ApiPorts> = {
  begin: (deps, input) => async (caller) => {
    const changed = await changeItem.begin(deps, input)(caller);
    if (input.description === undefined) return { item: changed, note: undefined };
    if (!changed.isDeleted) await setPageNote(deps, caller.user, input.id, input.description);
    return { item: changed, note: input.description };
  },
};

const change = defineRoute({
  route: "PATCH /api/bookmarks/{id}",
  caller: "user",
  adds: ({ named }) => named.some((name) => name !== "is_deleted"),
  input: z
    .object({
      id: fields.id,
      title: fields.title,
      description: fields.pageNote,
      is_archived: fields.flag,
      is_marked: fields.flag,
      is_deleted: fields.flag,
      labels: fields.labels,
      add_labels: fields.labels,
      remove_labels: fields.labels,
      read_progress: fields.percent,
      read_anchor: fields.anchor,
    })
    .transform(({ id: itemId, ...input }) => ({
      id: itemId,
      description: input.description,
      named: Object.keys(input),
      isRestored: input.is_deleted === false,
      changes: (item: Item): Change[] => [
        ...planFieldChanges(item, {
          title: input.title,
          isRead: input.is_archived,
          isStarred: input.is_marked,
          labels: input.labels,
          addedLabels: input.add_labels,
          removedLabels: input.remove_labels,
        }),
        ...changeProgress(item, input),
        ...(input.is_deleted ? [{ kind: "delete" as const, itemId }] : []),
      ],
    })),
  useCase: changeBookmark,
  present: ({ item, note }, { named }, { address }) => {
    const { id, href, updated, ...bookmark } = writeBookmarkInfo(item, address, { note });
    // ReadeckApp fails on a list of labels, which it does not change.
    const changed = Object.entries(bookmark).filter(([name]) => named.includes(name));
    return answerJson({ id, href, updated, ...Object.fromEntries(changed) });
  },
});

const remove = defineRoute({
  route: "DELETE /api/bookmarks/{id}",
  caller: "user",
  input: z.object({ id: fields.id }).transform(({ id: itemId }) => ({
    id: itemId,
    changes: (): Change[] => [{ kind: "delete", itemId }],
  })),
  useCase: changeItem,
  present: () => ({ status: 204, headers: {}, body: "" }),
});

/** The routes of bookmarks. */
export const bookmarkRoutes = [list, create, read, change, remove];
