// SPDX-License-Identifier: MIT

import { viewPage } from "@reading-list/article/view/text-view.ts";
import { describe, expect, test } from "vitest";

const prose = (name: string) =>
  [1, 2, 3, 4]
    .map(
      (n) =>
        `<p>${name} ${n} describes the mill by the river. Three families have kept its wheel turning since the first records of the village.</p>`,
    )
    .join("");
const view = (middle: string) =>
  viewPage(
    `<!doctype html><html lang="en"><head><title>A story</title></head><body><main><article><h1>A story</h1>${prose("Paragraph")}${middle}${prose("Passage")}</article></main></body></html>`,
    "https://example.com/story",
    { mode: "less", images: true },
  ).html;

const code = ["def f(x):", "  return x", "print(f(1))"];
const listing = /<pre>(?:<code>)?def f\(x\):\n {2}return x\nprint\(f\(1\)\)\s*(?:<\/code>)?<\/pre>/;
const lines = (line: (text: string, number: number) => string, between = "") =>
  code.map((text, index) => line(text, index + 1)).join(between);
const hard = (text: string) => text.replaceAll("  ", "&nbsp;&nbsp;");

test.each(
  Object.entries({
    "a number in each line": `<pre><code>${lines((t, n) => `<span class="line"><span class="ln">${n}</span><span class="cl">${t}\n</span></span>`)}</code></pre>`,
    "a number before each line": `<pre>${lines((t, n) => `<span class="linenos">${n}</span>${t}`, "\n")}</pre>`,
    "a column of numbers": `<div class="cm-editor"><div class="cm-gutters"><div class="cm-gutter">${lines((_, n) => `<div>${n}</div>`)}</div></div><div class="cm-content">${lines((t) => `<div class="cm-line">${t}</div>`)}</div></div>`,
    "boxes of an editor": `<div class="enlighter">${lines((t) => `<div><div><span>${t}</span></div></div>`)}</div>`,
    "a numbered list": `<pre class="linenums"><ol class="linenums">${lines((t) => `<li><span>${hard(t)}</span></li>`)}</ol></pre>`,
    "a font by name": `<font face="Courier New">${lines(hard, "<br>\n")}</font>`,
    "a font by style": `<div style="font-family: monospace">${lines((t) => `<div>${hard(t)}</div>`)}</div>`,
    "a font and white space": `<div style="white-space: pre-wrap; font-family: monospace">${code.join("\n")}</div>`,
    "the element tt": `<tt>${lines(hard, "<br>\n")}</tt>`,
    "the element xmp": `<xmp>${code.join("\n")}</xmp>`,
    "a field that cannot be changed": `<textarea readonly>${code.join("\n")}</textarea>`,
    "a paragraph for each line": `${lines((t) => `<p><span style="font-family: Consolas">${hard(t)}</span></p>`)}`,
    "boxes named lines of a file": `<div class="lines">${lines((t) => `<div><div class="react-file-line">${t}</div></div>`)}</div>`,
    "boxes in code": `<code>${lines((t) => `<div>${hard(t)}</div>`)}</code>`,
    "lines by style": `<pre><code>${lines((t, n) => `<span style="display:flex"><span class="linenumber">${n}</span><span>${t}</span></span>`)}</code></pre>`,
  }),
)("lines of code are one listing: %s", (_, shape) => expect(view(shape)).toMatch(listing));

test("a post in a table that has code, too, is text", () =>
  expect(
    view(
      `<table>${["one", "two"].map((name) => `<tr><td></td><td><p>The ${name} wheel turns.</p><pre><code>turn(${name})</code></pre></td></tr>`).join("")}</table>`,
    ),
  ).toMatch(/The two wheel turns\.<\/p>\s*<pre>/));

test("verse whose white space the page shows keeps its lines", () =>
  expect(view(`<div style="white-space: pre-line">The mill is old\nThe wheel is slow</div>`)).toMatch(
    /The mill is old<br \/>\s*The wheel is slow/,
  ));

test("text in an element of Word stays in its sentence", () =>
  expect(view("<p>They lived in <st1:place>Holm</st1:place> for years, and left.</p>")).toContain(
    "They lived in Holm for years, and left.",
  ));

const picture = (name: string) => `<img src="/${name}.jpg" width="900" height="600" alt="">`;

