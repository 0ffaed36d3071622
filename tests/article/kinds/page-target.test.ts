// SPDX-License-Identifier: MIT

import { articlePage, page, prose, servePages } from "@reading-list/testing/page-server.ts";
import { beforeEach, describe, expect, test } from "vitest";
import { serveKinds } from "./read-served.ts";

const { site, other, answers, serve, viewOf, readArticle, refusalOf } = serveKinds();
const html = "text/html";
beforeEach(() => {
  answers.clear();
  site.requested.length = 0;
  serve("/story", articlePage, html);
});

describe("a page that only redirects is followed", () => {
  test.each<[string, string]>([
    ["by a refresh", '<meta http-equiv="refresh" content="0; url=/story">'],
    [
      "by a refresh for those without scripts",
      `<noscript><META http-equiv="Refresh" content="0;URL='/story'"></noscript><script>window.opener = null; location.replace("https:\\/\\/other.invalid\\/")</script>`,
    ],
    [
      "by a refresh relative to the base",
      '<base href="/deep/"><meta http-equiv=refresh content="5;../story"><p>You will be sent on.',
    ],
    ["by a script", '<title>One moment</title><script>window.location.href = "\\/story";</script>'],
    ["by a script that escapes the address", "<script>document.location.replace('\\x2fstor\\u0079')</script>"],
    ["by its only link", '<title>Redirecting…</title><p>You are being <a href="/story">redirected</a>.</p>'],
  ])("%s", async (_name, markup) => {
    const view = await viewOf("/start", markup, html);
    expect(view).toMatchObject({ title: "The harbour is open", resolvedUrl: `${site.origin}/story` });
    expect(view.html).toContain("Paragraph 3 of the article");
    expect((await readArticle("/start")).less).toEqual((await readArticle("/story")).less);
  });

  test("up to three times", async () => {
    const to = (path: string) => `<meta http-equiv=refresh content="0;url=${path}">`;
    for (const number of [2, 3, 4]) serve(`/${number}`, to(number === 4 ? "/story" : `/${number + 1}`), html);
    expect((await viewOf("/3", to("/4"), html)).title).toBe("The harbour is open");
    expect((await viewOf("/2", to("/3"), html)).title).toBe("The harbour is open");
    expect(await refusalOf("/1", to("/2"), html)).toBe("url redirects too many times");
  });

  test("with the checks of every fetch", async () => {
    const banned = await servePages(page(articlePage));
    for (const target of [
      "http://169.254.169.254/latest/",
      banned,
      "http://localhost:3000/",
      "http://[::ffff:7f00:1]/",
    ])
      expect(await refusalOf("/start", `<meta http-equiv=refresh content="0;url=${target}">`, html)).toContain(
        "not public",
      );
    expect(await refusalOf("/start", '<meta http-equiv=refresh content="0;url=/gone">', html)).toBe(
      "url answers with status 404",
    );
  });
});

describe("a page stays", () => {
  test.each<[string, string]>([
    ["if it loads itself again", '<meta http-equiv="refresh" content="5;url=/start#top"><p>The only words.'],
    ["if it waits longer than 10 seconds", '<meta http-equiv="refresh" content="60;url=/story"><p>The only words.'],
    [
      "if it has content",
      `<meta http-equiv="refresh" content="0;url=/story"><title>Own</title><p>The only words.${prose}`,
    ],
    [
      "if its script is a program",
      `<script src="/app.js"></script><script>if (old) location.href = "/story"</script><p>The only words.`,
    ],
    [
      "if its link is one of several",
      '<title>Redirecting</title><a href="/story">a</a><a href="/b">The only words.</a>',
    ],
    ["if its link is no redirect", '<p>The only words. <a href="/story">More</a></p>'],
    [
      "if the target is not a web page",
      '<meta http-equiv="refresh" content="0;url=javascript:alert(1)"><p>The only words.',
    ],
  ])("%s", async (_name, markup) => {
    const view = await viewOf("/start", markup, html, { mode: "more" });
    expect(view.html).toContain("The only words.");
    expect(view.resolvedUrl).toBe(`${site.origin}/start`);
    expect(site.requested).toEqual(["/start"]);
  });

  test("if two pages redirect to each other, until the loop closes", async () => {
    serve("/b", '<meta http-equiv=refresh content="0;url=/a"><p>The only words.', html);
    expect((await viewOf("/a", '<meta http-equiv=refresh content="0;url=/b">', html)).html).toContain(
      "The only words.",
    );
  });
});

