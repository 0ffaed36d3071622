// SPDX-License-Identifier: MIT

import { describe, expect, test } from "vitest";
import { serveKinds } from "./read-served.ts";

const { site, serve, readCostly, viewOf, readArticle } = serveKinds();

const readme = `# The harbour

It *took* too [long](notes.md "why"), see https://example.com/why.

![A boat](boat.png)

| lamp | price |
| --- | --- |
| new | 5 |

\`\`\`js
if (a < b) sail();
\`\`\`

<div onclick="alert(1)">Kept <script>alert(1)</script>text</div> [x](javascript:alert(1))
`;

describe("Markdown", () => {
  test.each([
    ["/README.md", "text/plain; charset=utf-8"],
    ["/notes", "text/markdown"],
    ["/a.markdown", "application/octet-stream"],
  ])("at %s as %s is rendered and sanitised", async (path, type) => {
    const { html, title } = await viewOf(path, readme, type, { images: true });
    expect(title).toBe("The harbour");
    expect(html).toContain(
      `<p>It <em>took</em> too <a href="${site.origin}/notes.md" title="why">long</a>, see <a href="https://example.com/why">https://example.com/why</a>.</p>`,
    );
    expect(html).toContain(`<img src="${site.origin}/boat.png" alt="A boat" />`);
    expect(html).toMatch(/<td>new<\/td>\s*<td>5<\/td>/);
    expect(html).toContain("if (a &lt; b) sail();");
    expect(html).toMatch(/Kept\s+text/);
    expect(html).not.toMatch(/<h1|onclick|<script|alert\(1\)<|"javascript:/);
  });

  test("without images has none", async () => {
    expect((await viewOf("/b.md", readme, "text/markdown")).html).not.toContain("<img");
  });

  test("has the title of its front matter, which is not shown", async () => {
    const { html, title } = await viewOf(
      "/c.md",
      `---\ntitle: "Harbour & storm"\ntags: [a]\n---\n\nText.\n`,
      "text/markdown",
    );
    expect([title, html]).toEqual(["Harbour & storm", "<p>Text.</p>"]);
  });

  test("without a heading has the name of its file as title", async () => {
    expect((await viewOf("/My%20notes.md", "Text.", "text/markdown")).title).toBe("My notes.md");
  });

  test("is the same in both modes", async () => {
    serve("/kept.md", "# A\n\nText.", "text/markdown");
    expect(await readArticle("/kept.md")).toMatchObject({
      less: { html: "<p>Text.</p>" },
      more: { html: "<p>Text.</p>" },
    });
  });

  test("text with another file name stays unchanged", async () => {
    expect((await viewOf("/notes.txt", "# A\n\n*Text*", "text/plain")).html).toBe("<p># A</p>\n<p>*Text*</p>");
  });
});

test.each<[string, string]>([
  ["quotations", `${">".repeat(1_000_000)} x`],
  ["lists", Array.from({ length: 1400 }, (_, depth) => `${" ".repeat(depth)}- x`).join("\n")],
  ["brackets", "[".repeat(1_000_000)],
  ["emphasis", "*a **b ".repeat(150_000)],
  ["links", `${"[a](".repeat(250_000)}`],
  ["code", "`".repeat(500_000) + "a".repeat(500_000)],
  ["tags", "<b>".repeat(330_000)],
])(
  "1 MB of nested %s ends at most its worker",
  (_name, markdown) => readCostly("/bomb.md", markdown, "text/markdown"),
  120_000,
);