describe("pictures", () => {
  test("a hidden slide is kept", () =>
    expect(
      view(
        `<div class="slider"><div>${picture("one")}</div><div style="display:none">${picture("two")}</div><div style="display:none">${picture("three")}</div></div>`,
      ),
    ).toMatch(/one\.jpg[\s\S]*two\.jpg[\s\S]*three\.jpg/));

  test("a picture between two paragraphs is kept in a box with any name, and in a label that enlarges it", () => {
    expect(view(`<div class="social-banner"><img data-src="/kept.jpg"></div>`)).toContain("kept.jpg");
    expect(view(`<label for="z">${picture("kept")}</label><input type="checkbox" id="z">`)).toContain("kept.jpg");
  });

  test("the caption of a picture is kept in a box with a name for other things, and its credit", () =>
    expect(
      view(
        `<div class="media"><div>${picture("kept")}</div><div class="media__meta"><span class="media__caption">The wheel.</span> <span class="media__credit">A. Holm</span></div></div>`,
      ),
    ).toMatch(/kept\.jpg[\s\S]*The wheel\.[\s\S]*A\. Holm/));

  test("a figure without a picture is text, unless it is a caption", () => {
    expect(view(`<figure><p>Ask for the key at the inn.</p></figure>`)).toContain("Ask for the key");
    expect(view(`<figure><span></span><p>The wheel in the spring.</p></figure>`)).not.toContain("in the spring");
  });

  test("the label in a link to a larger picture is removed", () => {
    const html = view(`<p><a href="/large.jpg">${picture("small")}<span>900 × 600 pixels</span></a></p>`);
    expect(html).toContain("small.jpg");
    expect(html).not.toContain("pixels");
  });

  test("a picture is kept in a box with a caption and a name for other things", () =>
    expect(view(`<div class="related-share">${picture("kept")}<p class="caption">A mill</p></div>`)).toMatch(
      /kept\.jpg[\s\S]*A mill/,
    ));
});

test("the label in a link that only opens the picture is removed, and the link", () => {
  const html = view(`<div><a href="#lightbox-1">${picture("kept")}<span>Zoom in</span></a></div>`);
  expect(html).toContain("kept.jpg");
  expect(html).not.toMatch(/Zoom|lightbox/);
});

test("the placeholder of a lazily loaded picture is left out, whatever its declared size", () =>
  expect(view(`<p><img class="lazy" src="/lazy_placeholder.gif" width="900" height="600"></p>`)).not.toContain("<img"));

test.each([
  `<div role="img" aria-label="A mill" style="background-image: url('/kept.jpg')"></div>`,
  `<figure><div style="background: #eee url(/kept.jpg) center"></div><figcaption>A mill</figcaption></figure>`,
])("a picture that only the style shows is kept: %s", (box) =>
  expect(view(box)).toContain(`src="https://example.com/kept.jpg"`),
);

test("the background of other boxes is no picture", () =>
  expect(view(`<div style="background-image: url(/stripes.jpg)">${prose("Inner")}</div>`)).not.toContain("stripes"));

test("an element that only its role makes a heading is one", () => {
  const sections = ["Alpha", "Beta"].map(
    (name) => `<div role="heading" aria-level="3">${name} part</div>${prose(name)}`,
  );
  expect(view(sections.join("")).match(/<h3>(?:Alpha|Beta) part<\/h3>/g)).toHaveLength(2);
});

test("the author of a quotation is kept", () =>
  expect(
    view(`<div class="quote"><div>The beams are dry as bone.</div><div class="quote-author">Anna Holm</div></div>`),
  ).toContain("Anna Holm"));

describe("sentences", () => {
  test("a button that is a word of a sentence is text", () =>
    expect(view("<p>The old <button>sluice</button> was rebuilt.</p><p>Share: <button>Now</button></p>")).toMatch(
      /The old sluice was rebuilt(?![\s\S]*Now)/,
    ));

  test("a word that opens an explanation, and a box that is shown in its line, stay in the sentence", () => {
    expect(view(`<div>The old <span class="tip"><button>sluice</button></span> was rebuilt.</div>`)).toContain(
      "The old sluice was rebuilt.",
    );
    expect(view(`<div>The old <div style="display:inline">sluice</div> was rebuilt.</div>`)).toContain(
      "The old sluice was rebuilt.",
    );
  });

  test("a letter that is there for eyes and for screen readers is shown once", () =>
    expect(
      view(`<p><span aria-hidden="true">O</span><span class="sr-only">O</span>nce the wheel turned, and then not.</p>`),
    ).toContain("<p>Once the wheel"));

  test("spans that are shown as blocks are blocks", () => {
    const span = (text: string) => `<span style="display: block">${text}</span>`;
    const [one, two] = ["The wheel turns slowly in the spring.", "It rests in the winter, and is mended."];
    expect(view(`<div>${span(one)}${span(two)}</div>`)).toMatch(/spring\.<\/p>\s*<p>It rests/);
    expect(view(`<p>${span(one)}${span(two)}</p>`)).toMatch(/spring\.<br \/>\s*It rests/);
  });

  test.each([
    `<aside class="note"><p><strong>Note:</strong> The wheel stops in winter, so do not come then.</p></aside>`,
    `<aside><h3>What is a sluice?</h3><p>The wheel stops in winter, so do not come then.</p></aside>`,
    `<div class="comment-from-editor"><p>The wheel stops in winter, so do not come then.</p></div>`,
    `<p class="footer-note">The wheel stops in winter, so do not come then.</p>`,
    `<div class="hidden-gems"><h2>Hidden gems</h2><p>The wheel stops in winter, so do not come then.</p></div>`,
  ])("a box among paragraphs is part of the text, whatever its name: %s", (box) =>
    expect(view(box)).toContain("The wheel stops in winter"),
  );

  test.each([
    `<aside class="newsletter"><p>The wheel stops in winter, so do not come then.</p></aside>`,
    `<aside><p><a href="/other">The wheel stops in winter, so do not come then.</a></p></aside>`,
    `<aside><p>The wheel stops in winter, so do not come then.</p><form><input></form></aside>`,
    `<aside><p>Three families have kept its wheel turning since the first records of the village.</p></aside>`,
  ])("a box about other things is not: %s", (box) => {
    expect(view(box)).toBe(view(""));
  });

  test("the explanation that a pointer opens is not part of a sentence", () =>
    expect(view(`<p>The sluice<span role="tooltip">a gate for water</span> was rebuilt.</p>`)).toContain(
      "The sluice was rebuilt",
    ));
});

