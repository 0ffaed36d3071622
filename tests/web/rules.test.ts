// SPDX-License-Identifier: MIT

import type { LocalItem } from "@reading-list/client/main.ts";
import { fold } from "@reading-list/core/domain/fold.ts";
import { parseSearch } from "@reading-list/core/domain/search-query.ts";
import { doAtOnce } from "@reading-list/core/domain/turns.ts";
import { countSites, filterItems, orderItems } from "@reading-list/web/data/filter-items.ts";
import { keepSorted } from "@reading-list/web/data/keep-sorted.ts";
import { cutSnippet, expectSearch, findItems, keepPlaces, splitSnippet } from "@reading-list/web/data/local-search.ts";
import { countValues, newestFirst } from "@reading-list/web/data/visible-items.ts";
import { readingMinutes, toPlainText } from "@reading-list/web/kit/plain-text.ts";
import { formatRoute, parseRoute } from "@reading-list/web/kit/router.ts";
import { foldText } from "@reading-list/web/kit/searchable-text.ts";
import { sharedPageIn, webAddressesIn, webAddressIn } from "@reading-list/web/kit/shared-page.ts";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

const item = (title: string, details: Partial<LocalItem> = {}): LocalItem => ({
  itemId: title,
  url: `https://example.com/${title}`,
  title,
  tags: [],
  state: "unread",
  timeAdded: new Date(0),
  timeUpdated: new Date(0),
  isPending: false,
  ...details,
});
/** The words of a cached text. */
const readWords = (html: string) => doAtOnce(foldText(html));
const titlesOf = (items: readonly LocalItem[]) => items.map(({ title }) => title);

describe("the order of a list", () => {
  const unknown = { findMinutes: () => undefined, seed: 0 };
  const items = [
    item("sent last", { itemId: undefined, orderAdded: Number.POSITIVE_INFINITY }),
    item("sent first", { itemId: undefined, orderAdded: Number.POSITIVE_INFINITY }),
    item("changed last", { orderAdded: 10, timeAdded: new Date(10) }),
    item("changed first", { orderAdded: 20, timeAdded: new Date(10) }),
    item("archived first", { state: "read", orderRead: 5 }),
    item("archived last", { state: "read", orderRead: 6 }),
  ];

  test("is the order of adding for unread items, after items that the service does not have yet", () => {
    const titles = ["sent last", "sent first", "changed first", "changed last"];
    expect(titlesOf(newestFirst.unread(items))).toEqual(titles);
    expect(titlesOf(orderItems(newestFirst.unread(items), "oldest", unknown))).toEqual(titles.toReversed());
  });

  test.each([
    ["shortest", ["4 min", "9 min", "unknown"]],
    ["longest", ["9 min", "4 min", "unknown"]],
  ] as const)("is by the length of cached texts: %s first, others last", (order, titles) => {
    const minutes = new Map([
      ["https://example.com/9 min", 9],
      ["https://example.com/4 min", 4],
    ]);
    const known = { findMinutes: (url: string) => minutes.get(url), seed: 0 };
    const unsorted = ["unknown", "9 min", "4 min"].map((title) => item(title));
    expect(titlesOf(orderItems(unsorted, order, known))).toEqual(titles);
  });

  test("is by the last reading time; unread pages without progress are last", () => {
    const read = (title: string, seconds: number) =>
      item(title, { progress: { percent: 5, anchor: "" }, timeUpdated: new Date(1000 * seconds) });
    const all = [item("new", { timeUpdated: new Date(9000) }), read("before", 1), read("last", 2)];
    expect(titlesOf(orderItems(all, "lastRead", unknown))).toEqual(["last", "before", "new"]);
  });

  test("is the same random one until the page is loaded again", () => {
    const many = Array.from({ length: 50 }, (_, i) => item(String(i)));
    const titlesOfSeed = (seed: number) => titlesOf(orderItems(many, "random", { ...unknown, seed }));
    expect(titlesOfSeed(1)).toEqual(titlesOfSeed(1));
    expect(titlesOfSeed(1)).not.toEqual(titlesOfSeed(2));
    expect(titlesOfSeed(1).toSorted()).toEqual(titlesOf(many).toSorted());
  });

  test("is the order of archiving for read items", () => {
    expect(titlesOf(newestFirst.archive(items))).toEqual(["archived last", "archived first"]);
  });
});

