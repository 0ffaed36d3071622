// SPDX-License-Identifier: MIT

import { viewPage } from "@reading-list/article/view/text-view.ts";
import { describe, expect, test } from "vitest";

const url = "https://example.com/p/1";
const prose = (part: number) =>
  `<p>This is part ${part} of the text, in which a thing is explained, with a few commas, and in so many words that the reader has something to read.</p><p>It has a second paragraph of part ${part}, which says more about the thing, and ends here.</p>`;

function lessOf(body: string, { head = "", images = true } = {}): string {
  const html = `<!doctype html><html><head><title>A page</title>${head}</head><body><nav><a href="/">Home</a></nav>${body}<footer>(c)</footer></body></html>`;
  return viewPage(html, url, { mode: "less", images }).html;
}
const inArticle = (part: string, images = true) =>
  lessOf(`<main><article><h1>A page</h1>${prose(0)}${part}${prose(1)}${prose(2)}</article></main>`, { images });

describe("a short page is not empty:", () => {
  const page = (body: string, head?: string) =>
    lessOf(`<main><article><h1>A page</h1>${body}</article></main>`, head === undefined ? {} : { head });
  const lines = (text: string, times: number) => `<p>${text}</p>`.repeat(times);
  const article = '<meta property="og:type" content="article">';
  const photos = [1, 2, 3].map((n) => `<figure><img src="/${n}.jpg"><figcaption>Boat ${n}</figcaption></figure>`);

  test.each([
    ["a post of a photo", page('<figure><img src="/KEPT.jpg"><figcaption>At the sea, 2024</figcaption></figure>')],
    ["photos", page(photos.join("").replaceAll("Boat 3", "KEPT"))],
    ["photos of a declared article", page(photos.join("").replaceAll("Boat 3", "KEPT"), article)],
    ["a web comic", lessOf('<div><ul><li><a href="/1">First</a></ul><img src="/KEPT.png" alt="A comic"></div>')],
    ["a short post", page('<p>We moved to <a href="/x">KEPT Street</a>.</p><p>Come by!</p>')],
    ["links of the day", page('<ul><li><a href="/1">An essay</a><li><a href="/2">KEPT bread</a></ul>')],
    ["a recipe", page("<h2>You need</h2><ul><li>Tea</ul><h2>How</h2><ol><li>Boil.</li><li>KEPT.</li></ol>")],
    ["verse", page(lines("KEPT red,<br>violets are blue,<br>sugar is sweet.", 2))],
    [
      "lyrics in a box",
      page(`<div class="lyrics">${"We walk along the river<br>KEPT into the night<br><br>".repeat(20)}</div>`),
    ],
    ["verse of 40 short lines", page(lines("Hope is the thing<br>with feathers that<br>KEPT in the soul", 14))],
    ["an interview of short lines", page(lines("<b>Q:</b> Who are you?</p><p><b>A:</b> KEPT painter.", 8))],
    [
      "a Japanese blog with line breaks",
      page(lines("今日は朝から雨でした。<br>KEPTに行きました。<br>猫が歩いていました。", 4)),
    ],
    ["short Chinese paragraphs", page(lines("秋天来了，树叶黄了。</p><p>KEPT公园散步。", 20))],
    ["a declared article in Chinese", page(lines("秋天来了。</p><p>KEPT公园散步。", 10), article)],
  ])("%s", (_name, html) => {
    expect(html).toContain("KEPT");
  });
});