describe("the key points of an article are kept:", () => {
  const points = "<ul><li>The wheel stops in the winter.</li><li>It turns again in May.</li></ul>";
  const news = (body: string) =>
    viewPage(
      `<!doctype html><meta property="og:type" content="article"><title>A story</title><main><article>${body}</article></main>`,
      "https://example.com/story",
      { mode: "less", images: true },
    ).html;
  test.each([
    `<h1>A story</h1><aside><h2>Key takeaways</h2>${points}</aside><div>${prose("Paragraph")}</div>`,
    `<header><h1>A story</h1><section><h3>Summary</h3><div>${points}</div></section></header><div>${prose("Paragraph")}</div>`,
    `<h1>A story</h1><div>${prose("Paragraph")}<aside class="box"><p>Das Wichtigste in Kürze</p>${points}</aside>${prose("Passage")}</div>`,
  ])("%s", (body) => expect(news(body).match(/It turns again in May/g)).toHaveLength(1));

  test("but no list of other stories, whatever its label", () =>
    expect(
      news(
        `<h1>A story</h1><aside><h2>Highlights</h2>${points.replace(/<li>(.*?)<\/li>/g, '<li><a href="/x">$1</a></li>')}</aside>${prose("Paragraph")}`,
      ),
    ).not.toContain("in May"));
});

test("a quotation with its author beside the text, and a list between paragraphs, are kept whatever their names", () => {
  expect(
    view(`<aside class="pull"><blockquote>Nobody counts the boats.</blockquote><cite>Anna</cite></aside>`),
  ).toContain("Nobody counts the boats.");
  expect(view(`<ol class="sidebar"><li>Close the sluice.</li></ol>`)).toContain("Close the sluice.");
});

test("a film and a quotation between the title and the text are kept", () => {
  const film = `<div class="video-player"><iframe src="https://www.youtube.com/embed/abcdefghijk"></iframe></div>`;
  const page = `<!doctype html><title>A story</title><main><article><h1>A story</h1>${film}<blockquote>Nobody counts the boats.</blockquote>${prose("Lead").slice(0, 150)}</p><div><h2>Transcript</h2>${prose("Paragraph")}</div></article></main>`;
  const { html } = viewPage(page, "https://example.com/story", { mode: "less", images: true });
  expect(html).toMatch(/watch\?v=abcdefghijk[\s\S]*Nobody counts[\s\S]*Lead 1[\s\S]*Transcript/);
});

test("a price that is hidden from screen readers is shown, and a hidden one is not", () => {
  expect(view(`<div><h3>A lamp</h3><p aria-hidden="true"><span>Sale price:</span> $24.50</p></div>`)).toContain(
    "$24.50",
  );
  expect(view(`<div><h3>A lamp</h3><p aria-hidden="true" style="display:none">$24.50</p></div>`)).not.toContain(
    "$24.50",
  );
});

test("a shop's other products are left out, even if they are longer than the product", () => {
  const other = (n: number) =>
    `<div><a href="/i/${n}">Details</a><h3>Another lamp of brass, number ${n} of the collection of the whole valley</h3><p>$${n}.00</p></div>`;
  const page = `<!doctype html><title>A lamp</title><main><h1>A lamp</h1>${prose("Paragraph")}<section><h2>Similar items</h2>${Array.from({ length: 20 }, (_, n) => other(n)).join("")}</section></main>`;
  const { html } = viewPage(page, "https://example.com/i/0", { mode: "less", images: true });
  expect(html).toContain("Paragraph 4");
  expect(html).not.toContain("Another lamp");
});

test("a heading and short lines are kept in a box with any name", () => {
  const html = view(
    `<div class="specs-widget"><h3>Measures</h3><div><div>Height</div><div>31 cm</div></div><div><div>Weight</div><div>900 g</div></div></div>`,
  );
  for (const text of ["Measures", "31 cm", "900 g"]) expect(html).toContain(text);
});

