// SPDX-License-Identifier: MIT

import type { CallRecord } from "@reading-list/http/watch/watch-calls.ts";
import { type Answer, type PageServer, startPageServer } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let pages: PageServer;
let origin: string;
let service: TestService;
let lastCall: CallRecord | undefined;
const answers: Record<string, Answer> = {};

beforeAll(async () => {
  pages = await startPageServer((request, response) => {
    const answer = answers[request.url?.split("?")[0] ?? ""];
    if (answer) answer(request, response);
    else response.writeHead(404, { "content-type": "text/html" }).end("<h1>Not here</h1>");
  });
  origin = pages.origin;
  const report = (call: CallRecord) => {
    lastCall = call;
  };
  service = await startTestService({ TEXT_ALLOWED_ORIGINS: origin }, { report });
});
afterAll(() => pages.stop());

const prose = (topic: string) =>
  Array.from(
    { length: 6 },
    (_, i) =>
      `<p>Paragraph ${i} about ${topic}, with a comma, and enough words in it to be taken for the prose of an article that somebody wrote.</p>`,
  ).join("");

/** Serves an HTML page under a new path and returns its URL. */
function page(
  html: string | Buffer,
  headers: Record<string, string> = { "content-type": "text/html; charset=utf-8" },
): string {
  const path = `/${Object.keys(answers).length}`;
  answers[path] = (_request, response) => response.writeHead(200, headers).end(html);
  return origin + path;
}

const article = (body: string, head = "<title>An article - The Site</title>") =>
  `<!doctype html><html><head>${head}</head><body><nav><a href="/home">Home of the site</a></nav><main><article><h1>An article</h1>${body}</article></main><footer>Imprint of the site</footer></body></html>`;

