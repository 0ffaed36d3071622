// SPDX-License-Identifier: MIT

import { createHash } from "node:crypto";
import { checkIds, idVectors, toItemId } from "@reading-list/core/domain/item-id.ts";
import { parseWebUrl } from "@reading-list/core/domain/page-fields.ts";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";

test("an item_id is the first 53 bits of the SHA-256 of the canonical URL", () => {
  const digest = createHash("sha256").update("http://example.com/a").digest("hex");
  expect(toItemId("HTTP://Example.COM:80/x/../a#top")).toBe(String(BigInt(`0x${digest.slice(0, 16)}`) >> 11n));
});

test("an item_id is a positive decimal integer that a JavaScript number represents exactly", () => {
  fc.assert(
    fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (url) => {
      const id = toItemId(url);
      expect(id).toMatch(/^[1-9]\d{0,15}$/);
      expect(Number.isSafeInteger(Number(id))).toBe(true);
    }),
  );
});

test("item_ids of URLs that versions of Node parse differently are pinned; another parser is refused", () => {
  expect(Object.fromEntries(Object.keys(idVectors).map((url) => [url, toItemId(url)]))).toEqual(idVectors);
  expect(checkIds).not.toThrow();
  class OtherParser extends URL {
    constructor(url: string) {
      super(url.replace("^", "|"));
    }
  }
  vi.stubGlobal("URL", OtherParser);
  onTestFinished(() => void vi.unstubAllGlobals());
  expect(checkIds).toThrow(/produces item ids that differ from stored ids/);
});

describe("one page", () => {
  test.each([
    ["http://example.com/", "http://example.com"],
    ["http://example.com/", "http://www.example.com/"],
    ["http://example.com/", "http://example.com/#part"],
    ["http://example.com/", "http://example.com/#"],
    ["http://example.com/a/", "http://example.com/a"],
    ["http://example.com/a/?q=/", "http://www.example.com/a?q=/"],
    ["http://example.com/a/#/route", "http://example.com/a#/route"],
    ["http://example.com/~ann/a-b_c.html", "http://example.com/%7Eann/%61%2Db%5fc%2ehtml"],
    ["http://ann:b@www.example.com:81/", "http://ann:b@example.com:81"],
    ["http://example.com/?%41=%5F", "http://example.com/?A=_"],
  ])("has one id: %s and %s", (one, other) => {
    expect(toItemId(one)).toBe(toItemId(other));
  });

  test.each([
    ["http://example.com/#/route", "http://example.com/"],
    ["http://example.com/a", "https://example.com/a"],
    ["http://example.com/a", "http://example.com/a?"],
    ["http://example.com/?q=a/", "http://example.com/?q=a"],
    ["http://example.com/a//", "http://example.com/a"],
    ["http://example.com/#/a/", "http://example.com/#/a"],
    ["http://example.com/a%2Fb", "http://example.com/a/b"],
    ["http://example.com/%2541", "http://example.com/%41"],
    ["http://www/", "http://example.com/"],
    ["http://example.com/http://www.example.org/", "http://example.com/http://example.org/"],
  ])("differs from the next: %s and %s", (one, other) => {
    expect(toItemId(one)).not.toBe(toItemId(other));
  });
});

test.each(["http://example.com/", "HTTPS://example.com"])("'%s' is a web URL", (url) => {
  expect(parseWebUrl(url)?.hostname).toBe("example.com");
});

test.each([
  "ftp://a/",
  "mailto:a@b",
  "javascript:1",
  "data:text/html,x",
  "",
  "a",
  "//a/",
  "http://",
  "http:// /",
  "https://[::g]/",
])("'%s' is not a web URL", (url) => {
  expect(parseWebUrl(url)).toBeUndefined();
});
