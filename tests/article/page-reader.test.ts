// SPDX-License-Identifier: MIT

import { randomBytes } from "node:crypto";
import type { LookupAddress } from "node:dns";
import { brotliCompressSync, constants, createGzip, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { createPageReader, type PageReaderOptions } from "@reading-list/article/page-reader.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import {
  type Answer,
  articlePage,
  type PageServer,
  page,
  servePages,
  startPageServer,
} from "@reading-list/testing/page-server.ts";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { noCache } from "./no-cache.ts";

/** A deadline in ms that no page reaches on a busy machine. */
const patience = { deadlineMs: 50_000 };

function readerFor(options: Partial<PageReaderOptions> & { allowedOrigins: readonly string[] }) {
  const reader = createPageReader({ cache: noCache, clock: Date, ...patience, ...options });
  onTestFinished(() => reader.close());
  return reader;
}

/** A site with one page, and a reader for it: worker processes take long to start. */
let site: PageServer & { answer?: Answer };
let siteReader: ReturnType<typeof createPageReader>;
beforeAll(async () => {
  site = await startPageServer((request, response) => site.answer?.(request, response));
  siteReader = createPageReader({ cache: noCache, clock: Date, ...patience, allowedOrigins: [site.origin] });
});
afterAll(async () => {
  await siteReader.close();
  site.stop();
});

async function readPage(answer: Answer, options?: Partial<PageReaderOptions>, path = "/story?id=1") {
  const { origin } = site;
  site.answer = answer;
  const reader = options ? readerFor({ allowedOrigins: [origin], ...options }) : siteReader;
  return { origin, view: await reader.read({ url: origin + path, mode: "less", images: false }) };
}

/** The message that a page is refused with. */
async function refusal(answer: Answer, options?: Partial<PageReaderOptions>, path = "/secret?token=hush") {
  const outcome = await readPage(answer, options, path).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(ServiceError);
  const error = outcome as ServiceError;
  expect(error.kind).toBe("invalid");
  expect(error.message).toMatch(/^url [\x20-\x7e]+$/);
  expect(error.message).not.toContain("hush");
  return error.message;
}

const redirect = (location: string, headers: Record<string, string | string[]> = {}): Answer => {
  return (_request, response) => response.writeHead(302, { location, ...headers }).end();
};

describe("a page that can be fetched", () => {
  test("is requested once by readings of both modes that run at once", async () => {
    let requests = 0;
    site.answer = (request, response) => {
      requests++;
      page(articlePage)(request, response);
    };
    const modes = ["less", "more", "less", "more"] as const;
    // All begin before the first request can be answered.
    const views = modes.map((mode) => siteReader.read({ url: `${site.origin}/awaited`, mode, images: false }));
    for (const { html } of await Promise.all(views)) expect(html).toContain("harbour");
    expect(requests).toBe(1);
  });

  test("is requested with an honest User-Agent and Accept headers", async () => {
    let headers: Record<string, unknown> = {};
    await readPage((request, response) => {
      headers = request.headers;
      page(articlePage)(request, response);
    });
    expect(headers["user-agent"]).toContain("ReadingListText");
    expect(headers.accept).toContain("text/html");
    expect(headers["accept-language"]).toBeTruthy();
  });

  test.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
    ["gzip, br", (bytes: Buffer) => brotliCompressSync(gzipSync(bytes))],
  ])("is decoded from %s", async (encoding, compress) => {
    const body = compress(Buffer.from(articlePage));
    const { view } = await readPage(page(body, { "content-type": "text/html", "content-encoding": encoding }));
    expect(view.html).toContain("Paragraph 3 of the article");
  });

  test("is decoded from all frames of zstd, also from a truncated one", async () => {
    const headers = { "content-type": "text/html", "content-encoding": "zstd" };
    const half = Math.floor(articlePage.length / 2);
    const frames = [articlePage.slice(0, half), articlePage.slice(half)].map((part) => zstdCompressSync(part));
    expect((await readPage(page(Buffer.concat(frames), headers))).view.html).toContain("Paragraph 5");
    const large = zstdCompressSync(articlePage + randomBytes(400_000).toString("latin1"));
    const { view } = await readPage(page(large.subarray(0, 300_000), headers));
    expect(view.title).toBe("The harbour is open");
  });

  test.each(["none", "utf-8", "sdch", "identity, gzip"])(
    "is read although Content-Encoding also says %s",
    async (name) => {
      const body = name.includes("gzip") ? gzipSync(articlePage) : articlePage;
      const { view } = await readPage(page(body, { "content-type": "text/html", "content-encoding": name }));
      expect(view.html).toContain("Paragraph 5");
    },
  );

  test("is shown as far as it was received if its Content-Length is larger", async () => {
    const { view } = await readPage((_request, response) => {
      response.writeHead(200, { "content-type": "text/html", "content-length": articlePage.length + 100 });
      response.write(articlePage, () => setTimeout(() => response.destroy(), 20));
    });
    expect(view.html).toContain("Paragraph 5");
  });

  test("of plain text keeps its paragraphs and its layout", async () => {
    const { view } = await readPage(page("A title\n\nOne & <two>\n\n  if x:\n    y", { "content-type": "text/plain" }));
    expect(view.html).toContain("<p>One &amp; &lt;two&gt;</p>");
    expect(view.html).toContain("<pre>  if x:\n    y</pre>");
    expect(view.title).toBe("A title");
  });

  test("without a Content-Type is HTML if its content looks like HTML", async () => {
    const { view } = await readPage(page(articlePage, {}));
    expect(view.title).toBe("The harbour is open");
  });

  test("is fetched without the credentials in its URL, and its final URL has none", async () => {
    let authorization: string | undefined;
    const origin = await servePages((request, response) => {
      authorization = request.headers.authorization;
      page(articlePage)(request, response);
    });
    const url = origin.replace("//", "//user:hush@");
    const view = await readerFor({ allowedOrigins: [origin] }).read({ url, mode: "less", images: false });
    expect(authorization).toBeUndefined();
    expect(view.resolvedUrl).toBe(`${origin}/`);
  });
});