describe("text", () => {
  test("returns the article of a page as a fragment of clean HTML", async () => {
    const url = page(
      article(`${prose("foxes")}<script>alert(1)</script><p onclick="x()">More <a href="/more">here</a>.</p>`),
    );
    const answer = await service.call("text", { url });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("status")).toBe("200 OK");
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(answer.headers.get("x-resolved")).toBe(url);
    expect(answer.headers.get("x-title")).toBe("An article");
    expect(answer.headers.get("x-limit-key-limit")).toMatch(/^\d+$/);
    expect(answer.body).toContain("Paragraph 5 about foxes");
    expect(answer.body).toContain(`href="${origin}/more"`);
    expect(answer.body).not.toMatch(/script|onclick|Home of the site|Imprint|<html|<body/);
  });

  test("with mode=more returns the page around the article, too", async () => {
    const url = page(article(prose("foxes")));
    const { body } = await service.call("text", { url, mode: "more" });
    for (const part of ["Home of the site", "Paragraph 0 about foxes", "Imprint of the site"])
      expect(body).toContain(part);
  });

  test("includes images only with images=1, with absolute URLs", async () => {
    const url = page(article(`${prose("foxes")}<figure><img src="fox.jpg" alt="A fox"></figure>${prose("hares")}`));
    expect((await service.call("text", { url })).body).not.toContain("<img");
    expect((await service.call("text", { url, images: 0 })).body).not.toContain("<img");
    expect((await service.call("text", { url, images: 1 })).body).toContain(`src="${origin}/fox.jpg"`);
  });

  test("keeps its headers within the limits of a gateway, however long title and URLs are", async () => {
    const long = "Очень длинный заголовок ".repeat(300);
    const head = `<title>${long}</title><link rel="next" href="?page=2&x=${"y".repeat(5000)}"><meta name="author" content="${long.slice(0, 90)}"><meta property="og:image" content="/${"y".repeat(5000)}">`;
    const answer = await service.call("text", {
      url: page(article(prose("x"), head).replace("<h1>An article</h1>", "")),
    });
    expect(answer.status).toBe(200);
    const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join("");
    expect(headers.length).toBeLessThan(8000);
    expect(decodeURIComponent(answer.headers.get("x-title") ?? "")).toMatch(/^Очень длинный/);
  });

  test("percent-encodes a title that is not plain ASCII", async () => {
    for (const title of ["Über Füchse", "100% foxes", "漢字"]) {
      const url = page(
        article(prose("x"), `<title>${title}</title>`).replace("<h1>An article</h1>", `<h1>${title}</h1>`),
      );
      const header = (await service.call("text", { url })).headers.get("x-title") ?? "";
      expect(header).toMatch(/^[\x20-\x7e]*$/);
      expect(decodeURIComponent(header)).toBe(title);
    }
  });

  test("returns the image, the authors and the date that a page declares", async () => {
    const head = `<title>t</title><meta property="og:image" content="/fox.jpg"><meta name="author" content="Zoë Fox"><meta property="article:published_time" content="2026-05-01T12:00:00+02:00">`;
    const { headers } = await service.call("text", { url: page(article(prose("foxes"), head)) });
    expect(headers.get("x-image")).toBe(`${origin}/fox.jpg`);
    expect(headers.get("x-author")).toBe("Zo%C3%AB%20Fox");
    expect(headers.get("x-date")).toBe("2026-05-01T10:00:00Z");
  });

  test("answers in UTF-8, whatever the encoding of the page", async () => {
    const html = Buffer.from(article(prose("f\xfcchse")), "latin1");
    const url = page(html, { "content-type": "text/html; charset=iso-8859-1" });
    expect((await service.call("text", { url })).body).toContain("füchse");
  });

  test("follows redirects, and returns the final URL in X-Resolved", async () => {
    const target = page(article(prose("foxes")));
    answers["/moved"] = (_request, response) => response.writeHead(302, { location: new URL(target).pathname }).end();
    const answer = await service.call("text", { url: `${origin}/moved` });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-resolved")).toBe(target);
  });

  test("returns the next page and a login form in headers", async () => {
    const parts = `${prose("foxes")}<p><a rel="next" href="/part?page=2">Next page</a></p>`;
    answers["/part"] = (_request, response) =>
      response
        .writeHead(200, { "content-type": "text/html" })
        .end(article(parts, '<link rel="next" href="/part?page=2"><title>t</title>'));
    const next = await service.call("text", { url: `${origin}/part` });
    expect(next.headers.get("x-next")).toBe(`${origin}/part?page=2`);
    expect(next.headers.get("x-login-found")).toBeNull();
    const form =
      '<form action="/login" method="post"><h1>Log in</h1><input name="username"><input type="password" name="password"><button>Log in</button></form>';
    const login = await service.call("text", { url: page(`<title>Log in</title><body>${form}`) });
    expect(login.status).toBe(200);
    expect(login.headers.get("x-login-found")).toBe("1");
    expect(login.headers.get("x-next")).toBeNull();
  });

  test("of a page without an article is 200 with an empty body in less mode", async () => {
    const answer = await service.call("text", { url: page("<title>Empty</title><body></body>") });
    expect([answer.status, answer.body]).toEqual([200, ""]);
  });

  test("returns a Content-Security-Policy with a sandbox", async () => {
    const { headers } = await service.call("text", { url: page(article(prose("foxes"))) });
    expect(headers.get("content-security-policy")).toContain("sandbox");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });
});

