// SPDX-License-Identifier: MIT

import { constants, deflateSync } from "node:zlib";
import { streamOf, type TextLine, writePdf } from "@reading-list/testing/write-pdf.ts";
import { describe, expect, test } from "vitest";
import { serveKinds } from "./read-served.ts";

const { site, serve, readCostly, viewOf, refusalOf, readArticle } = serveKinds();
const pdf = "application/pdf";

/** Lines from the top of a page, with the leading of running text. */
const lines = (top: number, ...texts: string[]): TextLine[] =>
  texts.map((text, index) => ({ text, y: top - 13 * index, size: 11 }));
const story = [
  "The harbour, which had been closed since the storm, was opened again on Monday morn-",
  "ing; fishermen, traders and the mayor of the town were there, and all of them agreed that",
  "it had taken too long.",
  "Nobody knows who will pay for the new lights, since the town ordered fifty in the year",
  "before the storm.",
];

const paragraph =
  "The harbour, which had been closed since the storm, was opened again on Monday morning; fishermen, traders and the mayor of the town were there, and all of them agreed that it had taken too long.";

describe("a PDF", () => {
  test("has its title, its headings, and paragraphs without the breaks of their lines", async () => {
    const page = [
      { text: "The harbour is open", y: 790, size: 24 },
      { text: "The costs", y: 650, size: 16 },
    ];
    const { html, title } = await viewOf(
      "/a.pdf",
      writePdf([[page[0] as TextLine, ...lines(750, ...story), page[1] as TextLine, ...lines(620, ...story)]]),
      pdf,
    );
    expect(title).toBe("The harbour is open");
    expect(html).not.toContain("The harbour is open");
    expect(html).toMatch(/<h3>The costs<\/h3>\n<p>The harbour, which/);
    expect(html).toContain(
      "on Monday morning; fishermen, traders and the mayor of the town were there, and all of them agreed that it had taken too long.</p>\n<p>Nobody knows",
    );
    expect(html).toContain("in the year before the storm.</p>");
  });

  test("of several pages has a section for each, which begins with a link to it, without running heads", async () => {
    const pages = [1, 2, 3].map((number) => [
      { text: `Town News ${number}`, y: 820, size: 8 },
      ...lines(750 - 5 * number, `Page ${number} tells more.`, ...story.slice(0, 3)),
      { text: String(number), y: 20, size: 8 },
    ]);
    const { html } = await viewOf("/b.pdf", writePdf(pages, { compress: true }), pdf);
    const sections = [1, 2, 3].map(
      (number) =>
        `<section><p><a href="${site.origin}/b.pdf#page=${number}"><small>${number}</small></a></p>\n<p>Page ${number} tells more.</p>\n<p>${paragraph}</p></section>`,
    );
    expect(html).toBe(sections.join("\n"));
  });

  test("whose pages repeat most of their text keeps it", async () => {
    const slides = [1, 2, 3].map((number) => [
      { text: "The harbour", y: 800, size: 30 },
      ...lines(700, `Step ${number}`),
    ]);
    const { html } = await viewOf("/slides.pdf", writePdf(slides), pdf);
    expect(html.match(/The harbour|Step \d/g)).toEqual([
      "The harbour",
      "Step 1",
      "The harbour",
      "Step 2",
      "The harbour",
      "Step 3",
    ]);
  });

  test("has lists, and listings with their lines", async () => {
    const code = ["if open:", "sail()"].map(
      (text, index): TextLine => ({ text, y: 600 - 13 * index, x: 72 + 26 * index, font: "F2" }),
    );
    const { html } = await viewOf("/c.pdf", writePdf([[...lines(750, "\x95 One", "\x95 Two"), ...code]]), pdf);
    expect(html).toContain("<ul><li>One</li>\n<li>Two</li></ul>");
    expect(html).toContain("<pre>if open:\n    sail()</pre>");
  });

  test("has its title, author and date", async () => {
    const info = "/Title(Harbours of the north)/Author(Ann Smith)/CreationDate(D:20260501100000+02'00')";
    const view = await viewOf("/d.pdf", writePdf([lines(700, ...story)], { info }), pdf);
    expect(view).toMatchObject({
      title: "Harbours of the north",
      author: "Ann Smith",
      publishedAt: "2026-05-01T08:00:00Z",
    });
  });

  test("with a program's title has the name of its file", async () => {
    const info = "/Title(Microsoft Word - draft.doc)";
    expect((await viewOf("/Annual%20report.pdf", writePdf([lines(700, ...story)], { info }), pdf)).title).toBe(
      "Annual report",
    );
  });

  test("in Japanese without its font has its text", async () => {
    const japanese = writePdf([[{ text: "\x93\xfa\x96\x7b\x8c\xea", y: 700, font: "F3" }]]);
    expect((await viewOf("/e.pdf", japanese, pdf)).html).toBe("<p>日本語</p>");
  });

  test("has no markup of its own", async () => {
    const { html } = await viewOf("/f.pdf", writePdf([lines(700, "<script>alert(1)</script> & <b>")]), pdf);
    expect(html).toBe("<p>&lt;script&gt;alert(1)&lt;/script&gt; &amp; &lt;b&gt;</p>");
  });

  test.each(["application/octet-stream", "", "application/x-pdf"])(
    "is recognised if its type is '%s'",
    async (type) => {
      expect((await viewOf("/download?id=1", writePdf([lines(700, "The text.")]), type)).html).toBe("<p>The text.</p>");
    },
  );

  test("without text is an empty view with a notice", async () => {
    const drawn = writePdf(["100 100 300 300 re f"]);
    expect(await viewOf("/scan.pdf", drawn, pdf)).toMatchObject({
      html: "",
      notice: expect.stringMatching(/^[\x20-\x7e]*no text[\x20-\x7e]*$/),
    });
  });

  test("is the same in both modes", async () => {
    serve("/kept.pdf", writePdf([lines(700, "The text.")]), pdf);
    expect(await readArticle("/kept.pdf")).toMatchObject({
      less: { html: "<p>The text.</p>" },
      more: { html: "<p>The text.</p>" },
    });
  });

  test("has a rotated page, without the stamps across it", async () => {
    const turned = "BT /F1 11 Tf 0 1 -1 0 100 100 Tm (Shown turned) Tj ET BT /F1 11 Tf 50 50 Td (Stamp) Tj ET";
    expect((await viewOf("/turned.pdf", writePdf([turned], { page: "/Rotate 90" }), pdf)).html).toBe(
      "<p>Shown turned</p>",
    );
  });
});

