// SPDX-License-Identifier: MIT

import { countWords, summarise } from "@reading-list/core/domain/article-summary.ts";
import { describe, expect, test } from "vitest";

const summaryOf = (less: string, rest: { more?: string; imageUrl?: string } = {}) =>
  summarise({ less, more: "", imageUrl: undefined, ...rest });

describe("words", () => {
  test.each([
    ["", 0],
    ["One two, three – four!", 4],
    ["l’été d'Anna, half-way at 3.5 and/or", 6],
    ["今日は天気がいいですね。", 7],
    ["我喜欢看书。", 3],
    ["สวัสดีครับ", 2],
    ["한국어 문장 하나", 3],
    ["Привет, мир", 2],
  ])("of %j are %i", (text, words) => expect(countWords(text)).toBe(words));

  test("of a long text are estimated from its beginning", () => {
    expect(countWords("今日は天気がいいですね。".repeat(20_000))).toBeCloseTo(140_000, -4);
    const html = "<p>One two three four five.</p>".repeat(100_000);
    expect(summaryOf(html).words).toBeCloseTo(500_000, -3);
  });
});

describe("an excerpt", () => {
  test("is the beginning of the text, without headings, captions and code, as plain text", () => {
    const html =
      '<div><h1>Title</h1><figure><img src="https://e.example/a.png"><figcaption>Caption</figcaption></figure>' +
      "<pre>code</pre><p>A <em>wel</em>come &amp; more.</p><p>Then.</p></div>";
    expect(summaryOf(html)).toEqual({ words: 7, excerpt: "A welcome & more. Then.", image: "https://e.example/a.png" });
  });

  test("has no space within a sentence where an inline element begins or ends", () => {
    const html = "<p>Since <time>May 1</time>, auto<wbr>matic.</p>";
    expect(summaryOf(html)).toMatchObject({ words: 4, excerpt: "Since May 1, automatic." });
  });

  test("ends with a word and an ellipsis after some 200 characters", () => {
    const { excerpt } = summaryOf(`<p>${"An example, ".repeat(50)}</p>`);
    expect(excerpt).toMatch(/^(An example, )+An( example)?…$/);
    expect(excerpt.length).toBeLessThanOrEqual(201);
    expect(summaryOf(`<p>${"漢".repeat(500)}</p>`).excerpt).toBe(`${"漢".repeat(200)}…`);
  });

  test("is a heading if there is nothing else, or is from the whole page if it has no article", () => {
    expect(summaryOf("<h1>Title</h1>").excerpt).toBe("Title");
    expect(summaryOf("", { more: "<p>Page</p>" }).excerpt).toBe("Page");
  });
});

test("the picture is the one that the page declares, or else the first in the text", () => {
  const html = '<p><img src="https://e.example/first.png" alt=""></p>';
  expect(summaryOf(html, { imageUrl: "https://e.example/named.png" }).image).toBe("https://e.example/named.png");
  expect(summaryOf(html).image).toBe("https://e.example/first.png");
  expect(summaryOf("<p>Text</p>").image).toBe("");
});
