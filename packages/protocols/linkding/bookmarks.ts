// SPDX-License-Identifier: MIT

import { addNotice } from "@reading-list/core/call-scope.ts";
import * as z from "@reading-list/core/contract/bounded.ts";
import { parseAddition } from "@reading-list/core/domain/changes.ts";
import { planFieldChanges } from "@reading-list/core/domain/changes-of-fields.ts";
import type { Item } from "@reading-list/core/domain/item.ts";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import { type ListQuery, toConditions } from "@reading-list/core/domain/list-query.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { unixTime } from "@reading-list/core/ports/clock.ts";
import type { User } from "@reading-list/core/ports/users.ts";
import { findKept, keepHtml } from "@reading-list/core/use-cases/articles/keep-article.ts";
import { applyChanges } from "@reading-list/core/use-cases/lists/apply-changes.ts";
import { itemIn } from "@reading-list/core/use-cases/lists/change-item.ts";
import { cleanUrl } from "@reading-list/core/use-cases/lists/clean-additions.ts";
import { numberItems, onNumbered } from "@reading-list/core/use-cases/lists/numbered-items.ts";
import { readPageNotes, setPageNote } from "@reading-list/core/use-cases/lists/page-notes.ts";
import { queryList } from "@reading-list/core/use-cases/lists/query-list.ts";
import { savePage } from "@reading-list/core/use-cases/lists/save-page.ts";
import type { Caller, UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { defineRoute } from "@reading-list/http/api.ts";
import { checkSearch } from "../fields.ts";
import type { LinkdingPorts } from "../ports.ts";
import { answerJson, answerNothing, answerPage } from "./answers.ts";
import { labelsAfterEdit, type Shown, showItem, writeBookmark, writeDescription } from "./bookmark.ts";
import * as fields from "./fields.ts";
import { readSearch } from "./search.ts";

/** A search, whose words must be searchable. */
const search = z
  .string(500, "must be a single string")
  .transform(readSearch)
  .superRefine(({ words }, context) => checkSearch(words, context))
  .optional();

const listFields = z.object({
  q: search,
  limit: fields.limit,
  offset: fields.offset,
  sort: fields.sort,
  unread: fields.choice,
  shared: fields.choice,
  modified_since: fields.modifiedSince,
  added_since: fields.addedSince,
});

/** The query of a list of bookmarks, which are unread unless they are archived. None is shared. */
function parseQuery(input: z.output<typeof listFields>, state: "0" | "1"): ListQuery {
  const { words = "", isUnread = false, conditions = [] } = input.q ?? {};
  const wanted = isUnread ? "yes" : input.unread;
  const isNone = wanted === (state === "0" ? "no" : "yes") || input.shared === "yes";
  const filters = { state, addedFrom: input.added_since, itemIds: isNone ? [] : undefined };
  return {
    conditions: [...toConditions(filters), ...conditions],
    search: words,
    changedAfter: input.modified_since || undefined,
    contentAfter: input.modified_since || undefined,
    sort: input.sort,
    offset: input.offset,
    limit: input.limit,
  };
}

const listBookmarks: UseCase<ListQuery, { shown: Shown[]; total: number }, LinkdingPorts> = {
  ...queryList,
  begin: (deps, query) => async (caller) => {
    const { items, total, all } = await queryList.begin(deps, query)(caller);
    const numbered = await numberItems(deps, caller.user, items, all);
    const notes = await readPageNotes(deps, caller.user, numbered);
    return { shown: numbered.map((item) => ({ item, note: notes.get(item.itemId) })), total };
  },
};

const listRoute = (path: "/api/bookmarks/" | "/api/bookmarks/archived/", state: "0" | "1") =>
  defineRoute({
    route: `GET ${path.slice(0, -1) as `/${string}`}`,
    caller: "user",
    input: listFields.transform((input) => parseQuery(input, state)),
    useCase: listBookmarks,
    present: ({ shown, total }, { offset, limit }, request) =>
      answerPage(shown, writeBookmark, { path, total, offset, limit }, request),
  });

/** The texts of a bookmark that a call gives. */
interface Texts {
  notes?: string | undefined;
  description?: string | undefined;
}

/**
 * Stores the texts of a bookmark as the note on its page. The description is the excerpt of the article: apps send it back.
 * Another one becomes the note if the page has no note; else the answer says that it was left out. Returns the user as of then.
 */
async function saveTexts(
  deps: LinkdingPorts,
  { user }: Caller,
  item: Item,
  { notes, description = "" }: Texts,
): Promise<User> {
  const given = description.trim();
  const isOwn = given !== "" && given !== writeDescription(await findKept(deps, user, item));
  if (notes === undefined && !isOwn) return user;
  if (notes !== undefined) await setPageNote(deps, user, item.itemId, notes);
  const current = await deps.highlights.current(user);
  if (!isOwn) return current;
  const note = (await readPageNotes(deps, current, [item])).get(item.itemId) ?? "";
  if (note !== "") {
    if (note !== given) addNotice("description is not stored, because notes is not empty");
    return current;
  }
  await setPageNote(deps, current, item.itemId, given);
  return deps.highlights.current(user);
}

const createInput = z
  .object({
    url: fields.url,
    title: fields.title,
    description: fields.pageNote,
    notes: fields.pageNote,
    tag_names: fields.labels,
    is_archived: fields.flag,
    date_added: fields.dateAdded,
    query: z.object({ disable_scraping: fields.presence }),
  })
  .transform(({ query, tag_names: tagNames, is_archived: isArchived, date_added: timeAdded, ...input }) => ({
    ...input,
    tagNames,
    isArchived,
    timeAdded,
    isForm: query.disable_scraping,
  }));

/**
 * Adds a page; a page of the list keeps its state and its place. An app that has read the page itself (`isForm`) shows
 * a form with the existing bookmark, and sends all of its fields; other apps, which may not have the bookmark, only add
 * to it.
 */
const createBookmark: UseCase<z.output<typeof createInput>, Shown, LinkdingPorts> = {
  begin: (deps, input) => async (caller) => {
    const { title, tagNames = [], isForm, timeAdded, notes, description } = input;
    const url = await cleanUrl(deps, caller.user, input.url);
    const itemId = toItemId(url);
    const known = await itemIn(deps.items, caller.user, itemId);
    if (known) {
      const labels = input.tagNames && labelsAfterEdit(known, tagNames);
      const changes = planFieldChanges(known, { title, ...(isForm ? { labels } : { addedLabels: labels }) });
      if (changes.length > 0) await applyChanges(deps, caller, changes);
    } else {
      const added = timeAdded && Math.min(timeAdded, unixTime(deps.clock));
      const changes = planFieldChanges({ itemId, tags: "" }, { isRead: input.isArchived, addedLabels: tagNames });
      // Whether a description is the excerpt is known with the article.
      if (!isForm || description)
        await savePage(deps, caller, { url, title, html: undefined, timeAdded: added, changes });
      else await applyChanges(deps, caller, [parseAddition({ url, title, time_added: added }), ...changes]);
    }
    const item = await itemIn(deps.items, caller.user, itemId);
    if (!item) throw new ServiceError("notFound", "the page was deleted in the meantime");
    const texts = { description, notes: isForm && known ? notes : notes || undefined };
    return showItem(deps, await saveTexts(deps, caller, item, texts), itemId);
  },
};

const create = defineRoute({
  route: "POST /api/bookmarks",
  caller: "user",
  input: createInput,
  useCase: createBookmark,
  present: (shown) => answerJson(writeBookmark(shown), 201),
});

const read = defineRoute({
  route: "GET /api/bookmarks/{id}",
  caller: "user",
  input: z.object({ id: fields.id }),
  useCase: onNumbered((deps: LinkdingPorts, caller, { itemId }) => showItem(deps, caller.user, itemId)),
  present: (shown) => answerJson(writeBookmark(shown)),
});

const changeFields = z.object({
  id: fields.id,
  title: fields.title,
  description: fields.pageNote,
  notes: fields.pageNote,
  tag_names: fields.labels,
  is_archived: fields.flag,
  unread: fields.flag,
});

type BookmarkChange = z.output<typeof changeFields> & { url?: string | undefined };

/** An item has the id of its URL, so that another URL is another bookmark. */
async function checkUrl(deps: LinkdingPorts, { user }: Caller, { itemId }: Item, url: string | undefined) {
  if (url === undefined || toItemId(url) === itemId) return;
  const isKnown = await itemIn(deps.items, user, toItemId(url));
  const rule = isKnown
    ? "belongs to another bookmark"
    : "cannot be changed; save the new URL as a bookmark, and delete this one";
  throw new ServiceError("invalid", `url ${rule}`);
}

const changeBookmark = onNumbered(async (deps: LinkdingPorts, caller, item, input: BookmarkChange): Promise<Shown> => {
  const { title, tag_names: tagNames, is_archived: isRead, notes, description } = input;
  await checkUrl(deps, caller, item, input.url);
  const labels = tagNames && labelsAfterEdit(item, tagNames);
  const changes = planFieldChanges(item, { title, isRead, labels });
  if (changes.length > 0) await applyChanges(deps, caller, changes);
  return showItem(deps, await saveTexts(deps, caller, item, { notes, description }), item.itemId);
});

const replace = defineRoute({
  route: "PUT /api/bookmarks/{id}",
  caller: "user",
  input: changeFields.extend({ url: fields.url }),
  useCase: changeBookmark,
  present: (shown) => answerJson(writeBookmark(shown)),
});

const change = defineRoute({
  route: "PATCH /api/bookmarks/{id}",
  caller: "user",
  input: changeFields
    .extend({ url: fields.url.optional() })
    // An app without an archive marks a bookmark as read.
    .transform((input) => ({ ...input, is_archived: input.is_archived ?? opposite(input.unread) })),
  useCase: changeBookmark,
  present: (shown) => answerJson(writeBookmark(shown)),
});

const opposite = (value: boolean | undefined) => (value === undefined ? undefined : !value);

const remove = defineRoute({
  route: "DELETE /api/bookmarks/{id}",
  caller: "user",
  input: z.object({ id: fields.id }),
  useCase: onNumbered((deps: LinkdingPorts, caller, { itemId }) =>
    applyChanges(deps, caller, [{ kind: "delete", itemId }]),
  ),
  present: answerNothing,
});

const archiving = (action: "archive" | "unarchive") =>
  defineRoute({
    route: `POST /api/bookmarks/{id}/${action}`,
    caller: "user",
    input: z.object({ id: fields.id }),
    useCase: onNumbered((deps: LinkdingPorts, caller, { itemId }) =>
      applyChanges(deps, caller, [{ kind: action === "archive" ? "read" : "unread", itemId }]),
    ),
    present: answerNothing,
  });

const upload = z
  .object({ url: fields.url.optional(), file: z.object({ data: z.file(z.longestBody) }).optional() })
  .transform(({ url, file }) => (url !== undefined && file ? { url, html: file.data.toString() } : undefined));

/** Saves a page as the browser shows it. Returns whether the call had all required fields. */
const keepSnapshot: UseCase<z.output<typeof upload>, boolean, LinkdingPorts> = {
  begin: (deps, sent) => async (caller) => {
    if (!sent) return false;
    const page = { ...sent, url: await cleanUrl(deps, caller.user, sent.url) };
    if (await itemIn(deps.items, caller.user, toItemId(page.url))) await keepHtml(deps, caller, page);
    else await savePage(deps, caller, { ...page, title: undefined, changes: [] });
    return true;
  },
};

const singlefile = defineRoute({
  route: "POST /api/bookmarks/singlefile",
  caller: "user",
  input: upload,
  useCase: keepSnapshot,
  present: (isKept) =>
    isKept
      ? answerJson({ message: "Snapshot uploaded successfully." }, 201)
      : answerJson({ error: "Both 'url' and 'file' parameters are required." }, 400),
});

/** The routes of bookmarks. */
export const bookmarkRoutes = [
  listRoute("/api/bookmarks/", "0"),
  listRoute("/api/bookmarks/archived/", "1"),
  create,
  singlefile,
  read,
  replace,
  change,
  remove,
  archiving("archive"),
  archiving("unarchive"),
];
