// SPDX-License-Identifier: MIT

import { contains, findElements, newElement } from "@reading-list/article/document/dom.ts";
import { copyPage, parsePage } from "@reading-list/article/document/parse-page.ts";
import { parseHTML } from "linkedom";
import { expect, test } from "vitest";

const documentOf = (body: string) => copyPage(parsePage(`<body>${body}`), "https://example.com/");

test("a search finds the elements of the page, and those that a step makes later, in capitals too", () => {
  const document = documentOf("<p>Text <b>here</b></p>");
  expect(findElements(document.body, "b,i").map(({ localName }) => localName)).toEqual(["b"]);
  expect(contains(document.body, "section")).toBe(false);
  document.body.appendChild(newElement(document, "SECTION", []));
  expect(findElements(document.body, "section")).toHaveLength(1);
  expect(contains(document.body, "section")).toBe(true);
  expect(findElements(document.documentElement, "body")).toHaveLength(1);
});

test("an element of a page has all properties that linkedom gives an element and its end", () => {
  const namesOf = (object: object) => Reflect.ownKeys(object).map(String);
  const endOf = (element: object) =>
    Reflect.ownKeys(element)
      .map((key) => Reflect.get(element, key))
      .find((value) => value?.nodeType === -1);
  const own = documentOf("").createElement("p");
  const linkedoms = parseHTML("").document.createElement("p");
  expect(namesOf(own)).toEqual(expect.arrayContaining(namesOf(linkedoms)));
  expect(namesOf(endOf(own)).sort()).toEqual(namesOf(endOf(linkedoms)).sort());
});
