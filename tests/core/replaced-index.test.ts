// SPDX-License-Identifier: MIT

import { createSearchIndex } from "@reading-list/search/search-index.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { expect, onTestFinished, test } from "vitest";

test("a search finds what is in the index now, although its process keeps the last file open", async () => {
  const index = createSearchIndex(temporaryFolder());
  onTestFinished(() => index.close());
  const query = {
    terms: [{ text: "needle", isPhrase: false, isExcluded: false }],
    conditions: [],
    endsInWord: false,
  };
  const find = async () => (await index.find("ann", query, { sort: "best", skip: 0, count: 10 })).itemIds;
  const put = (itemId: string) => {
    const fields = { itemId, url: "https://a.example/", title: "needle", tags: "", state: "0", timeAdded: 1 } as const;
    const page = { ...fields, changeKey: itemId, site: "a.example", articleBytes: 0, contentKey: "" };
    return index.putContents("ann", [{ page, content: { author: "", note: "", html: "" } }]);
  };
  await put("1");
  expect(await find()).toEqual(["1"]);
  await put("2");
  expect(new Set(await find())).toEqual(new Set(["1", "2"]));
  await index.drop("ann");
  expect(await find()).toEqual([]);
  await put("3");
  expect(await find()).toEqual(["3"]);
});
