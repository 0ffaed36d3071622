import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { startService } from "@reading-list/local/service.ts";
import { findChromium } from "@reading-list/testing/find-browser.ts";
import { startPageServer } from "@reading-list/testing/page-server.ts";

/** Pages of `tests/pages`, one of each kind that an editor should look at. */
const pages = [
  ...["look-news", "look-blog", "look-documentation", "thread-phpbb", "questions-and-answers", "recipe"],
  ...["catalogue-of-cards", "displaystyle", "right-to-left", "look-japanese", "live-blog", "look-product"],
];

const stylesheet =
  "body{font:18px/1.5 serif;max-width:36em;margin:2em auto;padding:0 1em}img{max-width:100%}pre{background:#eee;padding:.5em;overflow:auto}table{border-collapse:collapse}td,th{border:1px solid #aaa;padding:.2em .6em}";

/** An image for pages that show one; the pages name no other host. */
const image =
  '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="240"><rect width="640" height="240" fill="#9bc"/></svg>';

/** Renders the text view of twelve pages in Chromium, through the service, and writes a PNG of each to `folder`. */
export async function renderPages(folder: string): Promise<void> {
  const chromium = findChromium();
  if (chromium === undefined) throw new Error("--look needs Chromium: sh .ci/install-chromium");
  const { origin, stop } = await startPageServer((request, response) => {
    const name = (request.url ?? "").slice(1);
    if (!pages.includes(name)) return response.writeHead(200, { "content-type": "image/svg+xml" }).end(image);
    const html = readFileSync(new URL(`../../tests/pages/${name}.html`, import.meta.url));
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(html);
  });
  const settings = {
    PORT: "0",
    TEXT_PORT: "0",
    DATA_DIR: ":memory:",
    TEXT_ALLOWED_ORIGINS: origin,
    LOG_LEVEL: "SILENT",
  };
  const service = await startService(settings);
  try {
    mkdirSync(folder, { recursive: true });
    for (const name of pages) {
      const parameters = new URLSearchParams({ apikey: service.apiKey, url: `${origin}/${name}`, images: "1" });
      const answer = await fetch(`${service.textUrl}/v2/text?${parameters}`);
      const title = decodeURIComponent(answer.headers.get("x-title") ?? "");
      const page = path.join(folder, `${name}.html`);
      writeFileSync(
        page,
        `<!doctype html><meta charset="utf-8"><style>${stylesheet}</style><h1 dir="auto">${title}</h1>${await answer.text()}`,
      );
      const file = path.resolve(folder, `${name}.png`);
      const flags = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--hide-scrollbars",
      ];
      // Asynchronous, because this process serves the images of the page.
      const options = [...flags, "--window-size=760,1100", `--screenshot=${file}`, path.resolve(page)];
      await promisify(execFile)(chromium, options, { timeout: 60_000 });
      rmSync(page);
      console.log(file);
    }
  } finally {
    await service.stop();
    stop();
  }
}