describe("a request to subscribe is left out of an article:", () => {
  const text = "This letter is a reader-supported publication. To receive new posts, consider becoming a subscriber.";
  test.each([
    `<div><div><p>${text}</p></div><div><button>Subscribe</button></div></div>`,
    `<div class="wall"><h3>Subscribe to continue</h3><p>You have read three free articles.</p><a href="/s">Subscribe now</a></div>`,
    `<div><h3>Support our work</h3><p>If you can, support us with a crown a month.</p><a href="/d">Donate</a></div>`,
  ])("%s", (box) => {
    const page = (middle: string) =>
      viewPage(
        `<!doctype html><meta property="og:type" content="article"><title>A story</title><article><h1>A story</h1>${prose("Paragraph")}${middle}${prose("Passage")}</article>`,
        "https://example.com/story",
        { mode: "less", images: true },
      ).html;
    expect(page(box)).toBe(page(""));
    expect(page(`<div><p>The wheel turns.</p><a href="/d">Donate</a></div>`)).toContain("The wheel turns.");
  });
});

test("a request for an address between the parts of a text takes none of them with it", () => {
  const request = `<div><h4>Sign up for the Courier</h4><form><input type="email"><button>Sign up</button></form></div>`;
  const parts = ["one", "two", "three"].map((name) => `<section>${prose(name)}</section>`);
  const page = `<!doctype html><title>A story</title><div><h1>A story</h1>${parts.join(request)}</div>`;
  const { html } = viewPage(page, "https://example.com/story", { mode: "less", images: true });
  for (const name of ["one", "two", "three"]) expect(html).toContain(`${name} 4 describes`);
  expect(html).not.toContain("Courier");
});

test("a dialog above the page is left out, even if it is longer", () => {
  const terms = `<div role="dialog" aria-modal="true"><h2>Terms</h2>${"<p>The user of the wheel agrees to all the terms that are written here by the keeper.</p>".repeat(20)}</div>`;
  const page = `<!doctype html><title>A story</title><main><h1>A story</h1>${prose("Paragraph")}</main>${terms}`;
  expect(viewPage(page, "https://example.com/story", { mode: "less", images: true }).html).not.toContain("Terms");
});

test("the heading with the site's name, beside a main part with its own heading, is left out", () => {
  const page = `<!doctype html><title>A story</title><div id="page-wrapper" class="page-wrapper"><div class="page"><div id="menu-bar" class="menu-bar"><h1 class="menu-title">The Book of Mills</h1></div><div id="content" class="content"><main><h1 id="q">A story</h1>${prose("Paragraph")}</main></div></div></div>`;
  expect(viewPage(page, "https://example.com/story", { mode: "less", images: true }).html).not.toContain("Book of");
});

describe("a heading is kept", () => {
  test("if it is a button, or a link to itself", () => {
    for (const heading of ["<button>The lock</button>", `<a id="lock" href="/story#lock">The lock</a>`])
      expect(view(`<div><div><h2>${heading}</h2><p><b>Built: 1890</b></p></div></div>${prose("Inner")}`)).toMatch(
        /<h2[^>]*>The lock<\/h2>[\s\S]*Built: 1890/,
      );
  });

  test("if it is a link to the site of its subject, beside another link", () => {
    const item = (name: string) =>
      `<li><div class="head"><span>1</span><h3><a href="https://${name}.example/">${name} inn</a></h3><a href="https://maps.example/${name}">See on map</a></div>${prose(name)}</li>`;
    const html = view(`<ol>${["rose", "ship", "bell"].map(item).join("")}</ol>`);
    for (const name of ["rose", "ship"]) expect(html).toMatch(new RegExp(`${name} inn</a></h3><p>${name} 1`));
  });
});

test("a note in the margin beside its paragraph is kept", () =>
  expect(view(`<div><p>The wheel turns.</p><aside class="sidenote">Only in winter.</aside></div>`)).toContain(
    "<p>Only in winter.</p>",
  ));

test("a film that only noscript has is a link, once", () => {
  const film = `<iframe src="https://www.youtube.com/embed/abcdefghijk"></iframe>`;
  const link = /youtube\.com\/watch\?v=abcdefghijk/g;
  expect(view(`<figure><div></div><noscript>${film}</noscript></figure>`).match(link)).toHaveLength(1);
  expect(view(`<div>${film}<noscript>${film}</noscript></div>`).match(link)).toHaveLength(1);
});

const short = prose("Paragraph")
  .split(/(?=<p>)/)
  .slice(0, 3)
  .join("");

test("comments that are longer than a short article are left out", () => {
  const comment = "<li>The mill was always there, and nobody should touch it, as every reader of this page knows.</li>";
  const comments = `<section id="comments"><h2>12 comments</h2><ol>${comment.repeat(12)}</ol></section>`;
  const page = `<!doctype html><title>A story</title><main><article><h1>A story</h1>${short}</article>${comments}</main>`;
  const { html } = viewPage(page, "https://example.com/story", { mode: "less", images: true });
  expect(html).toContain("Paragraph 3");
  expect(html).not.toContain("nobody should touch it");
});