test("lists that follow one another are sorted as each alone would be", () => {
  const isWanted = ({ place }: { place: number }) => place >= 0;
  // `Infinity - Infinity` is NaN.
  const compare = (a: { place: number }, b: { place: number }) => b.place - a.place || 0;
  const places = fc.constantFrom(-1, 1, 2, 3, Number.POSITIVE_INFINITY);
  const change = fc.record({ at: fc.nat(), removed: fc.nat(3), added: fc.array(places, { maxLength: 3 }) });
  fc.assert(
    fc.property(fc.array(places, { maxLength: 300 }), fc.array(change, { maxLength: 5 }), (first, changes) => {
      const sort = keepSorted(isWanted, compare);
      let values = first.map((place) => ({ place }));
      for (const { at, removed, added } of [{ at: 0, removed: 0, added: [] }, ...changes]) {
        values = values.toSpliced(at % (values.length + 1), removed, ...added.map((place) => ({ place })));
        const sorted = values.filter(isWanted).sort(compare);
        expect(sort(values).map((value) => values.indexOf(value))).toEqual(
          sorted.map((value) => values.indexOf(value)),
        );
      }
    }),
  );
});

test("a changed item of a long list is compared with few others", () => {
  let compared = 0;
  const sort = keepSorted<{ place: number }>(
    () => true,
    (a, b) => {
      compared++;
      return b.place - a.place;
    },
  );
  const values = Array.from({ length: 20_000 }, (_, i) => ({ place: (i * 7919) % 20_000 }));
  sort(values);
  compared = 0;
  expect(sort(values.with(5000, { place: -1 })).at(-1)).toEqual({ place: -1 });
  expect(compared).toBeLessThan(20);
});

describe("a search on this device", () => {
  const items = [
    item("Owls", { tags: ["Birds", "night"], timeAdded: new Date("2025-03-01T12:00:00Z") }),
    item("ÄPFEL", { state: "read", tags: ["starred"] }),
    item("Text", { url: "https://www.example.org/text" }),
    item("鳥の本"),
  ];
  const texts = new Map([
    [items[2]?.url ?? "", readWords("<p>The quick\n brown fox sees Ōwls in an owlery</p>")],
    [items[1]?.url ?? "", readWords("<p>Many trees</p>")],
  ]);
  const notes = new Map([[items[0]?.url ?? "", "Hears über 100 m"]]);
  const find = (search: string) => findItems(items, parseSearch(search), texts, notes);

  test.each([
    ["owls NIGHT", ["Owls"]],
    ["äpfel", ["ÄPFEL"]],
    ["apfel", ["ÄPFEL"]],
    ["fox text", ["Text"]],
    ["night fox", []],
    ["example.com", ["Owls", "ÄPFEL", "鳥の本"]],
    ['"quick brown"', ["Text"]],
    ['"brown quick"', []],
    ["tag:birds", ["Owls"]],
    ["tag:bird", []],
    ["site:example.org", ["Text"]],
    ["site:org", ["Text"]],
    ["is:archived", ["ÄPFEL"]],
    ["-is:unread", ["ÄPFEL"]],
    ["is:starred", ["ÄPFEL"]],
    ["added:2025", ["Owls"]],
    ["text -fox", []],
    ["text -ox", ["Text"]],
    ["owls", ["Owls", "Text"]],
    ["本", ["鳥の本"]],
    ["owls uber", ["Owls"]],
  ])("for %j finds %j", (search, titles) => {
    const { byFields, byText } = find(search);
    expect(titlesOf([...byFields, ...byText])).toEqual(titles);
  });

  test("only compares the fields of a list for which a search was expected", async () => {
    let reads = 0;
    const watched = items.map((item) => ({
      ...item,
      get title() {
        reads++;
        return item.title;
      },
    }));
    await expectSearch(watched);
    expect(reads).toBe(items.length);
    expect(findItems(watched, parseSearch("apfel"), texts).byFields).toHaveLength(1);
    await expectSearch(watched);
    expect(reads).toBe(items.length);
  });

  test("with an excluded word is unsure of pages whose texts it does not have", () => {
    expect(titlesOf(find("-fox").unsure)).toEqual(["Owls", "鳥の本"]);
    expect(titlesOf(find("-fox").byFields)).toEqual(["ÄPFEL"]);
    // Each part of a word counts in scripts that are written without spaces.
    expect(titlesOf(find("-の").unsure)).toEqual(["Owls"]);
  });

  test("shows the words in their text", () => {
    const text = readWords(`<p>${"before ".repeat(100)}the Ōwl and another owl ${"after ".repeat(100)}</p>`);
    const parts = cutSnippet(text, parseSearch("owl -x"));
    expect(parts.filter(({ isFound }) => isFound).map(({ text }) => text)).toEqual(["Ōwl", "owl"]);
    expect(parts.map(({ text }) => text).join("")).toMatch(/^…before (before )*the Ōwl and another owl after /);
    expect(cutSnippet(text, parseSearch("nowhere"))).toEqual([
      { text: expect.stringMatching(/^before /), isFound: false },
    ]);
  });

  test("marks may overlap", () => {
    const marks = [
      [6, 3],
      [0, 4],
      [2, 3],
    ] as const;
    expect(splitSnippet("abcdefghij", marks).map(({ text, isFound }) => (isFound ? `<${text}>` : text))).toEqual([
      "<abcd>",
      "ef",
      "<ghi>",
      "j",
    ]);
  });

  test("keeps the positions of the shown pages, and new ones follow", () => {
    const [a, b, c] = items as [LocalItem, LocalItem, LocalItem];
    expect(titlesOf(keepPlaces([a, b, c], [c, item("gone"), a]))).toEqual(["Text", "Owls", "ÄPFEL"]);
    expect(titlesOf(keepPlaces([a, b, c], [a, b]))).toEqual(["Owls", "ÄPFEL", "Text"]);
  });
});

