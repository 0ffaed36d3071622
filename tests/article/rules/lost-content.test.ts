// SPDX-License-Identifier: MIT

import { viewPage } from "@reading-list/article/view/text-view.ts";
import { prose } from "@reading-list/testing/page-server.ts";
import { describe, expect, test } from "vitest";

const head = "<!doctype html><html><head><title>A story | The Bay Courier</title>";
const read = (html: string) => viewPage(html, "https://example.com/story", { mode: "less", images: true });
const viewOf = (body: string) => read(`${head}</head><body>${body}</body></html>`).html;
const more = prose.replaceAll("Paragraph", "Passage");
const inArticle = (part: string) => viewOf(`<main><article><h1>A story</h1>${prose}${part}${more}</article></main>`);
const textOf = (html: string) => html.replace(/<[^>]*>/g, "");

describe("a heading stays beside", () => {
  const label = (beside: string) => `<div class="row"><h2>History</h2>${beside}</div>`;
  test.each([
    ["an edit link", label('<span>[<a href="/edit">edit</a>]</span>')],
    ["a permalink sign", label('<a href="#history">#</a>')],
    ["a button", label("<button>Copy link</button>")],
    ["a link to pictures", label('<a href="/all">See all photos</a>')],
    ["a link, in a header", '<header><h2>History</h2><a href="/all">Show map</a></header>'],
    ["a link, in nested boxes", '<div><div><h2>History</h2></div><div><a href="/all">View more</a></div></div>'],
    ["nothing, in a button", "<button><h2>History</h2></button>"],
    ["nothing, as an anchor without a target", '<div><h2><a name="history">History</a></h2></div>'],
  ])("%s", (_name, part) => {
    const html = inArticle(part);
    expect(html).toMatch(/<h2>(?:<[a-z]+>)*History/);
    expect(textOf(html)).not.toMatch(/edit|#|Copy|See all|Show map|View more/);
  });
});

describe("a picture is kept", () => {
  const image = '<img src="/KEPT.jpg" width="900" height="600" alt="A mill">';
  test.each([
    ["in a button that enlarges it", `<figure><button>${image}</button><figcaption>At dusk</figcaption></figure>`],
    ["in a button with hidden text", `<button class="lightbox">${image}<span>View full size</span></button>`],
    ...["share", "social-card", "popular", "related", "promo", "newsletter-hero", "subscribe"].map((name) => [
      `with the class ${name}`,
      `<p>${image.replace("<img", `<img class="${name}"`)}</p>`,
    ]),
    ["beside the text", `<aside><figure>${image}<figcaption>The mill in spring</figcaption></figure></aside>`],
    ["in a figure with a misleading name", `<figure class="related-media">${image}</figure>`],
    ["with a declared size and the name of a placeholder", image.replace("KEPT.jpg", "KEPT/transparent.png")],
    [
      "with a size in its style and the name of a placeholder",
      '<p><img src="/KEPT/grey.png" style="height: 200px; width: 600px"></p>',
    ],
    [
      "of a wide formula in a sentence",
      '<p>It says <img src="/KEPT.png" width="120" height="30" alt="E=mc2"> here.</p>',
    ],
  ])("%s", (_name, part) => {
    expect(inArticle(part ?? "")).toContain("/KEPT");
  });

  test("with the others of a gallery or slide show, and their captions", () => {
    const pictures = [1, 2, 3].map((n) => `<div><img src="/${n}.jpg" width="800" height="600"><p>Plate ${n}</p></div>`);
    const html = inArticle(`<div class="slideshow">${pictures.join("")}<button>Next</button></div>`);
    for (const n of [1, 2, 3]) expect(html).toContain(`/${n}.jpg`);
    expect(html).toContain("Plate 2");
  });
});

describe("a paragraph of prose stays", () => {
  const links = '<p><a href="/1">All about the mills of the valley</a></p>'.repeat(3);
  const text = "The miller, who had never seen the sea, sold his boat in spring.";
  const image = '<img src="/a.jpg">';
  test.each([
    ["among links", `<div><p>${text}</p>${links}</div>`],
    ["in a box that crops pictures", `<div class="overflow-hidden"><div>${image}<p>${text}</p></div></div>`],
    [
      "in nested boxes",
      `<div class="overflow-hidden"><section>${image}</section><div class="overflow-hidden"><div>${image}<p>${text}</p></div></div></div>`,
    ],
    [
      "beside a copy that is a caption",
      `<div class="overflow-hidden"><div class="photo-caption"><p>${text}</p></div><p>${text}</p></div>`,
    ],
    [
      "in a card of a page that is no article",
      `<div class="overflow-hidden"><a href="/boats">${image}<h3>Boats</h3><p>${text}</p></a></div>`,
    ],
  ])("%s, at its place", (_name, part) => {
    const html = inArticle(part);
    expect(html.split(text)).toHaveLength(2);
    expect(html.indexOf(text)).toBeGreaterThan(html.lastIndexOf("Paragraph"));
    expect(html.indexOf(text)).toBeLessThan(html.indexOf("Passage"));
  });

  test("once, if the page has it for wide and for narrow screens", () => {
    const box = (name: string) => `<div class="${name}-hidden"><div>${image}<p>${text}</p></div></div>`;
    expect(inArticle(box("gt-md") + box("lt-md")).split(text)).toHaveLength(2);
  });

  test.each([
    ["is a link", `<div class="overflow-hidden"><a href="/boats">${image}<p>${text}</p></a></div>`],
    ["is a caption", `<div><p class="photo-caption">${text}</p>${links}</div>`],
    ["is in a form", `<form class="overflow-hidden"><p>${text}</p><input><input></form>`],
    [
      "has a name of advertisements",
      `<div class="overflow-hidden"><div class="promo">${image}<p>${text}</p></div></div>`,
    ],
  ])("unless it %s", (_name, part) => {
    expect(inArticle(part)).not.toContain(text);
  });
});

test("the pictures of a WordPress gallery stay, although each links to its own page", () => {
  const item = (n: number) =>
    `<dl class="gallery-item"><dt><a href="/p${n}"><img src="/${n}.jpg" width="300" height="300"></a></dt><dd>Plate ${n}</dd></dl>`;
  const html = inArticle(`<div class="gallery">${[1, 2, 3].map(item).join("")}</div>`);
  for (const n of [1, 2, 3]) expect(html).toContain(`/${n}.jpg`);
});

test.each(["html", "body"])("no page is lost because of the class of its %s", (name) => {
  const html = `${head}</head><body><main><article><h1>A story</h1>${prose}</article></main></body></html>`;
  expect(read(html.replace(`<${name}`, `<${name} class="popup comments sidebar"`)).html).toContain("Paragraph 1");
});

test("a quotation beside the text stays, unless it repeats the text", () => {
  const aside = (text: string) => inArticle(`<aside><blockquote><p>${text}</p></blockquote></aside>`);
  expect(aside("Nobody ever asked us what the wheel was worth.")).toContain("Nobody ever asked");
  const sentence = /<p>([^<]{40,})<\/p>/.exec(prose)?.[1] ?? "";
  expect(aside(sentence)).not.toContain("<blockquote>");
});

test("a quotation of a whole post stays in the reply", () => {
  const post = `<div class="post"><p>${"A long post about boats and mills. ".repeat(10)}</p></div>`;
  const html = inArticle(`${post}<div><p>anna said:</p><blockquote>${post}</blockquote><p>I think so, too.</p></div>`);
  expect(html).toMatch(/<blockquote>[\s\S]*A long post about boats and mills/);
});

test("one of three copies of a text stays, whichever rule removes the others", () => {
  const text = `<p>${"The same sentence stands in two branches of the page. ".repeat(3)}</p>`;
  const section = `<h2>Opening hours</h2>${text}`;
  const html = viewOf(`<main><div>${section}${text}</div><div>${section}</div><div>${section}</div></main>`);
  expect(html).toContain("The same sentence stands in two branches");
});

describe("a sentence stays in one block around", () => {
  test.each(["u", "s", "bdi", "big", "tt", "strike", "nobr", "acronym", "x-term", "font"])("<%s>", (name) => {
    const html = inArticle(
      `<div>The sluice is opened at <${name}>seven</${name}> in the morning, for each boat.</div>`,
    );
    expect(textOf(html.match(/<p>The sluice[\s\S]*?<\/p>/)?.[0] ?? "")).toBe(
      "The sluice is opened at seven in the morning, for each boat.",
    );
  });
});

describe("a listing is one block without line numbers:", () => {
  const lines = ["if (a)", "    go();", "end"];
  const row = (line: string, n: number) => `<tr><td>${n + 1}</td><td><span>${line}\n</span></td></tr>`;
  const boxes = (line: string, n: number) =>
    `<div><div class="CodeMirror-linenumber">${n + 1}</div><pre class="CodeMirror-line">${line}</pre></div>`;
  test.each([
    ["a <pre> for each line", `<div class="CodeMirror"><div>${lines.map(boxes).join("")}</div></div>`],
    ["a table in <pre>", `<pre><code><table>${lines.map(row).join("")}</table></code></pre>`],
    [
      "a column of numbers",
      `<table class="crayon"><tr><td><div>1</div><div>2</div><div>3</div></td><td><div>${lines.map((line) => `<div>${line}</div>`).join("")}</div></td></tr></table>`,
    ],
    [
      "a gist",
      `<table class="highlight">${lines.map((line, n) => `<tr><td class="blob-num" data-line-number="${n}"></td><td class="blob-code">${line}</td></tr>`).join("")}</table>`,
    ],
    ["sibling <code>", `<div>${lines.map((line) => `<code>${line}</code>`).join("<br>")}</div>`],
    [
      "an editor's lines",
      `<div class="view-lines">${lines.map((line) => `<div class="view-line"><span>${line}</span></div>`).join("")}</div>`,
    ],
    ["a highlighter without <pre>", `<div class="prism language-js">${lines.join("\n")}</div>`],
  ])("%s", (_name, part) => {
    const html = inArticle(part);
    expect(html).toContain(`${lines.join("\n")}</code></pre>`);
    expect(html.match(/<pre/g)).toHaveLength(1);
  });

  test("a ranking is a table", () => {
    const rows = ["Bergen", "Oslo", "Bodø"].map((town, n) => `<tr><td>${n + 1}</td><td>${town}</td></tr>`);
    expect(inArticle(`<table>${rows.join("")}</table>`)).not.toContain("<pre");
  });
});

describe("text that a page has only elsewhere is shown:", () => {
  test("in a declarative shadow root, with its slots filled", () => {
    const html = viewOf(
      `<main><article><h1>A story</h1><x-card><template shadowrootmode="open"><h2><slot name="title"></slot></h2><div>${prose}<slot></slot></div></template><span slot="title">Slotted</span><p>A line of the light tree, which is long enough to be read.</p></x-card></article></main>`,
    );
    expect(html).toContain("Paragraph 1");
    expect(html).toContain("A line of the light tree");
    expect(html).toMatch(/<h2>(?:<span>)?Slotted/);
  });

  test.each(["property='og:description'", "name='twitter:description'"])("in %s, with a notice", (name) => {
    const post = `<meta ${name} content="The wheel turns again.">`;
    const view = read(`${head}${post}</head><body><div id="app"></div></body></html>`);
    expect(view.html).toContain("<p>The wheel turns again.</p>");
    expect(view.notice).toContain("its description");
  });

  test("and a page without any says so", () => {
    expect(read(`${head}</head><body></body></html>`)).toMatchObject({
      html: "",
      notice: "no article was found on this page",
    });
  });

  test("in an e-mail address that Cloudflare obscures", () => {
    const code = Buffer.from([0x54, ...Buffer.from("ann@example.com").map((byte) => byte ^ 0x54)]).toString("hex");
    const link = `<a href="/cdn-cgi/l/email-protection" class="__cf_email__" data-cfemail="${code}">[email&#160;protected]</a>`;
    expect(inArticle(`<p>Write to ${link} before June, or come to the mill in person.</p>`)).toContain(
      'Write to <a href="mailto:ann@example.com">ann@example.com</a> before June',
    );
  });
});

test("a margin note follows the paragraph of its sentence", () => {
  const toggle = '<label for="n1" class="margin-toggle">&#8853;</label><input type="checkbox" id="n1">';
  const html = inArticle(
    `<p>The wheel turns backwards${toggle}<span class="sidenote">Only in winter.</span> for an hour each day.</p>`,
  );
  expect(html).toContain("<p>The wheel turns backwards for an hour each day.</p>");
  expect(html).toContain("<p>Only in winter.</p>");
  expect(html).not.toContain("⊕");
});

describe("the view leaves out", () => {
  test.each([
    ["a line of topics", '<p>Topics: <a href="/1">wells</a>, <a href="/2">mills</a></p>', "Topics"],
    ["a line between advertisements", "<p>Advertisement - Continue Reading Below</p>", "Advertisement"],
    [
      "the heading of a list of other stories",
      `<x-list class="PageList"><div class="header"><h3>What to know</h3></div><ul class="PageList-items"><li><a href="/1">Follow the live updates</a></li><li><a href="/2"><b>Ground game:</b> Sign up for more</a></li><li><a href="/3">Seats to watch</a></li></ul></x-list>`,
      "What to know",
    ],
  ])("%s", (_name, part, text) => {
    expect(inArticle(part)).not.toContain(text);
  });
});

test("a frame of an unknown player becomes a link with its title, and a formula of an editor TeX", () => {
  const html = inArticle(
    '<iframe src="https://player.example/v/1" title="The film of the mill"></iframe><p>So <span data-formula="E = mc^2"></span> holds for each of the wheels of the mill.</p>',
  );
  expect(html).toContain('<a href="https://player.example/v/1">The film of the mill</a>');
  expect(html).toContain("So \\(E = mc^2\\) holds");
});