test("a notice about cookies that is longer than the article is left out", () => {
  const notice = "<p>We use cookies, small files, to measure our audience and to show you advertisements that fit.</p>";
  const page = `<!doctype html><title>A story</title><div>${notice.repeat(20)}<button>Accept all</button></div><div><h1>A story</h1>${short}</div>`;
  const { html } = viewPage(page, "https://example.com/story", { mode: "less", images: true });
  expect(html).toContain("Paragraph 3");
  expect(html).not.toContain("small files");
});

test("the copies that a slide show makes of its slides are left out, and the captions stay", () => {
  const slide = (name: string, more = "") =>
    `<div class="owl-item${more}">${picture(name)}<span class="caption">Caption ${name}</span></div>`;
  const html = view(
    `<div class="owl-stage">${slide("two", " cloned")}${slide("one")}${slide("two")}${slide("one", " cloned")}</div>`,
  );
  expect(html.match(/(?:one|two)\.jpg|Caption (?:one|two)/g)).toEqual([
    "one.jpg",
    "Caption one",
    "two.jpg",
    "Caption two",
  ]);
});

test("the title is shown once if its heading has the site's name, too", () => {
  const page = `<!doctype html><title>A story of wheels | Courier</title><meta property="og:title" content="A story of wheels"><meta property="og:site_name" content="Courier"><article><h1>A story of wheels | Courier</h1>${prose("Paragraph")}</article>`;
  expect(viewPage(page, "https://example.com/story", { mode: "less", images: true }).html).not.toContain("of wheels");
});

test("headings beside links to share the section are kept", () => {
  const sections = ["Alpha", "Beta", "Gamma"].map(
    (name) =>
      `<div class="row"><h2>${name} part</h2><ul><li><a href="https://facebook.com/share">Facebook</a></li><li><a href="/x">X</a></li></ul></div>${prose(name)}`,
  );
  expect(view(sections.join("")).match(/<h2[^>]*>(?:Alpha|Beta|Gamma) part/g)).toHaveLength(3);
});

test("a notice about cookies without names is removed, and text with the word is not", () => {
  const notice =
    "<div><p>We use cookies and similar technologies to give you the best experience on our website and to measure it.</p><button>Accept all</button></div>";
  const html = view(`<p>The baker sells cookies on Sunday.</p>`).concat(
    viewPage(
      `<html lang="en"><title>A story</title><body>${notice}<h1>A story</h1>${prose("Paragraph")}${prose("Passage")}</body></html>`,
      "https://example.com/story",
      { mode: "less", images: false },
    ).html,
  );
  expect(html).toContain("The baker sells cookies");
  expect(html).not.toContain("similar technologies");
});

const references = `<ol>${[1, 2, 3].map((n) => `<li>Author ${n}, <a href="https://doi.org/${n}">The mills of the valley, part ${n}</a>, 1990.</li>`).join("")}</ol>`;

test.each(
  Object.entries({
    "a section": `<section><h2>References</h2>${references}</section>`,
    "a footer": `<footer><h2>Literatur</h2>${references}</footer>`,
    "a box beside": `<aside><h2>Fuentes</h2>${references}</aside>`,
    "a closed box": `<details><summary>References</summary>${references}</details>`,
    "end notes": `<section role="doc-endnotes">${references}</section>`,
  }),
)("references after the article are its end: %s", (_, box) => {
  const page = `<!doctype html><title>A story</title><main><article><h1>A story</h1>${prose("Paragraph")}${prose("Passage")}</article>${box}</main>`;
  const { html } = viewPage(page, "https://example.com/story", { mode: "less", images: true });
  expect(html.match(/The mills of the valley/g)).toHaveLength(3);
});

describe("frames of unknown hosts", () => {
  const player = "https://films.example/v/1";
  test.each([
    `width="600" height="400"`,
    "allowfullscreen",
    `title="Player" width="600" height="400"`,
    `style="width:100%;height:400px"`,
  ])("a large frame without a title is a link with its host: %s", (attributes) =>
    expect(view(`<iframe src="${player}" ${attributes}></iframe>`)).toContain(`<a href="${player}">films.example</a>`),
  );
  test.each([
    `<iframe src="${player}" width="1" height="1"></iframe>`,
    `<iframe src="${player}" width="300" height="250"></iframe>`,
    `<iframe src="${player}" width="600" height="400" style="display:none"></iframe>`,
    `<iframe src="${player}" width="600" height="400" title="Newsletter"></iframe>`,
    `<iframe src="https://disqus.com/embed/v/1" width="600" height="400"></iframe>`,
  ])("others are not: %s", (frame) => expect(view(frame)).not.toContain("/v/1"));
});

test.each([
  `<span data-latex="E=mc^2"></span>`,
  `<span data-tex="E=mc^2"></span>`,
  `<span class="math" data-expr="E=mc^2"></span>`,
  `<span class="ql-formula" data-value="E=mc^2"></span>`,
  `<span data-katex="E=mc^2"></span>`,
  `<span class="MathJax_Preview">E=mc2</span><span class="MathJax">E=mc2</span><script type="math/tex">E=mc^2</script>`,
])("a formula that a script would draw is TeX: %s", (formula) =>
  expect(view(`<p>The wheel obeys ${formula} as others do.</p>`)).toContain("obeys \\(E=mc^2\\) as"),
);

