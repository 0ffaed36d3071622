// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import { planFieldChanges } from "@reading-list/core/domain/changes-of-fields.ts";
import type { Item } from "@reading-list/core/domain/item.ts";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import { type ListQuery, toConditions } from "@reading-list/core/domain/list-query.ts";
import { cutText, maxLengths, parseWebUrl } from "@reading-list/core/domain/page-fields.ts";
import { listLabels } from "@reading-list/core/domain/tags.ts";
import type { KnownFields } from "@reading-list/core/domain/text-view.ts";
import { writeInTurns } from "@reading-list/core/domain/turns.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { keepHtml, readArticle } from "@reading-list/core/use-cases/articles/keep-article.ts";
import { listArticles } from "@reading-list/core/use-cases/articles/list-articles.ts";
import { makeBook } from "@reading-list/core/use-cases/articles/make-book.ts";
import { applyChanges } from "@reading-list/core/use-cases/lists/apply-changes.ts";
import { findItem, itemIn } from "@reading-list/core/use-cases/lists/change-item.ts";
import { cleanUrl } from "@reading-list/core/use-cases/lists/clean-additions.ts";
import { type NumberedItem, numberItems, onNumbered } from "@reading-list/core/use-cases/lists/numbered-items.ts";
import { queryList } from "@reading-list/core/use-cases/lists/query-list.ts";
import { savePage } from "@reading-list/core/use-cases/lists/save-page.ts";
import type { Caller, UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { type ApiRequest, defineRoute } from "@reading-list/http/api.ts";
import { answerBook } from "@reading-list/http/text.ts";
import { writeJsonObject } from "../json-list.ts";
import type { ApiPorts } from "../ports.ts";
import { type Annotation, writeAnnotations } from "./annotations.ts";
import { answerJson, answerJsonParts } from "./answers.ts";
import { type Article, writeContent, writeEntry, writeTag } from "./entry.ts";
import * as fields from "./fields.ts";

const defaultPerPage = 30;
const maxPerPage = 500;
/** Characters of all contents in one answer: a Lambda function returns 6 MB at most. */
const maxContents = 4_000_000;

/** An entry, its article, and the user as the presentation needs them. */
interface Shown {
  item: NumberedItem;
  username: string;
  article?: Article | undefined;
  annotations?: readonly Annotation[] | undefined;
  /** Without the content. */
  isMetadata?: boolean;
}

/** An entry in JSON. Its annotations can be as long as a thousand entries: each is a text of its own. */
function* writeTexts({ item, username, article, annotations = [], isMetadata }: Shown): Generator<string> {
  const json = JSON.stringify(writeEntry(item, username, article, isMetadata));
  // Quotation marks within a text are escaped, so these are the field.
  const start = json.indexOf(noAnnotations) + noAnnotations.length - 1;
  yield json.slice(0, start);
  for (const [index, annotation] of annotations.entries())
    yield `${index === 0 ? "" : ","}${JSON.stringify(annotation)}`;
  yield json.slice(start);
}

const noAnnotations = ',"annotations":[]';

const answerEntry = (shown: Shown) => answerJsonParts(writeInTurns(writeTexts(shown), "", String));

function* writeListTexts(list: readonly Shown[]): Generator<string> {
  yield "[";
  for (const [index, shown] of list.entries()) {
    if (index > 0) yield ",";
    yield* writeTexts(shown);
  }
  yield "]";
}

/** An entry with its annotations. */
async function showWith(
  deps: ApiPorts,
  caller: Caller,
  item: NumberedItem,
  article: Article | undefined,
): Promise<Shown> {
  const annotations = (await writeAnnotations(deps, caller, [{ item, article }])).get(item.itemId);
  return { item, username: caller.user.username, article, annotations };
}

/** The item of an id as it is now, with its number. Throws `notFound` if it was deleted meanwhile. */
async function currentItem(deps: ApiPorts, { user }: Caller, itemId: string): Promise<NumberedItem> {
  const [item] = await numberItems(deps, user, [await findItem(deps, user, itemId)]);
  if (!item) throw new ServiceError("notFound", "the page is not in the list");
  return item;
}

async function show(deps: ApiPorts, caller: Caller, itemId: string): Promise<Shown> {
  const item = await currentItem(deps, caller, itemId);
  return showWith(deps, caller, item, await deps.articles.find(caller.user, itemId));
}

const sorts = { created: "added", updated: "content", archived: "content" } as const satisfies Record<
  string,
  ListQuery["sort"]["by"]
>;

const pageFields = { page: fields.page, perPage: fields.perPage };

const listInput = z
  .object({
    ...pageFields,
    archive: fields.flag,
    starred: fields.flag,
    tags: fields.tags,
    since: fields.time,
    sort: fields.oneOfAnyCase(["created", "updated", "archived"]),
    order: fields.oneOfAnyCase(["asc", "desc"]),
    detail: fields.detail,
    domain_name: fields.text(1000),
    public: fields.flag,
    http_status: fields.text(20),
    annotations: fields.flag,
  })
  .transform(({ archive, starred, tags, since, sort = "created", order = "desc", ...input }): ListInput => {
    // No entry is public, and the status of each is 200.
    const isNone = input.public === true || (input.http_status ?? "200") !== "200";
    const query: Omit<ListQuery, "offset" | "limit"> = {
      conditions: toConditions({
        state: archive === undefined ? undefined : archive ? "1" : "0",
        isStarred: starred,
        tags: tags ?? [],
        site: input.domain_name,
        itemIds: isNone ? [] : undefined,
      }),
      changedAfter: since || undefined,
      contentAfter: since || undefined,
      isHighlighted: input.annotations,
      sort: { by: sorts[sort], descending: order === "desc" },
    };
    return { ...withPage(input, query), isFull: input.detail !== "metadata", path: "/api/entries" };
  });

interface ListInput {
  query: ListQuery;
  page: number;
  perPage: number;
  isFull: boolean;
  /** The address of its links. */
  path: string;
}

/** A query with the requested page. */
function withPage(
  { page = 1, perPage: wanted }: { page?: number | undefined; perPage?: number | undefined },
  query: Omit<ListQuery, "offset" | "limit">,
) {
  const perPage = Math.min(wanted || defaultPerPage, maxPerPage);
  return { page, perPage, query: { ...query, offset: (page - 1) * perPage, limit: perPage } };
}

const searchInput = z.object({ ...pageFields, term: fields.search }).transform(({ term = "", ...input }): ListInput => {
  const query = { search: term, sort: { by: "added", descending: true } } as const;
  return { ...withPage(input, query), isFull: true, path: "/api/search" };
});

const listEntries: UseCase<ListInput, { shown: Shown[]; total: number }, ApiPorts> = {
  sync: ({ query }) => queryList.sync?.(query) ?? { beginsWalk: false },
  userCalls: ({ query }) => queryList.userCalls?.(query) ?? 1,
  begin:
    (deps, { query, page, isFull }) =>
    async (caller) => {
      const { items, total, all } = await queryList.begin(deps, query)(caller);
      // Clients that do not look at `pages` read on until there is an error.
      if (page > 1 && query.offset >= total) throw new ServiceError("notFound", "the list has no such page");
      const numbered = await numberItems(deps, caller.user, items, all);
      const articles = isFull ? await listArticles(deps, caller, numbered) : new Map<string, Article>();
      let left = maxContents;
      const entries = numbered.map((item) => {
        const article = articles.get(item.itemId);
        left -= article ? writeContent(article).length : 0;
        return { item, article: left > 0 ? article : undefined };
      });
      const annotations = isFull ? await writeAnnotations(deps, caller, entries) : undefined;
      const shown = entries.map(
        (entry): Shown => ({
          ...entry,
          username: caller.user.username,
          isMetadata: !isFull,
          annotations: annotations?.get(entry.item.itemId),
        }),
      );
      return { shown, total };
    },
};

/** A page of entries as wallabag writes it. */
function presentPage(
  { shown, total }: { shown: Shown[]; total: number },
  { page, perPage, path }: ListInput,
  request: ApiRequest,
) {
  const pages = Math.max(1, Math.ceil(total / perPage));
  const linkTo = (to: number) => ({ href: request.linkTo(path, { page: to, perPage }) });
  const fields = {
    page,
    limit: perPage,
    pages,
    total,
    _links: {
      self: linkTo(page),
      first: linkTo(1),
      last: linkTo(pages),
      ...(page < pages && { next: linkTo(page + 1) }),
      ...(page > 1 && { previous: linkTo(page - 1) }),
    },
  };
  const items = writeJsonObject({}, "items", writeInTurns(writeListTexts(shown), "", String));
  return answerJsonParts(writeJsonObject(fields, "_embedded", items));
}

const list = defineRoute({
  route: "GET /api/entries",
  caller: "user",
  input: listInput,
  useCase: listEntries,
  present: presentPage,
});

const search = defineRoute({
  route: "GET /api/search",
  caller: "user",
  input: searchInput,
  useCase: listEntries,
  present: presentPage,
});

/** Maximum characters of the address of a picture; an address that contains the picture itself is ignored. */
const longPicture = 1_000_000;

/** The fields of `POST` and `PATCH`. Fields that no list has, such as `public`, are ignored. */
const changeFields = {
  title: fields.title,
  tags: fields.tags,
  archive: fields.flag,
  starred: fields.flag,
  content: fields.content,
  language: fields.text(fields.uncutText),
  preview_picture: fields.text(longPicture),
  published_at: fields.date,
  authors: fields.authors,
};

const spaceCommas = (names: string) =>
  names
    .split(",")
    .map((name) => name.trim())
    .join(", ");

/** The fields of an article that the app has sent. */
function knownFields(input: z.output<z.ZodObject<typeof changeFields>>): KnownFields {
  const { language, published_at: publishedAt, authors, preview_picture: picture = "" } = input;
  const imageUrl = parseWebUrl(picture)?.href;
  return {
    ...(language && { language: language.replaceAll("_", "-").slice(0, 20) }),
    ...(authors && { author: cutText(spaceCommas(authors), maxLengths.title) }),
    ...(publishedAt && { publishedAt }),
    ...(imageUrl && { imageUrl }),
  };
}
const createInput = z.object({ url: fields.url, ...changeFields });

const createEntry: UseCase<z.output<typeof createInput>, Shown, ApiPorts> = {
  begin: (deps, input) => async (caller) => {
    const { title, tags, archive, starred, content: html } = input;
    const url = await cleanUrl(deps, caller.user, input.url);
    const itemId = toItemId(url);
    // Saving an archived page again leaves it archived.
    const isRead = archive ?? ((await itemIn(deps.items, caller.user, itemId))?.state === "1" ? true : undefined);
    const changes = planFieldChanges({ itemId, tags: "" }, { isRead, isStarred: starred, addedLabels: tags });
    const article = await savePage(deps, caller, { url, title, html, known: knownFields(input), changes });
    return showWith(deps, caller, await currentItem(deps, caller, itemId), article);
  },
};

const create = defineRoute({
  route: "POST /api/entries",
  caller: "user",
  input: createInput,
  useCase: createEntry,
  present: (shown) => answerEntry(shown),
});

const readInput = z.object({ id: fields.id, detail: fields.detail });

const readEntry = onNumbered(
  async (deps: ApiPorts, caller, item, { detail }: z.output<typeof readInput>): Promise<Shown> => {
    if (detail === "metadata") return { item, username: caller.user.username, isMetadata: true };
    return showWith(deps, caller, item, (await listArticles(deps, caller, [item])).get(item.itemId));
  },
);

const read = defineRoute({
  route: "GET /api/entries/{id}",
  caller: "user",
  input: readInput,
  useCase: readEntry,
  present: (shown) => answerEntry(shown),
});

const patchInput = z.object({ id: fields.id, ...changeFields });

const patchEntry = onNumbered(async (deps: ApiPorts, caller, item, input: z.output<typeof patchInput>) => {
  const { title, archive, starred, tags, content } = input;
  const { itemId, url } = item;
  await applyChanges(
    deps,
    caller,
    planFieldChanges(item, { title, isRead: archive, isStarred: starred, labels: tags }),
  );
  // The changes are done: a content that cannot be kept must not fail the call.
  if (content) await keepHtml(deps, caller, { url, html: content, known: knownFields(input) }).catch(() => undefined);
  return show(deps, caller, itemId);
});

const patch = defineRoute({
  route: "PATCH /api/entries/{id}",
  caller: "user",
  input: patchInput,
  useCase: patchEntry,
  present: (shown) => answerEntry(shown),
});

const reloadEntry = onNumbered(async (deps: ApiPorts, caller, item): Promise<Shown | undefined> => {
  try {
    return await showWith(deps, caller, item, await readArticle(deps, caller, { url: item.url, refresh: true }));
  } catch (error) {
    if (error instanceof ServiceError && error.kind === "invalid") return undefined;
    throw error;
  }
});

const reload = defineRoute({
  route: "PATCH /api/entries/{id}/reload",
  caller: "user",
  input: z.object({ id: fields.id }),
  useCase: reloadEntry,
  // As wallabag answers if it cannot read the page.
  present: (shown) => (shown ? answerEntry(shown) : { status: 304, headers: {}, body: "" }),
});

const deleteEntry = onNumbered(async (deps: ApiPorts, caller, item): Promise<Shown> => {
  await applyChanges(deps, caller, [{ kind: "delete", itemId: item.itemId }]);
  return { item, username: caller.user.username };
});

const remove = defineRoute({
  route: "DELETE /api/entries/{id}",
  caller: "user",
  input: z.object({ id: fields.id, expect: fields.oneOfAnyCase(["id", "entry"]) }),
  useCase: deleteEntry,
  present: (shown, { expect }) => (expect === "id" ? answerJson({ id: shown.item.number }) : answerEntry(shown)),
});

const tagsOfEntry = defineRoute({
  route: "GET /api/entries/{id}/tags",
  caller: "user",
  input: z.object({ id: fields.id }),
  useCase: onNumbered(async (_deps: ApiPorts, _caller, item: Item) => listLabels(item).map(writeTag)),
  present: (tags) => answerJson(tags),
});

const addTags = defineRoute({
  route: "POST /api/entries/{id}/tags",
  caller: "user",
  input: z.object({ id: fields.id, tags: fields.tags }),
  useCase: onNumbered(
    async (deps: ApiPorts, caller, { itemId }, { tags = [] }: { id: number; tags?: string[] | undefined }) => {
      await applyChanges(deps, caller, [{ kind: "retag", itemId, add: tags, remove: [] }]);
      return show(deps, caller, itemId);
    },
  ),
  present: (shown) => answerEntry(shown),
});

const removeTag = defineRoute({
  route: "DELETE /api/entries/{id}/tags/{tag}",
  caller: "user",
  input: z.object({ id: fields.id, tag: fields.id }),
  useCase: onNumbered(async (deps: ApiPorts, caller, item, { tag }: { id: number; tag: number }) => {
    const { itemId } = item;
    const label = listLabels(item).find((each) => writeTag(each).id === tag);
    if (label === undefined) throw new ServiceError("notFound", "the entry does not have this tag");
    await applyChanges(deps, caller, [{ kind: "retag", itemId, add: [], remove: [label] }]);
    return show(deps, caller, itemId);
  }),
  present: (shown) => answerEntry(shown),
});

/** A book of one entry; if its page cannot be read it says so, as apps do not look at the status of an export. */
const exportEntry = defineRoute({
  route: "GET /api/entries/{id}/export.epub",
  caller: "user",
  input: z.object({ id: fields.id }),
  useCase: onNumbered((deps: ApiPorts, caller, { url }) => makeBook(deps, caller, [url], "less")),
  present: answerBook,
});

/** The routes of entries. */
export const entryRoutes = [
  list,
  search,
  create,
  read,
  patch,
  reload,
  remove,
  tagsOfEntry,
  addTags,
  removeTag,
  exportEntry,
];