describe("a page that needs its scripts has the text of its own JSON", () => {
  const discourse = `<title>Harbour - Forum</title><meta name="generator" content="Discourse 3.5.0"><link rel="canonical" href="/t/harbour/12"><noscript>Needs scripts.</noscript>`;
  const topic = {
    title: "Who has seen the <harbour>?",
    post_stream: {
      posts: [
        {
          username: "ann",
          name: "Ann",
          created_at: "2026-05-01T10:00:00.000Z",
          cooked: `<p>Have you? <img src="/a.png"><script>alert(1)</script></p>`,
        },
        { username: "bob", name: "", cooked: "<p>I have.</p>" },
      ],
    },
  };
  const wordpress = `<title>Harbour</title><link rel="alternate" title="JSON" type="application/json" href="/wp-json/wp/v2/posts/7"><div id="app"></div><script src="/app.js"></script>`;
  const post = {
    title: { rendered: "The harbour &#038; the storm" },
    content: { rendered: prose },
    date_gmt: "2026-05-01T10:00:00",
  };

  test("a topic of Discourse, post by post", async () => {
    serve("/t/harbour/12.json", JSON.stringify(topic), "application/json; charset=utf-8");
    const view = await viewOf("/t/harbour/12?u=ann", discourse, html, { images: true });
    expect(view.html).toBe(
      `<h4>Ann</h4><div><p>Have you? <img src="${site.origin}/a.png" alt="" /></p></div>\n<h4>bob</h4><div><p>I have.</p></div>`,
    );
    expect(view).toMatchObject({
      title: topic.title,
      author: "Ann",
      publishedAt: "2026-05-01T10:00:00Z",
      resolvedUrl: `${site.origin}/t/harbour/12?u=ann`,
    });
  });

  test("a post of WordPress", async () => {
    serve("/wp-json/wp/v2/posts/7", JSON.stringify(post), "application/json");
    const view = await viewOf("/harbour", wordpress, html);
    expect(view.html).toContain("Paragraph 3 of the article");
    expect(view).toMatchObject({ title: "The harbour & the storm", publishedAt: "2026-05-01T10:00:00Z" });
  });

  test("not if the page has its text", async () => {
    await viewOf("/harbour", wordpress + prose, html);
    expect(site.requested).toEqual(["/harbour"]);
  });

  test("not of another origin, also by a redirect", async () => {
    other.body = JSON.stringify(post);
    const elsewhere = wordpress.replace("/wp-json", `${other.origin}/wp-json`);
    expect((await viewOf("/harbour", elsewhere, html)).title).toBe("Harbour");
    answers.set("/wp-json/wp/v2/posts/7", (_request, response) =>
      response.writeHead(302, { location: other.origin }).end(),
    );
    expect((await viewOf("/harbour", wordpress, html)).title).toBe("Harbour");
    expect([other.requests, site.requested.at(-1)]).toEqual([0, "/wp-json/wp/v2/posts/7"]);
  });

  test.each<[string, string, string]>([
    ["is missing", "", ""],
    ["is HTML", articlePage, html],
    ["is of an unknown kind", '{"a":1}', "application/json"],
    ["is broken", '{"a":', "application/json"],
  ])("the page's own text if the JSON %s", async (_name, body, type) => {
    if (type !== "") serve("/wp-json/wp/v2/posts/7", body, type);
    expect((await viewOf("/harbour", `${wordpress}<p>Own words.</p>`, html)).html).toContain("Own words.");
  });

  test("not if the call contains the page as the user sees it, which is not redirected either", async () => {
    const refresh = '<meta http-equiv="refresh" content="0;url=/story">';
    const { less } = await readArticle("/harbour", { html: `${refresh}${wordpress}<p>Own words.</p>` });
    expect(less).toMatchObject({ html: expect.stringContaining("Own words."), resolvedUrl: `${site.origin}/harbour` });
    expect(site.requested).toEqual([]);
  });
});

describe("a page of a video", () => {
  const video = `<title>Boats - Video Site</title><meta property="og:type" content="video.other"><meta property="og:title" content="Boats at sea">
    <meta property="og:video:url" content="https://player.example/embed/7"><meta property="og:image" content="/boats.jpg">
    <meta property="og:description" content="Boats of the …">`;
  const player = (image = "") =>
    `<figure>${image}<figcaption><a href="https://player.example/embed/7">Boats at sea</a></figcaption></figure>`;

  test("keeps title, description and the link to the player", async () => {
    const view = await viewOf("/watch", `${video}<div>About Press Copyright</div>`, html);
    expect(view).toMatchObject({ title: "Boats at sea", html: `${player()}<p>Boats of the …</p>` });
    const { html: withImage } = await viewOf("/watch", video, html, { images: true });
    expect(withImage).toContain(player(`<img src="${site.origin}/boats.jpg" alt="" />`));
  });

  test("has the whole description of YouTube, with its lines and links", async () => {
    const script = `<script>var ytInitialPlayerResponse = {"videoDetails":{"shortDescription":"Boats of the \\"north\\".\\n\\n0:00 Start\\nhttps://example.com/a?b=1&c=2."}};</script>`;
    const { html: text } = await viewOf("/watch", video + script, html);
    expect(text).toBe(
      `${player()}<p>Boats of the "north".</p><p>0:00 Start<br /><a href="https://example.com/a?b=1&amp;c=2">https://example.com/a?b=1&amp;c=2</a>.</p>`,
    );
  });

  test("by structured data; an article with a video stays an article", async () => {
    const thing = (type: string) =>
      `<script type="application/ld+json">${JSON.stringify([{ "@type": "VideoObject", name: "Boats", description: "Boats go by.", embedUrl: "https://player.example/embed/8" }, { "@type": type }])}</script>`;
    expect((await viewOf("/v", `<title>Boats</title>${thing("Thing")}`, html)).html).toContain(
      '<a href="https://player.example/embed/8">Boats</a></figcaption></figure><p>Boats go by.</p>',
    );
    expect(
      (await viewOf("/v", articlePage.replace("</head>", `${thing("NewsArticle")}</head>`), html)).html,
    ).not.toContain("player.example");
  });
});