test.each([
  `<span class="MathJax_Preview">E2</span><script type="math/mml"><math><mi>E</mi></math></script>`,
  `<script type="math/asciimath">E</script>`,
  `<span class="katex"><span class="katex-html" aria-hidden="true">E</span></span>`,
])("a formula without TeX is kept, once: %s", (formula) => {
  const html = view(`<p>The wheel obeys ${formula} as others do.</p>`);
  expect(html.replace(/<\/?m(?:ath|i)>/g, "")).toContain("obeys E as");
});

test("text with an attribute like that of a formula is kept", () =>
  expect(view(`<div data-math="true">${prose("Inner")}</div>`)).toContain("Inner 2"));

test("references in lines of their own count, too", () => {
  const lines = [1, 2, 3]
    .map((n) => `<div>[${n}] Author ${n}. The mills of the valley, part ${n}. 1990.</div>`)
    .join("");
  const page = `<!doctype html><title>A story</title><main><article><h1>A story</h1>${prose("Paragraph")}</article><section><h2>Sources</h2>${lines}</section></main>`;
  expect(viewPage(page, "https://example.com/story", { mode: "less", images: true }).html).toContain("part 3");
});

test("a formula of MathJax 3 is kept", () =>
  expect(
    view(
      `<p>So <mjx-container class="MathJax CtxtMenu_Attached_0"><mjx-math aria-hidden="true"><mjx-mi>E</mjx-mi></mjx-math><mjx-assistive-mml><math><mi>E</mi></math></mjx-assistive-mml></mjx-container> holds for each wheel.</p>`,
    ),
  ).toContain("<mi>E</mi>"));

test("links to other stories in paragraphs after their label are removed", () =>
  expect(
    view(`<p>Related posts</p><p><a href="/1">The ferry is sold</a></p><p><a href="/2">The pears are ripe</a></p>`),
  ).not.toMatch(/ferry|pears/));

test.each([`<d-footnote>Only in winter.</d-footnote>`, `<span role="note">Only in winter.</span>`])(
  "a note in a sentence is placed after it: %s",
  (note) => {
    const html = view(`<p>The wheel turns backwards${note} for an hour each day.</p>`);
    expect(html).toContain("backwards for an hour");
    expect(html).toContain("Only in winter");
  },
);

test("an attached file keeps its link, once", () => {
  const file = `<div class="file"><a href="/report.pdf">The report of the council</a><a href="/report.pdf">Download</a></div>`;
  expect(view(file)).toContain(`<p><a href="https://example.com/report.pdf">The report of the council</a></p>`);
  expect(view(file)).not.toContain("Download");
});

test("the number of a source stays in its sentence, whatever its class", () =>
  expect(
    view(
      `<p>The wheel is old [<span class="footers"><a href="#r1">1</a></span>-<span class="footers">3</span>], as all know.</p>`,
    ),
  ).toMatch(/old \[<a [^>]*>1<\/a>-3\], as/));

test("each panel of an accordion keeps its heading, with prose or with short lines", () => {
  const panel = (name: string, text: string) =>
    `<div><button class="accordion__button" aria-controls="${name}">Lesson ${name}</button><div id="${name}"><p>${text}</p></div></div>`;
  const html = view(
    panel("one", "The mill<br>The lock") + panel("two", "A paragraph that is long enough to be prose."),
  );
  for (const name of ["one", "two"]) expect(html).toContain(`<h4>Lesson ${name}</h4>`);
});

describe("hidden text that a click shows", () => {
  const item = (question: string, answer: string) =>
    `<div class="x1"><div>${question}</div><div style="visibility:hidden">${answer}</div></div>`;
  const list = ["one", "two", "three"].map((name) =>
    item(`What is question ${name}?`, `The answer to ${name} describes the mill.`),
  );

  test("answers below questions are kept, without any name", () => {
    const html = view(list.join(""));
    for (const name of ["one", "two", "three"]) expect(html).toContain(`The answer to ${name}`);
  });

  test("one hidden box alone stays hidden", () => expect(view(list[0] ?? "")).not.toContain("The answer"));

  test("the rest of a sentence is kept", () =>
    expect(
      view(
        `<p>The wheel turns <span class="more" style="display:none">slowly in the spring, and not in winter.</span></p>`,
      ),
    ).toContain("slowly in the spring"));

  test("code for another program is kept", () =>
    expect(view(`<div role="tabpanel" hidden><pre><code>yarn add mill</code></pre></div>`)).toContain("yarn add mill"));
});

test("a sentence after the heading that introduces a list is kept with the list", () => {
  const lead =
    "Proper care of the wheel is important for the health of the mill, and the keeper of the old mill helps you at any time of the year. With the keeper, you can:";
  const page = `<!doctype html><meta property="og:type" content="article"><title>The care of wheels</title><main><h1>The care of wheels</h1><div><div><p>${lead}</p><ul><li>Find a carpenter.</li></ul></div></div><div><div><h2>A part</h2>${prose("Paragraph")}${prose("Passage")}</div></div></main>`;
  const { html } = viewPage(page, "https://example.com/story", { mode: "less", images: false });
  expect(html).toMatch(/With the keeper, you can:<\/p><ul>\s*<li>Find a carpenter[\s\S]*Paragraph 1/);
});

