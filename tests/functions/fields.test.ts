import { answerFields } from "@reading-list/functions/http/fields.ts";
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

/** Without the characters that XML 1.0 forbids. */
const withoutForbidden = (value: string) =>
  [...value].filter((character) => /[\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(character)).join("");

test("XML is well-formed and preserves any text except characters that XML 1.0 forbids", () => {
  fc.assert(
    fc.property(text, text, (title, url) => {
      const { body = "" } = answerFields({ fields: { status: "1" }, list: [{ item_id: "7", title, url }] }, "xml");
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

test("JSON preserves any text", () => {
  fc.assert(
    fc.property(text, (title) => {
      const { body = "" } = answerFields({ fields: { since: title }, list: [{ item_id: "7", title }] }, "json");
      expect(JSON.parse(body)).toEqual({ since: title, list: { "7": { item_id: "7", title } } });
    }),
  );
});
