// SPDX-License-Identifier: MIT

import { viewPage } from "@reading-list/article/view/text-view.ts";
import { prose } from "@reading-list/testing/page-server.ts";
import { expect, test } from "vitest";

const htmlOf = (root: string, mode: "less" | "more", body = `<article>${prose}</article>`) =>
  viewPage(`<html${root}><head><title>A</title></head><body>${body}</body></html>`, "https://a.example/", {
    mode,
    images: false,
  }).html;

test.each(["less", "more"] as const)("the fragment of `%s` has the page's language and direction", (mode) => {
  expect(htmlOf(' lang="ar" dir="RTL"', mode)).toMatch(/^<div dir="rtl" lang="ar">.*Paragraph 5.*<\/div>$/s);
  expect(htmlOf(' lang="en"', mode)).toMatch(/^<div lang="en">/);
});

test("a page without language and direction, with a false one, or without text has no wrapper", () => {
  expect(htmlOf("", "less")).not.toContain("dir=");
  expect(htmlOf(` lang='"><script>' dir="up"`, "less")).not.toMatch(/script|dir=|lang=/);
  expect(htmlOf(' lang="en"', "less", "")).toBe("");
});

test("the direction comes from an element with most of the text, or from the language", () => {
  expect(htmlOf("", "less", `<div dir="rtl"><article>${prose}</article></div><p>Ports</p>`)).toMatch(
    /^<div dir="rtl">/,
  );
  expect(htmlOf("", "less", `<article>${prose}<blockquote dir="rtl">x</blockquote></article>`)).not.toMatch(
    /^<div dir/,
  );
  expect(htmlOf(' lang="fa-IR"', "less")).toMatch(/^<div dir="rtl" lang="fa-IR">/);
  expect(htmlOf(' lang="fa" dir="ltr"', "less")).toMatch(/^<div dir="ltr" lang="fa">/);
  expect(htmlOf(' lang="ar-Latn"', "less")).toMatch(/^<div lang="ar-Latn">/);
  expect(htmlOf(' xml:lang="he"', "less")).toMatch(/^<div dir="rtl" lang="he">/);
});