describe("parts of the site in the main container", () => {
  const viewOf = (part: string) =>
    viewPage(
      `<!doctype html><title>Wheels</title><main>${part}<h1>Wheels</h1>${[1, 2, 3, 4, 5, 6].map((n) => `<div><a href="/${n}"><img src="/${n}.jpg"></a><h3>Wheel ${n}</h3><p>$${n}</p></div>`).join("")}</main>`,
      "https://example.com/wheels",
      { mode: "less", images: true },
    ).html;

  test.each([
    `<div class="mini-cart"><p>Your cart</p><p>There is nothing in your cart</p></div>`,
    `<ul><li><a href="/">Home</a></li><li><a href="/mills">Mills</a></li></ul>`,
    `<noscript><img src="https://sb.scorecardresearch.com/p?c1=2" alt="no script image"></noscript>`,
  ])("are left out: %s", (part) => {
    const html = viewOf(part);
    expect(html).toContain("Wheel 6");
    expect(html).not.toMatch(/cart|Home|scorecard/);
  });

  test("a link to the details of a card is left out", () =>
    expect(viewOf(`<div><h4>View details</h4></div>`)).not.toContain("View details"));
});

test("amounts and names are words, each pair on its line", () => {
  const row = (amount: string, name: string) =>
    `<div class="row"><span class="amount">${amount}</span><span class="name">${name}</span></div>`;
  const html = view(
    `<div>${row("200 g", "flour")}${row("3", "eggs")}</div><div><b class="a">O</b><b class="b">nce</b></div>`,
  );
  expect(html).toMatch(/<p>200 g flour<\/p>\s*<p>3 eggs<\/p>/);
  expect(html.replace(/<\/?b>/g, "")).toContain("Once");
});

test("a request to subscribe with its form, and a list of tags, are left out of every page", () => {
  const html = view(
    `<div><p>Sign up for our newsletter and miss no story.</p><form><input type="email"></form></div><ul><li>Topics:</li><li><a href="/t/a">Millwork</a></li><li><a href="/t/b">Oak</a></li></ul>`,
  );
  expect(html).not.toMatch(/newsletter|Topics|Millwork/);
});

test.each(["<a>Click to shrink...</a>", "<a role=button>Click to expand...</a>"])(
  "a quotation is shown once, without its control: %s",
  (control) => {
    const html = view(`<blockquote><p>The wheel turns backwards.</p><div>${control}</div></blockquote>`);
    expect(html.match(/<blockquote>[\s\S]*?<\/blockquote>/g)).toEqual([
      "<blockquote><p>The wheel turns backwards.</p></blockquote>",
    ]);
  },
);

test("a list of attached files keeps the link to each, and so do a figure and an embedded file", () => {
  const link = (name: string) => `<a href="/${name}.pdf">The ${name} sheet of exercises</a>`;
  const list = view(`<div><div>${link("first")}</div><div>${link("second")}</div></div>`);
  for (const name of ["first", "second"]) expect(list).toContain(`/${name}.pdf">The ${name} sheet`);
  expect(view(`<figure>${link("third")}</figure>`)).toContain("The third sheet");
  expect(view(`<embed src="/plan.pdf" width="700" height="800">`)).toContain(`href="https://example.com/plan.pdf"`);
});

test("a formula that is only a picture for sighted readers is written as TeX", () =>
  expect(
    view(`<p>So <img class="mwe-math-fallback-image-inline" src="/f.svg" alt="E=mc" aria-hidden="true"> holds.</p>`),
  ).toContain(String.raw`So \(E=mc\) holds`));

test("cards that are only attributes of custom elements are written out, and one such element is not", () => {
  const card = (n: number) =>
    `<x-card name="Course ${n}" description="About wheel ${n} and others" path="/c/${n}"></x-card>`;
  expect(view([1, 2, 3].map(card).join(""))).toMatch(
    /<h3><a href="https:\/\/example\.com\/c\/2">Course 2<\/a><\/h3>\s*<p>About wheel 2 and others<\/p>/,
  );
  expect(view(card(1))).not.toContain("Course 1");
});

