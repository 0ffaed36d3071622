// SPDX-License-Identifier: MIT

import { createPageReader } from "@reading-list/article/page-reader.ts";
import { viewPage } from "@reading-list/article/view/text-view.ts";
import { articlePage, type PageServer, startPageServer } from "@reading-list/testing/page-server.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { costlyPages } from "../hostile-pages.ts";
import { noCache } from "../no-cache.ts";

const processorMs = 200;
let server: PageServer;
let origin: string;
let reader: ReturnType<typeof createPageReader>;

beforeAll(async () => {
  server = await startPageServer((request, response) => {
    const name = decodeURIComponent(request.url?.slice(1) ?? "");
    response.writeHead(200, { "content-type": "text/html" }).end(costlyPages[name] ?? articlePage);
  });
  origin = server.origin;
  reader = createPageReader({ allowedOrigins: [origin], processorMs, deadlineMs: 60_000, cache: noCache, clock: Date });
});

afterAll(async () => {
  await reader.close();
  server.stop();
});

describe("an expensive page is bounded and does not affect the next request", () => {
  test.each(Object.keys(costlyPages))("%s", async (name) => {
    const url = `${origin}/${encodeURIComponent(name)}`;
    const outcome = await reader.read({ url, mode: "less", images: true }).catch((error: unknown) => error);
    if (outcome instanceof Error) expect(outcome).toMatchObject({ kind: "tooComplex", retryAfter: expect.any(Number) });
    else expect(outcome).toMatchObject({ html: expect.not.stringMatching(/<script|onerror/i) });
    const next = await reader.read({ url: origin, mode: "more", images: false });
    expect(next.html).toContain("Paragraph 3 of the article");
  });
});

test("a view is at most 5 MB, truncated after an element", () => {
  const base = `<base href="https://a.example/${"x".repeat(1900)}/">`;
  const links = Array.from({ length: 2700 }, (_, number) => `<p><a href="${number}">Link ${number}</a></p>`);
  const { html } = viewPage(base + links.join(""), "https://a.example/", { mode: "more", images: false });
  expect(Buffer.byteLength(html)).toBeLessThan(5_000_100);
  expect(html).toMatch(/Link \d+<\/a><\/p>$/);
});