describe("a declared article keeps", () => {
  const withPart = (part: string) =>
    lessOf(`<article><h1>A page</h1>${prose(0)}${part}${[1, 2, 3, 4, 5].map(prose).join("")}</article>`, {
      head: '<meta property="og:type" content="article">',
    });

  test("each section of a list, with links beside its sentence", () => {
    const names = ["Red", "Green", "Blue", "Grey"];
    const schools = names.map(
      (name) =>
        `<div class="school"><h2>Number: <a href="/${name}">${name} School</a></h2><p>A school by the sea, with boats and a long pier of its own.</p><p><a href="/${name}/more">Learn more about ${name} School and its program for sailors</a></p></div>`,
    );
    expect(names.filter((name) => !withPart(schools.join("")).includes(`${name} School</a>`))).toEqual([]);
  });

  test("each card, in boxes of its own", () => {
    const names = ["Red", "Green", "Blue"];
    const cards = names.map(
      (name, n) =>
        `<li><div class="tile tile-10${n}"><h3><a href="/${name}">The ${name} course of the harbour</a></h3><p>A course about ${name} boats, by the sea, for all of us.</p><p><a href="/${name}">Start</a></p></div></li>`,
    );
    expect(names.filter((name) => !withPart(`<ul>${cards.join("")}</ul>`).includes(`about ${name} boats`))).toEqual([]);
  });

  test("a list of links that a colon introduces, in a box of its own", () => {
    const items = [1, 2, 3].map((n) => `<li><p><a href="/pull/${n}">Change of number ${n}</a></p></li>`);
    const list = `<div class="paragraph"><p>Many were sent for review:</p></div><div class="ulist"><ul>${items.join("")}</ul></div>`;
    expect(withPart(list)).toContain("Change of number 3");
  });

  test("a panel that only a class hides", () => {
    const panel = `<div class="kt-accordion-panel kt-accordion-panel-hidden"><div>${prose(9)}</div></div>`;
    expect(withPart(`<div class="kt-pane"><div role="button">How we chose</div>${panel}</div>`)).toContain("part 9");
  });

  test("a long list of links between paragraphs; a short one leads to other stories", () => {
    const listOf = (count: number) =>
      `<ul>${Array.from({ length: count }, (_, n) => `<li><a href="/c/${n}">The course of number ${n}</a></li>`).join("")}</ul>`;
    expect(withPart(listOf(6))).toContain("course of number 5");
    expect(withPart(listOf(3))).not.toContain("course of number 2");
  });
});

test("a list of products with prices is content", () => {
  const product = (n: number) =>
    `<li class="product-item"><a href="/p/${n}"><img src="/${n}.jpg" alt=""></a><strong><a href="/p/${n}">Tool of number ${n}</a></strong><span class="price">$${n}9.95</span></li>`;
  const products = [1, 2, 3, 4, 5, 6].map(product).join("");
  const html = lessOf(`<main><h1>Tools</h1><ol class="items">${products}</ol><div>${prose(0)}${prose(1)}</div></main>`);
  expect(html).toContain("$69.95");
  expect(html).toContain("part 1");
});

describe("a heading stays, whatever its class or id is:", () => {
  test.each([
    "header-anchor-post",
    "scroll-mt-20",
    "section-header",
    "media-heading",
    "widget-title",
    "community-note",
    "related-work",
    "wp-block-heading",
  ])("%s", (name) => {
    expect(inArticle(`<h2 class="${name}">Why we do it</h2>${prose(3)}`)).toContain("Why we do it");
    expect(inArticle(`<h2 id="${name}">Why we do it</h2>${prose(3)}`)).toContain("Why we do it");
  });
});

describe("a box with a heading, code or two paragraphs stays, whatever its name is:", () => {
  // biome-ignore format: a line holds many short names
  test.each([
    "s-building-a-form", "s-share-data", "s-related-objects", "s-popular-patterns", "s-dropdown-menus",
    "s-feedback-loops", "s-social-auth", "newsletter-writing", "the-art-of-promo", "accordion__dropdown",
    "s-the-form-class", "s-buttons", "s-getting-data", "wp-block-buttons-text", "signup-story",
  ])("%s", (name) => {
    expect(inArticle(`<div class="section" id="${name}"><h2>A section</h2>${prose(3)}</div>`)).toContain("part 3");
    expect(inArticle(`<section class="${name}"><h2>A section</h2>${prose(3)}</section>`)).toContain("part 3");
    expect(inArticle(`<div class="${name}">${prose(3)}</div>`)).toContain("part 3");
    const code = "<p>It is called as follows, with two arguments.</p><pre>part 3</pre>";
    expect(inArticle(`<div class="${name}">${code}</div>`)).toContain("part 3");
  });
});

