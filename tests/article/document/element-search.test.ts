// SPDX-License-Identifier: MIT

import { contains, elementsOf, newElement } from "@reading-list/article/document/dom.ts";
import { copyPage, parsePage } from "@reading-list/article/document/parse-page.ts";
import { expect, test } from "vitest";

const documentOf = (body: string) => copyPage(parsePage(`<body>${body}`), "https://example.com/");

test("a search finds the elements of the page, and those that a step makes later, in capitals too", () => {
  const document = documentOf("<p>Text <b>here</b></p>");
  expect(elementsOf(document.body, "b,i").map(({ localName }) => localName)).toEqual(["b"]);
  expect(contains(document.body, "section")).toBe(false);
  document.body.appendChild(newElement(document, "SECTION", []));
  expect(elementsOf(document.body, "section")).toHaveLength(1);
  expect(contains(document.body, "section")).toBe(true);
  expect(elementsOf(document.documentElement, "body")).toHaveLength(1);
});
