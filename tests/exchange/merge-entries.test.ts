// SPDX-License-Identifier: MIT

import { toItemId } from "@reading-list/core/domain/item-id.ts";
import type { Entry } from "@reading-list/exchange/main.ts";
import { mergeEntries } from "@reading-list/exchange/merge-entries.ts";
import { expect, test } from "vitest";

const url = "https://one.example/a";
const entry = (fields: Partial<Entry>): Entry => ({
  url,
  title: "",
  tags: [],
  state: "unread",
  timeAdded: undefined,
  line: 1,
  ...fields,
});
const merged = (...entries: Partial<Entry>[]) => mergeEntries(entries.map(entry), toItemId);

test("entries of one page become one: tags united, the star of any, the earliest time, the first title", () => {
  const pages = merged(
    { url, title: url, tags: ["a", "b"], timeAdded: 9, state: "read", line: 1 },
    { url: "https://other.example/", title: "Other", line: 2 },
    { url: `${url}/`, title: "One", tags: ["b", "starred"], timeAdded: 5, timeUpdated: 6, line: 3 },
    { url, title: "Two", timeUpdated: 8, line: 4 },
  );
  expect(pages).toMatchObject([
    {
      entry: {
        url,
        title: "One",
        tags: ["starred", "a", "b"],
        timeAdded: 5,
        timeUpdated: 8,
        state: "read",
        line: 1,
      },
      others: [{ line: 3 }, { line: 4 }],
    },
    { entry: { title: "Other" }, others: [] },
  ]);
});

test("of several entries with reading progress, the newest counts", () => {
  const at = (percent: number, time: number) => ({ progress: { percent, anchor: "", time } });
  expect(merged(at(10, 2), at(20, 3), at(30, 1))).toMatchObject([{ entry: { progress: { percent: 20 } } }]);
});

test("tags that do not fit are lost, and named", () => {
  const long = (first: string) => ({ tags: Array.from({ length: 9 }, (_, n) => `${first}${n}`.padEnd(99, "x")) });
  const [page] = merged(long("a"), long("b"));
  expect(page?.entry.tags).toHaveLength(10);
  expect(page?.entry.lost).toMatchObject({ "rest of the tags": expect.stringContaining("b8") });
});

test("100,000 entries of one page are merged in linear time", () => {
  const many = Array.from({ length: 100_000 }, (_, n) => ({ tags: [`t${n % 10}`], timeAdded: 1 + n, line: n }));
  expect(merged(...many)).toMatchObject([{ entry: { tags: { length: 10 }, timeAdded: 1 } }]);
});
