// SPDX-License-Identifier: MIT

import { randomUUID } from "node:crypto";
import { extendDeadline } from "@reading-list/core/call-scope.ts";
import * as z from "@reading-list/core/contract/bounded.ts";
import type { Item } from "@reading-list/core/domain/item.ts";
import { ByteBudget } from "@reading-list/core/domain/kept-article.ts";
import type { ListQuery } from "@reading-list/core/domain/list-query.ts";
import { writeMarkdown } from "@reading-list/core/domain/markdown.ts";
import { sortInTurns } from "@reading-list/core/domain/turns.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { rejectUnreadable } from "@reading-list/core/use-cases/articles/keep-article.ts";
import { type Book, makeBook } from "@reading-list/core/use-cases/articles/make-book.ts";
import { forEachInTime } from "@reading-list/core/use-cases/for-each.ts";
import { findItem } from "@reading-list/core/use-cases/lists/change-item.ts";
import { listChanges } from "@reading-list/core/use-cases/lists/list-changes.ts";
import { readPageNotes } from "@reading-list/core/use-cases/lists/page-notes.ts";
import { queryList } from "@reading-list/core/use-cases/lists/query-list.ts";
import type { Caller, UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { defineRoute } from "@reading-list/http/api.ts";
import { answerBook, sandboxed } from "@reading-list/http/text.ts";
import { writeJsonList } from "../json-list.ts";
import type { ApiPorts } from "../ports.ts";
import { writeTime } from "../shown-page.ts";
import { annotate } from "./annotations.ts";
import { answerJsonList } from "./answers.ts";
import { readHtml, readServedArticle, servedHtml } from "./article-html.ts";
import { writeBookmark } from "./bookmark.ts";
import { listInput } from "./bookmarks.ts";
import * as fields from "./fields.ts";

/** Reads something of one item. Throws `notFound` if its page cannot be fetched, so that clients ask again later. */
const readFromItem = <T>(
  read: (deps: ApiPorts, caller: Caller, item: Item) => Promise<T>,
): UseCase<{ id: string }, T, ApiPorts> => ({
  begin:
    (deps, { id }) =>
    async (caller) => {
      const item = await findItem(deps, caller.user, id);
      return read(deps, caller, item).catch(rejectUnreadable);
    },
});

const article = defineRoute({
  route: "GET /api/bookmarks/{id}/article",
  caller: "user",
  input: z.object({ id: fields.id }),
  useCase: readFromItem(async (deps, caller, item) =>
    annotate(deps, caller, item, await readServedArticle(deps, caller, item)),
  ),
  present: (html) => ({
    status: 200,
    headers: { "Content-Type": "text/html; charset=utf-8", ...sandboxed },
    body: html,
  }),
});

/** The article as Markdown. */
const markdown = defineRoute({
  route: "GET /api/bookmarks/{id}/article.md",
  caller: "user",
  input: z.object({ id: fields.id }),
  useCase: readFromItem(
    async (deps, caller, item) => `# ${item.title}\n\n${await writeMarkdown(await readHtml(deps, caller, item))}\n`,
  ),
  present: (text) => ({
    status: 200,
    headers: { "Content-Type": "text/markdown; charset=utf-8", ...sandboxed },
    body: text,
  }),
});

const epub = defineRoute({
  route: "GET /api/bookmarks/{id}/article.epub",
  caller: "user",
  input: z.object({ id: fields.id }),
  // KOReader finds places in it by the elements below `main`, which are the elements of `article`.
  useCase: readFromItem((deps, caller, { url }) => makeBook(deps, caller, url, (kept) => servedHtml(kept, url))),
  present: answerBook,
});

/** Bookmarks of a book at most. */
const chaptersOfBook = 50;

/** A book of the bookmarks that a query lists. */
const listBook: UseCase<ListQuery, Book, ApiPorts> = {
  sync: () => ({ beginsWalk: false }),
  begin: (deps, query) => async (caller) => {
    const limit = Math.min(query.limit, chaptersOfBook);
    const { items } = await queryList.begin(deps, { ...query, limit })(caller);
    if (items.length === 0) throw new ServiceError("notFound", "no bookmark matches the filters");
    return makeBook(
      deps,
      caller,
      items.map(({ url }) => url),
      "less",
    );
  },
};

const exportBook = defineRoute({
  route: "GET /api/bookmarks/export.epub",
  caller: "user",
  input: listInput,
  useCase: listBook,
  present: answerBook,
});

const changes = defineRoute({
  route: "GET /api/bookmarks/sync",
  caller: "user",
  input: z.object({ since: fields.since }),
  useCase: listChanges,
  present: ({ changed, deleted }) => {
    const newestFirst = sortInTurns([...changed, ...deleted], (one, other) => other.timeUpdated - one.timeUpdated);
    const parts = writeJsonList(newestFirst, ({ itemId, timeUpdated, isDeleted }) => ({
      id: itemId,
      time: writeTime(timeUpdated),
      type: isDeleted ? "delete" : "update",
    }));
    return answerJsonList(parts);
  },
});

const contentInput = z.object({
  id: fields.texts(fields.idLength),
  with_json: fields.flag,
  with_html: fields.flag,
  with_markdown: fields.flag,
});

/** Milliseconds for which a call waits for articles that are not kept yet, and bytes of all articles, decompressed. */
const contentsWaitMs = 12_000;
const contentsBytes = 12_000_000;
/** Articles that a call reads at once. */
const readAtOnce = 4;

interface Content {
  item: Item;
  html: string | undefined;
  /** Undefined unless it was asked for. */
  markdown: string | undefined;
  /** The note on the page. */
  note: string | undefined;
}

/** Items, and the texts of the articles that were read in time and fit into the answer. */
const readContents: UseCase<z.output<typeof contentInput>, Content[], ApiPorts> = {
  begin:
    (deps, { id = [], with_html: wantsHtml, with_markdown: wantsMarkdown }) =>
    async (caller) => {
      const ids = id.filter((each) => fields.id.parse(each) === each);
      const found = await deps.items.find(caller.user.username, ids);
      const items = ids
        .map((each) => found.get(each))
        .filter((item) => item !== undefined && !item.isDeleted) as Item[];
      const htmls = new Map<string, string>();
      if (wantsHtml || wantsMarkdown) await readInTime(deps, caller, items, htmls);
      const notes = await readPageNotes(deps, caller.user, items);
      const contents: Content[] = [];
      for (const item of items) {
        const html = htmls.get(item.itemId);
        const isMarkdown = wantsMarkdown && html !== undefined;
        const markdown = isMarkdown ? await writeMarkdown(html) : undefined;
        contents.push({ item, html, markdown, note: notes.get(item.itemId) });
      }
      return contents;
    },
};

async function readInTime(deps: ApiPorts, caller: Caller, items: readonly Item[], htmls: Map<string, string>) {
  extendDeadline(contentsWaitMs + 8000);
  const budget = new ByteBudget(contentsBytes);
  await forEachInTime(items, readAtOnce, contentsWaitMs, async (item) => {
    const html = await readHtml(deps, caller, item, budget).catch(() => undefined);
    if (html !== undefined) htmls.set(item.itemId, html);
  });
}

const contents = defineRoute({
  route: "POST /api/bookmarks/sync",
  // A reading: the body has the ids.
  scope: "read",
  caller: "user",
  input: contentInput,
  useCase: readContents,
  present: (found, wanted, { address }) => {
    const boundary = randomUUID();
    const findPart = (item: Item, type: string, contentType: string, content: string) =>
      [
        `--${boundary}`,
        `Bookmark-Id: ${item.itemId}`,
        `Content-Type: ${contentType}; charset=utf-8`,
        `Date: ${new Date(item.timeUpdated * 1000).toUTCString()}`,
        `Type: ${type}`,
        "",
        content,
        "",
      ].join("\r\n");
    const parts = found.flatMap(({ item, html, markdown, note }) => [
      ...(wanted.with_json === false
        ? []
        : [findPart(item, "json", "application/json", JSON.stringify(writeBookmark(item, address, { note })))]),
      ...(wanted.with_html && html !== undefined ? [findPart(item, "html", "text/html", html)] : []),
      ...(markdown !== undefined ? [findPart(item, "markdown", "text/markdown", markdown)] : []),
    ]);
    return {
      status: 200,
      headers: { "Content-Type": `multipart/mixed; boundary=${boundary}` },
      body: `${parts.join("")}--${boundary}--\r\n`,
    };
  },
});

/** The routes of articles and of changes. */
export const articleRoutes = [article, markdown, epub, exportBook, changes, contents];
