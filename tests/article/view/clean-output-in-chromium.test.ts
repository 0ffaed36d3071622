// SPDX-License-Identifier: MIT

import { viewPage } from "@reading-list/article/view/text-view.ts";
import { launchBrowser } from "@reading-list/testing/browser.ts";
import { chromiumFor } from "@reading-list/testing/find-browser.ts";
import { prose, servePages } from "@reading-list/testing/page-server.ts";
import type { Page, Request } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { maliciousMarkup } from "../hostile-pages.ts";

const chromium = chromiumFor("the output of hostile pages in a browser");

/** Marks a script that ran, however it was started. */
const trap =
  "for (const name of ['alert', 'confirm', 'prompt', 'print']) window[name] = () => { document.ran = true; };";

/** Does everything to each element that a reader can do, and waits for the effects. */
const provoke = `(async () => {
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (link && link.protocol !== "javascript:") event.preventDefault();
  });
  for (const element of document.querySelectorAll("*")) {
    for (const type of ["mouseover", "focus", "toggle", "error", "load", "animationstart"]) element.dispatchEvent(new Event(type));
    if (element.click) element.click();
    if (element.focus) element.focus();
  }
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  return document.ran === true;
})()`;

describe.skipIf(chromium === undefined)("a browser that is given the output of a hostile page", () => {
  let tab: Page;

  beforeAll(async () => {
    tab = await (await launchBrowser()).newPage();
    await tab.addInitScript(trap);
  });

  /** Loads a document in the tab; says whether a script ran, and what else was requested. */
  async function load(body: string) {
    const origin = await servePages((request, response) => {
      if (request.url !== "/") return response.writeHead(404).end();
      response
        .writeHead(200, { "content-type": "text/html; charset=utf-8" })
        .end(`<!doctype html><title>x</title>${body}`);
    });
    const requests: string[] = [];
    const note = (request: Request) => {
      if (request.url() !== `${origin}/`) requests.push(`${request.resourceType()} ${request.url()}`);
    };
    tab.on("request", note);
    await tab.goto(origin);
    const ran = await tab.evaluate(provoke);
    tab.off("request", note);
    return { ran, requests };
  }

  test("the test detects scripts: the unsanitized markup runs scripts and leaves the page", async () => {
    expect((await load(maliciousMarkup["event handlers"] ?? "")).ran).toBe(true);
    expect((await load('<img src="https://evil.example/x">')).requests).toEqual(["image https://evil.example/x"]);
  });

  test.each(Object.entries(maliciousMarkup))("runs no script and requests nothing: %s", async (_name, markup) => {
    const page = `<title>A story</title><article>${prose}<div>${markup}</div>${prose}</article>`;
    const more = viewPage(page, "https://a.example/story", { mode: "more", images: false });
    expect(await load(more.html)).toEqual({ ran: false, requests: [] });
    const withImages = viewPage(page, "https://a.example/story", { mode: "less", images: true });
    const { ran, requests } = await load(withImages.html);
    expect(ran).toBe(false);
    expect(requests.filter((request) => !request.startsWith("image https://"))).toEqual([]);
  });
});
