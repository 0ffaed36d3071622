import { createHash } from "node:crypto";
import { itemIdOf, parseWebUrl } from "@reading-list/core/domain/item-id.ts";
import fc from "fast-check";
import { expect, test } from "vitest";

test("an item_id is 63 bits of the SHA-256 of the canonical URL", () => {
  const digest = createHash("sha256").update("http://example.com/a").digest("hex");
  const bits = BigInt(`0x${digest.slice(0, 16)}`) >> 1n;
  expect(itemIdOf("HTTP://Example.COM:80/x/../a#top")).toBe(bits.toString());
});

test("an item_id is a decimal string that fits a signed 64-bit integer", () => {
  fc.assert(
    fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (url) => {
      const id = itemIdOf(url);
      expect(id).toMatch(/^\d{1,19}$/);
      expect(BigInt(id) < 2n ** 63n).toBe(true);
    }),
  );
});

test("the fragment counts only where it contains a /", () => {
  expect(itemIdOf("http://example.com/#part")).toBe(itemIdOf("http://example.com/"));
  expect(itemIdOf("http://example.com/#")).toBe(itemIdOf("http://example.com/"));
  expect(itemIdOf("http://example.com/#/route")).not.toBe(itemIdOf("http://example.com/"));
});

test.each(["ftp://a/", "mailto:a@b", "javascript:1", "", "a", "http://", "https://[::g]/"])(
  "'%s' is no web URL",
  (url) => {
    expect(parseWebUrl(url)).toBeUndefined();
  },
);
