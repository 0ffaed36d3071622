// SPDX-License-Identifier: MIT

import { cleanAgain } from "@reading-list/article/view/sanitize.ts";
import { viewPage } from "@reading-list/article/view/text-view.ts";
import { prose } from "@reading-list/testing/page-server.ts";
import { describe, expect, test } from "vitest";

const lessOf = (part: string, images = false) =>
  viewPage(
    `<title>A story</title><article><h1>A story</h1>${prose}${part}${prose}</article>`,
    "https://a.example/story",
    {
      mode: "less",
      images,
    },
  ).html;

describe("a callout is a quotation that begins with its title:", () => {
  test.each([
    [
      "of Bootstrap",
      '<div class="alert alert-warning"><p class="alert-heading">Mind the tide</p><p>It rises.</p></div>',
      "Mind the tide",
    ],
    ["without a title", '<div class="alert alert-warning">It rises.</div>', "Warning"],
    [
      "of Sphinx",
      '<div class="admonition note"><p class="admonition-title">Mind the tide</p><p>It rises.</p></div>',
      "Mind the tide",
    ],
    [
      "of GitHub",
      '<div class="markdown-alert markdown-alert-tip"><p class="markdown-alert-title">Mind the tide</p><p>It rises.</p></div>',
      "Mind the tide",
    ],
    [
      "of Docusaurus",
      '<div class="theme-admonition theme-admonition-info"><div class="admonitionHeading_x">Mind the tide</div><div><p>It rises.</p></div></div>',
      "Mind the tide",
    ],
    [
      "of Obsidian, folded",
      '<div class="callout is-collapsed" data-callout="faq"><div class="callout-title">Mind the tide</div><div style="display: none"><p>It rises.</p></div></div>',
      "Mind the tide",
    ],
  ])("%s", (_name, box, title) => {
    expect(lessOf(box)).toMatch(
      new RegExp(`<blockquote><p><strong>${title}</strong></p>[^]*?It rises.[^]*?</blockquote>`),
    );
  });

  test("but not a banner of the site", () => {
    expect(lessOf('<div class="alert"><p>Subscribe to our newsletter today!</p></div>')).not.toContain("<blockquote>");
  });
});

