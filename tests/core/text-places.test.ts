// SPDX-License-Identifier: MIT

import { placeAt, readTextPlaces, unitsBefore, wrapText } from "@reading-list/core/domain/text-places.ts";
import { expect, test } from "vitest";

const html = "<div><p>One 😀 &amp; two</p><p>three <b>fo😀ur</b> five</p></div><p>six</p>";

test("a place in code points or UTF-16 units means the same character", async () => {
  const places = await readTextPlaces(html);
  for (const unit of ["codePoint", "utf16"] as const) {
    for (let units = 0; units < places.text.length; units++) {
      if (/[\udc00-\udfff]/.test(places.text.charAt(units))) continue;
      const place = placeAt(places, units, { isEnd: false, unit });
      expect(place && unitsBefore(places, place, unit)).toBe(units);
    }
  }
  expect(placeAt(places, places.text.indexOf("ur"), { isEnd: false, unit: "codePoint" })).toEqual({
    path: "div[1]/p[2]/b[1]",
    offset: 3,
  });
});

test("a place beyond an element, or in a missing element, is not found", async () => {
  const places = await readTextPlaces(html);
  expect(unitsBefore(places, { path: "p", offset: 3 }, "codePoint")).toBe(places.text.length);
  expect(unitsBefore(places, { path: "p", offset: 4 }, "codePoint")).toBeUndefined();
  expect(unitsBefore(places, { path: "div/p[2]/b[2]", offset: 0 }, "utf16")).toBeUndefined();
  expect(unitsBefore(places, { path: "", offset: 5 }, "utf16")).toBe(5);
});

const wrapAll = (page: string, places: Awaited<ReturnType<typeof readTextPlaces>>, before: string) =>
  wrapText(page, places, [{ start: 0, end: places.text.length, before, after: "</i>" }]);

test("a passage has one pair of tags for each text node, whatever characters are written as references", async () => {
  expect(wrapAll(html, await readTextPlaces(html), "<i>")).toBe(
    "<div><p><i>One 😀 &amp; two</i></p><p><i>three </i><b><i>fo😀ur</i></b><i> five</i></p></div><p><i>six</i></p>",
  );
});

test("a passage whose tags would take more than 4 MB has none, and the others have theirs", async () => {
  const page = "<b>x</b>".repeat(10_000);
  const places = await readTextPlaces(page);
  expect(wrapAll(page, places, `<i title="${"n".repeat(1000)}">`)).toBe(page);
  expect(wrapAll(page, places, "<i>")).toBe("<b><i>x</i></b>".repeat(10_000));
});