test("the parts of a page that a page builder made of widgets stay", () => {
  const widget = (part: string) =>
    `<div class="builder-widget"><div class="builder-widget-container">${part}</div></div>`;
  const parts = ["<h3>1. KEPT</h3>", '<img src="/KEPT.jpg">', "<ul><li>KEPT early</li><li>KEPT late</li></ul>"];
  const text = [0, 1, 2, 3].map((n) => widget(prose(n))).join("");
  const html = lessOf(
    `<main><article><h1>A page</h1>${parts.map((part) => widget(part) + text).join("")}</article></main>`,
  );
  expect(html).toContain("<h3>1. KEPT</h3>");
  expect(html).toContain("KEPT.jpg");
  expect(html).toMatch(/KEPT early[\s\S]*KEPT late/);
});

test.each(["share-price", "related-work", "popular-science", "item__dropdown", "form-of-boats", "feedback-note"])(
  "a paragraph of sentences stays, even if it is called %s and has a link",
  (name) => {
    const sentence = 'The share price fell to <a href="/q">12 dollars</a> on Monday, as part 3 says.';
    expect(inArticle(`<p class="${name}">${sentence}</p>`)).toContain("part 3");
    expect(inArticle(`<div class="${name}"><p>${sentence}</p></div>`)).toContain("part 3");
  },
);

test("reviews are not taken for the content of a page", () => {
  const facts = Array.from({ length: 12 }, (_, n) => `<tr><td>Fact ${n}</td><td>It is ${n} m long.</td></tr>`).join("");
  const about = `<div class="columns"><span>KEPT, a boat for four, built of wood, which is light.</span><table>${facts}</table></div>`;
  const reviews = `<div class="reviews">${[0, 1, 2, 3].map((n) => `<div class="review">${prose(n)}</div>`).join("")}</div>`;
  expect(lessOf(`<main><h1>A boat</h1>${about}${reviews}</main>`)).toContain("KEPT");
});

describe("an accordion keeps questions and answers", () => {
  const three = (write: (n: number) => string) =>
    `<div class="accordion" id="a">${[1, 2, 3].map(write).join("")}</div>`;
  test.each([
    [
      "of Bootstrap 4, whose questions are in a header",
      three(
        (n) =>
          `<div class="card"><div class="card-header"><h5><button data-target="#c${n}">Question ${n}?</button></h5></div><div id="c${n}" class="collapse"><p>Answer ${n} is yes.</p></div></div>`,
      ),
    ],
    [
      "of Bootstrap 5, even if the answers are short",
      three(
        (n) =>
          `<h2 class="accordion-header"><button class="collapsed" data-bs-target="#c${n}" aria-controls="c${n}">Question ${n}?</button></h2><div id="c${n}" class="collapse"><div>Answer ${n} is yes.</div></div>`,
      ),
    ],
    [
      "of Squarespace, whose answers have links",
      three(
        (n) =>
          `<li><h4><button aria-expanded="false" aria-controls="c${n}">Question ${n}?</button></h4><div class="accordion-item__dropdown" id="c${n}"><p>Answer ${n}: <a href="/x">yes</a>.</p></div></li>`,
      ),
    ],
    [
      "that is a list of terms",
      `<dl>${three((n) => `<dt><button aria-expanded="false" aria-controls="c${n}">Question ${n}?</button></dt><dd id="c${n}" style="display:none"><p>Answer ${n}.</p></dd>`)}</dl>`,
    ],
    [
      "whose questions are not buttons",
      three(
        (n) =>
          `<div role="button" aria-expanded="false" aria-controls="c${n}">Question ${n}?</div><div id="c${n}" hidden><p>Answer ${n} is a sentence of some words.</p></div>`,
      ),
    ],
  ])("%s", (_name, accordion) => {
    expect(inArticle(accordion)).toMatch(/Question 1\?[\s\S]*Answer 1[\s\S]*Question 3\?[\s\S]*Answer 3/);
  });
});

