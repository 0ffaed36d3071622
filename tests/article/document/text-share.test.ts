// SPDX-License-Identifier: MIT

import { Readability } from "@mozilla/readability";
import { copyPage, parsePage } from "@reading-list/article/document/parse-page.ts";
import { measureTextShare } from "@reading-list/article/document/text-share.ts";
import { expect, test } from "vitest";

const body = (html: string) => copyPage(parsePage(html), "https://example.com/").body;

test.each([
  "",
  " \n ",
  "plain",
  "<p> a  b </p> c <p>d</p>",
  "<div>a <div> b <span>  c</span> </div>  <ul><li>d </li> <li></li></ul></div>e\u00a0",
  "<div><div><div>deep <b> bold </b></div></div></div> \t end",
])("the share of text is Readability's, in one walk: %s", (html) => {
  const page = body(html);
  const names = ["span", "li", "DIV", "P"];
  const own = (
    new Readability(page.ownerDocument as never) as unknown as {
      _getTextDensity(element: unknown, names: string[]): number;
    }
  )._getTextDensity(page, names);
  expect(measureTextShare(page, new Set(names.map((name) => name.toLowerCase())))).toBe(own);
});
