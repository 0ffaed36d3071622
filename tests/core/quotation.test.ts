// SPDX-License-Identifier: MIT

import { separateBlocks } from "@reading-list/core/domain/block-breaks.ts";
import {
  findQuotation,
  findQuotationAtOnce,
  findQuotations,
  QuotationBudget,
  quotationAt,
  searchForQuotations,
} from "@reading-list/core/domain/quotation.ts";
import { readTextPlaces } from "@reading-list/core/domain/text-places.ts";
import { nextTurn } from "@reading-list/core/domain/turns.ts";
import { searchableText, searchableTextInParts } from "@reading-list/core/domain/visible-text.ts";
import { scoreQuotations, textChanges } from "@reading-list/testing/changed-text.ts";
import { countTurns } from "@reading-list/testing/count-turns.ts";
import { randomFrom } from "@reading-list/testing/seeded-random.ts";
import { describe, expect, test } from "vitest";

/** Articles of 40 paragraphs whose words are as frequent as those of a language. */
function articlesOf(letters: string, separator: string, seed: number): string[][] {
  const random = randomFrom(seed);
  const integer = (limit: number) => Math.floor(random() * limit);
  const isIdeographic = separator === "";
  const wordOf = () =>
    Array.from({ length: 1 + integer(isIdeographic ? 2 : 9) }, () => letters[integer(letters.length)]);
  const vocabulary = Array.from({ length: 1500 }, () => wordOf().join(""));
  const word = () => vocabulary[Math.floor(vocabulary.length * random() ** 2)] ?? "";
  const paragraph = () => `${Array.from({ length: 40 + integer(60) }, word).join(separator)}. `;
  return Array.from({ length: 8 }, () => Array.from({ length: 40 }, paragraph));
}

const english = articlesOf("eeeeetttaaoooiinnsshhrrddlucmwfgypbvk", " ", 1);
const japanese = articlesOf("のにはをたがでてとしれさいる日本人大年一国会中学生出上前行事", "", 2);

const find = async (text: string, quotation: Parameters<typeof findQuotation>[1]) => {
  const passage = await findQuotation(searchableText(text), quotation);
  return passage && text.slice(passage.start, passage.end);
};
const quote = (text: string, words: string, from = 0) => {
  const start = text.indexOf(words, from);
  return quotationAt(text, { start, end: start + words.length }, []);
};

describe("a quotation is found again", () => {
  test.each([
    ["english", english, false, 0.95],
    ["japanese", japanese, true, 0.9],
  ] as const)("in a changed text, and not if it was removed: %s", async (_, articles, ideographic, share) => {
    const count = 120;
    for (const change of textChanges) {
      const score = await scoreQuotations(articles, change, { count, random: randomFrom(3), ideographic });
      expect(score.exact + score.near + score.wrong + score.none, change).toBe(count);
      if (change === "passage removed") expect(score.wrong, change).toBeLessThanOrEqual(0.04 * count);
      else {
        expect(score.exact, change).toBeGreaterThanOrEqual(share * count);
        expect(score.wrong, change).toBeLessThanOrEqual(0.02 * count);
      }
    }
  });

  const verse = "We sail. The sea is calm. We fish. The sea is calm. We eat. The sea is calm. We sleep.";

  test("at its position, if several passages are the same", async () => {
    const second = verse.indexOf("The sea", 30);
    const passage = { start: second, end: second + 7 };
    expect(await findQuotation(searchableText(verse), quotationAt(verse, passage))).toEqual(passage);
  });

  test("at its position first, although another place has more of its context", async () => {
    const [before, after] = ["They sailed past the lighthouse. ", " Then it began to rain in the bay."];
    const text = `${before}The sea is calm.${after}`;
    const quotation = quote(text, "The sea is calm.");
    const changed = `${before.replaceAll(/[a-z]/g, "x")}The sea is calm.${after} ${text}`;
    expect((await findQuotation(searchableText(changed), quotation))?.start).toBe(before.length);
  });

  test("not at a sentence that is alike in another context", async () => {
    const text = `${english[0]?.[0]}The old harbour was opened again on Monday by the mayor. ${english[0]?.[1]}`;
    const quotation = quote(text, "The old harbour was opened again on Monday by the mayor.");
    const changed = `${english[1]?.[0]}The old harbour was opened again on Sunday by the major. ${english[1]?.[1]}`;
    expect(await findQuotation(searchableText(changed), quotation)).toBeUndefined();
  });

  test("of a long refrain in its context", async () => {
    const refrain = "And all the boats came home before the evening, loaded with fish.";
    const song = [1, 2, 3].map((n) => `This is verse ${"one two six".split(" ")[n - 1]} of it. ${refrain} `).join("");
    const longer = `${"A new introduction. ".repeat(40)}${song}`;
    const found = await findQuotation(searchableText(longer), quote(song, refrain, 100));
    expect(longer.slice(0, found?.start)).toMatch(/verse two of it\. $/);
  });

  test("in its context, if the text before it is longer now", async () => {
    const quotation = quote(verse, "The sea is calm.", 30);
    const longer = `${"A new introduction. ".repeat(40)}${verse}`;
    const passage = await findQuotation(searchableText(longer), quotation);
    expect(longer.slice(0, passage?.start)).toMatch(/We fish\. $/);
  });

  test("without a position and a context, such as one of another service", async () => {
    expect(await find(verse, { quote: "We\n  eat.", prefix: "", suffix: "" })).toBe("We eat.");
  });

  test("of a single letter or ideograph, but not in another context", async () => {
    const text = `${"猫が好き。".repeat(50)}犬も好き。${"猫が好き。".repeat(50)}`;
    expect(await find(`前書き。${text}`, quote(text, "犬"))).toBe("犬");
  });

  test("of 10,000 characters in which words have changed", async () => {
    const text = english[0]?.join("") ?? "";
    const passage = { start: 300, end: 10_300 };
    const changed = text.replaceAll(/(\S+ ){20}/g, (words) => `${words}and `);
    const found = (await find(changed, quotationAt(text, passage))) ?? "";
    expect(found.slice(0, 40)).toBe(text.slice(300, 340));
    expect(found.length).toBeGreaterThan(10_000);
  });

  test("not if it is empty or only white space", async () => {
    expect(await find(verse, { quote: " \n", prefix: "", suffix: "" })).toBeUndefined();
  });
});