test("the questions of an accordion are headings, even if they are buttons", () => {
  const answer = "You send it back within thirty days, in its own box, and we pay the postage for you, always.";
  const bootstrap = `<h2 class="accordion-header"><button class="collapsed" aria-expanded="false" aria-controls="c">How to return?</button></h2><div id="c" class="collapse"><div>${answer}</div></div>`;
  expect(inArticle(bootstrap)).toMatch(/<h2>How to return\?<\/h2>[\s\S]*thirty days/);
  const plain = `<button class="accordion">How to return?</button><div class="panel" hidden><p>${answer}</p></div>`;
  expect(inArticle(plain)).toMatch(/<h4>How to return\?<\/h4>[\s\S]*thirty days/);
});

describe("the text that a page declares as its article", () => {
  const body = Array.from({ length: 20 }, (_, n) => `Sentence ${n} of the body is about boat number ${n * 7}.`);
  const data = (type: string) =>
    `<script type="application/ld+json">${JSON.stringify({ "@type": type, articleBody: body.join(" ") })}</script>`;
  const hidden = `<div class="sidebar"><div>${body.map((line) => `<p>${line}</p>`).join("")}</div></div>`;
  const page = `<main>${prose(0)}${prose(1)}${prose(2)}</main>${hidden}`;

  test("is taken from its element if the view lacks more than half of it", () => {
    expect(lessOf(page, { head: data("NewsArticle") })).toContain("Sentence 11");
  });
  test("is not if the page is a live blog", () => {
    expect(lessOf(page, { head: data("LiveBlogPosting") })).not.toContain("Sentence 11");
  });
});

test("a panel that is hidden below its heading stays, and so does a heading whose link opens a panel", () => {
  const html =
    inArticle(`<div class="q"><h3>Is it open?</h3><div style="display:none"><p>It is open again, since Monday.</p></div></div>
    <div class="q"><div class="q-title"><h5><a href="#">Who may enter the harbour?</a></h5><a href="#"><i></i></a></div><div>Everybody may enter it, but only by day.</div></div>`);
  expect(html).toContain("It is open again, since Monday.");
  expect(html).toContain("<h5>Who may enter the harbour?</h5>");
});

test("a heading stays beside the box of an empty one", () => {
  const html = inArticle("<div><div><h3>When is it open?</h3></div><div><h3></h3></div></div>");
  expect(html).toContain("When is it open?");
});

test("the name of a card stays, although it is a link", () => {
  const card = (name: string) =>
    `<div class="card"><a href="/${name}"><img src="/${name}.jpg" alt="${name}, from the front"><img src="/${name}-back.jpg" alt="${name}, from the front"></a><div class="card-body"><div class="bold"><a href="/${name}">The ${name} watch</a></div><p>Item no. 4711, sold since 1930.</p></div></div>`;
  const names = ["red", "blue", "green", "white", "black", "brown"];
  const html = lessOf(`<main><h1>Watches</h1>${prose(0)}<div>${names.map(card).join("")}</div></main>`);
  for (const name of names) expect(html).toContain(`>The ${name} watch</a>`);
  // A picture from the back has the same alternative text.
  expect(html.match(/<img/g)).toHaveLength(names.length);
});

test("lines of code that are elements stay lines", () => {
  expect(inArticle("<pre><code><div>a = 1;</div><div>b = 2;</div></code></pre>")).toContain("a = 1;\nb = 2;</code>");
  expect(inArticle("<pre><div>a = 1;</div>\n<div>b = 2;</div></pre>")).toContain("<pre>a = 1;\nb = 2;</pre>");
  expect(inArticle("<pre><ol><li>a = 1;</li><li>b = 2;</li></ol></pre>")).toContain("<pre>a = 1;\nb = 2;</pre>");
  const spans = '<pre><span class="line">a = 1;</span><span class="line">b = 2;</span></pre>';
  expect(inArticle(spans)).toContain("<pre>a = 1;\nb = 2;</pre>");
  expect(inArticle(spans.replace("</span>", "</span>\n"))).toContain("<pre>a = 1;\nb = 2;</pre>");
});