describe("a filter", () => {
  const items = [item("Owls", { tags: ["Birds", "night"] }), item("ÄPFEL"), item("Text")];

  test("within a tag compares the whole tag", () => {
    expect(titlesOf(filterItems(items, { tag: "night" }))).toEqual(["Owls"]);
    expect(filterItems(items, { tag: "nig" })).toEqual([]);
  });

  test("within a site, a length, or pages without tags", () => {
    const findMinutes = (url: string) => ({ "https://example.com/Owls": 5, "https://example.com/Text": 21 })[url];
    expect(titlesOf(filterItems(items, { site: "example.com" }))).toHaveLength(3);
    expect(filterItems(items, { site: "example.org" })).toEqual([]);
    expect(titlesOf(filterItems(items, { length: "short" }, findMinutes))).toEqual(["Owls"]);
    expect(titlesOf(filterItems(items, { length: "long" }, findMinutes))).toEqual(["Text"]);
    expect(titlesOf(filterItems([...items, item("Star", { tags: ["starred"] })], { isUntagged: true }))).toEqual([
      "ÄPFEL",
      "Text",
      "Star",
    ]);
  });
});

test("a site is counted with the domains below it that are in the list", () => {
  const hosts = ["a.example.com", "example.com", "a.example.com", "b.example.org", "notexample.com"];
  expect(countSites(hosts.map((host) => item(host, { url: `https://${host}/` })))).toEqual([
    ["example.com", 3],
    ["a.example.com", 2],
    ["b.example.org", 1],
    ["notexample.com", 1],
  ]);
});

test("tags are counted, the most frequent first", () => {
  const items = [item("1", { tags: ["a", "b"] }), item("2", { tags: ["c", "b"] })];
  expect(countValues(items, ({ tags }) => tags)).toEqual([
    ["b", 2],
    ["a", 1],
    ["c", 1],
  ]);
});

test("tags that are as frequent are in natural order", () => {
  const items = ["10", "tag 2", "1", "2", "tag 10", "100"].map((tag) => item(tag, { tags: [tag] }));
  expect(countValues(items, ({ tags }) => tags).map(([tag]) => tag)).toEqual([
    "1",
    "2",
    "10",
    "100",
    "tag 2",
    "tag 10",
  ]);
});

test.each([
  { view: "unread" },
  { view: "archive", tag: "a&b=c", search: "#1 ?" },
  { view: "unread", site: "example.com", length: "short", isUntagged: true },
  { view: "unread", article: "https://example.com/?a=1&b=#c" },
] as const)("the fragment of %j leads back to it", (route) => {
  expect(parseRoute(formatRoute(route))).toStrictEqual({ ...parseRoute(""), ...route });
});

