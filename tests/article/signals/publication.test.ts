// SPDX-License-Identifier: MIT

import { viewPage } from "@reading-list/article/view/text-view.ts";
import { describe, expect, test } from "vitest";

function publicationOf(head: string, body = "") {
  const view = viewPage(`<head>${head}</head><body>${body}</body>`, "https://a.example/x/", {
    mode: "less",
    images: false,
  });
  return { imageUrl: view.imageUrl, author: view.author, publishedAt: view.publishedAt };
}
const jsonLd = (data: object) => `<script type="application/ld+json">${JSON.stringify(data)}</script>`;

test("the declarations of an article in JSON-LD are returned", () => {
  const article = {
    image: [{ url: "/a.jpg" }],
    author: [{ name: "Ann" }, { name: "Ben" }],
    datePublished: "2026-05-01",
  };
  expect(publicationOf(jsonLd({ "@type": "NewsArticle", ...article }))).toEqual({
    imageUrl: "https://a.example/a.jpg",
    author: "Ann, Ben",
    publishedAt: "2026-05-01",
  });
});

test("a thread may be declared as a posting; several are a list of threads", () => {
  const posting = { "@type": "DiscussionForumPosting", author: { name: "Ann" }, datePublished: "2026-05-01" };
  expect(publicationOf(jsonLd(posting))).toMatchObject({ author: "Ann", publishedAt: "2026-05-01" });
  expect(publicationOf(jsonLd([posting, posting]))).toMatchObject({ author: undefined, publishedAt: undefined });
});

test("an author who is declared elsewhere in the graph is found", () => {
  const graph = [
    { "@type": "BlogPosting", author: { "@id": "#ann" } },
    { "@type": "Person", "@id": "#ann", name: "Ann" },
  ];
  expect(publicationOf(jsonLd({ "@graph": graph })).author).toBe("Ann");
});

test.each([
  ["2026-05-01T12:00:00+02:00", "2026-05-01T10:00:00Z"],
  ["2026-05-01T10:00:00.123Z", "2026-05-01T10:00:00Z"],
  ["2026-05-01T12:00:00", "2026-05-01"],
  ["2026-05-01", "2026-05-01"],
  ["1 May 2026", "2026-05-01"],
  ["Friday, May 1st, 2026 at 10:00", "2026-05-01"],
  ["1. Mai 2026", "2026-05-01"],
  ["1er mai 2026", "2026-05-01"],
  ["1 de mayo de 2026", "2026-05-01"],
  ["1 мая 2026", "2026-05-01"],
  ["2026年5月1日", "2026-05-01"],
  ["2026/5/1", "2026-05-01"],
  ["31.05.2026", "2026-05-31"],
  ["05/31/2026", "2026-05-31"],
  ["05/04/2026", undefined],
  ["ProductJanuary 5, 2026", undefined],
  ["in 3 days", undefined],
  ["2026-13-41", undefined],
  ["0001-01-01T00:00:00Z", undefined],
])("the time %s is %s", (declared, returned) => {
  const head = `<meta property="article:published_time" content="${declared}">`;
  expect(publicationOf(head).publishedAt).toBe(returned);
});

test.each(["By Ann", "Author: Ann"])("the author of '%s' is Ann", (name) => {
  expect(publicationOf(`<meta name="author" content="${name}">`).author).toBe("Ann");
});

test("an author begins with a letter or a digit", () => {
  expect(publicationOf('<meta name="author" content=", USA TODAY">').author).toBeUndefined();
});

test("an author is not a URL, and an image is an http(s) URL", () => {
  const head = `<meta property="article:author" content="https://social.example/ann"><meta property="og:image" content="data:image/png;base64,AA">`;
  expect(publicationOf(head, '<a rel="author" href="/ann">By Ann</a>')).toEqual({
    imageUrl: undefined,
    author: "Ann",
    publishedAt: undefined,
  });
});

const text =
  "<p>The harbour was opened again on Monday morning, and the fishermen, the traders and the mayor of the town were there. ".repeat(
    4,
  );

