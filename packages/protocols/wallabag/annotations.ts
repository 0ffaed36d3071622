// SPDX-License-Identifier: MIT

import { randomUUID } from "node:crypto";
import * as z from "@reading-list/core/contract/bounded.ts";
import { highlightLengths } from "@reading-list/core/domain/highlight-fields.ts";
import type { Highlight } from "@reading-list/core/domain/highlights.ts";
import type { Item } from "@reading-list/core/domain/item.ts";
import { isLongerThan } from "@reading-list/core/domain/page-fields.ts";
import { type PlacedHighlight, readHighlightedPage } from "@reading-list/core/domain/placed-highlights.ts";
import { findQuotation, type Quotation, QuotationBudget, quotationAt } from "@reading-list/core/domain/quotation.ts";
import { placeAt, type TextPlaces, unitsBefore } from "@reading-list/core/domain/text-places.ts";
import { type Passage, searchableText, searchableTextInParts } from "@reading-list/core/domain/visible-text.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { findKept } from "@reading-list/core/use-cases/articles/keep-article.ts";
import { forEach } from "@reading-list/core/use-cases/for-each.ts";
import { findItem } from "@reading-list/core/use-cases/lists/change-item.ts";
import { findNumbered } from "@reading-list/core/use-cases/lists/numbered-items.ts";
import {
  annotationsIn,
  findHighlight,
  highlightQuotation,
  numberHighlights,
  readHighlights,
} from "@reading-list/core/use-cases/lists/page-highlights.ts";
import { saveHighlights } from "@reading-list/core/use-cases/lists/save-highlights.ts";
import type { Caller, UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { defineRoute } from "@reading-list/http/api.ts";
import { writeJsonList, writeJsonObject } from "../json-list.ts";
import type { ApiPorts } from "../ports.ts";
import { answerJson, answerJsonParts } from "./answers.ts";
import { type Article, writeContent, writeTime } from "./entry.ts";
import * as fields from "./fields.ts";

const unit = "utf16";

/** A passage in the content of an entry as annotator.js writes it; none if the content does not have it. */
function writeRanges(places: TextPlaces, passage: Passage | undefined) {
  const start = passage && placeAt(places, passage.start, { isEnd: false, unit });
  const end = passage && placeAt(places, passage.end, { isEnd: true, unit });
  if (!start || !end) return [];
  const toPath = ({ path }: { path: string }) => path && `/${path}`;
  const offsets = { startOffset: String(start.offset), endOffset: String(end.offset) };
  return [{ start: toPath(start), end: toPath(end), ...offsets }];
}

/** A highlight with its number as wallabag's annotation. */
const writeAnnotation = ({ highlight, passage }: PlacedHighlight<Highlight>, places: TextPlaces, username: string) => ({
  user: username,
  annotator_schema_version: "v1.0",
  id: highlight.number,
  text: highlight.note,
  created_at: writeTime(highlight.timeCreated),
  updated_at: writeTime(highlight.timeUpdated),
  quote: highlight.quote,
  ranges: writeRanges(places, passage),
});

export type Annotation = ReturnType<typeof writeAnnotation>;

/** Annotations of one answer, whose places are sought in the texts; of further entries it has none. */
const maxAnnotations = 2000;
const queriesAtOnce = 16;

/** The annotations of entries, by item id, in the order of the text. Without the article they have no ranges. */
export async function writeAnnotations(
  deps: ApiPorts,
  { user }: Caller,
  entries: readonly { item: Item; article: Article | undefined }[],
): Promise<Map<string, Annotation[]>> {
  const found = new Map<string, Highlight[]>();
  let left = maxAnnotations;
  await forEach(entries, queriesAtOnce, async ({ item: { itemId } }) => {
    if (left <= 0) return;
    found.set(itemId, annotationsIn(await readHighlights(deps, user, itemId)));
    left -= found.get(itemId)?.length ?? 0;
  });
  const numbered = Map.groupBy(await numberHighlights(deps, user, [...found.values()].flat()), ({ itemId }) => itemId);
  const shown = new Map<string, Annotation[]>();
  const budget = new QuotationBudget();
  for (const { item, article } of entries) {
    const own = numbered.get(item.itemId);
    if (!own) continue;
    const { places, placed } = await readHighlightedPage(article ? writeContent(article) : "", own, budget);
    shown.set(
      item.itemId,
      placed.map((each) => writeAnnotation(each, places, user.username)),
    );
  }
  return shown;
}

const ofEntry = async (deps: ApiPorts, caller: Caller, item: Item) => {
  const entry = { item, article: await findKept(deps, caller.user, item) };
  return (await writeAnnotations(deps, caller, [entry])).get(item.itemId) ?? [];
};

const list = defineRoute({
  route: "GET /api/annotations/{id}",
  caller: "user",
  input: z.object({ id: fields.id }),
  useCase: {
    begin:
      (deps: ApiPorts, { id }: { id: number }) =>
      async (caller: Caller) =>
        ofEntry(deps, caller, await findNumbered(deps, caller.user, id)),
  },
  present: (rows) => answerJsonParts(writeJsonObject({ total: rows.length }, "rows", writeJsonList(rows))),
});

const offset = z
  .union([z.int().nonnegative(), z.string(9).regex(/^\d{1,9}$/, "must be a whole number")], "must be a whole number")
  .transform(Number);
/** Newer versions of annotator.js name a text node, whose element is meant. */
const path = z
  .ascii(1000, "must be an XPath", "is too long")
  .transform((value) => value.replace(/\/text\(\)(\[\d+\])?$/, ""));
const range = z.object({ start: path, startOffset: offset, end: path, endOffset: offset });

const textUpTo = (length: number) => {
  const rule = `must be at most ${length} characters`;
  const text = z
    .string(2 * length, "must be a string", rule)
    .refine((value) => !isLongerThan(value, length), rule)
    .meta({ maxLength: length });
  return text.nullish().transform((value) => value ?? "");
};
const text = textUpTo(highlightLengths.note);

const createInput = z.object({
  id: fields.id,
  text,
  quote: textUpTo(highlightLengths.quote),
  ranges: z.array(range, 100, "must be a list of ranges", "are too many").nullish(),
});

type CreateInput = z.output<typeof createInput>;

/** The passage that an app means: its range or, if the text there differs from its quotation, the quotation's place. */
async function findPassage(
  places: TextPlaces,
  { quote, ranges }: Pick<CreateInput, "quote" | "ranges">,
): Promise<Passage | undefined> {
  const [first] = ranges ?? [];
  const start = first && unitsBefore(places, { path: first.start, offset: first.startOffset }, unit);
  const end = first && unitsBefore(places, { path: first.end, offset: first.endOffset }, unit);
  const { folded: wanted } = searchableText(quote);
  if (start !== undefined && end !== undefined && start < end) {
    const { folded } = searchableText(places.text.slice(start, Math.min(end, start + 2 * highlightLengths.quote)));
    if (folded !== "" && (wanted === "" || folded === wanted)) return { start, end };
  }
  const sought: Quotation = { quote, prefix: "", suffix: "", position: start };
  return findQuotation(await searchableTextInParts(places.text), sought);
}

/** Highlights a passage. If an app that lost the answer sends the same annotation again, returns the existing one. */
const createAnnotation: UseCase<CreateInput, Annotation, ApiPorts> = {
  begin: (deps, input) => async (caller) => {
    const { user } = caller;
    const item = await findNumbered(deps, user, input.id);
    const article = await findKept(deps, caller.user, item);
    const found = annotationsIn(await readHighlights(deps, user, item.itemId));
    const { places, placed } = await readHighlightedPage(article ? writeContent(article) : "", found);
    const passage = await findPassage(places, input);
    const quotation = passage
      ? quotationAt(places.text, passage, places.breaks)
      : { quote: input.quote.trim(), prefix: "", suffix: "" };
    const same = placed.find(
      ({ highlight, passage: its }) =>
        highlight.note === input.text && highlight.quote === quotation.quote && its?.start === passage?.start,
    );
    const id = same?.highlight.id ?? randomUUID();
    if (!same) {
      const fault = await highlightQuotation(deps, user, { id, itemId: item.itemId }, quotation, { note: input.text });
      if (fault !== undefined) throw new ServiceError("invalid", `ranges: ${fault}`);
    }
    return readAnnotation(deps, caller, await findHighlight(deps, user, id), { places, passage });
  },
};

async function readAnnotation(
  deps: ApiPorts,
  { user }: Caller,
  highlight: Highlight,
  { places, passage }: { places: TextPlaces; passage: Passage | undefined },
): Promise<Annotation> {
  const [numbered = highlight] = await numberHighlights(deps, user, [highlight]);
  return writeAnnotation({ highlight: numbered, passage }, places, user.username);
}

const create = defineRoute({
  route: "POST /api/annotations/{id}",
  caller: "user",
  input: createInput,
  useCase: createAnnotation,
  present: (annotation) => answerJson(annotation),
});

/** The highlight of a number as an annotation. Throws `notFound`, even if its entry is not in the list. */
async function findAnnotation(deps: ApiPorts, caller: Caller, number: number) {
  const { user } = caller;
  const found = await deps.highlights.findByNumber(user, number);
  if (!found || found.isDeleted) throw new ServiceError("notFound", "the annotation does not exist");
  const item = await findItem(deps, user, found.itemId);
  const article = await findKept(deps, caller.user, item);
  const { places, placed } = await readHighlightedPage(article ? writeContent(article) : "", [found]);
  return { highlight: found, place: { places, passage: placed[0]?.passage } };
}

const update = defineRoute({
  route: "PUT /api/annotations/{id}",
  caller: "user",
  input: z.object({ id: fields.id, text }),
  useCase: {
    begin:
      (deps: ApiPorts, { id: number, text: note }: { id: number; text: string }) =>
      async (caller: Caller) => {
        const { highlight, place } = await findAnnotation(deps, caller, number);
        const { id } = highlight;
        await saveHighlights(deps, caller.user, [
          { kind: "save", id, name: "annotation", itemId: undefined, fields: { note } },
        ]);
        return readAnnotation(deps, caller, await findHighlight(deps, caller.user, id), place);
      },
  },
  present: (annotation) => answerJson(annotation),
});

const remove = defineRoute({
  route: "DELETE /api/annotations/{id}",
  caller: "user",
  input: z.object({ id: fields.id }),
  useCase: {
    begin:
      (deps: ApiPorts, { id: number }: { id: number }) =>
      async (caller: Caller) => {
        const { highlight, place } = await findAnnotation(deps, caller, number);
        await saveHighlights(deps, caller.user, [{ kind: "delete", id: highlight.id }]);
        return readAnnotation(deps, caller, highlight, place);
      },
  },
  present: (annotation) => answerJson(annotation),
});

/** The routes of annotations: highlights, by their places in the content of the entry. */
export const annotationRoutes = [list, create, update, remove];
