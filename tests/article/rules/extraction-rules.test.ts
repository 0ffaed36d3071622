// SPDX-License-Identifier: MIT

import { withArticle } from "@reading-list/article/view/page-structure.ts";
import { viewPage } from "@reading-list/article/view/text-view.ts";
import { prose } from "@reading-list/testing/page-server.ts";
import { rulesWithout } from "@reading-list/testing/rules-without.ts";
import { describe, expect, test } from "vitest";

const url = "https://example.com/story";

function lessOf(body: string, options: { without?: string; images?: boolean; head?: string } = {}) {
  const html = `<!doctype html><html><head><title>A story</title>${options.head ?? ""}</head><body>${body}</body></html>`;
  const rules = options.without === undefined ? undefined : rulesWithout(options.without);
  return viewPage(html, url, { mode: "less", images: options.images ?? false }, rules).html;
}

const declared = '<meta property="og:type" content="article">';
const post = (name: string) => `<div class="post"><h3>${name} wrote</h3>${prose.replaceAll("Paragraph", name)}</div>`;

/** For each rule a page on which it removes, or finds, the text "MARK". */
const removals: Record<string, string> = {
  "page-parts": `<article>${prose}<nav><p>MARK, a sentence of some length in the navigation, with commas, and more.</p></nav></article>`,
  "picture-captions": `<article>${prose}<figure><img src="a.jpg"><figcaption>MARK, the harbour at dawn.</figcaption></figure>${prose}</article>`,
  "inherited-names": `<article>${prose}<div class="story__newsletter-box"><p>MARK: get our best stories, every morning, in your inbox.</p></div>${prose}</article>`,
  "furniture-names": `<article>${prose}<div class="story__newsletter-box"><p>MARK: get our best stories, every morning, in your inbox.<br>We send no other letters, and never pass your address on.</p></div>${prose}</article>`,
  "link-lists": `<article>${prose}<div><ul><li><a href="/a">MARK, the mayor resigns</a></li><li><a href="/b">Storm warning for the coast</a></li><li><a href="/c">Fish is cheaper</a></li></ul></div>${prose}</article>`,
};

describe("a rule removes what is not part of the article", () => {
  test.each(Object.entries(removals))("%s", (_name, body) => {
    const html = lessOf(body, { head: declared });
    expect(html).not.toContain("MARK");
    expect(html).toContain("Paragraph 5 of the article");
    expect(html.match(/Paragraph 2/g)).toHaveLength(body.split("Paragraph 2").length - 1);
  });

  test.each(Object.entries(removals).filter(([name]) => name !== "page-parts"))("%s can be disabled", (name, body) => {
    expect(lessOf(body, { head: declared, without: name })).toContain("MARK");
  });
});