describe("a page that cannot be fetched is refused with the reason", () => {
  test("a decompression bomb, stopped during decoding", async () => {
    let sent = 0;
    const bomb: Answer = (_request, response) => {
      response.writeHead(200, { "content-type": "text/html", "content-encoding": "gzip" });
      const gzip = createGzip({ level: constants.Z_BEST_SPEED });
      gzip.on("data", (chunk: Buffer) => {
        sent += chunk.byteLength;
      });
      gzip.pipe(response);
      const zeros = Buffer.alloc(1_000_000);
      const pump = () => {
        while (!response.destroyed && gzip.write(zeros));
        if (!response.destroyed) gzip.once("drain", pump);
      };
      response.on("close", () => gzip.destroy());
      pump();
    };
    expect(await refusal(bomb)).toContain("larger than 5000000 bytes");
    expect(sent).toBeLessThan(3_000_000);
  });

  test("a content encoding that is broken, unknown, or too many", async () => {
    for (const name of ["lzma", "compress", "lzma, gzip"]) {
      const encoded = gzipSync(articlePage);
      const body = name.includes("gzip") ? gzipSync(encoded) : encoded;
      const message = await refusal(page(body, { "content-type": "text/html", "content-encoding": name }));
      expect(message).toContain("a content encoding other than gzip, br, zstd");
    }
    expect(await refusal(page("x", { "content-encoding": "gzip,gzip,gzip,gzip" }))).toContain("content encodings");
    expect(await refusal(page("not gzip", { "content-encoding": "gzip" }))).toContain("content encoding");
  });

  test("no answer, half an answer, and a drip of bytes, within the deadline", async () => {
    const deadlineMs = 150;
    expect(await refusal(() => {}, { deadlineMs })).toContain("too long");
    expect(
      await refusal((_request, response) => response.writeHead(200, { "content-type": "text/html" }).write("<p>"), {
        deadlineMs,
      }),
    ).toContain("too long");
    expect(
      await refusal(
        (_request, response) => {
          response.writeHead(200, { "content-type": "text/html" });
          const drip = setInterval(() => response.write("."), 10);
          response.on("close", () => clearInterval(drip));
        },
        { deadlineMs },
      ),
    ).toContain("too long");
  });

  test("an unrequested 101 answer", async () => {
    const message = await refusal(
      (request) =>
        request.socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"),
      { deadlineMs: 1000 },
    );
    expect(message).toMatch(/^url /);
  });

  test("headers that are too large", async () => {
    expect(
      await refusal((_request, response) => response.writeHead(200, { "x-large": "x".repeat(40_000) }).end()),
    ).toContain("headers");
  });

  test("credentials in the URL are not repeated", async () => {
    const reader = readerFor({ allowedOrigins: [] });
    const outcome = reader.read({ url: "http://user:hush@127.0.0.1/", mode: "less", images: false });
    await expect(outcome).rejects.toThrow(/^url has a host whose address is not public$/);
  });
});