test("the context of a quotation holds no half of a character", () => {
  const text = "😀".repeat(40);
  const { prefix, suffix } = quotationAt(`x${text}middle${text}x`, { start: 81, end: 87 }, []);
  expect(prefix.isWellFormed() && suffix.isWellFormed()).toBe(true);
});

test("1,000 quotations of a text are found in parts, between which other tasks get a turn", async () => {
  const text = english.slice(0, 2).flat().join("");
  const changed = text.replaceAll(/(\S+ ){20}/g, (words) => `${words}and `);
  const random = randomFrom(5);
  const quotations = Array.from({ length: 1000 }, () => {
    const start = Math.floor(random() * (text.length - 300));
    return quotationAt(text, { start, end: start + 200 }, []);
  });
  const { result, turns } = await countTurns(() => findQuotations(searchableText(changed), quotations));
  expect(result.filter((passage) => passage !== undefined).length).toBeGreaterThan(980);
  expect(turns).toBeGreaterThan(3);
});

test("a long text is folded in parts, with the same result, and other tasks get turns meanwhile", async () => {
  const text = "Words  of a\u00ad text 😀, \n".repeat(60_000);
  const { result, turns } = await countTurns(() => searchableTextInParts(text));
  expect(result).toEqual(searchableText(text));
  expect(turns).toBeGreaterThan(1);
});

const almost = "a".repeat(200_000);
const contexts = { prefix: "p".repeat(64), suffix: "s".repeat(64) };
const hostile: [string, string, Parameters<typeof findQuotation>[1]][] = [
  ["matches everywhere, but for its end", almost, { quote: `${"a".repeat(511)}b`, ...contexts }],
  [
    "matches everywhere, except at its beginning",
    almost,
    { quote: `b${"a".repeat(9999)}`, ...contexts, position: 190_000 },
  ],
  [
    "ends at each second character",
    "ab".repeat(100_000),
    { quote: `${"ab".repeat(250)}${"~".repeat(10)}`, ...contexts },
  ],
  ["is one letter", almost, { quote: "a", ...contexts, position: 100_000 }],
  [
    "stands between contexts that repeat",
    "p".repeat(200_000),
    { quote: "z".repeat(10_000), prefix: "p".repeat(64), suffix: "p".repeat(64) },
  ],
  [
    "is almost the text between its contexts",
    `${contexts.prefix}${"abcdefghij".repeat(950)}${contexts.suffix}`.repeat(20),
    { quote: "bcxdefyghijza".repeat(769), ...contexts },
  ],
];

