// SPDX-License-Identifier: MIT

import { Readable } from "node:stream";
import type { Call, HttpAnswer } from "@reading-list/http/call.ts";
import { compress, measureInJson } from "@reading-list/http/compress.ts";
import { answerFields } from "@reading-list/http/fields.ts";
import { countTurns, makeStepsLong } from "@reading-list/testing/count-turns.ts";
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
    makeStepsLong();
    const ids = Array.from({ length: 20 }, (_, i) => String(i + 1));
    const list = ids.map((item_id) => ({ item_id, title: "ü" }));
    const { result, turns } = await countTurns(() => textOf({ fields: { status: "1" }, list: [list] }, format));
    const body = result;
    expect(turns).toBeGreaterThanOrEqual(ids.length);
    const found =
      format === "json"
        ? body.matchAll(/"item_id":"(\d+)","title":"\\u00fc"/g)
        : body.matchAll(/<item_id>(\d+)<\/item_id><title>ü</g);
    expect([...found].map(([, id]) => id)).toEqual(ids);
  },
);

test.each(["json", "xml"] as const)("found pages are written as %s in turns of the event loop", async (format) => {
  makeStepsLong();
  const found = ["1", "2", "3"].map((item_id) => ({ fields: { item_id }, marks: [[0, 1]] as const }));
  const { result, turns } = await countTurns(() => textOf({ fields: {}, found }, format));
  expect(turns).toBeGreaterThanOrEqual(found.length);
  expect(result.match(/item_id/g)).toHaveLength(format === "json" ? 3 : 6);
  expect(await textOf({ fields: {}, found: [] }, format)).toMatch(format === "json" ? '"list":[]' : "<list/>");
});

test("the bytes of a long answer are counted in turns of the event loop", async () => {
  makeStepsLong();
  const parts = Readable.from(Array<string>(20).fill("a".repeat(200_000)));
  const event = { request: { headers: {} } } as unknown as Call;
  const response: HttpAnswer = { status: 200, headers: {}, body: "", parts };
  const { turns } = await countTurns(async () => compress("too large").after?.({ event, response } as never));
  expect(response.body.length).toBe(4_000_000);
  expect(turns).toBeGreaterThanOrEqual(10);
});

test("an answer is measured as JSON measures it", () => {
  const character = fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }).filter((each) => !/\p{Cc}/u.test(each)),
    fc.constantFrom('"', "\\", "\n", "\t", "\x7f", "\x80", "\u07ff", "\u0800", "😀"),
  );
  fc.assert(
    fc.property(fc.string({ unit: character }), (text) => {
      expect(measureInJson(text)).toBe(Buffer.byteLength(JSON.stringify(text)) - 2);
    }),
  );
});

test("long texts beyond ASCII are written in JSON as short ones are", async () => {
  const title = "\u0080ÿĀ漢😀\u2028\uffff".repeat(9999);
  const body = await textOf({ fields: { status: "1" }, list: [[{ item_id: "7", title }]] }, "json");
  expect(body).toMatch(/^[ -~]+$/);
  expect(JSON.parse(body).list["7"].title).toBe(title);
});