describe("a page without declarations shows its author and its date around its heading", () => {
  test.each([
    ["a line", "<h1>A title</h1><p>By Jane Doe | Staff writer</p>", "Jane Doe"],
    ["a line with a date", "<h1>A title</h1><p>By Jane Doe, May 1, 2026</p>", "Jane Doe", "2026-05-01"],
    ["a link to the author", '<h1>A title</h1><a rel="author" href="/jane">jane</a>', "jane"],
    ["the page of an author", '<h1>A title</h1><div>Words <a href="/author/jane-doe/">Jane Doe</a></div>', "Jane Doe"],
    [
      "several authors",
      '<h1>A title</h1><div class="byline">By <a href="/a">Jane Doe</a> and <a href="/b">Jörg van Dyck</a></div>',
      "Jane Doe, Jörg van Dyck",
    ],
    [
      "a role and a change without spaces",
      '<h1>A title</h1><div class="byline"><span>Jane Doe</span><span>Reporter</span></div>',
      "Jane Doe",
    ],
    ["a byline above the heading", '<div class="author">von Jörg Müller</div><h1>A title</h1>', "Jörg Müller"],
    ["a name without capital letters", '<h1>A title</h1><div class="author">山田太郎</div>', "山田太郎"],
    [
      "a time",
      '<h1>A title</h1><time datetime="2026-05-01T12:00:00+02:00">today</time>',
      undefined,
      "2026-05-01T10:00:00Z",
    ],
    ["a date by its class", '<h1>A title</h1><span class="post-date">1. Mai 2026</span>', undefined, "2026-05-01"],
    ["a date in a line", "<h1>A title</h1><p>Posted on 1 May 2026</p>", undefined, "2026-05-01"],
    ["a label of a link", '<h1>A title</h1><div class="author"><a href="/all">Read more articles</a></div>'],
    ["a change", "<h1>A title</h1><p>Last updated: May 1, 2026</p>"],
    ["years", "<h1>A title</h1><p>1 May 1914 - 2 June 1918</p>"],
    ["a comment", `<h1>A title</h1>${text}<p>By Jane Doe</p><time datetime="2026-05-01">x</time>`],
    ["a side bar", '<h1>A title</h1><aside><p>By Jane Doe</p><time datetime="2026-05-01">x</time></aside>'],
    ["hidden text", '<h1>A title</h1><div hidden><p>By Jane Doe</p><time datetime="2026-05-01">x</time></div>'],
  ])("%s", (_name, body, author?: string, publishedAt?: string) => {
    expect(publicationOf("<title>A title</title>", body + text)).toEqual({ imageUrl: undefined, author, publishedAt });
  });

  test("a person rather than the site, which declares itself as the author", () => {
    const head = '<meta property="og:site_name" content="The Harbour"><meta name="author" content="The Harbour">';
    expect(publicationOf(head, `<h1>A title</h1><p>By Jane Doe</p>${text}`).author).toBe("Jane Doe");
    expect(publicationOf(head, text).author).toBe("The Harbour");
  });

  test("but not a home page, which lists articles", () => {
    const list = '<article><p>By Jane Doe</p><time datetime="2026-05-01">x</time></article>'.repeat(3);
    const view = viewPage(`<h1>A title</h1>${list}`, "https://a.example/", { mode: "less", images: false });
    expect([view.author, view.publishedAt]).toEqual([undefined, undefined]);
  });
});

test("the date of a URL counts if there is no other", () => {
  const view = viewPage("<p>x</p>", "https://a.example/2026/05/01/title", { mode: "less", images: false });
  expect(view.publishedAt).toBe("2026-05-01");
});

test("a label of metadata names an author in some languages", () => {
  const head = '<meta name="twitter:label1" content="Verfasst von"><meta name="twitter:data1" content="Ann">';
  expect(publicationOf(head).author).toBe("Ann");
});

test("a page without declarations has none", () => {
  expect(publicationOf("")).toEqual({ imageUrl: undefined, author: undefined, publishedAt: undefined });
});