describe("text that is only elsewhere", () => {
  const viewOf = (head: string, body = "<div id=root></div>") =>
    viewPage(`<!doctype html><title>T</title>${head}<body>${body}`, "https://example.com/t", {
      mode: "less",
      images: true,
    });
  const data = (thing: object) => `<script type="application/ld+json">${JSON.stringify(thing)}</script>`;
  const question = (name: string, text: string) => ({
    "@type": "Question",
    name,
    acceptedAnswer: { "@type": "Answer", text },
  });

  test.each<[string, object, RegExp]>([
    ["a post", { "@type": "SocialMediaPosting", text: "The wheel is stuck." }, /^<p>The wheel is stuck/],
    [
      "a question",
      { "@type": "QAPage", mainEntity: question("Why?", "The sluice is shut.") },
      /<h2>Why[\s\S]*The sluice is shut/,
    ],
    [
      "questions",
      { "@graph": [{ "@type": "FAQPage", mainEntity: [question("A?", "One."), question("B?", "<p>Two.</p>")] }] },
      /A\?[\s\S]*<p>One[\s\S]*B\?[\s\S]*<p>Two/,
    ],
    [
      "a recipe",
      { "@type": "Recipe", recipeIngredient: ["flour"], recipeInstructions: [{ text: "Bake." }] },
      /<ul>\s*<li>[\s\S]*flour[\s\S]*<ol>\s*<li>[\s\S]*Bake/,
    ],
    [
      "a product",
      { "@type": "Product", description: "Tom &amp; Ann&#39;s wheel" },
      /Tom &amp; Ann'|Tom &amp; Ann&#39;/,
    ],
  ])("structured data of %s is shown with a notice", (_, thing, expected) => {
    const { html, notice } = viewOf(data(thing));
    expect(html).toMatch(expected);
    expect(notice).toContain("structured data");
  });

  test.each([
    ["markup", "<p>The wheel is stuck.</p><p>The sluice is shut.</p>"],
    ["escaped markup", "&lt;p&gt;The wheel is stuck.&lt;/p&gt;&lt;p&gt;The sluice is shut.&lt;/p&gt;"],
  ])("the paragraphs of an article declared as %s are kept", (_, articleBody) =>
    expect(viewOf(data({ "@type": "Article", articleBody })).html).toMatch(
      /<p>The wheel is stuck\.<\/p>\s*<p>The slui/,
    ),
  );

  test("an article declared in a meta element is shown with a notice", () => {
    const text = "The wheel is stuck. ".repeat(300);
    const { html, notice } = viewOf("", `<div></div><meta itemprop="articleBody" content="${text}">`);
    expect(html).toContain("The wheel is stuck.");
    expect(notice).toContain("structured data");
  });

  test.each([
    `<!-- {"@type":"Product","description":"A wheel"} -->`,
    `{"@type":"Product","description":"A wheel\nof oak",}`,
    `//<![CDATA[\n[{"@type":"Product","description":"A wheel"}]\n//]]>`,
  ])("faults that pages have in structured data are mended: %s", (json) =>
    expect(viewOf(`<script type="application/ld+json; charset=utf-8">${json}</script>`).html).toContain("A wheel"),
  );

  test("scripts in structured data are removed", () =>
    expect(
      viewOf(data({ "@type": "Product", description: "<img src=x onerror=alert(1)><script>alert(1)</script>A wheel" }))
        .html,
    ).not.toContain("alert"));

  test("structured data that are deeply nested or no objects are no error", () => {
    const deep = `{"@type":"QAPage","mainEntity":${'{"@type":"Question","comment":'.repeat(400)}null${"}".repeat(401)}`;
    for (const json of [deep, `{"@type":"Recipe","recipeInstructions":[null,1,[[{}]]]}`])
      expect(viewOf(`<script type="application/ld+json">${json}</script>`).notice).toMatch(/no article/);
  });

  test("a page that only asks for scripts shows its description", () => {
    const { html, notice } = viewOf(
      `<meta property="og:description" content="The text of the post.">`,
      "<div><p>You need to enable JavaScript to run this app.</p></div>",
    );
    expect(html).toBe("<p>The text of the post.</p>");
    expect(notice).toContain("description");
  });

  test("the short text of noscript is shown if the page has no other", () =>
    expect(
      viewOf("", "<div></div><noscript><p>A short text about the mill, which has no scripts.</p></noscript>").html,
    ).toContain("about the mill"));

  test("the older attribute of a shadow root counts", () =>
    expect(
      viewOf("", `<x-p><template shadowroot="open"><article>${prose("Shade")}</article></template></x-p>`).html,
    ).toContain("Shade 3"));

  test.each([
    ["a template", `<template><article>${prose("Stored")}</article></template>`],
    ["a script", `<script type="text/template"><article>${prose("Stored")}</article></script>`],
  ])("the text in %s is shown with a notice, unless a script fills it in", (_, stored) => {
    const { html, notice } = viewOf("", `<div id="app"></div>${stored}`);
    expect(html).toContain("Stored 4");
    expect(notice).toContain("templates");
    expect(viewOf("", stored.replaceAll("mill", "{{ mill }}")).html).not.toContain("Stored");
    expect(viewOf("", prose("Shown").repeat(2) + stored).html).not.toContain("Stored");
  });

  test("a page whose only picture is not shown has a notice", () => {
    const html = `<!doctype html><title>T</title><body><img src="/a.jpg" width="900" height="600">`;
    expect(viewPage(html, "https://example.com/t", { mode: "less", images: false })).toMatchObject({
      html: "",
      notice: expect.any(String),
    });
  });
});