describe("the largest image is chosen:", () => {
  test.each([
    ["from <picture>", '<picture><source srcset="/1340x893.jpg"><img src="/125x83.jpg"></picture>', "1340x893.jpg"],
    ["from srcset", '<img src="/lq.jpg" srcset="/400.jpg 400w, /1600.jpg 1600w">', "1600.jpg"],
    ["its own, if srcset has only smaller ones", '<img src="/900.jpg" srcset="/400.jpg 400w">', "900.jpg"],
  ])("%s", (_name, image, file) => {
    expect(inArticle(`<p>${image}</p>`)).toContain(`<img src="https://example.com/${file}"`);
  });
});

describe("links within the page lead to ids in the view", () => {
  test("of notes", () => {
    const notes =
      '<p>Text<sup><a id="r1" href="#n1">1</a></sup>.</p><ol><li id="n1">A note <a href="#r1">↩</a></li></ol>';
    const html = inArticle(notes);
    expect(html).toContain('<a href="#text-n1" id="text-r1">1</a>');
    expect(html).toContain('<li id="text-n1">A note <a href="#text-r1">');
  });
  test("of a table of contents, also to sections that are named like comments", () => {
    const html = inArticle(`<ul><li>See <a href="${url}#comment">it</a></li></ul><h2 id="comment">It</h2>${prose(3)}`);
    expect(html).toContain('<a href="#text-comment">it</a>');
    expect(html).toContain('<h2 id="text-comment">It</h2>');
  });
  test("and other ids and links stay unchanged", () => {
    const html = inArticle('<p id="x">An unlinked place.</p><p>A <a href="#none">link</a> elsewhere.</p>');
    expect(html).not.toContain("id=");
    expect(html).toContain(`href="${url}#none"`);
  });
});

describe("embedded media are links with a title, in a figure:", () => {
  test.each([
    [
      "a video of a platform",
      '<figure><iframe src="https://www.youtube.com/embed/dQw4w" title="About boats"></iframe><figcaption>The video</figcaption></figure>',
      '<figure><a href="https://www.youtube.com/watch?v=dQw4w">About boats</a><figcaption>The video</figcaption></figure>',
    ],
    [
      "a video",
      '<video src="/boats.mp4"></video>',
      '<figure><a href="https://example.com/boats.mp4">boats.mp4</a></figure>',
    ],
    [
      "a video that is silent, with controls",
      '<video src="/boats.mp4" muted controls></video>',
      '<figure><a href="https://example.com/boats.mp4">boats.mp4</a></figure>',
    ],
    [
      "a post",
      '<blockquote class="instagram-media"><div><a href="https://www.instagram.com/p/abc/">View this post</a></div></blockquote>',
      '<figure><a href="https://www.instagram.com/p/abc/">View this post</a></figure>',
    ],
    [
      "a post without text",
      '<blockquote class="instagram-media" data-instgrm-permalink="https://www.instagram.com/p/abc/"></blockquote>',
      '<figure><a href="https://www.instagram.com/p/abc/">instagram.com</a></figure>',
    ],
    [
      "a frame in boxes of its own",
      '<div class="embed"><x-widget></x-widget><div><iframe src="https://platform.twitter.com/embed/1" title="A post"></iframe></div></div>',
      '<figure><a href="https://platform.twitter.com/embed/1">A post</a></figure>',
    ],
    [
      "a frame that waits for consent",
      '<iframe src="about:blank" data-cmp-src="https://player.vimeo.com/video/12"></iframe>',
      '<figure><a href="https://vimeo.com/12">vimeo.com</a></figure>',
    ],
    [
      "a video of Facebook",
      '<div class="fb-video" data-href="https://www.facebook.com/x/videos/1/"></div>',
      '<figure><a href="https://www.facebook.com/x/videos/1/">facebook.com</a></figure>',
    ],
    [
      "a plug-in",
      '<object data="x.swf"><embed src="https://www.youtube.com/v/abc"></object>',
      '<figure><a href="https://www.youtube.com/watch?v=abc">youtube.com</a></figure>',
    ],
    ["a gist", '<script src="https://gist.github.com/x/1.js"></script>', '<a href="https://gist.github.com/x/1">'],
  ])("%s", (_name, embed, written) => {
    expect(inArticle(embed)).toContain(written);
    expect(inArticle(embed, false)).toContain("<a href=");
  });

  test("frames of advertisements and buttons, and videos without sound and controls, are not", () => {
    const frames =
      '<video src="/waves.mp4" muted loop></video><iframe src="https://ads.example/1"></iframe><iframe src="https://www.facebook.com/plugins/like.php"></iframe>';
    expect(inArticle(frames)).not.toContain("<a href=");
  });
});

