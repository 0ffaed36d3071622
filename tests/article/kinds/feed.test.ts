// SPDX-License-Identifier: MIT

import { describe, expect, test } from "vitest";
import { serveKinds } from "./read-served.ts";

const { site, serve, viewOf, readCostly, refusalOf, readArticle } = serveKinds();
const rss = (items: string, more = "") =>
  `<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Town News</title><link>https://example.com/</link><description>News of the town</description>${more}${items}</channel></rss>`;

describe("a feed lists its items, with titles that link to them and working markup", () => {
  const escaped = "&lt;p&gt;It took &lt;b&gt;too&lt;/b&gt; long.&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;";
  const items: [string, string, string][] = [
    [
      "of RSS with escaped HTML",
      "application/rss+xml",
      rss(
        `<item><title>Harbour &amp;amp; storm</title><link>https://example.com/1</link><description>${escaped}</description><pubDate>Fri, 01 May 2026 10:00:00 GMT</pubDate></item>`,
      ),
    ],
    [
      "of RSS with CDATA and a summary beside the content",
      "text/xml",
      rss(
        `<item><title><![CDATA[Harbour & storm]]></title><link>https://example.com/1</link><description>Summary</description><content:encoded><![CDATA[<p>It took <b>too</b> long.</p>]]></content:encoded><dc:date>2026-05-01</dc:date></item>`,
      ),
    ],
    [
      "of RSS 1.0",
      "application/xml",
      `<rdf:RDF xmlns="http://purl.org/rss/1.0/"><channel><title>Town News</title><description>News of the town</description></channel><item><title>Harbour &amp; storm</title><link>https://example.com/1</link><description>${escaped}</description><dc:date>2026-05-01T10:00:00Z</dc:date></item></rdf:RDF>`,
    ],
    [
      "of Atom with escaped HTML",
      "application/atom+xml",
      `<?xml version="1.0"?><!-- made by hand --><feed xmlns="http://www.w3.org/2005/Atom"><title>Town News</title><subtitle>News of the town</subtitle><entry><title type="html">Harbour &amp;amp; storm</title><link rel="self" href="https://example.com/self"/><link href="https://example.com/1"/><content type="html">${escaped}</content><published>2026-05-01T10:00:00Z</published></entry></feed>`,
    ],
    [
      "of Atom with XHTML, served as HTML",
      "text/html",
      `<feed xmlns="http://www.w3.org/2005/Atom"><title>Town News</title><subtitle>News of the town</subtitle><entry><title>Harbour &amp; storm</title><link href="https://example.com/1"/><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>It took <b>too</b> long.</p></div></content><updated>2026-05-01T10:00:00Z</updated></entry></feed>`,
    ],
    [
      "of JSON",
      "application/feed+json",
      JSON.stringify({
        version: "https://jsonfeed.org/version/1.1",
        title: "Town News",
        description: "News of the town",
        items: [
          {
            title: "Harbour & storm",
            url: "https://example.com/1",
            content_html: "<p>It took <b>too</b> long.</p>",
            date_published: "2026-05-01T10:00:00Z",
          },
        ],
      }),
    ],
  ];
  test.each(items)("%s", async (_name, type, body) => {
    const { html, title } = await viewOf("/feed", body, type);
    expect(title).toBe("Town News");
    expect(html).toContain(
      '<h2><a href="https://example.com/1">Harbour &amp; storm</a></h2><p><small>2026-05-01</small></p>',
    );
    expect(html).toContain("<p>It took <b>too</b> long.</p>");
    expect(html).toContain("<p>News of the town</p>");
    expect(html).not.toMatch(/&lt;|script|alert/);
  });
});

test("an item has its author, its images and its links, and closes what it opens", async () => {
  const body = '<p>One <a href="/two">two</a> <img src="/three.png" alt="Three"><table><tr><td>four</section></body>';
  const item = `<item><title>First</title><guid>https://example.com/g</guid><dc:creator>Ann</dc:creator><description><![CDATA[${body}]]></description></item>`;
  const feed = rss(
    `${item}<item><title>Second</title><description>plain & simple</description></item>`,
    "<language>de</language>",
  );
  const { html } = await viewOf("/items", feed, "application/rss+xml", { images: true });
  expect(html).toContain('<div lang="de">');
  expect(html).toContain('<a href="https://example.com/g">First</a></h2><p><small>Ann</small></p>');
  expect(html).toContain(`<a href="${site.origin}/two">two</a> <img src="${site.origin}/three.png" alt="Three" />`);
  expect(html).toMatch(/<td>four<\/td><\/tr>.*<\/table>.*<h2>Second<\/h2>/s);
  expect(html).toContain("<p>plain &amp; simple</p>");
});

test("a feed of 10,000 items lists 500 and says so; one of 500 has no notice", async () => {
  const itemsOf = (count: number) =>
    Array.from(
      { length: count },
      (_, index) =>
        `<item><title>Item ${index}</title><link>https://example.com/${index}</link><description>Text ${index}</description></item>`,
    ).join("");
  const { html, notice } = await viewOf("/long", rss(itemsOf(10_000)), "application/rss+xml");
  expect(html.match(/<h2>/g)).toHaveLength(500);
  expect(html).toContain("Item 499");
  expect(notice).toMatch(/^[\x20-\x7e]*500[\x20-\x7e]*$/);
  expect((await viewOf("/short", rss(itemsOf(500)), "application/rss+xml")).notice).toBeUndefined();
});

test("a feed is the same in both modes", async () => {
  serve("/kept", rss("<item><title>First</title><link>https://example.com/1</link></item>"), "application/rss+xml");
  const { less, more } = await readArticle("/kept");
  expect(less.html).toContain('<a href="https://example.com/1">First</a>');
  expect(more.html).toBe(less.html);
});

test("a truncated feed has the items before the cut", async () => {
  const cut = rss("<item><title>First</title>").replace("</channel></rss>", "<link>https://exa");
  expect((await viewOf("/cut", cut, "application/rss+xml")).html).toContain("First</a></h2>");
});

const beginnings = [
  ["comments", "<!-- a line of a comment -->\n"],
  ["comments that have the start of a feed", "<!--><rss>-->"],
  ["processing instructions", "<?a b?> \n"],
  ["doctypes", "<!doctype html>\n"],
  ["blanks", " \n\t"],
] as const;

test.each(beginnings)("a page that begins with 60 %s is read as a page, and a feed as a feed", async (_name, part) => {
  const start = part.repeat(60);
  const page = `${start}<html><body><article><h1>A page</h1><p>The harbour was closed.</p></article>`;
  expect((await viewOf("/page", page, "text/html")).html).toContain("<p>The harbour was closed.</p>");
  const feed = start + rss("<item><title>First</title></item>");
  expect((await viewOf("/feed", feed, "text/html")).html).toContain("<h2>First</h2>");
});

test.each<[string, string]>([
  ["nested markup", rss(`<item><description>${"&lt;a>".repeat(800_000)}`)],
  ["nested XML", `<rss>${"<item>".repeat(800_000)}`],
  ["a million items", rss("<item/>".repeat(700_000))],
  ["comments before it", `${"<!-- -->".repeat(600_000)}<rss>`],
])(
  "a feed with %s ends at most its worker",
  (_name, feed) => readCostly("/bomb", feed, "application/rss+xml"),
  120_000,
);

test("JSON that is not a feed, or cannot be decoded, is 400", async () => {
  expect(await refusalOf("/api", '{"list":[]}', "application/json")).toBe("url is JSON, but not a feed");
  expect(await refusalOf("/api", '{"list":', "application/json")).toBe("url is JSON that cannot be decoded");
});