describe("labels without their content are removed", () => {
  test.each([
    ["of an advertisement, with its image", '<div>Advert<br><img src="/MARK.png" alt="MARK"></div>'],
    ["of stories that were removed", "<div><p>Read Next</p></div>"],
    ["of an editor's name", "<div><p>Edited by:</p></div>"],
    ["of a control in a quotation", "<blockquote><div>Quoted words.</div><div>Click to expand...</div></blockquote>"],
    ["of a menu of sections", '<h2>On this page</h2><nav><a href="#a">A section</a></nav>'],
    ["of a question to readers", "<p>Was this article helpful? MARK</p>"],
    ["of closed comments", "<p>Comments are closed, but write to MARK.</p>"],
    ["of a new story", "<h2>Breaking News</h2>"],
    ["of a slide", "<p>Image 1 of 5</p>"],
    [
      "of a larger image",
      '<figure><div><span>Press enter or click to view image in full size</span><div><img src="/a.png" alt=""></div></div></figure>',
    ],
    ["of another story", '<p>Must read: <a href="/b">MARK sails again</a></p>'],
    ["of a promotion in capitals", '<p><a href="/app"><strong>CLICK HERE TO GET THE MARK APP</strong></a></p>'],
    ["of a commission", "<p>MARK is independent. If you buy through our links, we may earn a commission.</p>"],
    ["of a template without its data", "<div>{{ MARK.errors[1].message }}</div>"],
    ["of a date, alone in a section", "<section><span>Published November 20th, 2019 MARK</span></section>"],
  ])("%s", (_name, label) => {
    const html = lessOf(`<article>${prose}${label}${prose}</article>`, { head: declared, images: true });
    expect(html).not.toMatch(/MARK|Advert|Read Next|Edited|Click|On this page|Image 1|Breaking|full size/i);
    expect(html.includes("Quoted words.")).toBe(label.includes("Quoted words."));
  });

  const shown = (parts: string) =>
    lessOf(`<article>${prose}${parts}${prose}</article>`, { head: declared, images: true })
      .replace(/<(?!img)[^>]*>/g, " ")
      .replace(/\s+/g, " ");
  test.each([
    ["of the page of a chapter", "<p>Page 1 of 8</p>"],
    ["of the time that it takes to read", "<p>The team | 5 min read</p>"],
    ["of that time, with a date", "<div>7 min read<span>·</span>Dec 30, 2013</div>"],
    ["of a number that a script would show", "<p>--</p>"],
    ["of code that shows the page elsewhere", "<ul><li>Embed &lt;iframe src='/e/1' width='100%'&gt;</li></ul>"],
    ["of consent to letters", "<p>By signing up, you agree to receive our letters about boats.</p>"],
    ["of a request for money", "<div><h2>This story is funded by readers like you</h2><p>Please give.</p></div>"],
    ["of a time for machines", "<p>2025-10-30T10:45:07-04:00</p>"],
    [
      "of a rating",
      '<div class="rmp-widget"><p class="rmp-title">How useful was this post?</p><p class="rmp-note">No votes so far, but you can be the first of all to rate it.</p></div>',
    ],
    ["of letters", "<div><h2>Breaking News Emails</h2><p>The news of the day, once a day.</p></div>"],
    ["of letters that are elsewhere", "<h2>Breaking News Emails</h2>"],
    ["of other texts", '<div><h3>Você pode gostar...</h3><p>Outro <a href="/1">texto</a> do porto.</p></div>'],
    [
      "of an author, with a portrait",
      '<div class="bio"><p><img src="/a.jpg"></p><p>Jane likes fish, and boats. She swims in the harbour.</p></div>',
    ],
    ["of an image that is not there", '<div><div><div><p class="caption-text">A boat.</p></div></div></div>'],
    ["of an image's button", "<p>Show Caption</p>"],
    ["of a whole review", '<p>Read the entire <a href="/review">review</a></p>'],
    ["of stories that follow elsewhere", "<h2>related news</h2>"],
    [
      "of other stories, with their words around links",
      `<p>More Great TOWN Stories</p><ul>${'<li>The plan to mend <a href="/1">all the old boats</a></li>'.repeat(3)}</ul>`,
    ],
    ["of a subscription", "<p>SUBSCRIBE</p>"],
    ["of a short code", "<p>[button link=”/kit” type=”big”] Send us your kit</p>"],
    ["of a menu of contents", "<h3>Table of Content</h3>"],
  ])("%s", (_name, label) => {
    expect(shown(label)).toBe(shown(""));
  });

  test.each([
    ["an image with a credit", '<p><img src="/KEPT.png" alt="">Advertisements of 1920, at the museum</p>'],
    ["a heading that names more of the same", "<h4>More about KEPT</h4><p>The rest of the text about it.</p>"],
    ["a line of verse", "<p>Don't miss KEPT…</p>"],
    [
      "a list of references",
      `<p>See also:</p><ul>${'<li>The plan of <a href="/1">the KEPT boats</a> of the town</li>'.repeat(3)}</ul>`,
    ],
    ["the caption of code", '<div><p class="caption">The KEPT file</p><pre>a = 1</pre></div>'],
    ["a sentence about commissions", "<p>The links of KEPT earn its readers a commission if others buy.</p>"],
    ["a feature", "<ul><li>Data for all roles</li><li>Updated for 2024, by KEPT</li></ul>"],
    [
      "a linked heading in capitals",
      '<h4><a href="/hotel">6. KEPT, THE OLD HOTEL OF THE HARBOUR</a></h4><p>It has rooms.</p>',
    ],
    ["the date of a story in a list", "<div><h3>KEPT</h3><p>Harbours · 12 min read · March 5, 2026</p></div>"],
    ["a word between two commands", "<pre>start one</pre><p>or</p><pre>start KEPT</pre>"],
    ["a sentence about a licence", "<p>The font of KEPT is licensed under a free licence, which few know.</p>"],
  ])("but %s stays", (_name, part) => {
    const html = lessOf(`<article>${prose}${part}${prose}</article>`, { head: declared, images: true });
    expect(html).toContain("KEPT");
    for (const line of ["<p>or</p>", "March 5, 2026"]) expect(html.includes(line)).toBe(part.includes(line));
  });

  test("but the label of a table of contents stays with it", () => {
    const html = lessOf(`<article>${prose}<h2>On this page</h2><ul><li>A section</li></ul>${prose}</article>`);
    expect(html).toContain("<h2>On this page</h2><ul><li>A section</li></ul>");
  });

  test("an image after the last sentence is removed if it links to another page, unless it is a figure, a card or an album", () => {
    const image = (name: string, link: string) => `<div><a href="${link}"><img src="/${name}.png" alt=""></a></div>`;
    const end = [
      image("MARK", "/another-story"),
      image("MARK", "https://shop.example/"),
      `<figure>${image("figure", "/chart")}</figure>`,
      `${image("card", "/card")}<h3><a href="/card">A card</a></h3>`,
      image("file", "/full.jpg?size=2"),
      image("album", "https://www.flickr.com/photos/1"),
      image("attachment", `${url}/attachment`),
      '<div><img src="/plain.png" alt=""></div>',
    ].join("");
    const sentence = `<p>A flag <a href="/flag"><img src="/flag.png" alt=""></a> is in the last sentence of the article.</p>`;
    const html = lessOf(
      `<article>${image("first", "/a")}${prose}${image("middle", "/b")}${prose}${sentence}${end}</article>`,
      {
        head: declared,
        images: true,
      },
    );
    const shown = [...html.matchAll(/src="[^"]*\/(\w+)\.png"/g)].map(([, name]) => name);
    expect(shown).toEqual(["first", "middle", "flag", "figure", "card", "file", "album", "attachment", "plain"]);
  });

  test("images of a site's design are removed, unless they have a caption or a description", () => {
    const images = [
      '<p><img src="/a/user_avatar/48/MARK.png"></p><p><img src="/x/icons/MARK.svg"></p><p><img src="/MARK_icon.png"></p>',
      '<p><a href="/app"><img src="/MARK.png" alt="Listen on Our Podcasts"></a></p><p><img src="/ads/MARK.jpg"></p>',
      '<p title="MARK"><img src="/img/pinterest.png"></p><p title="MARK"><img src="/red-arrow.svg"></p>',
      '<p>Then</p><p><img src="/plain.png" alt="A new logo"></p><p><img src="/product-icon-view.jpg"></p>',
      '<p>Between</p><p><img src="/people/jane-author.jpg"></p>',
      '<figure><img src="/caption-logo.png"><figcaption>The first logo of the club.</figcaption></figure>',
      '<p><a href="/b"><img src="/linked.png" alt="The logo of the club, painted on a wall of the harbour"></a></p>',
    ].join("");
    const html = lessOf(
      `<article><p><img src="/MARK-logo.png"></p>${prose}${images}${prose}<p><img src="/b/MARK-badge.png"></p>
      <p><img src="/MARK-author.webp"></p></article>`,
      { head: declared, images: true },
    );
    const shown = [...html.matchAll(/src="[^"]*\/([\w-]+)\.\w+"/g)].map(([, name]) => name);
    expect(shown).toEqual(["plain", "product-icon-view", "jane-author", "caption-logo", "linked"]);
  });

  test("buttons are removed, but not links that do not look like buttons, nor buttons in a sentence", () => {
    const html = lessOf(
      `<article>${prose}<ol><li>A boat of the harbour, with sails. <div><a class="btn-primary" href="/1">MARK it now</a></div></li>
      <li>Another boat, without sails. <p><a class="btn" href="/3">MARK</a> <a class="wp-button__link" href="/4">MARK</a></p></li></ol>
      <ul><li><a href="/5">A KEPT link</a></li><li>Then click <a class="btn" href="/6">KEPT</a> to go on.</li></ul>${prose}</article>`,
      { head: declared },
    );
    expect(html).not.toContain("MARK");
    expect(html.match(/KEPT/g)).toHaveLength(2);
  });

  test("icon names are removed", () => {
    const html = lessOf(
      `<article>${prose}<h2>A question? <i class="material-icons">chevron_right</i></h2><div><h3>Another?</h3><i>+</i></div>
      <p>An answer <img src="/up.png" width="24" aria-hidden="true" alt="Chevron up"> that is shown.</p>
      <ul><li><img src="/c.svg" width="20" alt="chevron-circle"> A line of a list.</li></ul>${prose}</article>`,
    );
    expect(html).toContain("A question?");
    expect(html).not.toMatch(/chevron|>\+</i);
    const table = '<table><tr><td>Works alone<td><i class="material-icons">check</i><tr><td>Costs<td>nothing</table>';
    expect(lessOf(`<article>${prose}${table}${prose}</article>`)).toContain("check");
  });

  describe("about the author", () => {
    const written = `${declared}<meta name="author" content="Ann Example">`;
    const lessBy = (end: string, head = written) => lessOf(`<article>${prose}${end}</article>`, { head, images: true });

    test.each([
      ["a note", "<p>Ann Example is an editor of MARK, and lives by the sea.</p>"],
      [
        "a box",
        "<h3>About Ann Example</h3><p>Editor of MARK, and a sailor for many a year.</p><p>She lives by the sea.</p>",
      ],
      ["a portrait", '<div><img src="/MARK.jpg" alt="Photo of Ann Example"></div>'],
    ])("%s at the end is removed", (_name, end) => {
      expect(lessBy(end)).not.toMatch(/MARK|by the sea/);
    });

    test.each([
      [
        "a note, if the page declares another author",
        "<p>Ann Example is an editor of KEPT, and lives by the sea.</p>",
        declared,
      ],
      [
        "a word that is a name",
        "<p>Ann kept on, and KEPT was the word of the year.</p>",
        written.replace("Ann Example", "Ann"),
      ],
      [
        "more than 15% of the text",
        `<p>Ann Example wrote on KEPT. ${"She had much to say about it. ".repeat(20)}</p>`,
        written,
      ],
      [
        "a photo in a sentence",
        '<p><img src="/KEPT.jpg" alt="Ann Example">My name is Ann, and this is me at sea.</p>',
        written,
      ],
    ])("%s stays", (_name, end, head) => {
      expect(lessBy(end, head)).toContain("KEPT");
    });
  });

  test("a figure with a caption is shown once", () => {
    const figure = '<figure><img src="/harbour.png" alt=""><figcaption>The harbour</figcaption></figure>';
    const html = lessOf(`<article>${figure}${prose}${figure}${prose}</article>`, { images: true });
    expect(html.split("harbour.png")).toHaveLength(2);
    const twice = figure.replace(/<figcaption>.*(?=<\/figure>)/, "$&$&");
    expect(lessOf(`<article>${prose}${twice}${prose}</article>`, { images: true }).split("The harbour")).toHaveLength(
      2,
    );
  });

  test("a long repeated paragraph is shown once, but a refrain is not removed", () => {
    const line = `The harbour is open: ${"ships come and go. ".repeat(4)}`;
    const refrain = `<p>${line.replace("open:", "calm,<br>")}</p>`;
    const html = lessOf(`<article><p>${line}</p><div><p>${line}</p></div>${prose}${refrain}${refrain}</article>`, {
      head: declared,
    });
    expect([html.split("is open").length, html.split("is calm").length]).toEqual([2, 3]);
  });

  test("a term of a list has no permalink marker", () => {
    const list =
      '<dl><dt>class <code>Harbour</code><a class="headerlink" href="#h">¶</a></dt><dd>Opens at dawn.</dd></dl>';
    expect(lessOf(`<article>${prose}${list}${prose}</article>`)).toContain("<dt>class <code>Harbour</code></dt>");
  });

  test("a video without a source has no link", () => {
    expect(lessOf(`<article>${prose}<div><video><source src=""></video></div>${prose}</article>`)).not.toContain(
      "<figure",
    );
  });

  test("paragraphs of invisible characters are removed", () => {
    expect(lessOf(`<article>${prose}<p>\u200d</p><p>\u00ad</p>${prose}</article>`)).not.toMatch(/<p>.?<\/p>/u);
  });

  test("a labelled list of other stories is also removed from a short article", () => {
    const links = ["storm", "mayor", "fish"].map(
      (name) => `<li><a href="/${name}">MARK: news about the ${name}</a></li>`,
    );
    const article = `<p>The harbour, which had been closed since the storm, was opened again on Monday morning.</p><p>Fishermen and traders agreed that it was time, and that the pier, which had fallen, must be built again soon, before the winter.</p>`;
    const html = lessOf(`<article>${article}<p>You may like...</p><ul>${links.join("")}</ul></article>`, {
      head: declared,
    });
    expect(html).toContain("before the winter");
    expect(html).not.toMatch(/MARK|You may like/);
  });
});

describe("the page's main container is the article if Readability misses most of it", () => {
  const thread = `<main><h1>A question</h1>${["Anna", "Ben", "Cleo"].map((name) => `<table class="t"><tr><td>${name}</td></tr><tr><td>${post(name)}</td></tr></table>`).join("")}</main>`;

  test("whole-container: a thread keeps every post", () => {
    const html = lessOf(thread);
    for (const name of ["Anna", "Ben", "Cleo"]) expect(html).toContain(`${name} 5 of the article`);
  });

  test("site-parts: but not the side bar", () => {
    const html = lessOf(
      thread.replace("</main>", '<div class="sidebar"><p>MARK, who is online, and since when.</p></div></main>'),
    );
    expect(html).not.toContain("MARK");
  });

  test("site-parts: and neither the labels of filters nor links before the heading", () => {
    const links = [1, 2, 3].map((n) => `<a href="/${n}">MARK ${n}</a>`).join("");
    const filter = '<label><input type="checkbox">MARK label</label>';
    const html = lessOf(
      thread.replace("<h1>A question</h1>", `<div>${links}</div><h1>A question</h1><div>${filter}</div>`),
    );
    expect(html).toContain("Anna 5 of the article");
    expect(html).not.toContain("MARK");
  });

  test.each([
    ["a page that declares itself an article", declared],
    ["a page that does not", ""],
  ])("%s keeps its comments out", (_name, head) => {
    const comments = Array.from(
      { length: 12 },
      (_, n) => `<div class="c"><p>COMMENT ${n}: I think, as many do, that this is wrong.</p></div>`,
    );
    const html = lessOf(
      `<main><article>${prose}</article><section id="comments">${comments.join("")}</section></main>`,
      { head },
    );
    expect(html).toContain("Paragraph 5");
    expect(html).not.toContain("COMMENT");
  });
});

test("teasers of a marked container do not replace the article beside it", () => {
  const teasers = Array.from({ length: 40 }, (_, n) => `<li>Teaser ${n}: the mayor of town ${n} opens a harbour.</li>`);
  const html = lessOf(`<div class="text">${prose}${prose}</div><main><ul>${teasers.join("")}</ul></main>`, {
    head: declared,
  });
  expect(html).toContain("Paragraph 5");
  expect(html).not.toContain("Teaser");
});

test("a signature and a paragraph that is a link stay", () => {
  const html = lessOf(
    `<article>${prose}<h2>Watch this</h2><p><a href="/film">The film of the harbour</a></p>${prose}<p>With kind regards,</p><p>Ann Example</p></article>`,
    { head: declared },
  );
  for (const line of ["The film of the harbour", "With kind regards,", "Ann Example"]) expect(html).toContain(line);
});

describe("size guards keep a rule from emptying a page", () => {
  test("furniture-names keeps a part that holds much of the text", () => {
    expect(lessOf(`<article><div class="related promo">${prose}</div></article>`)).toContain("Paragraph 5");
  });

  test("furniture-names keeps a word within a sentence", () => {
    const sentence = '<p>A <a class="glossary-tooltip" href="/pod">pod</a> is, as a rule, short-lived.</p>';
    expect(lessOf(`<article>${prose}${sentence}${prose}</article>`)).toContain(">pod</a> is");
  });

  test("a list made of links stays", () => {
    const links = Array.from(
      { length: 12 },
      (_, n) => `<p><a href="/${n}">Entry number ${n} of the collection</a></p>`,
    );
    expect(lessOf(`<article>${prose}${links.join("")}</article>`)).toContain("Entry number 7");
  });

  test("hidden text is left out, unless it is the page", () => {
    const hidden = "<p>MARK, a sentence that nobody sees, with a comma.</p>";
    const wrap = (attribute: string) => lessOf(`<article>${prose}<div ${attribute}>${hidden}</div></article>`);
    expect(wrap("hidden")).not.toContain("MARK");
    expect(wrap('style="color: red; display : none"')).not.toContain("MARK");
    expect(wrap('aria-hidden="true"')).not.toContain("MARK");
    expect(lessOf(`<div style="display:none"><article>${prose}</article></div>`)).toContain("Paragraph 5");
  });
});

describe("an article keeps", () => {
  test("code, tables, lists, quotations and footnotes", () => {
    const parts = [
      "<pre><code>if (a &lt; b) {\n  return;\n}</code></pre>",
      "<table><caption>Ships</caption><tr><th>Name</th><td>Anna</td></tr></table>",
      "<ol><li>First, the storm</li><li>Then the flood</li></ol>",
      "<blockquote><p>It took too long, far too long.</p></blockquote>",
      '<p>As said<sup><a href="#fn1">1</a></sup>.</p><ol><li id="fn1">In the report of May, page 3.</li></ol>',
    ];
    const html = lessOf(`<article>${prose}${parts.join(prose)}${prose}</article>`, { head: declared });
    expect(html).toContain("<pre><code>if (a &lt; b) {\n  return;\n}</code></pre>");
    for (const text of [
      "Ships",
      "<th>Name</th>",
      "<li>First, the storm</li>",
      "<blockquote>",
      "In the report of May",
    ]) {
      expect(html).toContain(text);
    }
    expect(html).toContain('<a href="#text-fn1">1</a>');
    expect(html).toContain('<li id="text-fn1">');
  });

  test.each([
    ["code in a box with a tool bar", '<div class="code-toolbar"><pre>KEPT = 1;</pre></div>'],
    [
      "a heading with an id of its own words",
      '<h2 id="related-KEPT">Related KEPT</h2><p>Others measured it before, and often.</p>',
    ],
    [
      "a heading about cookies",
      '<h2 id="cookies-KEPT">Cookies: KEPT</h2><p>A cookie, as it is called, is a small text.</p>',
    ],
    [
      "a section with an id of its heading's words",
      '<section id="informed-consent"><h2>Informed consent</h2><p>KEPT, as all who took part were asked, in writing.</p></section>',
    ],
    [
      "a list of dishes that is called a menu",
      '<div class="recipe-menu-list"><ul><li>KEPT soup</li><li>Bread</li></ul></div>',
    ],
    [
      "whose words a quotation has",
      '<blockquote><p>It took long.</p><footer class="attribution">KEPT Jane Doe</footer></blockquote>',
    ],
  ])("%s", (_name, part) => {
    expect(lessOf(`<article>${prose}${part}${prose}</article>`, { head: declared })).toContain("KEPT");
  });

  test.each([
    ["list of definitions", "<dl><dt>KEPT bow</dt><dd>The front</dd></dl>", false],
    ["formula", '<div class="equation"><math><mi>KEPT</mi><mo>=</mo><mi>m</mi></math></div>', false],
    ["gallery", '<figure class="wp-block-gallery"><img src="KEPT.jpg"><img src="b.jpg"></figure>', true],
    ["picture", '<figure><img src="KEPT.jpg"><figcaption>KEPT harbour</figcaption></figure>', true],
  ])("a last %s", (_name, part, images) => {
    expect(lessOf(`<article>${prose}${part}</article>`, { head: declared, images })).toContain("KEPT");
  });

  test("a picture before the text", () => {
    const picture = '<figure><img src="a.jpg"><figcaption>KEPT harbour</figcaption></figure>';
    const html = lessOf(`<article>${picture}${prose}</article>`, { head: declared, images: true });
    expect(html).toContain("KEPT");
    expect(html).toContain("a.jpg");
  });

  test("captions if their images are shown", () => {
    const body = removals["picture-captions"] ?? "";
    const html = lessOf(body, { images: true });
    expect(html).toContain("<figcaption>MARK, the harbour at dawn.</figcaption>");
    expect(html).toContain('<img src="https://example.com/a.jpg" alt=""');
  });

  describe("a formula", () => {
    const core = '<math display="block"><msup><mi mathvariant="normal">c</mi><mn>2</mn></msup></math>';
    const drawn = '<span class="MathJax">c2</span>';
    const mathMl =
      '<math><semantics><mi>c</mi><annotation encoding="application/x-tex">c</annotation></semantics></math>';
    const image = '<img class="mwe-math-fallback-image-inline" src="/c.svg" alt="c">';
    test.each([
      ["as MathML Core", core, core],
      ["without its source and notes for programs", mathMl, "<math><mi>c</mi></math>"],
      [
        "that an encyclopedia hides behind an image",
        `<span style="display: none">${mathMl}</span>${image}`,
        "So <math><mi>c</mi></math> holds",
      ],
      [
        "with brackets of an older version",
        '<math><mfenced open="[" separators=";"><mi>a</mi><mi>b</mi></mfenced></math>',
        "<math><mrow><mo>[</mo><mi>a</mi><mo>,</mo><mi>b</mi><mo>)</mo></mrow></math>",
      ],
      [
        "with an action",
        '<math><maction actiontype="toggle"><mi>a</mi><mi>b</mi></maction></math>',
        "<math><mi>a</mi></math>",
      ],
      [
        "without links, styles and colors",
        '<math><mi href="https://a.example/" style="color: red" mathcolor="red">a</mi></math>',
        "<math><mi>a</mi></math>",
      ],
      [
        "as TeX if it is nothing else",
        '<math><semantics><annotation encoding="application/x-tex">c^2</annotation></semantics></math>',
        String.raw`So \(c^2\) holds`,
      ],
      ["of a script that draws it", `${drawn}<script type="math/tex">c^2</script>`, String.raw`So \(c^2\) holds`],
      [
        "of a script, in a line of its own",
        '<script type="math/tex; mode=display">c^2</script>',
        String.raw`So \[c^2\] holds`,
      ],
      [
        "of a script that also writes MathML",
        `<span class="MathJax"><span>c2</span>${mathMl}</span><script type="math/tex">c^2</script>`,
        "So <math><mi>c</mi></math> holds",
      ],
      [
        "that a style sheet draws",
        '<span data-math="c^2"><span aria-hidden="true">c2</span></span>',
        String.raw`So \(c^2\) holds`,
      ],
    ])("%s", (_name, formula, expected) => {
      for (const images of [true, false])
        expect(lessOf(`<article>${prose}<p>So ${formula} holds.</p>${prose}</article>`, { images })).toContain(
          expected,
        );
    });
  });

  test("the article of an application that puts it into a noscript element", () => {
    expect(lessOf(`<div id="app"></div><noscript><article>${prose}</article></noscript>`)).toContain("Paragraph 5");
  });

  test("the fallback content of frames and objects", () => {
    const frames = `<frameset cols="50%"><frame src="a"><noframes><body>${prose}</body></noframes></frameset>`;
    expect(
      viewPage(`<html><head><title>A</title></head>${frames}</html>`, url, { mode: "less", images: false }).html,
    ).toContain("Paragraph 5");
    expect(
      lessOf(`<article>${prose}<object data="a.svg"><p>KEPT, as text, the plan of it.</p></object>${prose}</article>`),
    ).toContain("KEPT");
  });

  test("structured-body: the text in structured data, as a last resort", () => {
    const data = JSON.stringify({
      "@type": "NewsArticle",
      articleBody: "The harbour & the town.\n\nIt <b>opened</b>.",
    });
    const head = `<script type="application/ld+json">${data}</script>`;
    expect(lessOf("<p>Loading</p>", { head })).toBe("<p>The harbour &amp; the town.</p><p>It opened.</p>");
  });
});

describe("lazy images get their real URL", () => {
  test.each([
    ["data-src", '<img src="/blank.gif" data-src="/real.jpg">'],
    ["data URI", '<img src="data:image/gif;base64,R0lGOD" data-original="/real.jpg">'],
    ["srcset", '<img srcset="/small.jpg 320w, /real.jpg 1280w, /middle.jpg 640w">'],
    ["picture", '<picture><source srcset="/real.jpg 2x"><img alt=""></picture>'],
    ["noscript", '<img class="lazy" src="/placeholder.png"><noscript><img src="/real.jpg"></noscript>'],
    ["data-src, which a script shows in place of a preview", '<img src="/preview.jpg" data-src="/real.jpg">'],
    ["its own, if data-src is a template", '<img src="/real.jpg" data-src="/other_{width}x.jpg">'],
    ["its link, if it is a placeholder", '<a href="/real.jpg"><img src="/img/lazy_placeholder.gif"></a>'],
    ["another attribute, if it is a placeholder", '<img src="/blank.gif" data-name="a.b" data-lazyload="/real.jpg">'],
  ])("from %s", (_name, image) => {
    const html = lessOf(`<article>${prose}<p>${image}</p>${prose}</article>`, { images: true });
    expect(html.match(/<img src="([^"]*)"/)?.[1]).toBe("https://example.com/real.jpg");
    expect(html.match(/<img/g)).toHaveLength(1);
  });

  test.each(["preloaderbig.gif", "ajax-loader.gif", "blank.gif", "a-placeholder-400x300.png"])(
    "or are removed if they have only %s",
    (file) => {
      const html = lessOf(`<article>${prose}<p><img src="/i/${file}"></p>${prose}</article>`, { images: true });
      expect(html).not.toContain("<img");
    },
  );

  test("and are removed with images=0", () => {
    const html = lessOf(
      `<article>${prose}<p><img src="/a.jpg"><picture><img src="b.jpg"></picture></p>${prose}</article>`,
    );
    expect(html).not.toMatch(/img|picture|jpg/);
  });
});

describe("XML", () => {
  const viewOf = (xml: string, mode: "less" | "more" = "less") => viewPage(xml, url, { mode, images: false });

  test("of XHTML is read with its empty elements and its CDATA", () => {
    const xhtml = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><script src="a.js"/><title>A story</title></head><body><article><p><![CDATA[Ropes & <knots>]]></p>${prose}</article></body></html>`;
    expect(viewOf(xhtml).title).toBe("A story");
    expect(viewOf(xhtml).html).toContain("Paragraph 5");
    expect(viewOf(xhtml, "more").html).toContain("Ropes &amp; &lt;knots&gt;");
  });

  test("of XHTML keeps its scripts whole after letters whose lower case is longer", () => {
    const script = '<SCRIPT type="text/x"><p>code</p></SCRIPT>';
    const xhtml = `<html xmlns="http://www.w3.org/1999/xhtml"><body><p>${"İ".repeat(50)}</p>${script}<article>${prose}</article></body></html>`;
    const { html } = viewOf(xhtml, "more");
    expect(html).toContain("Paragraph 0");
    expect(html).not.toContain("code");
  });
});

describe("links", () => {
  test("are absolute, by the page's base", () => {
    const body = `<article>${prose}<p>See <a href="more?a=1&amp;b=2">more of it</a>, or ask, as some did.</p>${prose}</article>`;
    expect(lessOf(body)).toContain('<a href="https://example.com/more?a=1&amp;b=2">');
    expect(lessOf(body, { head: '<base href="https://cdn.example.org/x/">' })).toContain(
      '"https://cdn.example.org/x/more?a=1',
    );
    expect(lessOf(body, { head: `<base href="https://cdn.example.org/${"x".repeat(3000)}/">` })).toContain(
      '"https://example.com/more?a=1',
    );
    expect(lessOf(body, { head: '<base href="javascript:alert(1)//">' })).toContain('"https://example.com/more?a=1');
  });
});

describe("the view of `more`", () => {
  const page = `<nav><ul><li><a href="/sport">Sport</a></li></ul></nav><h1>A story</h1><article>${prose}<div class="newsletter"><p>Subscribe, please.</p></div></article><aside><h2>Weather</h2><p>Rain.</p></aside><form><input value="x"><button>Go</button></form>`;

  test("keeps navigation, headings and side bars as plain structure", () => {
    const { html } = viewPage(page, url, { mode: "more", images: false });
    for (const part of ["<nav>", "Sport", "<h1>A story</h1>", "<aside>", "Rain.", "Subscribe"])
      expect(html).toContain(part);
    expect(html).not.toMatch(/form|input|button|class=/);
  });

  test("repeats no block of the article except blocks that the page's structure lacks", () => {
    const structure = "<p>Boats</p><p>Ropes, 3 shares, and knots</p>";
    expect(withArticle(structure, "<div><p>Boats</p><p>Ropes, <b>and</b> knots</p></div>")).toBe(
      `<p>Ropes, and knots</p>\n${structure}`,
    );
  });

  test("contains the text of `less`", () => {
    const text = (mode: "less" | "more") =>
      viewPage(page, url, { mode, images: false })
        .html.replace(/<[^>]*>/g, "")
        .replace(/\s+/g, " ")
        .trim();
    expect(text("more")).toContain(text("less"));
  });
});
