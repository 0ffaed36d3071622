// SPDX-License-Identifier: MIT

import { viewPage } from "@reading-list/article/view/text-view.ts";
import { expect, test } from "vitest";

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
  ["1 May 2026", undefined],
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

test("a page without declarations has none", () => {
  expect(publicationOf("")).toEqual({ imageUrl: undefined, author: undefined, publishedAt: undefined });
});
