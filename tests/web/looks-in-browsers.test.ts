// SPDX-License-Identifier: MIT

import { ReadingListClient } from "@reading-list/client/main.ts";
import { downloadOf, isFirefox, launchBrowser } from "@reading-list/testing/browser.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { chromiumFor } from "@reading-list/testing/find-browser.ts";
import { articlePage, type PageServer, page as pageOf, startPageServer } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import type { Browser } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { Device } from "./device.ts";
import { unreachable } from "./unreachable.ts";

describe.skipIf(!chromiumFor("the looks of the list"))("the list", () => {
  let service: TestService;
  let pages: PageServer;
  let browser: Browser;

  beforeAll(async () => {
    pages = await startPageServer(pageOf(articlePage));
    atEndOfFile(pages.stop);
    service = await startTestService({ TEXT_ALLOWED_ORIGINS: pages.origin });
    browser = await launchBrowser();
  });

  const urlOf = (name: string) => `${pages.origin}/${name}`;

  /** A user of some unread pages, and of an archived one, whose texts the service keeps. */
  async function newReader(count: number): Promise<TestUser> {
    const user = await service.newUser();
    const names = ["archived", ...Array.from({ length: count }, (_, i) => `page-${i}`)];
    await user.ok("send", {
      new: JSON.stringify(names.map((name) => ({ url: urlOf(name), title: `The ${name}`, tags: "science" }))),
      read: JSON.stringify([{ url: urlOf("archived") }]),
    });
    const { textUrl, apiKey } = service;
    await new ReadingListClient({ baseUrl: service.baseUrl, textUrl, apiKey, ...user.credentials }).article(
      urlOf("archived"),
    );
    return user;
  }

  async function open(
    user: TestUser,
    look: string,
    [width, height]: [number, number],
    options: Parameters<typeof Device.signedIn>[3] = {},
  ): Promise<Device> {
    const viewport = { width, height };
    const device = await Device.signedIn(browser, `${service.baseUrl}/app/`, user, { viewport, ...options });
    await device.openSettings("Appearance");
    await device.page.getByRole("radio", { name: look }).check();
    await device.backToList();
    return device;
  }

  const excerpt = /^(The harbour is open )?Paragraph 0/;

  test.each(["Excerpts", "Cards"])(
    "shows how texts begin, including texts that are not cached here: %s",
    async (look) => {
      const user = await newReader(1);
      const { page } = await open(user, look, [1280, 800]);
      await page.locator(".row", { hasText: "The page-0" }).getByText(excerpt).waitFor();
      await page.getByRole("link", { name: /^Archive/ }).click();
      const archived = page.locator(".row", { hasText: "The archived" });
      await archived.getByText(excerpt).waitFor();
      await archived.getByText(/^\d+ min$/).waitFor();
    },
  );

  const sizes: [number, number][] = [
    [1280, 800],
    [740, 340],
    [320, 640],
  ];

  test.each(["Excerpts", "Cards"].flatMap((look) => sizes.map(([width, height]) => ({ look, width, height }))))(
    "has all its controls within reach, and nothing that axe finds serious: $look at $width × $height",
    async (asked) => {
      const { look, width, height } = asked;
      const user = await newReader(7);
      const { page } = await open(user, look, [width, height]);
      await page.locator(".snippet").filter({ hasText: excerpt }).first().waitFor();
      expect(await unreachable(page)).toEqual([]);
      expect(await violations(page)).toEqual([]);
      const boxes = await page.locator(".row").evaluateAll((rows) =>
        rows.map((row) => {
          const { left, top, right, bottom } = row.getBoundingClientRect();
          return [left, top, right, bottom] as const;
        }),
      );
      const columns = new Set(boxes.map(([left]) => Math.round(left))).size;
      expect(columns).toBe(look === "Cards" ? { 1280: 3, 740: 2, 320: 1 }[width] : 1);
      const overlap = boxes.filter(([left, top, right, bottom], i) =>
        boxes.some((other, j) => i !== j && left < other[2] && right > other[0] && top < other[3] && bottom > other[1]),
      );
      expect(overlap).toEqual([]);
      if (process.env.SHOTS)
        await page.screenshot({ path: `/tmp/shots/${look}-${width}${isFirefox ? "-ff" : ""}.png` });
    },
  );

  test("saves selected pages as one book, and as one file of Markdown", async () => {
    const user = await newReader(2);
    const { page } = await open(user, "Compact", [360, 640]);
    const save = (name: string) => async () => {
      await page.getByRole("button", { name: "Select", exact: true }).click();
      await page.getByRole("button", { name: "Select all" }).click();
      await page.getByRole("button", { name: "Download…" }).click();
      expect(await unreachable(page)).toEqual([]);
      expect(await violations(page)).toEqual([]);
      await page.getByRole("button", { name, exact: true }).click();
    };
    const markdown = await downloadOf(page, save("Download as Markdown"));
    expect(markdown.text.match(/^# .*$/gm)).toEqual(["# The page-1", "# The page-0"]);
    const book = await downloadOf(page, save("Download as EPUB"));
    expect([book.name, book.text.slice(0, 2)]).toEqual(["The page-1.epub", "PK"]);
  });

  test("of 1,000 cards renders those on the screen, wherever it is scrolled", async () => {
    const user = await newReader(999);
    const { page } = await open(user, "Cards", [1280, 800]);
    const titles = () => page.locator(".row-title").allTextContents();
    await expect.poll(async () => (await titles())[0]).toBe("The page-998");
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await expect.poll(async () => (await titles()).includes("The page-0")).toBe(true);
    expect((await titles()).length).toBeLessThan(100);
  });

  test("cards are cards in the first rendering, however late their styles come", async () => {
    const user = await newReader(3);
    const { context, page } = await open(user, "Cards", [1280, 800], { serviceWorkers: "block" });
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await context.addInitScript(() => {
      const heights = new Set<number | undefined>();
      Object.assign(globalThis, { heights });
      const look = () => {
        for (const row of document.querySelectorAll(".rows > li")) heights.add(row.getBoundingClientRect().height);
        requestAnimationFrame(look);
      };
      look();
    });
    await context.route("**/later-*.css", async (route) => {
      await released;
      await route.continue();
    });
    const list = page.waitForResponse("**/later-*.js");
    await page.reload();
    await list;
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    release();
    await page.locator(".row").first().waitFor();
    await expect
      .poll(() => page.evaluate(() => [...((globalThis as { heights?: Set<number> }).heights ?? [])]))
      .toEqual([328]);
  });
});
