// SPDX-License-Identifier: MIT

import { allRules } from "@reading-list/article/article/rules.ts";
import { viewPage } from "@reading-list/article/view/text-view.ts";
import { prose } from "@reading-list/testing/page-server.ts";
import { describe, expect, test } from "vitest";

/** Flaws that readers noticed in views of real pages, each by its shape. */
function viewOf(body: string, { head = "", images = false } = {}): string {
  const html = `<!doctype html><html><head><title>A story</title>${head}</head><body>${body}</body></html>`;
  return viewPage(html, "https://example.com/story", { mode: "less", images }).html;
}
const inArticle = (part: string, images = false) =>
  viewOf(`<main><article><h1>A story</h1>${prose}${part}${prose.replaceAll("Paragraph", "Passage")}</article></main>`, {
    images,
  });
const times = (html: string, text: string) => html.split(text).length - 1;

describe("an introduction beside the article", () => {
  const introduction = "The harbour has a new crane, and the town has <a href='/why'>a reason</a> to look at it.";
  const page = (between: string, head = "") =>
    viewOf(
      `<header class="hero-banner"><h1>A story</h1><div>${between}</div></header><div class="body">${prose}</div>`,
      { head },
    );

  test("stays before the article, with its links", () => {
    const html = page(`<p>${introduction}</p><p>By Ann Reed</p>`);
    expect(html.indexOf("The harbour has a new crane")).toBeGreaterThanOrEqual(0);
    expect(html.indexOf("The harbour has a new crane")).toBeLessThan(html.indexOf("Paragraph 1"));
    expect(html).toContain('href="https://example.com/why"');
    expect(html).not.toContain("Ann Reed");
  });

  test("may be the page's description of itself, without a full stop", () => {
    const html = page(
      "<h3>Some plants live in dim rooms</h3>",
      '<meta name="description" content="Some plants live in dim rooms">',
    );
    expect(html).toContain("<p>Some plants live in dim rooms</p>");
  });

  test("is not a line about the author", () => {
    const author = '<meta name="author" content="Ann Reed">';
    expect(page("<p>Ann Reed covers the harbour, the fish market and the weather for us.</p>", author)).not.toContain(
      "covers the harbour",
    );
  });

  test("is not the summary of a declared article", () => {
    const summary = "The harbour has a new crane, and the town has a reason to look at it.";
    const head = `<meta property="og:type" content="article"><meta name="description" content="${summary}">`;
    expect(page(`<p>${summary}</p>`, head)).not.toContain("new crane");
  });

  test("is a paragraph of a declared article that its description lacks", () => {
    const paragraph = `${introduction} Fishermen, traders and the mayor came to see it, and stayed until it was dark.`;
    const head = '<meta property="og:type" content="article"><meta name="description" content="About the harbour.">';
    expect(page(`<p>${paragraph}</p>`, head)).toContain("new crane");
    expect(page(`<div class="short-bio"><p>${paragraph}</p></div>`, head)).not.toContain("new crane");
  });

  test("appears once", () => {
    expect(times(inArticle(""), "Paragraph 1 of")).toBe(1);
  });
});

describe("a line before the text", () => {
  const head =
    '<meta name="author" content="Ann Reed"><meta property="article:published_time" content="2026-05-01T10:00:00Z">';
  const withLine = (line: string) => viewOf(`<article><h1>A story</h1>${line}${prose}</article>`, { head });

  test.each([
    ["the day of publication", "<p>May 1, 2026</p>", "2026"],
    ["day and reading time", "<div>1 May 2026 · 4 min</div>", "2026"],
    ["day, as a heading", "<h2>Friday, May 1, 2026</h2>", "2026"],
    ["author", "<p>By Ann Reed</p>", "Reed"],
    ["author and day", "<p>Ann Reed, 2026-05-01</p>", "Reed"],
  ])("with only the %s is removed, because the view has it", (_name, line, gone) => {
    expect(withLine(line)).not.toContain(gone);
  });

  test.each([
    ["another day", "<p>May 4, 2026</p>", "May 4"],
    ["a place, too", "<p>Port of Old Harbour, county of Kent, May 1, 2026</p>", "Port of"],
    ["another author", "<p>By Ben Marsh</p>", "Marsh"],
    ["the day, after a sentence", "<p>It rained.</p><p>May 1, 2026</p>", "May 1"],
  ])("with %s stays", (_name, line, kept) => {
    expect(withLine(line)).toContain(kept);
  });
});

