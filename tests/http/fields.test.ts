// SPDX-License-Identifier: MIT

import { answerFields } from "@reading-list/http/fields.ts";
import { countTurns } from "@reading-list/testing/count-turns.ts";
import { parseXml } from "@reading-list/testing/parse-xml.ts";
import fc from "fast-check";
import { expect, test } from "vitest";

const entityLike = fc.constantFrom(
  "&nbsp;",
  "&amp;",
  "&lt;b&gt;",
  "&#65;",
  "&#x41;",
  "&",
  "<![CDATA[x]]>",
  "<!--",
  "\r\n",
  "]]>",
);
const text = fc
  .array(fc.oneof(entityLike, fc.string({ unit: "binary", maxLength: 8 })), { maxLength: 6 })
  .map((parts) => parts.join(""));

const textOf = async (...answer: Parameters<typeof answerFields>) => {
  let text = "";
  for await (const part of answerFields(...answer).parts ?? []) text += part;
  return text;
};

/** Without the characters that XML 1.0 forbids. */
const withoutForbidden = (value: string) =>
  [...value].filter((character) => /[\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(character)).join("");

test("XML is well-formed and preserves any text except characters that XML 1.0 forbids", async () => {
  await fc.assert(
    fc.asyncProperty(text, text, async (title, url) => {
      const body = await textOf({ fields: { status: "1" }, list: [[{ item_id: "7", title, url }]] }, "xml");
      const [status, list] = parseXml(body).children;
      const [id, shownTitle, shownUrl] = list?.children[0]?.children ?? [];
      expect(status?.text).toBe("1");
      expect(id?.text).toBe("7");
      expect(shownTitle?.text).toBe(withoutForbidden(title));
      expect(shownUrl?.text).toBe(withoutForbidden(url));
    }),
    { numRuns: 500 },
  );
});

test("JSON preserves any text, in ASCII", async () => {
  await fc.assert(
    fc.asyncProperty(text, async (title) => {
      const body = await textOf({ fields: { since: title }, list: [[{ item_id: "7", title }]] }, "json");
      expect(Buffer.byteLength(body)).toBe(body.length);
      expect(JSON.parse(body)).toEqual({ since: title, list: { "7": { item_id: "7", title } } });
    }),
  );
});

test.each(["json", "xml"] as const)(
  "a long list is written as %s in order, and other work is done meanwhile",
  async (format) => {
    const ids = Array.from({ length: 3500 }, (_, i) => String(i + 1));
    const list = ids.map((item_id) => ({ item_id, title: "ü" }));
    const { result, turns } = await countTurns(() => textOf({ fields: { status: "1" }, list: [list] }, format));
    const body = result;
    expect(turns).toBeGreaterThanOrEqual(3);
    const found =
      format === "json"
        ? body.matchAll(/"item_id":"(\d+)","title":"\\u00fc"/g)
        : body.matchAll(/<item_id>(\d+)<\/item_id><title>ü</g);
    expect([...found].map(([, id]) => id)).toEqual(ids);
  },
);