describe("a PDF that cannot be read is 400 with the reason", () => {
  const encrypted = `/ID[<${"00".repeat(16)}><${"00".repeat(16)}>]/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<${"01".repeat(32)}>/U<${"02".repeat(32)}>>>`;
  test.each<[string, Uint8Array, string]>([
    ["no PDF", Buffer.from("<html>not found</html>"), "is a PDF that cannot be decoded"],
    ["nothing", Buffer.from(" "), "is a PDF that cannot be decoded"],
    ["half a PDF", writePdf([lines(700, ...story)]).subarray(0, 400), "is a PDF that cannot be decoded"],
    [
      "a catalogue that is missing",
      Buffer.from("%PDF-1.7\ntrailer\n<</Root 9 0 R>>\n"),
      "is a PDF that cannot be decoded",
    ],
    ["a password", writePdf([lines(700, ...story)], { trailer: encrypted }), "is a PDF that needs a password"],
    ["201 pages", writePdf(Array.from({ length: 201 }, () => lines(700, "x"))), "is a PDF of more than 200 pages"],
    ["20 MB and a byte", Buffer.alloc(20_000_001, "%PDF-1.7 "), "is larger than 20000000 bytes"],
  ])("%s", async (_name, bytes, reason) => {
    expect(await refusalOf("/bad.pdf", bytes, pdf)).toBe(`url ${reason}`);
  });

  test("5 MB and a byte of an unknown type other than PDF", async () => {
    const message = await refusalOf("/large", Buffer.alloc(5_000_001, "x"), "application/octet-stream");
    expect(message).toBe("url is larger than 5000000 bytes");
  });
});

test("a PDF of 200 pages and of 20 MB is read", async () => {
  const picture = streamOf(Buffer.alloc(19_900_000, 1), false);
  const bytes = writePdf(
    Array.from({ length: 200 }, (_, page) => lines(700, `Text of page ${page + 1}.`)),
    { objects: [picture] },
  );
  expect(bytes.length).toBeGreaterThan(19_900_000);
  expect((await viewOf("/large.pdf", bytes, pdf)).html).toContain("<p>Text of page 200.</p></section>");
});

describe("an expensive PDF ends at most its worker", () => {
  const bomb = (data: Buffer) => deflateSync(data, { level: constants.Z_BEST_COMPRESSION });
  const twice = bomb(bomb(Buffer.alloc(400_000_000, "0 0 m ")));
  const stream = (bytes: Buffer, entries: string) =>
    Buffer.concat([Buffer.from(`<<${entries}/Length ${bytes.length}>>\nstream\n`), bytes, Buffer.from("\nendstream")]);
  const cases: Record<string, Uint8Array> = {
    "a content of 400 MB, compressed twice": writePdf([lines(700, "x")], {
      objects: [stream(twice, "/Filter[/FlateDecode/FlateDecode]")],
      page: "/Contents 100000 0 R",
    }),
    "a million operators that show text": writePdf(["BT /F1 9 Tf ".concat("(x) Tj 0 1 Td ".repeat(1_000_000), "ET")]),
    "forms that show each other": writePdf([`/X0 Do`], {
      page: "/Resources<</XObject<</X0 100000 0 R>>>>",
      objects: Array.from({ length: 30 }, (_, index) =>
        streamOf(
          Buffer.from("/X Do ".repeat(10)),
          false,
          `/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X ${100_001 + index} 0 R>>>>`,
        ),
      ),
    }),
    "object streams that contain each other": Buffer.from(
      `%PDF-1.7\n${Array.from({ length: 2000 }, (_, index) => `${index + 1} 0 obj\n<</Type/ObjStm/N 1/First 4/Extends ${index + 2} 0 R/Length ${index + 2} 0 R>>\nstream\n1 0 <<>>\nendstream\nendobj`).join("\n")}\ntrailer<</Root 1 0 R>>`,
    ),
    "dictionaries and arrays 100,000 deep": Buffer.from(
      `%PDF-1.7\n1 0 obj\n${"<</A[".repeat(100_000)}\nendobj\ntrailer<</Root 1 0 R>>`,
    ),
    "pages that are their own children": Buffer.from(
      "%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 100/Kids[2 0 R 2 0 R]>>endobj\ntrailer<</Root 1 0 R>>",
    ),
    "a page of a million miles": writePdf([lines(700, "x")], { page: "/MediaBox[0 0 1e30 1e30]/UserUnit 1e30" }),
    "letters of no and of endless size": writePdf([
      "BT /F1 0 Tf (none) Tj /F1 1e300 Tf 1e300 1e300 Td (endless) Tj ET",
    ]),
  };
  test.each(Object.keys(cases))("%s", (name) => readCostly("/bomb.pdf", cases[name] as Uint8Array, pdf), 120_000);
});