test("a small image in a sentence is its alternative text", () => {
  expect(inArticle('<p>Hello <img src="/s.png" class="emoji" alt="🙂"> there, this is a sentence.</p>')).toContain(
    "Hello 🙂 there",
  );
  expect(inArticle('<p>Hello <img src="/styles/smilies/s.png" alt=":)"> there, this is a sentence.</p>')).toContain(
    "Hello :) there",
  );
  expect(inArticle('<p>Hello <img src="/s.png" width="16" alt=""> there, this is a sentence.</p>')).not.toContain(
    "<img",
  );
  expect(inArticle('<p>Hello <img src="/s.svg" style="height: 1.2em" alt="OK"> there, as said.</p>')).toContain(
    "Hello OK",
  );
  expect(inArticle('<p>Hello <img src="/s.svg" class="math-image" alt="{\\displaystyle x}"> there.</p>')).toContain(
    "Hello \\(x\\) there",
  );
  expect(inArticle('<p>Hello <img src="/s.png" width="400" alt=""> there, this is a sentence.</p>')).toContain("<img");
});

describe("clutter is not in the view:", () => {
  test.each([
    [
      "pointers with their links",
      '<p>Lesen Sie auch:</p><ul><li><a href="/1">JUNK one</a><li><a href="/2">Two</a><li><a href="/3">Three</a></ul>',
    ],
    ["actions", '<p><a href="/JUNK">Download PDF</a> <a href="/p">Drucken</a> <a href="/t">Teilen</a></p>'],
    ["lone words", "<p>Posted</p>".replace("Posted", '<span title="JUNK">and</span>')],
    ["skip links", '<p><a href="#JUNK">Zum Inhalt</a></p><div><a href="/p/1#JUNK">Skip images</a></div>'],
    ["arrows", '<p title="JUNK">→</p>'],
    ["captions without their picture", "<figure><figcaption>JUNK at the sea</figcaption></figure>"],
  ])("%s", (_name, junk) => {
    expect(inArticle(junk)).not.toMatch(/JUNK|Lesen|Inhalt|images|>and<|→/);
  });

  test.each(["js", "Plain text", "Next →", "View all", "Add to cart", "Sort by: Price", "Showing 1-24 of 83 products"])(
    "the line '%s'",
    (line) => {
      const html = inArticle(`<div><div><span>${line}</span></div><pre>code = 1;</pre></div>`);
      expect(html).toContain("<pre>code = 1;</pre>");
      expect(html).not.toContain(line);
    },
  );

  test("the name of a language stays elsewhere", () => {
    expect(inArticle("<ul><li>Go</li><li>Python</li></ul>")).toContain("<li>Go</li>");
  });

  test("a heading at the end", () => {
    expect(
      lessOf(`<main><article>${prose(0)}${prose(1)}<h2>More Options</h2><h3>Reviews</h3></article></main>`),
    ).not.toMatch(/Options|Reviews/);
  });
});

test("words and numbers of neighbouring elements are not glued", () => {
  expect(inArticle("<p>Posted <span>July 1, 2024</span><span>1 yr</span> ago, by the author of this.</p>")).toContain(
    "July 1, 2024 1 yr ago",
  );
  expect(inArticle("<div><span>By Ann Lee</span><span>3 min read</span></div>")).toContain("Ann Lee 3 min");
  expect(inArticle("<p>The 1<sup>st</sup> of<b>2</b><i>x</i>, in a sentence.</p>")).toContain("of<b>2</b><i>x</i>");
});