test.each(hostile)("the work for a quotation is bounded, and its steps are short, if it %s", (_, text, quotation) => {
  const budget = new QuotationBudget();
  const before = budget.left;
  const steps = [...searchForQuotations(searchableText(text), [quotation], budget)];
  expect(Math.max(...steps)).toBeLessThan(1_000_000);
  expect(before - budget.left).toBeLessThan(100_000_000);
});

test("after an answer has used up its work on quotations, further quotations are found only at their positions", async () => {
  const text = english[0]?.join("") ?? "";
  const unchanged = quotationAt(text, { start: 1000, end: 1100 });
  const moved = { ...unchanged, position: 2000 };
  const searchable = searchableText(text);
  expect(await findQuotations(searchable, [moved])).not.toEqual([undefined]);
  const [found, other] = await findQuotations(searchable, [unchanged, moved], new QuotationBudget(1));
  expect(found).toBeDefined();
  expect(other).toBeUndefined();
});

test("a quotation that is needed at once is found if that takes a moment, and else not", () => {
  const text = english[0]?.join("") ?? "";
  const quotation = { ...quotationAt(text, { start: 1000, end: 1100 }), position: 2000 };
  expect(findQuotationAtOnce(searchableText(text), quotation)?.start).toBe(1000);
  const long = searchableText(text.repeat(200));
  expect(findQuotationAtOnce(long, { quote: "~".repeat(500), prefix: "", suffix: "" })).toBeUndefined();
});

test("in each turn of the event loop, one of several long searches continues", async () => {
  const order: number[] = [];
  const work = async (caller: number) => {
    for (let step = 0; step < 3; step++) {
      await nextTurn();
      order.push(caller);
    }
  };
  const { turns } = await countTurns(() => Promise.all([work(1), work(2), work(3)]));
  expect(order).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3]);
  expect(turns).toBeGreaterThanOrEqual(8);
});

describe("a quotation of several blocks", () => {
  const html =
    "<h2>Over</h2><p>one <b>line</b><br>two</p>\n<ul><li>first</li><li><p>second</p></li></ul><table><tr><th>cell12</th>" +
    "<td>unitsbeta</td></tr><tr><td>cell13</td></tr></table><div>loose<p>inner</p>end</div>";

  const quoteOf = async (from: string, to: string) => {
    const { text, breaks } = await readTextPlaces(html);
    const passage = { start: text.indexOf(from), end: text.indexOf(to) + to.length };
    return { text, breaks, passage, ...quotationAt(text, passage, breaks) };
  };

  test("has line breaks between them, and spaces between the cells of a row", async () => {
    const { text, quote, position } = await quoteOf("Over", "end");
    expect(text.slice(0, 14)).toBe("Overone linetw");
    expect(quote).toBe("Over\none line\ntwo\nfirst\nsecond\ncell12 unitsbeta\ncell13\nloose\ninner\nend");
    expect(position).toBe(0);
  });

  test("has line breaks in its context of at most 64 characters, and a position that does not count them", async () => {
    const { text, prefix, suffix, position } = await quoteOf("unitsbeta", "unitsbeta");
    expect(prefix).toBe("Over\none line\ntwo\nfirst\nsecond\ncell12");
    expect(suffix).toBe("cell13\nloose\ninner\nend");
    expect(position).toBe(text.indexOf("unitsbeta"));
    const long = await readTextPlaces("<p>word</p>".repeat(100));
    const context = quotationAt(long.text, { start: 200, end: 204 }, long.breaks);
    expect([context.prefix, context.suffix].map(({ length }) => length)).toEqual([64, 64]);
    expect(context.prefix.endsWith("word\nword\nword")).toBe(true);
  });

  test("is found again where it was, also in a text without breaks", async () => {
    const { text, passage, ...quotation } = await quoteOf("two", "unitsbeta");
    expect(await findQuotation(searchableText(text), quotation)).toEqual(passage);
  });

  test("that was stored without them gets them; a quotation with white space, or other words, stays", async () => {
    const { text, breaks, passage } = await quoteOf("first", "unitsbeta");
    const separate = (quote: string) => separateBlocks(quote, text, passage, breaks);
    expect(separate("firstsecondcell12unitsbeta")).toBe("first\nsecond\ncell12 unitsbeta");
    expect(separate("first second\n\ncell12\tunitsbeta")).toBe("first second\n\ncell12\tunitsbeta");
    expect(separate("firstother")).toBe("firstother");
  });
});