describe("redirects", () => {
  test("are followed up to five times", async () => {
    const hops = (count: number): Answer => {
      return (request, response) => {
        const hop = Number(request.url?.slice(1));
        if (hop === count) page(articlePage)(request, response);
        else response.writeHead(302, { location: `/${hop + 1}` }).end("moved");
      };
    };
    const { origin, view } = await readPage(hops(5), undefined, "/0");
    expect(view.resolvedUrl).toBe(`${origin}/5`);
    expect(await refusal(hops(6), undefined, "/0")).toContain("redirects too many times");
  });

  test.each([
    ["UTF-8", Buffer.from("/ü?漢=ü").toString("latin1"), "/%C3%BC?%E6%BC%A2=%C3%BC"],
    ["Latin-1", "/caf\xe9", "/caf%C3%A9"],
    ["ASCII", "/caf%E9", "/caf%E9"],
  ])("to a Location of %s bytes are followed as browsers do", async (_, location, target) => {
    const { origin, view } = await readPage(
      (request, response) => {
        if (request.url === "/start") redirect(location)(request, response);
        else page(articlePage)(request, response);
      },
      undefined,
      "/start",
    );
    expect(view.resolvedUrl).toBe(origin + target);
  });

  test("to a private address, port or scheme are refused on every hop", async () => {
    expect(await refusal(redirect("http://169.254.169.254/latest/"))).toContain("not public");
    expect(await refusal(redirect("http://[::ffff:7f00:1]/"))).toContain("not public");
    expect(await refusal(redirect("http://localhost:3000/"))).toContain("not public");
    expect(await refusal(redirect("http://example.com:22/"))).toContain("port");
    expect(await refusal(redirect("file:///etc/passwd"))).toContain("http(s)");
    expect(await refusal(redirect("http://["))).toContain("redirects without an address");
  });

  test("from one allowed origin to a private one that is not allowed are refused", async () => {
    const target = await servePages(page(articlePage));
    expect(await refusal(redirect(target))).toContain("not public");
  });

  test("keep the cookies that they set, only for the same host and this chain", async () => {
    const seen: (string | undefined)[] = [];
    const answer: Answer = (request, response) => {
      seen.push(request.headers.cookie);
      if (request.headers.cookie === "seen=1") page(articlePage)(request, response);
      else
        redirect("/again", { "set-cookie": ["seen=1; Path=/", "other=2; Domain=example.com", "s=3; Secure"] })(
          request,
          response,
        );
    };
    const origin = await servePages(answer);
    const reader = readerFor({ allowedOrigins: [origin] });
    await reader.read({ url: origin, mode: "less", images: false });
    await reader.read({ url: origin, mode: "less", images: false });
    expect(seen).toEqual([undefined, "seen=1", undefined, "seen=1"]);
  });
});

describe("a host name", () => {
  const resolveTo = (...answers: string[]) => {
    return async (): Promise<LookupAddress[]> => [{ address: answers.shift() ?? "127.0.0.1", family: 4 }];
  };

  test("that resolves to a private address is refused", async () => {
    const reader = readerFor({ allowedOrigins: [], resolve: resolveTo("10.0.0.1") });
    await expect(reader.read({ url: "http://example.com/", mode: "less", images: false })).rejects.toThrow(
      "not public",
    );
  });

  test("that resolves to a public address first and a private one later is never connected to", async () => {
    let requests = 0;
    const origin = await servePages((request, response) => {
      requests++;
      page(articlePage)(request, response);
    });
    const { port } = new URL(origin);
    const resolve = resolveTo("127.0.0.1", "127.0.0.1");
    const reader = readerFor({ allowedOrigins: [], resolve });
    await expect(reader.read({ url: `http://example.com:${port}/`, mode: "less", images: false })).rejects.toThrow(
      "not public",
    );
    expect(requests).toBe(0);
  });

  test("that is not found is refused", async () => {
    const resolve = () => Promise.reject(Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" }));
    const reader = readerFor({ allowedOrigins: [], resolve });
    await expect(reader.read({ url: "http://example.com/", mode: "less", images: false })).rejects.toThrow("not found");
  });

  test("whose lookup never ends is refused at the deadline", async () => {
    const reader = readerFor({ allowedOrigins: [], resolve: () => new Promise(() => {}), deadlineMs: 100 });
    await expect(reader.read({ url: "http://example.com/", mode: "less", images: false })).rejects.toThrow("too long");
  });
});

describe("the extraction of a page", () => {
  test("that exceeds its memory limit ends only its worker", async () => {
    const large = "<b><i>x</i></b>".repeat(330_000);
    const origin = await servePages((request, response) =>
      page(request.url === "/large" ? large : articlePage)(request, response),
    );
    const reader = readerFor({ allowedOrigins: [origin], processorMs: 50_000 });
    const reading = reader.read({ url: `${origin}/large`, mode: "less", images: false });
    await expect(reading).rejects.toMatchObject({ kind: "tooComplex" });
    expect((await reader.read({ url: origin, mode: "less", images: false })).html).toContain("Paragraph 3");
    // Its collections of garbage took more than 60 s on a busy machine.
  }, 300_000);
});