describe("the end of an article", () => {
  test("has no footer of the page with the article's name", () => {
    const footer = '<section class="content-section article-footer"><h2>Help us</h2><p>Learn how.</p></section>';
    expect(viewOf(`<main><h1>A story</h1>${prose}${prose}${footer}</main>`)).not.toContain("Learn how");
  });

  test("stays after a caption that names the author", () => {
    const caption = '<div class="wp-caption"><img src="/1.jpg"><p class="wp-caption-text">Ann Reed at work.</p></div>';
    const head = '<meta name="author" content="Ann Reed">';
    const html = viewOf(`<article><h1>A story</h1>${prose.repeat(3)}${caption}<p>It ends well.</p></article>`, {
      head,
      images: true,
    });
    expect(html).toContain("It ends well.");
  });
});

describe("the label of a table of contents", () => {
  const menu = '<nav><ul><li><a href="#a">One</a></li><li><a href="#b">Two</a></li></ul></nav>';
  const list = "<ul><li>The crane</li><li>The quay</li></ul>";

  test.each([
    "<p>In this post:</p>",
    "<h2>Table of Contents</h2>",
    "<details><summary>In this guide</summary></details>",
  ])("%s goes with its list", (label) => {
    const text = label.replaceAll(/<[^>]*>/g, "");
    expect(inArticle(label + menu)).not.toContain(text);
    expect(inArticle(`${label.replace("</details>", `${list}</details>`)}${list}`)).toContain(text);
  });
});

describe("a request to subscribe", () => {
  const form =
    '<div><div><h2>Get the stories of the harbour</h2></div><p>Join us for free.</p><div><input type="text" placeholder="Your email"><button>Join</button></div><label><input type="checkbox">Remember me</label></div>';
  const page = (part: string, head: string) =>
    viewOf(`<main><article><h1>A story</h1>${prose}${part}${prose}</article></main>`, { head });
  const declared = '<meta property="og:type" content="article">';

  test("is removed with the texts around its field, and nothing else", () => {
    expect(page(form, declared)).toBe(page("", declared));
  });

  test("goes with its conditions", () => {
    const conditions = `<p>${"You agree that we store your address, as the law says. ".repeat(8)}</p>`;
    expect(page(`<form>${form}${conditions}</form>`, declared)).toBe(page("", declared));
  });

  test("is removed from a form around the page, without the page's text", () => {
    const html = viewOf(`<form><main><h1>A story</h1>${prose}${form}${prose}</main></form>`, { head: declared });
    expect([times(html, "Paragraph 1"), times(html, "Remember me")]).toEqual([2, 0]);
  });
});

describe("copies for other screens:", () => {
  const section = "<h3>Blue crane</h3><p>It lifts forty tonnes, says the harbour master.</p>";

  test("a section with heading and text of an earlier one appears once", () => {
    const html = inArticle(`<div>${section}</div><p>Between them is a line.</p><div>${section}</div>`);
    expect([times(html, "Blue crane"), times(html, "forty tonnes"), times(html, "Between them")]).toEqual([1, 1, 1]);
  });

  test("in a declared article both sections stay, because they may be the meals of two days", () => {
    const meals = `<article><h1>A story</h1>${prose}<h2>Monday</h2>${section}<h2>Sunday</h2>${section}${prose}</article>`;
    expect(times(viewOf(meals, { head: '<meta property="og:type" content="article">' }), "forty tonnes")).toBe(2);
  });

  test("a line before and after its heading appears after it", () => {
    const line = "<p>The larger sensor sees the bright and the dark parts of a scene, and shows both of them well.</p>";
    const html = inArticle(`${line}<h3>High range</h3>${line}`);
    expect(times(html, "larger sensor")).toBe(1);
    expect(html.indexOf("High range")).toBeLessThan(html.indexOf("larger sensor"));
  });

  test("steps that two sections share stay in both", () => {
    const steps = "<ul><li>Open the console of the service, and sign in with your account.</li><li>Copy it.</li></ul>";
    expect(times(inArticle(`<h3>On Linux</h3>${steps}<h3>On Windows</h3>${steps}`), "Copy it.")).toBe(2);
  });
});

describe("headings without their content:", () => {
  const menu = '<div class="newsletter"><form><input name="q"><button>Go</button></form></div>';

  test("a heading whose content is not part of the article is removed", () => {
    expect(inArticle(`<h2>Sort and filter</h2>${menu}<h2>Results</h2><p>One boat was found.</p>`)).not.toContain(
      "Sort",
    );
  });

  test("a heading that the page shows directly above another one stays", () => {
    expect(inArticle("<h2>Questions</h2><h2>How tall is it?</h2><p>As tall as a house.</p>")).toContain("Questions");
  });

  test.each([
    ["text beside boxes", `<div><h2>Cranes</h2>They are <i>tall</i>.<div><p>And blue.</p></div></div><h2>End</h2>`],
    ["a paragraph that the page writes as a heading", `<h2>Cranes ${"are tall ".repeat(9)}</h2>${menu}<h2>End</h2>`],
  ])("a heading above %s stays", (_name, part) => {
    expect(inArticle(part)).toContain("Cranes");
  });

  test("three headings are a list, and stay", () => {
    const list = ["Red", "Green", "Blue"].map((name) => `<h3>${name} boats</h3>${menu}`).join("");
    expect(inArticle(`${list}<h2>End</h2><p>This is the end.</p>`)).toContain("Red boats");
  });
});

