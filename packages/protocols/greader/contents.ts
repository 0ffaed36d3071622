// SPDX-License-Identifier: MIT

import { extendDeadline } from "@reading-list/core/call-scope.ts";
import * as z from "@reading-list/core/contract/bounded.ts";
import { summarise } from "@reading-list/core/domain/article-summary.ts";
import { escapeHtml } from "@reading-list/core/domain/escape.ts";
import type { Item } from "@reading-list/core/domain/item.ts";
import { chooseView, type KeptArticle } from "@reading-list/core/domain/kept-article.ts";
import { type ListQuery, toConditions } from "@reading-list/core/domain/list-query.ts";
import { showKeptPictures, showStoredPictures } from "@reading-list/core/use-cases/articles/keep-pictures.ts";
import { listArticles } from "@reading-list/core/use-cases/articles/list-articles.ts";
import { forEachInTime } from "@reading-list/core/use-cases/for-each.ts";
import { type ItemPage, queryList } from "@reading-list/core/use-cases/lists/query-list.ts";
import type { Caller, UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { defineRoute, type RoutePattern } from "@reading-list/http/api.ts";
import { optional } from "../fields.ts";
import { writeJsonList } from "../json-list.ts";
import type { GreaderPorts } from "../ports.ts";
import { answerList } from "./answers.ts";
import * as fields from "./fields.ts";
import { type ShownItem, writeItem, writeTimestamp } from "./item.ts";

/** Items of an answer: the default, the maximum with texts, and the maximum of only ids. */
const defaultItems = 20;
const mostItems = 250;
const mostIds = 10_000;

/** Characters of all texts in one answer; further items have excerpts. A Lambda function returns 6 MB at most. */
const maxContents = 4_000_000;
/** Deadline of a call that reads pages and pictures, in ms, and articles whose pictures are read at once. */
const deadlineMs = 24_000;
const articlesAtOnce = 4;

const order = optional(z.enum(["o", "n", "d"], "must be o (oldest first) or n (newest first)"));

const conditions = (most: number) =>
  z.object({
    output: fields.output,
    s: fields.streams,
    it: fields.streams,
    xt: fields.streams,
    n: fields.count(most, defaultItems),
    c: fields.continuation,
    ot: fields.optionalTime,
    nt: fields.optionalTime,
    r: order,
  });

function parseQuery({
  s: streams = [],
  it = [],
  xt = [],
  ...input
}: z.output<ReturnType<typeof conditions>>): ListQuery {
  return {
    conditions: [
      { kind: "any", conditions: streams.map(fields.toCondition) },
      ...it.map(fields.toCondition),
      { kind: "not", condition: { kind: "any", conditions: xt.map(fields.toCondition) } },
      ...toConditions({ addedFrom: input.ot, addedTo: input.nt }),
    ],
    sort: { by: "added", descending: input.r !== "o" },
    offset: input.c,
    limit: input.n,
  };
}

/** The place of the next page, which an app returns as `c`. */
const writeContinuation = ({ total }: ItemPage, { offset, limit }: ListQuery) =>
  offset + limit < total ? { continuation: String(offset + limit) } : {};

const ids = defineRoute({
  route: "GET /reader/api/0/stream/items/ids",
  caller: "user",
  input: conditions(mostIds).transform((input, context) => {
    if (input.s?.length) return parseQuery(input);
    context.addIssue({ code: "custom", path: ["s"], message: "is missing" });
    return z.NEVER;
  }),
  useCase: queryList,
  present: (page, query) =>
    answerList(
      "itemRefs",
      writeJsonList(page.items, (item) => ({
        id: item.itemId,
        directStreamIds: [],
        timestampUsec: writeTimestamp(item),
      })),
      writeContinuation(page, query),
    ),
});

const linkTo = ({ url }: Item) => `<p><a href="${escapeHtml(url)}">${escapeHtml(url)}</a></p>`;

/**
 * Items with their saved texts and pictures; missing ones are read now, for some seconds. An item whose page has no
 * text has a link; if all texts are too long for one answer, the last ones are excerpts.
 */
async function showItems(deps: GreaderPorts, by: Caller, items: readonly Item[]): Promise<ShownItem[]> {
  extendDeadline(deadlineMs);
  // On one machine, where the text host has no address of its own, its paths are in this folder.
  const caller = { ...by, calledUrl: `${by.calledUrl}/text` };
  const articles = await listArticles(deps, caller, items);
  const whole: { item: Item; article: KeptArticle; html: string }[] = [];
  const contents = new Map<string, string>();
  let left = maxContents;
  for (const item of items) {
    const article = articles.get(item.itemId);
    const html = article?.less || article?.more;
    if (!article || !html) continue;
    left -= html.length;
    if (left >= 0) whole.push({ item, article, html });
    else contents.set(item.itemId, `<p>${escapeHtml(summarise(article).excerpt)}</p>`);
  }
  await forEachInTime(whole, articlesAtOnce, deps.pictureWaitMs, async ({ item, article }) => {
    const view = chooseView(article, { mode: article.less ? "less" : "more", images: true });
    const page = { itemId: item.itemId, url: article.resolvedUrl };
    const shown = await showKeptPictures(deps, caller, page, { article, view, isReload: false });
    contents.set(item.itemId, shown.html);
  });
  for (const { item, html } of whole) {
    if (!contents.has(item.itemId)) contents.set(item.itemId, await showStoredPictures(deps, caller, item, { html }));
  }
  return items.map((item) => ({
    item,
    content: contents.get(item.itemId) ?? linkTo(item),
    author: articles.get(item.itemId)?.author,
  }));
}

interface AskedStream {
  id: string;
  query: ListQuery;
}

const readStream: UseCase<AskedStream, { page: ItemPage; shown: ShownItem[] }, GreaderPorts> = {
  sync: ({ query }) => queryList.sync?.(query) ?? { beginsWalk: false },
  userCalls: ({ query }) => queryList.userCalls?.(query) ?? 1,
  begin: (deps, { query }) => {
    const read = queryList.begin(deps, query);
    return async (caller) => {
      const page = await read(caller);
      return { page, shown: await showItems(deps, caller, page.items) };
    };
  },
};

const readingList = `${fields.statePrefix}reading-list`;

/** The items of the stream in the path; without it, of the streams `s`, or all. */
const streamRoute = (route: RoutePattern) =>
  defineRoute({
    route,
    caller: "user",
    input: conditions(mostItems)
      .extend({ stream: fields.stream.optional() })
      .transform(({ stream, ...input }): AskedStream => {
        const named = stream
          ? [stream]
          : input.s?.length
            ? input.s
            : [{ kind: "state", name: "reading-list" } as const];
        const [first] = named;
        const id = first ? fields.writeStreamId(first) : readingList;
        return { id, query: parseQuery({ ...input, s: named }) };
      }),
    useCase: readStream,
    present: ({ page, shown }, { id, query }) =>
      answerList("items", writeJsonList(shown, writeItem), {
        direction: "ltr",
        id,
        title: id,
        updated: page.asOf,
        ...writeContinuation(page, query),
      }),
  });

const readItems: UseCase<{ i: string[] }, ShownItem[], GreaderPorts> = {
  begin:
    (deps, { i: itemIds }) =>
    async (caller) => {
      const wanted = [...new Set(itemIds)];
      const found = await deps.items.find(caller.user.username, wanted);
      const items = wanted.map((id) => found.get(id)).filter((item) => item !== undefined && !item.isDeleted);
      return showItems(deps, caller, items as Item[]);
    },
};

const contents = defineRoute({
  route: "POST /reader/api/0/stream/items/contents",
  // A reading: the body has the ids.
  scope: "read",
  caller: "user",
  input: z.object({ i: fields.itemIds, output: fields.output }),
  useCase: readItems,
  present: (shown) => answerList("items", writeJsonList(shown, writeItem), { direction: "ltr", id: readingList }),
});

/** The routes of ids and texts of items. */
export const contentRoutes = [
  ids,
  contents,
  streamRoute("GET /reader/api/0/stream/contents"),
  streamRoute("GET /reader/api/0/stream/contents/{stream+}"),
];