describe("a drawing", () => {
  const chart = `<svg><g><text>Ships per year</text><text>2025: <tspan>12</tspan></text></g><text> </text></svg>`;
  test.each([true, false])("with texts becomes a caption with the texts (images: %s)", (images) => {
    expect(lessOf(`<div>${chart}</div>`, images)).toContain(
      "<figure><figcaption>Ships per year · 2025: 12</figcaption></figure>",
    );
  });

  const shapes = `<rect width="290" height="90"/><text x="20">Ships &amp; boats</text>`;
  const pictureIn = (html: string) =>
    /<img src="data:image\/svg\+xml;base64,([^"]*)" alt="([^"]*)" \/>/.exec(html) ?? [];
  const drawnIn = (html: string) => Buffer.from(pictureIn(html)[1] ?? "", "base64").toString();

  test.each([
    ["by its size", `<svg width="300" height="100px">${shapes}</svg>`, ""],
    ["by its style", `<svg aria-label="Ships" style="width: 300px;height:100px">${shapes}</svg>`, "Ships"],
    [
      "by its view box, with texts",
      `<svg viewBox="0 0 600 400"><title>Ships</title><desc>By year</desc>${chart}</svg>`,
      "Ships. By year",
    ],
    ["with its texts as name", chart.replace("<svg", '<svg width="300" height="200"'), "Ships per year · 2025: 12"],
    ["by its view box and parts", `<svg width="100%" viewBox="0,0,600,400">${"<circle r='9'/>".repeat(10)}</svg>`, ""],
  ])("that is large is a picture: %s", (_name, svg, alt) => {
    const html = lessOf(`<div>${svg}</div>`, true);
    expect(pictureIn(html)[2]).toBe(alt);
    expect(drawnIn(html)).toMatch(
      /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"[^>]* width="\d+" height="\d+"[^>]*>.*<\/svg>$/,
    );
    expect(html).not.toContain("<figcaption>");
    expect(cleanAgain(html, "https://a.example/story")).toBe(html);
    expect(lessOf(`<div>${svg}</div>`)).not.toContain("<img");
  });

  test.each([
    ["an icon", `<svg width="24" height="24" viewBox="0 0 512 512">${shapes}</svg>`],
    ["an icon of a font", '<svg viewBox="0 0 512 512"><path d="M0 0h9"/></svg>'],
    ["a wave between sections", '<svg width="1440" height="320"><path d="M0 0h9"/></svg>'],
    ["an ornament", `<svg width="300" height="100" aria-hidden="true">${shapes}</svg>`],
    ["symbols for later", `<svg width="300" height="100" style="display: none">${shapes}</svg>`],
    ["larger than a diagram", `<svg width="300" height="100">${shapes}<path d="${"M0 0".repeat(20_000)}"/></svg>`],
  ])("is no picture: %s", (_name, svg) => {
    expect(lessOf(`<p>It sails.</p><div>${svg}</div>`, true)).not.toContain("<img");
  });

  test("as a picture has no scripts, no addresses and no HTML", () => {
    const hostile =
      '<svg width="300" height="100" onload="alert(1)"><script>alert(2)</script><image href="https://a.example/i.png"/>' +
      '<a xlink:href="https://a.example/"><rect/></a><use xlink:href="#g" /><use href="https://a.example/#g"/><rect fill="url(https://a.example/)" stroke="url(#s)"/>' +
      '<foreignObject><b onclick="alert(3)">bold</b></foreignObject><set attributeName="href" to="javascript:alert(4)"/><text>a\u0001b</text></svg>';
    const drawn = drawnIn(lessOf(`<div>${hostile}</div>`, true));
    expect(drawn).not.toMatch(/alert|a\.example|bold|script|foreign/);
    expect(drawn).toContain("<text>ab</text>");
    expect(drawn).toContain('<use xlink:href="#g"></use><use></use><rect stroke="url(#s)"></rect>');
  });

  test("with one text, such as a logo, or more than a reader reads, is left out", () => {
    expect(lessOf("<div><svg><text>The Harbour News</text></svg></div>")).not.toContain("Harbour News");
    expect(lessOf(`<div><svg>${"<text>MARK</text>".repeat(1000)}</svg></div>`)).not.toContain("MARK");
  });

  test("runs no script and has no link", () => {
    const html = lessOf(
      '<svg onload="alert(1)"><text><a href="javascript:alert(1)">&lt;img src=x onerror=alert(1)&gt;</a></text><text><script>alert(2)</script>Ships</text></svg>',
    );
    expect(html).toContain("<figcaption>&lt;img src=x onerror=alert(1)&gt; · ");
    expect(html).not.toMatch(/<(?:svg|text|a|script|img)[ >]|alert\(2\)/);
  });
});

test("code in a box of Writerside is code, with its lines", () => {
  const box = '<div class="code-block" data-lang="kotlin">fun main() {\n    sail()\n}</div>';
  expect(lessOf(box)).toContain("<pre><code>fun main() {\n    sail()\n}</code></pre>");
});

test("code of several lines between paragraphs is a block of code, but not within a sentence", () => {
  const code = "<code>fun main() {\n    sail()\n}</code>";
  for (const block of [`<p> ${code} </p>`, `<div><p>See:</p>${code}<p>It sails.</p></div>`])
    expect(lessOf(block)).toContain("<pre><code>fun main() {\n    sail()\n}</code></pre>");
  expect(lessOf(`<p>See ${code}, which sails.</p>`)).not.toContain("<pre>");
});

test("adjacent rules become one, and other rules stay", () => {
  expect(lessOf("<hr> <hr><hr>").match(/<hr/g)).toHaveLength(1);
  expect(lessOf("<hr><p>Between the rules is a line.</p><hr>").match(/<hr/g)).toHaveLength(2);
});

describe("a box with a different direction keeps it:", () => {
  const text = "هذا نص باللغة العربية، وهو طويل بما يكفي ليكون فقرة من المقال.";
  test.each([
    ["a box around one paragraph", `<div dir="rtl"><p>${text}</p></div>`],
    ["boxes around one paragraph", `<div dir="rtl"><div><div><p>${text}</p></div></div></div>`],
    ["a box of text", `<div dir="RTL">${text}</div>`],
    ["several paragraphs", `<section dir="rtl"><p>${text}</p><p>${text}</p></section>`],
  ])("%s", (_name, box) => {
    expect(lessOf(box)).toMatch(new RegExp(`dir="rtl"[^/]*${text}`, "i"));
    expect(lessOf(box).match(/dir=/g)).toHaveLength(1);
  });

  test("the direction of the page is not repeated", () => {
    expect(
      lessOf('<div dir="ltr"><p dir="ltr">It is written from left to right.</p></div>').match(/dir=/g)?.length ?? 0,
    ).toBeLessThan(2);
  });
});
