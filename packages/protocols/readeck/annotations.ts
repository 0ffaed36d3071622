// SPDX-License-Identifier: MIT

import { randomUUID } from "node:crypto";
import * as z from "@reading-list/core/contract/bounded.ts";
import { escapeHtml } from "@reading-list/core/domain/escape.ts";
import { toColor } from "@reading-list/core/domain/highlight-fields.ts";
import type { Highlight } from "@reading-list/core/domain/highlights.ts";
import { toSite } from "@reading-list/core/domain/hosts.ts";
import type { Item } from "@reading-list/core/domain/item.ts";
import { ByteBudget } from "@reading-list/core/domain/kept-article.ts";
import { type PlacedHighlight, readHighlightedPage } from "@reading-list/core/domain/placed-highlights.ts";
import { QuotationBudget, quotationAt } from "@reading-list/core/domain/quotation.ts";
import { placeAt, type TextPlaces, unitsBefore, wrapText } from "@reading-list/core/domain/text-places.ts";
import { separateQuotations } from "@reading-list/core/use-cases/articles/separate-quotations.ts";
import { findItem } from "@reading-list/core/use-cases/lists/change-item.ts";
import {
  annotationsIn,
  findHighlight,
  highlightQuotation,
  readHighlights,
} from "@reading-list/core/use-cases/lists/page-highlights.ts";
import { saveHighlights } from "@reading-list/core/use-cases/lists/save-highlights.ts";
import type { Caller, UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { defineRoute } from "@reading-list/http/api.ts";
import { writeJsonList } from "../json-list.ts";
import type { ApiPorts } from "../ports.ts";
import { writeTime } from "../shown-page.ts";
import { answerJson, answerJsonList } from "./answers.ts";
import { readServedArticle } from "./article-html.ts";
import * as fields from "./fields.ts";

/** An annotation of a bookmark as Readeck writes it; undefined if the text does not have its passage any more. */
function writeAnnotation({ highlight, passage }: PlacedHighlight<Highlight>, places: TextPlaces) {
  const start = passage && placeAt(places, passage.start, { isEnd: false, unit: "codePoint" });
  const end = passage && placeAt(places, passage.end, { isEnd: true, unit: "codePoint" });
  if (!start || !end) return undefined;
  return {
    id: highlight.id,
    start_selector: start.path,
    start_offset: start.offset,
    end_selector: end.path,
    end_offset: end.offset,
    created: writeTime(highlight.timeCreated),
    text: highlight.quote,
    color: highlight.color,
    note: highlight.note,
  };
}

type Annotation = NonNullable<ReturnType<typeof writeAnnotation>>;

/**
 * The annotations of a bookmark in the order of its text; annotations that are no longer in the text are only in the
 * list of all annotations.
 */
async function readAnnotations(deps: ApiPorts, caller: Caller, item: Item): Promise<Annotation[]> {
  const found = annotationsIn(await readHighlights(deps, caller.user, item.itemId));
  if (found.length === 0) return [];
  const { places, placed } = await readHighlightedPage(await readServedArticle(deps, caller, item), found);
  return placed.flatMap((each) => writeAnnotation(each, places) ?? []);
}

/** The HTML of a bookmark's article with its annotations in it, as Readeck's apps show them. */
export async function annotate(deps: ApiPorts, caller: Caller, item: Item, html: string): Promise<string> {
  const found = annotationsIn(await readHighlights(deps, caller.user, item.itemId));
  if (found.length === 0) return html;
  const { places, placed } = await readHighlightedPage(html, found);
  const passages = placed.flatMap(({ highlight: { id, color, note }, passage }) => {
    const noted = note && ` data-annotation-note title="${escapeHtml(note)}"`;
    const before = `<rd-annotation id="annotation-${id}" data-annotation-id-value="${id}" data-annotation-color="${color}"${noted}>`;
    return passage ? [{ ...passage, before, after: "</rd-annotation>" }] : [];
  });
  return wrapText(html, places, passages);
}

const ofBookmark = defineRoute({
  route: "GET /api/bookmarks/{id}/annotations",
  caller: "user",
  input: z.object({ id: fields.id }),
  useCase: {
    begin:
      (deps: ApiPorts, { id }) =>
      async (caller: Caller) =>
        readAnnotations(deps, caller, await findItem(deps, caller.user, id)),
  },
  present: (annotations) => answerJsonList(writeJsonList(annotations)),
});

/** One of this service's colours; Readeck accepts any word. */
const color = z.string(32, "is missing").transform(toColor);
const note = z.string(1024, "must be a string", "must be at most 1,024 characters").optional();
const offset = z
  .union([z.int(), z.string(9).regex(/^\d{1,9}$/, "must be a whole number")], "must be a whole number")
  .transform(Number);
const selector = z.string(1000, "is missing", "is too long").min(1, "is missing");

const createInput = z.object({
  id: fields.id,
  start_selector: selector,
  start_offset: offset,
  end_selector: selector,
  end_offset: offset,
  color,
  note,
});

/** Marks a passage; a fault is 400, as in Readeck. */
const createAnnotation: UseCase<z.output<typeof createInput>, { fault: string } | { created: Annotation }, ApiPorts> = {
  begin: (deps, input) => async (caller) => {
    const { user } = caller;
    const item = await findItem(deps, user, input.id);
    const found = annotationsIn(await readHighlights(deps, user, item.itemId));
    const page = await readHighlightedPage(await readServedArticle(deps, caller, item), found);
    const start = unitsBefore(page.places, { path: input.start_selector, offset: input.start_offset }, "codePoint");
    const end = unitsBefore(page.places, { path: input.end_selector, offset: input.end_offset }, "codePoint");
    if (start === undefined || end === undefined)
      return { fault: "a selector does not match the text, or an offset is out of range" };
    if (page.placed.some(({ passage }) => passage && passage.start < end && start < passage.end))
      return { fault: "the passage overlaps another annotation" };
    const id = randomUUID();
    const wanted = { color: input.color, note: input.note ?? "" };
    const quotation = quotationAt(page.places.text, { start, end }, page.places.breaks);
    const fault = await highlightQuotation(deps, user, { id, itemId: item.itemId }, quotation, wanted);
    if (fault !== undefined) return { fault };
    const highlight = await findHighlight(deps, user, id);
    return { created: writeAnnotation({ highlight, passage: { start, end } }, page.places) as Annotation };
  },
};

const create = defineRoute({
  route: "POST /api/bookmarks/{id}/annotations",
  caller: "user",
  input: createInput,
  useCase: createAnnotation,
  present: (result) =>
    "fault" in result
      ? answerJson({ status: 400, message: `Bad Request: ${result.fault}` }, 400)
      : answerJson(result.created, 201),
});

const ofAnnotation = { id: fields.id, annotation: z.string(fields.idLength) };

/** The highlight of a bookmark. Throws `notFound`. */
async function findOwn(deps: ApiPorts, { user }: Caller, { id, annotation }: { id: string; annotation: string }) {
  const item = await findItem(deps, user, id);
  return { item, highlight: await findHighlight(deps, user, annotation, item.itemId) };
}

const changeInput = z.object({ ...ofAnnotation, color, note });

const changeAnnotation: UseCase<
  z.output<typeof changeInput>,
  { annotations: Annotation[]; updated: string },
  ApiPorts
> = {
  begin: (deps, input) => async (caller) => {
    const { item, highlight } = await findOwn(deps, caller, input);
    const changed = { color: input.color, ...(input.note !== undefined && { note: input.note }) };
    const change = { kind: "save", id: highlight.id, name: "annotation", itemId: undefined, fields: changed } as const;
    await saveHighlights(deps, caller.user, [change]);
    const { timeUpdated } = await findHighlight(deps, caller.user, highlight.id);
    return { annotations: await readAnnotations(deps, caller, item), updated: writeTime(timeUpdated) };
  },
};

const change = defineRoute({
  route: "PATCH /api/bookmarks/{id}/annotations/{annotation}",
  caller: "user",
  input: changeInput,
  useCase: changeAnnotation,
  present: (result) => answerJson(result),
});

const removeAnnotation: UseCase<{ id: string; annotation: string }, void, ApiPorts> = {
  begin: (deps, input) => async (caller) => {
    const { highlight } = await findOwn(deps, caller, input);
    await saveHighlights(deps, caller.user, [{ kind: "delete", id: highlight.id }]);
  },
};

const remove = defineRoute({
  route: "DELETE /api/bookmarks/{id}/annotations/{annotation}",
  caller: "user",
  input: z.object(ofAnnotation),
  useCase: removeAnnotation,
  present: () => ({ status: 204, headers: {}, body: "" }),
});

const listInput = z
  .object({ limit: fields.wholeNumber, offset: fields.wholeNumber })
  .transform(({ limit = 50, offset = 0 }) => ({ limit: Math.max(1, Math.min(limit, 100)), offset }));

/** Decompressed bytes of the articles that a list of annotations reads. */
const bytesOfArticles = 2_000_000;

/** Annotations with breaks between the blocks of their quotations, as far as the articles fit into one answer. */
async function separateAll(
  { articles }: Pick<ApiPorts, "articles">,
  { user }: Caller,
  found: readonly { highlight: Highlight; item: Item }[],
) {
  const budgets = { bytes: new ByteBudget(bytesOfArticles), quotations: new QuotationBudget() };
  const ids = [...new Set(found.map(({ item }) => item.itemId))];
  const kept = ids.length === 0 ? new Map() : await articles.sizes(user, ids);
  const separated = new Map<string, Highlight>();
  for (const [item, those] of Map.groupBy(found, (each) => each.item)) {
    if (!kept.has(item.itemId)) continue;
    const highlights = those.map(({ highlight }) => highlight);
    for (const each of await separateQuotations(articles, user, item, highlights, budgets))
      separated.set(each.id, each);
  }
  return found.map(({ highlight, item }) => ({ highlight: separated.get(highlight.id) ?? highlight, item }));
}

/** All annotations, newest change first, with their items. */
const listAnnotations: UseCase<
  z.output<typeof listInput>,
  { found: { highlight: Highlight; item: Item }[]; total: number },
  ApiPorts
> = {
  sync: () => ({ beginsWalk: false }),
  begin:
    (deps, { limit, offset }) =>
    async (caller) => {
      const { items } = await deps.wholeLists.read(caller.user);
      const found: { highlight: Highlight; item: Item }[] = [];
      let total = 0;
      for await (const part of deps.highlights.walk(caller.user, { kind: "live" })) {
        for (const highlight of annotationsIn(part)) {
          const item = items.get(highlight.itemId);
          if (!item) continue;
          if (total >= offset && total < offset + limit) found.push({ highlight, item });
          total++;
        }
      }
      return { found: await separateAll(deps, caller, found), total };
    },
};

const list = defineRoute({
  route: "GET /api/bookmarks/annotations",
  caller: "user",
  input: listInput,
  useCase: listAnnotations,
  present: ({ found, total }, { limit, offset }, { address }) =>
    answerJsonList(
      writeJsonList(found, ({ highlight: { id, quote, timeCreated, color, note }, item }) => {
        const bookmark = `${address}/api/bookmarks/${item.itemId}`;
        return {
          id,
          href: `${bookmark}/annotations/${id}`,
          text: quote,
          created: writeTime(timeCreated),
          color,
          note,
          bookmark_id: item.itemId,
          bookmark_href: bookmark,
          bookmark_url: item.url,
          bookmark_title: item.title,
          bookmark_site_name: toSite(item),
        };
      }),
      {
        "Total-Count": String(total),
        "Total-Pages": String(Math.ceil(total / limit)),
        "Current-Page": String(Math.floor(offset / limit) + 1),
      },
    ),
});

/** The routes of annotations: highlights, by their places in the article as it is served. */
export const annotationRoutes = [list, ofBookmark, create, change, remove];
