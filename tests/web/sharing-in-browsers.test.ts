// SPDX-License-Identifier: MIT

import { launchBrowser } from "@reading-list/testing/browser.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { chromiumFor } from "@reading-list/testing/find-browser.ts";
import { type PageServer, prose, startPageServer } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import type { Browser } from "playwright-core";
import sharp from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { Device, useDevices } from "./device.ts";

describe.skipIf(!chromiumFor("sharing"))("sharing in the web reader", () => {
  let service: TestService;
  let pages: PageServer;
  let browser: Browser;
  const devices = useDevices();

  beforeAll(async () => {
    const picture = await sharp({ create: { width: 400, height: 200, channels: 3, background: "teal" } })
      .png()
      .toBuffer();
    const html = `<title>Harbour</title><article><h1>Harbour</h1>${prose}<img src="/quay.png" alt="A quay">${prose.repeat(3)}</article>`;
    pages = await startPageServer(({ url }, response) => {
      if (url === "/quay.png") response.writeHead(200, { "content-type": "image/png" }).end(picture);
      else response.writeHead(200, { "content-type": "text/html" }).end(html);
    });
    atEndOfFile(pages.stop);
    service = await startTestService({ TEXT_ALLOWED_ORIGINS: pages.origin });
    browser = await launchBrowser();
  });

  async function deviceWithArticle() {
    const user = await service.newUser();
    const url = `${pages.origin}/harbour`;
    await user.add(url, { title: "Harbour", tags: "sea" });
    await user.ok("article", { url, images: "kept" });
    const device = await Device.signedIn(browser, `${service.baseUrl}/app/`, user);
    devices.push(device);
    await device.shows("Harbour");
    return { user, device };
  }

  /** Opens an address as someone without an account. */
  async function openAsStranger<T>(address: string, look: (page: Device["page"]) => Promise<T>): Promise<T> {
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      await page.goto(address);
      return await look(page);
    } finally {
      await context.close();
    }
  }

  test("an article is shared by a link that a stranger reads with its pictures, until it is ended", async () => {
    const { device } = await deviceWithArticle();
    const { page } = device;
    await page.getByRole("link", { name: "Harbour", exact: true }).click();
    await page.locator("main.reading").waitFor();
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name: "Share saved copy…" }).click();
    await page.getByRole("button", { name: "Create link" }).click();
    const address = (await page.locator(".created a").getAttribute("href")) ?? "";
    expect(await violations(page)).toEqual([]);
    await openAsStranger(address, async (stranger) => {
      expect(await stranger.getByRole("heading", { level: 1 }).first().textContent()).toBe("Harbour");
      const image = stranger.locator("img").first();
      await expect.poll(() => image.evaluate((each: HTMLImageElement) => each.naturalWidth)).toBe(400);
      // The style of the page is allowed by its hash.
      expect(await stranger.locator("body").evaluate((body) => getComputedStyle(body).maxWidth)).not.toBe("none");
    });
    await page.getByRole("button", { name: "Stop sharing Harbour" }).click();
    await expect.poll(() => page.locator("dialog .devices li").count()).toBe(0);
    expect((await service.fetch(address)).status).toBe(404);
  });

  test("a link to a tag follows the tag when it is renamed", async () => {
    const { user } = await deviceWithArticle();
    const { body } = await user.ok("share", { create: '{"tag":"sea"}' });
    const { address } = JSON.parse(body);
    const device = devices.at(-1) as Device;
    const { page } = device;
    await page.locator(".row").getByRole("link", { name: "sea", exact: true }).first().click();
    await page.getByRole("button", { name: "Rename or delete tag" }).click();
    await page.getByRole("dialog").getByRole("textbox").fill("ocean");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect.poll(async () => (await service.fetch(address)).body).toContain('<h1 dir="auto">ocean</h1>');
    await expect.poll(async () => (await service.fetch(address)).body).toContain("Harbour");
  });
});
