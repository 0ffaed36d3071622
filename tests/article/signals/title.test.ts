// SPDX-License-Identifier: MIT

import { viewPage } from "@reading-list/article/view/text-view.ts";
import { describe, expect, test } from "vitest";

const titleOf = (head: string, body = "") =>
  viewPage(`<head>${head}</head><body>${body}</body>`, "https://www.townnews.example/a", {
    mode: "less",
    images: false,
  }).title;

describe("the title of a page is", () => {
  test.each([
    [
      "the heading that <title> begins with",
      "<title>Harbour open - Town News</title>",
      "<h1>Town News</h1><h1>Harbour open</h1>",
      "Harbour open",
    ],
    [
      "the heading that is a part of <title>",
      "<title>Town News | Harbour open</title>",
      "<h1>Harbour <b>open</b></h1>",
      "Harbour open",
    ],
    [
      "the heading of a chapter, not of its book",
      "<title>Errors - A Book on Boats</title>",
      "<h1>A Book on Boats</h1><h2>Errors</h2>",
      "Errors",
    ],
    [
      "a heading that words it differently",
      '<title>Harbour</title><meta property="og:title" content="Why the old harbour is open">',
      "<h1>The old harbour is open again</h1>",
      "The old harbour is open again",
    ],
    [
      "og:title without the site's name",
      '<meta property="og:site_name" content="Town News"><meta property="og:title" content="Harbour open – Town News">',
      "<h1>Welcome</h1>",
      "Harbour open",
    ],
    ["<title> without the name in the host", "<title>Harbour open — TownNews</title>", "", "Harbour open"],
    ["<title> without a site's name at its start", "<title>TownNews - Harbour open</title>", "", "Harbour open"],
    ["<title> up to its first bar", "<title>Harbour open | The news of all ports | TN24</title>", "", "Harbour open"],
    ["<title> without two names of the site", "<title>TownNews | townnews.example - Port</title>", "", "Port"],
    [
      "the heading up to its bar, where it is all of <title>",
      "<title>Port open | TN</title>",
      "<h1>Port open | TN</h1>",
      "Port open",
    ],
    [
      "<title>, where the heading is a paragraph",
      "<title>The harbour is open</title>",
      `<h1>Now the harbour is open ${"and ".repeat(50)}</h1>`,
      "The harbour is open",
    ],
    [
      "<title> whole, where no part is the site",
      "<title>Harbour: open or closed</title>",
      "",
      "Harbour: open or closed",
    ],
    ["the first heading, where there is nothing else", "", "<h1> Harbour\n open </h1>", "Harbour open"],
    ["<title>, where the heading is of stars", "<title>Harbour open</title>", "<h1>★★★</h1>", "Harbour open"],
    [
      "<title>, where the heading is the start of a word",
      "<title>Harbour open</title>",
      "<h1>Har</h1>",
      "Harbour open",
    ],
    ["<title>, where the heading is a letter", "<title>The harbour</title>", "<h1>T</h1>", "The harbour"],
    ["a heading of two letters that <title> has as a part", "<title>Go | Games</title>", "<h1>Go</h1>", "Go"],
    [
      "the heading that is shown",
      "<title>Harbour open - and more</title>",
      "<div hidden><h1>Harbour</h1></div><h1>Harbour open</h1>",
      "Harbour open",
    ],
    [
      "the headline of the structured data, before <title>",
      '<title>News of the day</title><script type="application/ld+json">{"@type":"Article","headline":"Harbour open"}</script>',
      "",
      "Harbour open",
    ],
    ["the heading, where its words are on two lines", "", "<h1>Harbour<br>open</h1>", "Harbour open"],
    [
      "not the heading that only links to the home page",
      '<title>Notes of a sailor: Harbour open</title><meta property="og:title" content="Harbour open">',
      '<h1><a href="https://www.townnews.example/">Notes of a sailor</a></h1><h2>Harbour open</h2>',
      "Harbour open",
    ],
    [
      "the heading that is a part of <title>, before one that has more",
      "<title>Harbour open - News board - Town News</title>",
      "<h1>Harbour open - News board</h1><h1>Harbour open</h1>",
      "Harbour open",
    ],
    ["the heading, where <title> is only the site's name", "<title>| The Times</title>", "<h1>Port</h1>", "Port"],
    [
      "<title>, where the title for social networks is Home",
      '<title>Home - TownNews</title><meta property="og:title" content="Home">',
      "",
      "Home - TownNews",
    ],
    ["<title> whole, where it would only say Home", "<title>Home - TownNews</title>", "", "Home - TownNews"],
    ["in any language", "<title>港口重新开放 - 新闻</title>", "<h1>港口重新开放</h1>", "港口重新开放"],
    ["empty, where there is none", "", "<p>x</p>", ""],
  ])("%s", (_name, head, body, expected) => {
    expect(titleOf(head, body)).toBe(expected);
  });
});