describe("each post of a thread follows its author's name on", () => {
  const post = (author: string, body: string) => (name: string, n: number) =>
    `<article>${author.replace("NAME", name)}${body.replace("TEXT", `<p>Post ${n}: this is what I think of it, as I said.</p>`)}</article>`;
  test.each([
    ["Vanilla", post('<a class="Username" href="/u">NAME</a>', '<div class="Message userContent">TEXT</div>')],
    ["Invision", post('<h3 class="cAuthorPane_author">NAME</h3>', '<div data-role="commentContent">TEXT</div>')],
    [
      "old XenForo",
      post(
        '<a class="username" href="/u">NAME</a>',
        '<div class="message"><blockquote class="messageText">TEXT</blockquote></div>',
      ),
    ],
    ["bbPress", post('<span class="bbp-author-name">NAME</span>', '<div class="bbp-reply-content">TEXT</div>')],
  ])("%s", (_board, write) => {
    const html = lessOf(`<main>${write("Ann", 1)}${write("Ben", 2)}${write("Cleo", 3)}</main>`);
    expect(html).toMatch(/<h4>Ann<\/h4>[\s\S]*Post 1[\s\S]*<h4>Cleo<\/h4>[\s\S]*Post 3/);
  });
});

describe("a thread begins with its first post, or the page that it is about:", () => {
  const told = (n: number) => `<p>Post ${n}: this is what I think of it, as I said.</p>`;
  const oldPost = (kind: string, author: string, body: string, replies = "") =>
    `<div class="thing ${kind}" data-author="${author}"><div class="entry"><p class="tagline"><a class="author" href="/u">${author}</a> <time datetime="2026-05-01T10:00:00+00:00">1 day ago</time></p>${body}</div><div class="child">${replies}</div></div>`;
  const oldBody = (n: number) => `<div class="usertext-body"><div class="md">${told(n)}</div></div>`;
  const oldSide = `<div class="side"><div class="usertext-body"><div class="md">${prose(0)}</div></div></div>`;
  const link = (address: string) => `<a class="title" href="${address}">A harbour opens</a>`;
  const newPost = (attributes: string, body: string) =>
    `<shreddit-post post-title="A harbour opens" author="Ann" created-timestamp="2026-05-01T10:00:00.123000+0000" ${attributes}><h1>A harbour opens</h1>${body}</shreddit-post>`;
  const newReply = `<shreddit-comment author="Ben"><div slot="comment">${told(2)}</div><shreddit-comment author="Cleo"><div slot="comment">${told(3)}</div></shreddit-comment></shreddit-comment>`;
  const hacker = (n: number, author: string) =>
    `<table><tr class="athing comtr"><td><div class="comhead"><a class="hnuser" href="/u">${author}</a></div><div class="commtext">${told(n)}</div></td></tr></table>`;
  const hackerStory = (href: string, text: string) =>
    `<table class="fatitem"><tr><td><span class="titleline"><a href="${href}">A harbour opens</a></span></td></tr><tr><td><a class="hnuser" href="/u">Ann</a> <span class="age" title="2026-05-01T10:00:00Z 1777629600">1 day ago</span>${text}</td></tr></table>`;
  const comments =
    '<ul class="comments"><li class="comment"><span class="comment-copy">MARK, a comment that is not a post.</span></li></ul>';
  const question = (id: string, author: string, n: number) =>
    `<div class="question" id="${id}"><div class="user-details" itemprop="author"><a href="/u">${author}</a><time datetime="2026-05-01T10:00:00Z"></time></div><div class="s-prose js-post-body" itemprop="text">${told(n)}</div>${comments}</div>`;
  const crawler = (n: number, author: string) =>
    `<div class="topic-body crawler-post" id="post_${n}"><div class="crawler-post-meta"><span class="creator" itemprop="author"><a href="/u"><span itemprop="name">${author}</span></a></span><time datetime="2026-05-01T10:00:00Z">May 1</time></div><div class="post" itemprop="text">${told(n)}</div></div>`;
  const person = (author: string) =>
    `<span itemprop="author"><a class="author" href="/u"><span itemprop="name">${author}</span></a></span><time datetime="2026-05-01T10:00:00Z">May 1</time>`;
  const reply = (n: number, author: string) =>
    `<article itemprop="comment" itemtype="https://schema.org/Comment">${person(author)}<div itemprop="text">${told(n)}</div></article>`;
  const elsewhere = "https://harbour.example/opens";
  const all = [
    ["Ann", "Post 1"],
    ["Ben", "Post 2"],
    ["Cleo", "Post 3"],
  ].flat();
  test.each([
    [
      "old Reddit",
      `${oldSide}${oldPost("link", "Ann", link("/r/x/1") + oldBody(1))}${oldPost("comment", "Ben", oldBody(2), oldPost("comment", "Cleo", oldBody(3)))}`,
      all,
    ],
    [
      "a link on old Reddit",
      `${oldSide}${oldPost("link", "Ann", link(elsewhere))}${oldPost("comment", "Ben", oldBody(2), oldPost("comment", "Cleo", oldBody(3)))}`,
      [elsewhere, ...all.slice(2)],
    ],
    ["new Reddit", newPost('content-href="/r/x/1"', `<div slot="text-body">${told(1)}</div>`) + newReply, all],
    ["a link on new Reddit, without its comments", newPost(`content-href="${elsewhere}"`, ""), ["A harbour opens"]],
    [
      "Hacker News",
      hackerStory("item?id=1", `<div class="toptext">${told(1)}</div>`) + hacker(2, "Ben") + hacker(3, "Cleo"),
      all,
    ],
    [
      "a link on Hacker News",
      hackerStory(elsewhere, "") + hacker(2, "Ben") + hacker(3, "Cleo"),
      [elsewhere, ...all.slice(2)],
    ],
    [
      "Stack Exchange",
      `<h1>A harbour opens</h1>${question("q", "Ann", 1)}${question("a", "Ben", 2)}${question("b", "Cleo", 3)}`,
      all,
    ],
    ["Stack Exchange without answers", `<h1>A harbour opens</h1>${question("q", "Ann", 1)}`, all.slice(0, 2)],
    [
      "Discourse without its script",
      `<h1>A harbour opens</h1>${crawler(1, "Ann")}${crawler(2, "Ben")}${crawler(3, "Cleo")}`,
      all,
    ],
    [
      "a board that declares its posts",
      `<section itemtype="https://schema.org/DiscussionForumPosting"><article>${person("Ann")}<h1>A harbour opens</h1><div itemprop="articleBody">${told(1)}</div></article>${reply(2, "Ben")}${reply(3, "Cleo")}</section>`,
      all,
    ],
    [
      "Tapatalk",
      `<h1>A harbour opens</h1>${["Ann", "Ben", "Cleo"]
        .map(
          (author, n) =>
            `<article><strong class="username">${author}</strong><div class="postbody"><p class="author"><span>May 01, 2026</span><a href="#p${n}">#${n}</a><time datetime="2026-05-01T10:00:00Z">2026-05-01T10:00+00:00</time></p><div class="content">${told(n + 1)}</div></div></article>`,
        )
        .join("")}`,
      all,
    ],
  ])("%s", (_board, body, expected) => {
    const view = viewPage(`<title>A harbour opens : x</title><main>${body}</main>`, "https://a.example/1", {
      mode: "less",
      images: false,
    });
    const shown =
      view.html.replace(/ href="[^"]*"/g, "").match(/<h4>\w+|Post \d|https:[^<]*|A harbour opens|MARK/g) ?? [];
    expect(shown.map((text) => text.replace("<h4>", ""))).toEqual(expected);
    expect([view.title, view.author, view.publishedAt]).toEqual(["A harbour opens", "Ann", "2026-05-01T10:00:00Z"]);
  });
});

test("a letter has at most 16 combining marks, also across tags", () => {
  const marks = "\u0301".repeat(200_000);
  const html = lessOf(
    `<main><article>${prose(0)}<p>Z${marks.slice(0, 50)}<b>${marks}</b>algo, and more of it.</p>${prose(1)}</article></main>`,
  );
  expect(html.match(/\u0301/g)).toHaveLength(16);
  expect(html).toContain("algo, and more");
});