test.each(["", "#", "#nonsense?tag=", "#?"])("any other fragment, such as %j, shows the unread items", (fragment) => {
  expect(parseRoute(fragment)).toEqual({ view: "unread" });
});

describe("an address", () => {
  test.each([
    [" https://example.com/a ", "https://example.com/a"],
    ["example.com", "https://example.com"],
    ["example.com/a?b#c", "https://example.com/a?b#c"],
    ["localhost:3000/x", "https://localhost:3000/x"],
  ])("is in %j", (text, url) => {
    expect(webAddressIn(text)).toBe(url);
  });

  test.each([
    "",
    "word",
    "two words.example",
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "mailto:ann@example.com",
    "ann@example.com",
  ])("is not in %j", (text) => {
    expect(webAddressIn(text)).toBeUndefined();
  });
});

test.each([
  ["example.com", ["https://example.com"]],
  ["Look at https://example.com/a, it is good.", ["https://example.com/a"]],
  [
    "https://example.com/a\nhttps://example.com/b (https://example.com/a)",
    ["https://example.com/a", "https://example.com/b"],
  ],
  ["(https://sea.example/wiki/Depot_(railway)).", ["https://sea.example/wiki/Depot_(railway)"]],
  ["“https://sea.example/a” and „https://sea.example/ä“", ["https://sea.example/a", "https://sea.example/ä"]],
  ["See 'https://sea.example/Murphy's_law'!", ["https://sea.example/Murphy's_law"]],
  ["<https://sea.example/a> [https://sea.example/b]", ["https://sea.example/a", "https://sea.example/b"]],
  ["記事（https://sea.example/a）を読む。https://sea.example/b。", ["https://sea.example/a", "https://sea.example/b"]],
  ["no address", []],
])("the addresses in the text %j are %j", (text, urls) => {
  expect(webAddressesIn(text)).toEqual(urls);
});

describe("a shared page", () => {
  test.each([
    ["?url=https%3A%2F%2Fexample.com%2F&title=T", { url: "https://example.com/", title: "T" }],
    ["?text=Look%20at%20https%3A%2F%2Fexample.com%2F%20now", { url: "https://example.com/", title: "" }],
    ["?title=https%3A%2F%2Fexample.com%2F", { url: "https://example.com/", title: "" }],
    ["?url=https://example.com/a,b.&title=Node.js", { url: "https://example.com/a,b.", title: "Node.js" }],
    ["?text=Read (https://example.com/a).&title=Node.js", { url: "https://example.com/a", title: "Node.js" }],
    ["?text=https://example.com/a, and https://example.com/b", { url: "https://example.com/a", title: "" }],
    ["?text=„https://example.com/ä“", { url: "https://example.com/ä", title: "" }],
  ])("is in %j", (query, page) => {
    expect(sharedPageIn(query)).toEqual(page);
  });

  test.each(["", "?url=javascript:alert(1)", "?text=nothing"])("is not in %j", (query) => {
    expect(sharedPageIn(query)).toBeUndefined();
  });
});

test("a long text is folded in steps, and phrases across two of them are found", () => {
  const paragraph = `<p>the quick brown Ōwl ${"and others ".repeat(10)}</p>\n`;
  const html = paragraph.repeat(2000);
  expect([...foldText(html)].length).toBeGreaterThan(2);
  const { plain, folded } = readWords(html);
  expect(plain).toBe(toPlainText(html).replaceAll(/\s+/g, " ").trim());
  expect(folded).toBe(fold(plain));
});

test("the text of clean HTML is its words", () => {
  expect(toPlainText('<p title="x">A &amp; B&nbsp;&lt;C&gt;</p><p>&unknown;</p>').split(/\s+/).join(" ").trim()).toBe(
    "A & B <C> &unknown;",
  );
});

test.each([
  ["a word", "one", 1],
  ["2,300 words", "word ".repeat(2300), 10],
  ["1,000 Chinese characters", "漢".repeat(1000), 2],
  ["both, with 460 words,", `${"漢".repeat(1000)}${" word".repeat(460)}`, 4],
])("the reading time of %s is counted at 230 words or 500 characters a minute", (_, text, minutes) => {
  expect(readingMinutes(text)).toBe(minutes);
});