describe("pictures of the design:", () => {
  const image = (name: string, alt = "") => `<div><img src="/${name}" alt="${alt}"></div>`;
  const pictureCount = (part: string) => times(inArticle(part, true), "<img");

  test.each([
    ["a row of logos", ["a", "b", "c"].map((name) => image(`${name}-logo.png`)).join(""), 0],
    ["the second of two equal pictures", `${image("award.png")}<p>It won in 2024.</p>${image("award.png")}`, 1],
  ])("%s goes", (_name, part, count) => {
    expect(pictureCount(part)).toBe(count);
  });

  test.each([
    ["a logo alone", image("new-logo.png", "The new logo"), 1],
    ["a smiley in each of two lines", '<p>Hi <img src="/a.gif" alt="laughing out loud, very much"></p>'.repeat(2), 2],
    ["a drawing in a paragraph", '<p><img src="/plan.svg" alt="Plan"></p>', 1],
    [
      "a drawing with a caption",
      '<figure><img src="/plan.svg" alt="Plan"><figcaption>The plan.</figcaption></figure>',
      1,
    ],
  ])("%s stays", (_name, part, count) => {
    expect(pictureCount(part)).toBe(count);
  });
});

describe("a card", () => {
  const pictures = (n: number) =>
    [1, 2, 3]
      .map(
        (place) =>
          `<a href="/p/${n}"><img src="/${n}-${place}.jpg" alt="Bottle ${n} from side ${place}, with its blue cap on"></a>`,
      )
      .join("");
  const card = (n: number) =>
    `<li>${pictures(n)}<h3><a href="/p/${n}">Bottle of number ${n}</a></h3><p>It holds ${n} litres, and keeps them cold all day.</p><p>Bottle of number ${n}</p></li>`;
  const html = inArticle(`<ul>${[1, 2, 3].map(card).join("")}</ul>`, true);

  test("has one of the pictures that lead to its page", () => {
    expect([...html.matchAll(/(\d-\d)\.jpg/g)].map(([, name]) => name)).toEqual(["1-1", "2-1", "3-1"]);
  });

  test("has its name once", () => {
    expect(times(html, "Bottle of number 2")).toBe(1);
  });

  test("repeats no line, but its code may", () => {
    const step =
      '<li><img src="/a.jpg" alt=""><p>Run this, and wait:</p><pre>npm test</pre><p>Run it again:</p><pre>npm test</pre></li>';
    expect(times(inArticle(`<ol>${step}</ol>`, true), "npm test")).toBe(2);
  });

  test("that is a figure has its credit once", () => {
    const figure = '<figure><div>Photo by Ann Reed</div><img src="/a.jpg" alt=""><div>Photo by Ann Reed</div></figure>';
    expect(times(inArticle(figure, true), "Photo by Ann Reed")).toBe(1);
  });
});

test("a drawing in a box of a post goes", () => {
  const post = (n: number) =>
    `<div class="postbody"><div class="content">Post ${n} has a text of some length. <div><img src="/shape-7.svg" alt="Open"></div></div></div>`;
  const html = viewOf(post(1) + post(2), { images: true });
  expect([times(html, "some length"), times(html, "<img")]).toEqual([2, 0]);
});

describe("names and labels within the text:", () => {
  test("a link of a sentence stays if it has the class of a tooltip", () => {
    const link = '<a class="custom-tooltip" href="javascript:void(0)"><span>rebate of the town</span></a>';
    const rules = { ...allRules, article: [...allRules.container, ...allRules.article] };
    const page = `<main><h1>A story</h1>${prose}<p>You can get a ${link} up to $100.</p>${prose}</main>`;
    expect(viewPage(page, "https://example.com/story", { mode: "less", images: false }, rules).html).toContain(
      "rebate",
    );
  });

  test('"See:" leads to a reference, which stays', () => {
    const items = [1, 2, 3].map(
      (n) => `<li><p>Letter ${n} is about boats.</p><p>See: <a href="/${n}">Issue ${n}</a></p></li>`,
    );
    expect(inArticle(`<ol>${items.join("")}</ol>`)).toContain("Issue 2</a>");
  });

  test("the header of a review stays with it", () => {
    const review = (n: number) =>
      `<article class="review-item"><header class="review-header"><h5>Title ${n}</h5></header><p>I bought ${n} boats, and they all float, which is what I want of them.</p></article>`;
    expect(inArticle([1, 2, 3].map(review).join(""))).toContain("Title 2");
  });
});
