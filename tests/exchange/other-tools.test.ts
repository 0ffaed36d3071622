import type { ExportedItem } from "@reading-list/exchange/exported-item.ts";
import { writers } from "@reading-list/exchange/writers.ts";
import { describe, expect, test } from "vitest";
import {
  asKarakeepReadsHtml,
  asKarakeepReadsJson,
  asKarakeepReadsPocket,
  asLinkdingReadsHtml,
  type Bookmark,
} from "./other-tools.ts";

/** Titles and URLs with everything that has a meaning in HTML, CSV or JSON. */
const awkward: [title: string, url?: string, tags?: string[]][] = [
  ["plain"],
  ['"quoted"', "https://example.com/?q=%22a%22"],
  ["<b>bold</b> & <script>", "https://example.com/?a=1&b=2&amp=3"],
  ["&amp; already escaped &lt;"],
  ["a, b; c\td"],
  ["=SUM(A1)", "https://example.com/;semi"],
  ["日本語 ü 😀", "https://example.com/日本語"],
  ["</A></DL>", "https://example.com/</A>"],
  ["ends with a backslash \\"],
  ["'single'", "https://example.com/'"],
  ["two\nlines"],
  ["two  spaces"],
  ["tags", "https://example.com/tags", ["a b", "ü", '"c"', "<d>", "e&f"]],
  ["bar | bar", "https://example.com/a|b"],
  ["{json}", "https://example.com/{}[]"],
  ["x".repeat(1000), `https://example.com/${"y".repeat(2000)}`],
];

const items = awkward.map((fields, index): ExportedItem => {
  const [title, url = `https://example.com/${title.length}`, tags = ["a"]] = fields;
  const timeAdded = 1_700_000_000 + index;
  return { url, title, tags, state: index % 2 ? "read" : "unread", timeAdded, timeUpdated: timeAdded + 100 };
});

async function* each() {
  yield* items;
}

async function exported(format: keyof typeof writers): Promise<string> {
  let text = "";
  for await (const part of writers[format](each())) text += part;
  return text;
}

const all = items.map(({ url, title, tags, state, timeAdded }): Bookmark => {
  return { url, title, tags: [...tags], added: timeAdded, isRead: state === "read" };
});

describe("an export of awkward items loses nothing in the import of another tool", () => {
  test("bookmarks in linkding", async () => {
    expect(asLinkdingReadsHtml(await exported("html"))).toEqual(all);
  });

  test("bookmarks in Karakeep, but the state", async () => {
    expect(asKarakeepReadsHtml(await exported("html"))).toEqual(all.map((each) => ({ ...each, isRead: undefined })));
  });

  test("the CSV of Pocket in Karakeep", async () => {
    expect(asKarakeepReadsPocket(await exported("pocket"))).toEqual(all);
  });

  test("Karakeep's own JSON in Karakeep", async () => {
    expect(asKarakeepReadsJson(await exported("karakeep"))).toEqual(all);
  });
});
