// SPDX-License-Identifier: MIT

import { isFirefox, launchBrowser } from "@reading-list/testing/browser.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { chromiumFor } from "@reading-list/testing/find-browser.ts";
import { type PageServer, prose, startPageServer } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import type { Browser } from "playwright-core";
import sharp from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import { Device, useDevices } from "./device.ts";

const phone = { width: 360, height: 740 };

describe.skipIf(!chromiumFor("details of the web reader"))("in the web reader", () => {
  let service: TestService;
  let pages: PageServer;
  let browser: Browser;
  let touched: Browser;
  const devices = useDevices();

  beforeAll(async () => {
    const create = { width: 1200, height: 400, channels: 3, background: "teal" } as const;
    const picture = await sharp({ create }).png().toBuffer();
    const body = `${prose}<figure><img src="/quay.png" width="1200" height="400" alt="A quay"><figcaption>The quay at noon</figcaption></figure>${prose.repeat(3)}`;
    pages = await startPageServer(({ url = "" }, response) => {
      if (url === "/quay.png") return void response.writeHead(200, { "content-type": "image/png" }).end(picture);
      const title = url === "/untitled" ? "" : "<title>Harbour</title>";
      response.writeHead(200, { "content-type": "text/html" }).end(`<!doctype html>${title}<article>${body}</article>`);
    });
    atEndOfFile(pages.stop);
    service = await startTestService({ TEXT_ALLOWED_ORIGINS: pages.origin });
    browser = await launchBrowser();
    touched = isFirefox ? await launchBrowser({ isTouched: true }) : browser;
  });

  async function deviceWith(path: string, { isTouched = false } = {}) {
    const user = await service.newUser();
    const url = `${pages.origin}/${path}`;
    await user.add(url);
    await user.ok("article", { url, images: "kept" });
    const options = { viewport: phone, ...(isTouched && !isFirefox && { isMobile: true, hasTouch: true }) };
    const device = await Device.signedIn(isTouched ? touched : browser, `${service.baseUrl}/app/`, user, options);
    devices.push(device);
    return device;
  }

  test("a picture begins where its caption begins", async () => {
    const { page } = await deviceWith("harbour");
    await page.locator(".row-title").click();
    const figure = page.frameLocator("iframe.article-frame").locator("figure");
    await figure.scrollIntoViewIfNeeded();
    const leftOf = async (selector: string) => (await figure.locator(selector).boundingBox())?.x;
    await expect.poll(() => figure.locator("img").evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(1200);
    expect(await leftOf("img")).toBe(await leftOf("figcaption"));
  });

  test("the heading of a page without a title is its address", async () => {
    const { page } = await deviceWith("untitled");
    await page.locator(".row-title").click();
    await page.locator("iframe.article-frame").waitFor();
    expect(await page.locator(".reading h1").first().textContent()).toBe(`${pages.origin}/untitled`);
    const headings = page.frameLocator("iframe.article-frame").locator("h1");
    expect((await headings.allTextContents()).filter((each) => !each.trim())).toEqual([]);
  });

  test("a touched device shows once what a swipe does", async () => {
    const { page } = await deviceWith("harbour", { isTouched: true });
    const row = page.locator(".row");
    await page.waitForFunction(() => document.querySelector(".row")?.getAnimations().length === 1);
    expect(await row.getAttribute("data-swipe")).toBe("right");
    await expect.poll(() => row.getAttribute("data-swipe")).toBe("");
    await page.reload();
    await row.waitFor();
    await page.getByRole("button", { name: "Menu" }).waitFor();
    expect(await row.evaluate((each) => each.getAnimations().length)).toBe(0);
    expect(await row.getAttribute("data-swipe")).toBeNull();
  });

  test("a mouse gets no hint", async () => {
    const { page } = await deviceWith("harbour");
    await page.getByRole("button", { name: "Menu" }).waitFor();
    expect(await page.evaluate(() => localStorage.getItem("hinted-at-swipes"))).toBeNull();
  });
});