describe("the text of a page is cached", () => {
  /** Serves an article and counts how often it is fetched. */
  function countedPage(headers: Record<string, string>): { url: string; fetched: () => number } {
    const path = `/${Object.keys(answers).length}`;
    let fetched = 0;
    answers[path] = (_request, response) => {
      fetched += 1;
      response.writeHead(200, { "content-type": "text/html", ...headers }).end(article(prose(`foxes ${fetched}`)));
    };
    return { url: origin + path, fetched: () => fetched };
  }

  async function read(url: string, parameters: Record<string, string> = {}) {
    const { status, headers, body } = await service.call("text", { url, ...parameters });
    expect(status).toBe(200);
    return { cache: lastCall?.tally.textHits === 1 ? "hit" : "miss", headers, body };
  }

  test("for an hour by default, with its headers", async () => {
    const { url, fetched } = countedPage({});
    const first = await read(url);
    service.clock.advance(3599);
    const second = await read(url);
    expect([first.cache, second.cache]).toEqual(["miss", "hit"]);
    expect(second.body).toBe(first.body);
    for (const name of ["x-title", "x-resolved", "content-type"])
      expect(second.headers.get(name)).toBe(first.headers.get(name));
    service.clock.advance(1);
    expect((await read(url)).cache).toBe("miss");
    expect(fetched()).toBe(2);
  });

  test("without revealing what other applications have read", async () => {
    const { url } = countedPage({});
    const first = await read(url);
    const second = await read(url);
    expect(second.cache).toBe("hit");
    expect([...second.headers.keys()]).toEqual([...first.headers.keys()]);
    expect(second.headers.has("x-cache")).toBe(false);
  });

  test("separately for each mode and choice of images", async () => {
    const { url } = countedPage({});
    expect((await read(url)).cache).toBe("miss");
    expect((await read(url, { mode: "more" })).cache).toBe("miss");
    expect((await read(url, { images: "1" })).cache).toBe("miss");
    expect((await read(url, { mode: "more" })).cache).toBe("hit");
  });

  test.each([
    ["max-age=600", 600],
    ["public, max-age=5", 60],
    ["max-age=0", 60],
    ["max-age=999999999", 86_400],
    ["s-maxage=120, max-age=600", 120],
    ["max-age=nonsense", 3600],
  ])("as long as its origin says, between a minute and a day: %s", async (cacheControl, seconds) => {
    const { url } = countedPage({ "cache-control": cacheControl });
    await read(url);
    service.clock.advance(seconds - 1);
    expect((await read(url)).cache).toBe("hit");
    service.clock.advance(1);
    expect((await read(url)).cache).toBe("miss");
  });

  test.each(["no-store", "private, max-age=600", "no-cache"])(
    "not if its origin forbids it: %s",
    async (cacheControl) => {
      const { url } = countedPage({ "cache-control": cacheControl });
      await read(url);
      expect((await read(url)).cache).toBe("miss");
    },
  );

  test("once for all spellings that fetch the same page, each returned with its own fragment", async () => {
    const { url, fetched } = countedPage({});
    await read(`${url}#one`);
    const other = await read(`${url.replace("http://", "http://user:pass@")}#two`);
    expect(other.cache).toBe("hit");
    expect(other.headers.get("x-resolved")).toBe(`${url}#two`);
    expect(fetched()).toBe(1);
  });
});

describe("a page that cannot be fetched is 400 with the reason:", () => {
  const reasonOf = async (url: string) => {
    const answer = await service.call("text", { url });
    expect(answer.status).toBe(400);
    expect(answer.body).toBe(`400 Bad Request\n${answer.headers.get("x-error")}`);
    const reason = answer.headers.get("x-error") ?? "";
    expect(reason).toMatch(/^text: url [\x20-\x7e]+$/);
    return reason;
  };

  const served = (body: string, type: string): Answer => {
    return (_request, response) => response.writeHead(200, { "content-type": type }).end(body);
  };
  test.each<[reason: string, Answer]>([
    ["answers with status 404", (_request, response) => response.writeHead(404).end("no")],
    ["answers with status 304", (_request, response) => response.writeHead(304).end()],
    ["is not text, HTML, a PDF, an image or a feed", served("x", "video/mp4")],
    ["is not text, HTML, a PDF, an image or a feed", served("\0\x01\x02", "")],
    ["is a PDF that cannot be decoded", served("%PDF-1.7\nbroken", "application/pdf")],
    ["larger than 5000000 bytes", served("x".repeat(5_000_001), "text/html")],
    ["closed the connection", (request) => request.socket.destroy()],
    ["redirect", (_request, response) => response.writeHead(302, { location: "/refused?SECRET" }).end()],
  ])("%s", async (reason, answer) => {
    answers["/refused"] = answer;
    const message = await reasonOf(`${origin}/refused?SECRET`);
    expect(message).toContain(reason);
    expect(message).not.toContain("SECRET");
  });

  test("a private address", async () => {
    expect(await reasonOf("http://169.254.169.254/latest/meta-data/")).toContain("not public");
  });
});

describe("text refuses", () => {
  test.each([
    [{ mode: "most" }, "text: mode must be less or more"],
    [{ images: "yes" }, "text: images must be 0 or 1"],
    [{ url: "" }, "text: url is missing"],
    [{ url: "file:///etc/passwd" }, "text: url is not an http(s) URL"],
  ])("%o", async (parameters, message) => {
    const answer = await service.call("text", { url: "http://example.com/", ...parameters });
    expect(answer.status).toBe(400);
    expect(answer.headers.get("x-error")).toBe(message);
  });
});
