// SPDX-License-Identifier: MIT

import { viewPage } from "@reading-list/article/view/text-view.ts";
import { prose } from "@reading-list/testing/page-server.ts";
import { describe, expect, test } from "vitest";

const nextOf = (url: string, markup: string) =>
  viewPage(`<title>Guide</title><article>${prose}${prose}</article>${markup}`, url, { mode: "less", images: false })
    .nextUrl;

describe("the next page of an article is found", () => {
  test.each([
    [
      "rel=next of a link",
      "https://a.example/guide",
      '<a rel="next" href="/guide?page=2">More</a>',
      "https://a.example/guide?page=2",
    ],
    [
      "rel=next in the head",
      "https://a.example/guide",
      '<link rel="next" href="/guide/page/2/">',
      "https://a.example/guide/page/2/",
    ],
    ["English", "https://a.example/guide", '<a href="/guide/2">Next Page »</a>', "https://a.example/guide/2"],
    ["German", "https://a.example/g-2.html", '<a href="/g-3.html">Nächste Seite</a>', "https://a.example/g-3.html"],
    ["French", "https://a.example/g?p=3", '<a href="?p=4">Page suivante</a>', "https://a.example/g?p=4"],
    ["Russian", "https://a.example/g", '<a href="?PAGEN_1=2">След.</a>', "https://a.example/g?PAGEN_1=2"],
    [
      "Chinese",
      "https://a.example/list_48_2.html",
      '<a href="list_48_3.html">下一页</a>',
      "https://a.example/list_48_3.html",
    ],
    ["Japanese", "https://a.example/g?page=1", '<a href="?page=2">次のページ</a>', "https://a.example/g?page=2"],
    ["an arrow", "https://a.example/g/", '<a href="/g/page/2">›</a>', "https://a.example/g/page/2"],
    [
      "a title",
      "https://a.example/g",
      '<a href="?start=10" title="Next page"><img src="r.png"></a>',
      "https://a.example/g?start=10",
    ],
    [
      "a row of numbers",
      "https://a.example/g",
      '<b>1</b> <a href="?page=2">2</a> <a href="?page=3">3</a>',
      "https://a.example/g?page=2",
    ],
    [
      "a row of numbers on page 2",
      "https://a.example/g?page=2",
      '<a href="?page=1">1</a> <b>2</b> <a href="?page=3">3</a>',
      "https://a.example/g?page=3",
    ],
    [
      "a row of numbers that links the page itself",
      "https://a.example/g",
      '<a href="?page=1">1</a> <a href="?page=2">2</a>',
      "https://a.example/g?page=2",
    ],
    [
      "a row of numbers that counts from 0",
      "https://a.example/g",
      '<a href="/g">1</a> <a href="?page=1">2</a> <a href="?page=2">3</a>',
      "https://a.example/g?page=1",
    ],
    [
      "a bare number in a row of numbers",
      "https://a.example/guide/12",
      '<a href="/guide/11">11</a> <b>12</b> <a href="/guide/13">13</a> <a href="/guide/13" rel="next">Next</a>',
      "https://a.example/guide/13",
    ],
    [
      "with www in between",
      "https://www.a.example/g",
      '<a rel=next href="https://a.example/g?page=2">2</a>',
      "https://a.example/g?page=2",
    ],
    [
      "without its session",
      "https://a.example/g?sid=0123456789abcdef",
      '<a href="?page=2">Next</a>',
      "https://a.example/g?page=2",
    ],
  ])("%s", (_name, url, markup, expected) => {
    expect(nextOf(url, markup)).toBe(expected);
  });
});

describe("a link that is not to the next page of this article is ignored", () => {
  test.each([
    ["the next article", "https://a.example/harbour", '<a rel="next" href="/mayor-resigns">Next</a>'],
    ["the next story by number", "https://a.example/story-14847624", '<a rel="next" href="/story-14847625">Next</a>'],
    ["the next post by id", "https://a.example/?id=7", '<a rel="next" href="/?id=8">Next</a>'],
    ["the next article by number", "https://a.example/news/12", '<a rel="next" href="/news/13">Next article</a>'],
    ["the next post of a blog", "https://a.example/blog/12", '<a href="/blog/13">Next</a>'],
    ["the next post of WordPress", "https://a.example/?p=12", '<a rel="next" href="/?p=13">Next</a>'],
    ["a pager of comments", "https://a.example/g", '<div class="comments"><a rel="next" href="?page=2">Next</a></div>'],
    ["comments by their parameter", "https://a.example/g", '<a rel="next" href="?comments_page=2">Next</a>'],
    ["reviews by their parameter", "https://a.example/g", '<a rel="next" href="?reviewPage=2">Next</a>'],
    ["a home page of another number", "https://a.example/g", '<a href="?homepage=2">Next</a>'],
    ["a link that is not shown", "https://a.example/g", '<div hidden><a rel="next" href="?page=2">Next</a></div>'],
    ["a pager of a side bar", "https://a.example/g", '<aside><a href="?page=2">Next</a></aside>'],
    ["a pager of related stories", "https://a.example/g", '<div id="related"><a href="?page=2">Next</a></div>'],
    ["a day of a calendar", "https://a.example/g/12", '<table class="calendar"><td><a href="/g/13">13</a></table>'],
    ["older posts", "https://a.example/", '<a href="/page/2/">Older posts</a>'],
    ["a page of comments", "https://a.example/g", '<a rel="next" href="/g/comment-page-2">Next</a>'],
    ["a month of a calendar", "https://a.example/2019/10", '<a rel="next" href="/2019/11">Next</a>'],
    ["another site", "https://a.example/g", '<a rel="next" href="https://b.example/g?page=2">Next</a>'],
    ["another port", "https://a.example/g", '<a rel="next" href="https://a.example:22/g?page=2">Next</a>'],
    ["a script", "https://a.example/g", '<a rel="next" href="javascript:next(2)">Next</a>'],
    ["the page itself", "https://a.example/g?page=2", '<a rel="next" href="#top">Next</a>'],
    ["the page before", "https://a.example/g?page=3", '<a rel="prev" href="?page=2">‹</a>'],
    ["another search", "https://a.example/s?q=harbour", '<a href="/s?q=mayor&page=2">2</a>'],
    ["a list that a front page goes on with", "https://a.example/", '<link rel="next" href="/page/2">'],
  ])("%s", (_name, url, markup) => {
    expect(nextOf(url, markup)).toBeUndefined();
  });
});
