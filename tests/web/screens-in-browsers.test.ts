// SPDX-License-Identifier: MIT

import { isFirefox, launchBrowser, networkName } from "@reading-list/testing/browser.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { chromiumFor } from "@reading-list/testing/find-browser.ts";
import { findFreePort } from "@reading-list/testing/free-port.ts";
import { articlePage, type PageServer, page as pageOf, startPageServer } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import jsqr from "jsqr";
import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { Device } from "./device.ts";
import { unreachable } from "./unreachable.ts";

/** A laptop at 200 % zoom, a phone in landscape and upright, and the smallest screen that WCAG 1.4.10 names. */
const sizes: [width: number, height: number][] = [
  [683, 330],
  [740, 340],
  [360, 740],
  [320, 640],
];
const inputs = ["mouse", "touch"] as const;

describe.skipIf(!chromiumFor("the screens of the web reader"))("on a screen", () => {
  let service: TestService;
  let pages: PageServer;
  const browsers = {} as Record<(typeof inputs)[number], Browser>;

  beforeAll(async () => {
    pages = await startPageServer(pageOf(articlePage));
    atEndOfFile(pages.stop);
    service = await startTestService({ TEXT_ALLOWED_ORIGINS: pages.origin });
    browsers.mouse = await launchBrowser();
    browsers.touch = isFirefox ? await launchBrowser({ isTouched: true }) : browsers.mouse;
  });

  async function open(input: (typeof inputs)[number], [width, height]: [number, number]): Promise<Device> {
    const user = await service.newUser();
    const entries = [
      { url: `${pages.origin}/long`, title: "A title of a page that takes more than a single line on a phone" },
      { url: `${pages.origin}/short`, title: "Short" },
    ];
    await user.ok("send", { new: JSON.stringify(entries) });
    const tags = [{ url: `${pages.origin}/long`, tags: "starred,science,later" }];
    await user.ok("send", { update_tags: JSON.stringify(tags) });
    const isMobile = input === "touch" && !isFirefox;
    const device = await Device.signedIn(browsers[input], `${service.baseUrl}/app/`, user, {
      viewport: { width, height },
      ...(isMobile && { isMobile, hasTouch: true }),
    });
    expect(await device.page.evaluate(() => matchMedia("(hover: hover)").matches)).toBe(input === "mouse");
    await device.page.getByRole("link", { name: "Short" }).waitFor();
    return device;
  }

  /** Opens each popover and dialog of the page that a button opens, and returns the controls that are out of reach. */
  async function unreachableIn(page: Page): Promise<Record<string, string[]>> {
    const found: Record<string, string[]> = {};
    const look = async (name: string) => {
      const problems = await unreachable(page);
      if (problems.length > 0) found[name] = problems;
    };
    // A row shows once what a swipe does.
    await expect.poll(() => page.evaluate(() => document.getAnimations().length)).toBe(0);
    await look("page");
    for (const opener of await page.locator(".top > button, .bar > button").all()) {
      const name = (await opener.getAttribute("aria-label")) ?? (await opener.textContent()) ?? "";
      if (/Back to|Star|Archive|Delete|Remove|Select/.test(name)) continue;
      await opener.click();
      await page.locator("dialog[open], :popover-open").waitFor();
      await page.locator("dialog[open] :is(button, input), :popover-open :is(button, select)").first().waitFor();
      await look(name);
      await page.keyboard.press("Escape");
      await expect.poll(() => page.locator("dialog[open], :popover-open").count()).toBe(0);
    }
    return found;
  }

  describe.each(sizes.flatMap((size) => inputs.map((input) => [...size, input] as const)))(
    "of %i × %i pixels with %s",
    (width, height, input) => {
      let device: Device;
      beforeAll(async () => {
        device = await open(input, [width, height]);
      });
      afterAll(async () => {
        await device.close();
        expect(device.complaints).toEqual([]);
      });

      test.runIf(width < 640)("a row shows its tags under a title of two lines", async () => {
        const row = device.page.locator(".row").filter({ hasText: "A title of a page" });
        const { y: top = 0, height: high = 0 } = (await row.boundingBox()) ?? {};
        const title = await row.locator(".row-title").boundingBox();
        expect(title?.height).toBeGreaterThan(40);
        for (const tag of ["science", "later"]) {
          const shown = row.getByText(tag, { exact: true });
          const box = await shown.boundingBox();
          expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(top + high);
          const isOnTop = await shown.evaluate((each) => {
            const { left, top, width, height } = each.getBoundingClientRect();
            return each.contains(document.elementFromPoint(left + width / 2, top + height / 2));
          });
          expect(isOnTop).toBe(true);
        }
      });

      test("no state of the sync makes the page wider", async () => {
        const excess = await device.page.locator(".sync-text").evaluate((text) => {
          const former = text.firstChild as Text;
          const { data } = former;
          former.data = "1,000 changes to send";
          const { scrollWidth } = document.documentElement;
          former.data = data;
          return scrollWidth - innerWidth;
        });
        expect(excess).toBeLessThanOrEqual(0);
      });

      test.runIf(input === "mouse")("a mouse has all buttons of a row, and they are legible", async () => {
        const row = device.row("Short");
        await row.hover();
        for (const name of ["Archive", "Star", "Edit", "Delete"]) {
          const button = row.getByRole("button", { name: `${name}: Short`, exact: true });
          expect(await button.evaluate((each) => each.checkVisibility({ opacityProperty: true }))).toBe(true);
          await button.click({ trial: true });
        }
        expect(await violations(device.page)).toEqual([]);
      });

      test("every control of list, article, marks and trash can be reached", async () => {
        const { page } = device;
        expect(await unreachableIn(page)).toEqual({});
        await page.getByRole("link", { name: "Short" }).click();
        await page.locator("iframe.article-frame").waitFor();
        expect(await unreachableIn(page)).toEqual({});
        const sections = ["look", "articles", "keyboard", "saving", "data", "account", "about"];
        const places = [
          "marks=1",
          "tags=1",
          "duplicates=1",
          "trash=1",
          "account=1",
          ...sections.map((section) => `settings=${section}`),
        ];
        for (const place of places) {
          await page.goto(`${service.baseUrl}/app/#unread?${place}`);
          await page.locator(`.${place.split("=")[0]}-page`).waitFor();
          expect(await unreachableIn(page)).toEqual({});
        }
      });
    },
  );

  test.each([
    [740, 340],
    [320, 640],
  ])("of %i × %i pixels, an empty list says how to begin, and leads there", async (width, height) => {
    const user = await service.newUser();
    const device = await Device.signedIn(browsers.mouse, `${service.baseUrl}/app/`, user, {
      viewport: { width, height },
    });
    const { page } = device;
    await page.getByRole("heading", { name: "On your e-reader" }).waitFor();
    expect(await unreachable(page)).toEqual([]);
    expect(await violations(page)).toEqual([]);
    await page.getByText("The address of this page works only on this computer").waitFor();
    await page.getByRole("button", { name: "Devices, password…" }).click();
    await page.getByRole("heading", { name: "Account", exact: true }).waitFor();
    await page.keyboard.press("Escape");
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.locator("label.button", { hasText: "Import a file…" }).click(),
    ]);
    const content = `title,url,time_added,tags,status\nImported,${pages.origin}/imported,1600000000,,unread`;
    await chooser.setFiles({ name: "part_000000.csv", mimeType: "text/csv", buffer: Buffer.from(content) });
    await page.getByRole("button", { name: "Add 1 page" }).click();
    await device.shows("Imported");
    await page.getByRole("link", { name: /^Archive/ }).click();
    await page.getByText("The archive is empty").waitFor();
    expect(await page.locator(".first-steps").count()).toBe(0);
    await device.close();
    expect(device.complaints).toEqual([]);
  });

  test("on a computer, an empty list shows the address as a QR code for the camera of a phone", async () => {
    const port = String(await findFreePort());
    const baseUrl = `http://${networkName}:${port}`;
    const own = await startTestService({ PORT: port, BASE_URL: baseUrl });
    const user = await own.newUser();
    for (const colorScheme of ["light", "dark"] as const) {
      const device = await Device.signedIn(browsers.mouse, `${baseUrl}/app/`, user, { colorScheme });
      const shown = await device.page.locator("svg.qr").screenshot();
      const { data, info } = await sharp(shown).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
      const read = jsqr.default(new Uint8ClampedArray(data), info.width, info.height, {
        inversionAttempts: "dontInvert",
      });
      expect(read?.data).toBe(`${baseUrl}/app/`);
      await device.close();
    }
  });

  test("the title of the browser's tab names the page, the filter or the article that is shown", async () => {
    const device = await open("mouse", [740, 340]);
    const { page } = device;
    const list = "Reading list";
    const titles: Record<string, string> = {
      unread: list,
      archive: `Archive – ${list}`,
      "unread?tag=science": `science – ${list}`,
      "archive?search=harbour": `harbour – Archive – ${list}`,
      "unread?site=sea.example": `sea.example – ${list}`,
      "unread?tags=1": `Tags – ${list}`,
      "unread?trash=1": `Trash – ${list}`,
      "unread?account=1": `Account – ${list}`,
      [`unread?article=${encodeURIComponent(`${pages.origin}/short`)}`]: "Short",
      "unread?duplicates=1": `Possible duplicates – ${list}`,
    };
    for (const [fragment, title] of Object.entries(titles)) {
      await page.goto(`${service.baseUrl}/app/#${fragment}`);
      await expect.poll(() => page.title()).toBe(title);
    }
    await page.goto(`${service.baseUrl}/app/#unread`);
    await page.getByRole("link", { name: "Short" }).click();
    await expect.poll(() => page.title()).toBe("Short");
    await page.getByRole("button", { name: "Back to list" }).click();
    await expect.poll(() => page.title()).toBe(list);
    await device.close();
    expect(device.complaints).toEqual([]);
  });

  test("the browser's bars have the color of the page, in each theme", async () => {
    const device = await open("mouse", [360, 740]);
    const { page } = device;
    const colors = () =>
      page.evaluate(() => {
        const metas = [...document.querySelectorAll<HTMLMetaElement>("meta[name=theme-color]")];
        return { bars: metas.map(({ content }) => content), page: getComputedStyle(document.body).backgroundColor };
      });
    const seen = new Set<string>();
    await device.openSettings("Appearance");
    for (const theme of ["Light", "Sepia", "Dark", "E-ink"]) {
      await page.getByText(theme, { exact: true }).click();
      const { bars, page: shown } = await colors();
      expect(new Set(bars)).toEqual(new Set([shown]));
      seen.add(shown);
    }
    expect(seen.size).toBe(4);
    await device.close();
    expect(device.complaints).toEqual([]);
  });
});
