// SPDX-License-Identifier: MIT

import * as fields from "@reading-list/core/contract/fields.ts";
import { colors } from "@reading-list/core/domain/highlight-fields.ts";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import { normaliseTags } from "@reading-list/core/domain/tags.ts";
import type { ExportedHighlight, ExportedItem } from "@reading-list/exchange/exported-item.ts";
import { writers } from "@reading-list/exchange/writers.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readFile } from "./read-file.ts";

/** Text with the special characters of the formats. */
const text = (maxLength: number) =>
  fc
    .array(
      fc.oneof(
        fc.constantFrom(
          ..."\",;|&<>='+-@\\#%\r\n\t\f\u0001\u0085\u00a0\u2028ü語😀",
          "&amp;",
          "</A>",
          "[a]",
          '["b"]',
          "&#13;",
          "\r\n",
          '""',
        ),
        fc.string({ unit: "grapheme", maxLength: 8 }),
      ),
      { maxLength },
    )
    .map((parts) => parts.join(""));
const isAllowedBy = (field: { safeParse(value: unknown): { success: boolean } }) => (value: string) =>
  field.safeParse(value).success;

const tagsOf = (list: string) => (list === "" ? [] : list.split(","));
const time = fc.integer({ min: 1, max: 9_999_999_999 });

/** Any item that a list can hold. */
const item: fc.Arbitrary<ExportedItem> = fc
  .record({
    url: fc.oneof(
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      text(6)
        .map((rest) => `https://example.com/${rest}`)
        .filter(isAllowedBy(fields.webUrl)),
    ),
    title: fc.option(text(12).filter(isAllowedBy(fields.title)), { nil: undefined }),
    tags: fc.array(text(3), { maxLength: 4 }).map((tags) => normaliseTags(tags.join(","))),
    state: fc.constantFrom("unread" as const, "read" as const),
    timeAdded: time,
    timeUpdated: time,
    applicationId: fc.constant("local"),
    refId: fc.option(text(3), { nil: undefined }),
  })
  .filter(({ tags }) => !tags.includes("\0"))
  .map(({ url, title = url, tags, ...rest }) => ({ ...rest, itemId: toItemId(url), url, title, tags: tagsOf(tags) }));

/** The fields of an item that an import reads from a format. */
const kept = ({ url, title, tags, state, timeAdded, timeUpdated }: ExportedItem) => ({
  url,
  title: title === url ? "" : title,
  tags,
  state,
  timeAdded,
  timeUpdated,
});

/** The entry that an import reads of an exported item, for each format (docs/import-export.md). */
const expectations: Record<
  Exclude<keyof typeof writers, "readwise" | "kindle">,
  { reader: string; keep: (exported: ExportedItem) => object }
> = {
  jsonl: { reader: "json-lines", keep: kept },
  csv: { reader: "csv", keep: kept },
  html: {
    reader: "netscape",
    keep: (exported) => {
      const title = exported.title.replaceAll(/\s+/g, " ").trim();
      const { timeUpdated: _, ...rest } = kept({ ...exported, title });
      return rest;
    },
  },
  karakeep: {
    reader: "karakeep",
    keep: (exported) => {
      const { timeUpdated: _, ...rest } = kept(exported);
      return rest;
    },
  },
  wallabag: {
    reader: "wallabag",
    keep: (exported) => {
      const { timeUpdated: _, tags, ...rest } = kept(exported);
      const others = tags.filter((tag) => tag !== "starred");
      return { ...rest, tags: tags.length > others.length ? ["starred", ...others] : tags };
    },
  },
  pocket: {
    reader: "pocket-csv",
    keep: (exported) => {
      const { timeUpdated: _, tags, ...rest } = kept(exported);
      return { ...rest, tags: tagsOf(normaliseTags(tags.join(",").replaceAll("|", ","))) };
    },
  },
};

async function* each<T>(values: readonly T[]) {
  yield* values;
}

test.each(Object.keys(expectations) as (keyof typeof expectations)[])(
  "any list that is exported as %s and imported is the same list, as far as the format represents it",
  async (format) => {
    const { reader, keep } = expectations[format];
    await fc.assert(
      fc.asyncProperty(
        fc.array(item, { minLength: ["karakeep", "wallabag"].includes(format) ? 1 : 0, maxLength: 6 }),
        async (items) => {
          const parts: string[] = [];
          for await (const part of writers[format](each(items))) parts.push(part);
          const found = await readFile(parts.join(""));
          const entries = found.rows.map(({ line: _, ...entry }) => entry);
          expect({ format: found.format, entries }).toEqual({ format: reader, entries: items.map(keep) });
        },
      ),
      { numRuns: 500 },
    );
  },
);

const quotation = text(6).filter((quote) => quote.trim() !== "" && isAllowedBy(fields.title)(quote));
const highlight: fc.Arbitrary<ExportedHighlight> = fc.record({
  id: fc.uuid(),
  quote: quotation,
  prefix: quotation.filter(({ length }) => length <= 64),
  suffix: fc.constantFrom("", "after"),
  position: fc.option(fc.nat(), { nil: undefined }),
  color: fc.constantFrom(...colors),
  note: fc.oneof(fc.constant(""), quotation),
  timeCreated: time,
  timeUpdated: time,
});
const marked = fc.record({ page: item, highlights: fc.array(highlight, { minLength: 1, maxLength: 3 }) });

test.each(["jsonl", "readwise"] as const)(
  "any highlights that are exported as %s and imported are the same, as far as the format represents them",
  async (format) => {
    await fc.assert(
      fc.asyncProperty(fc.array(marked, { minLength: 1, maxLength: 3 }), async (list) => {
        const parts: string[] = [];
        const items = list.map(({ page, highlights }) => ({ ...page, highlights }));
        for await (const part of writers[format](each(items))) parts.push(part);
        const { rows } = await readFile(parts.join(""));
        const found = rows.filter((row) => !("tags" in row)).map(({ line: _, ...row }) => row);
        const expected = list.flatMap(({ page, highlights }) =>
          highlights.map(({ timeUpdated: _, id, prefix, suffix, position, color, ...rest }) =>
            format === "jsonl"
              ? { ...rest, id, url: page.url, title: "", prefix, suffix, position, color }
              : {
                  url: page.url,
                  title: page.title,
                  quote: rest.quote.trim(),
                  note: rest.note,
                  prefix: "",
                  suffix: "",
                  position: undefined,
                  color: "yellow",
                  timeCreated: rest.timeCreated,
                },
          ),
        );
        expect(found).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  },
);

test.each([..."=+-@\t\r"])(
  "a title or tag that begins with %j does not become a formula in CSV for spreadsheets",
  async (sign) => {
    const url = "https://example.com/";
    const [shown] = fc.sample(item, 1);
    const parts: string[] = [];
    const exported = { ...shown, url, title: `${sign}cmd()`, tags: [`${sign}tag`] } as ExportedItem;
    for await (const part of writers.csv(each([exported]))) parts.push(part);
    const [, line = ""] = parts.join("").split("\n");
    expect(line.slice(url.length)).toMatch(/^,"?'.cmd\(\)"?,"?'.tag"?,/s);
  },
);
