// SPDX-License-Identifier: MIT

import { readTextPlaces } from "@reading-list/core/domain/text-places.ts";
import { downloadOf, isFirefox, launchBrowser } from "@reading-list/testing/browser.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import { chromiumFor } from "@reading-list/testing/find-browser.ts";
import { type PageServer, prose, startPageServer } from "@reading-list/testing/page-server.ts";
import { randomFrom } from "@reading-list/testing/seeded-random.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import type { Browser, BrowserContextOptions, Page, PageScreenshotOptions } from "playwright-core";
import sharp from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { Device, useDevices } from "./device.ts";

const words = prose.replaceAll(/<.*?>/g, "").split(/\s+/);
/** Paragraphs of different words, as in a text that people read. */
function paragraph(n: number): string {
  const random = randomFrom(n + 1);
  const sentence = Array.from({ length: 40 }, () => words[Math.floor(random() * words.length)]).join(" ");
  return `<p>Block ${n} ${sentence}.</p>`;
}
const longText = (from = 0) => Array.from({ length: 80 - from }, (_, n) => paragraph(from + n)).join("");
const pageOf = (title: string, body: string) => `<title>${title}</title><article><h1>${title}</h1>${body}</article>`;

const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true };

describe.skipIf(!chromiumFor("marks and progress"))("marks and progress", () => {
  /** Pages of a site by path. */
  const site: Record<string, string> = {};
  // Progress has the time of the browser, which must not be later than the service's.
  const clock = new FakeClock(Math.ceil(Date.now() / 1000) + 600);
  let service: TestService;
  let pages: PageServer;
  let browser: Browser;
  /** The other of Chromium and Firefox, so that each shows data that the other has stored. */
  let otherBrowser: Browser;
  const devices = useDevices();

  let red: Buffer;

  beforeAll(async () => {
    red = await sharp({ create: { width: 400, height: 200, channels: 3, background: "red" } })
      .png()
      .toBuffer();
    pages = await startPageServer((request, response) => {
      const html = site[request.url ?? ""];
      if (request.url === "/red.png") response.writeHead(200, { "content-type": "image/png" }).end(red);
      else response.writeHead(html ? 200 : 404, { "content-type": "text/html; charset=utf-8" }).end(html);
    });
    atEndOfFile(pages.stop);
    service = await startTestService({ TEXT_ALLOWED_ORIGINS: pages.origin }, { clock });
    browser = await launchBrowser();
    otherBrowser = await launchBrowser({ isOther: true });
  });

  /** Signs in on a new device. */
  async function deviceOf(
    user: TestUser,
    options: Parameters<typeof Device.signedIn>[3] = {},
    of = browser,
  ): Promise<Device> {
    const device = await Device.signedIn(of, `${service.baseUrl}/app/`, user, options);
    devices.push(device);
    return device;
  }

  /** A user with one page in the list. */
  async function userWith(path: string, html: string): Promise<TestUser> {
    site[path] = html;
    const user = await service.newUser();
    await user.add(pages.origin + path);
    return user;
  }

  async function open({ page }: Device, words: string): Promise<void> {
    await page.locator(".row-title").first().click();
    await untilShown(page, words);
  }

  const untilShown = (page: Page, words: string) =>
    expect
      .poll(() =>
        page.evaluate(() => {
          const frame = document.querySelector("iframe");
          const body = frame?.contentDocument?.body;
          return frame && body && frame.clientHeight >= body.clientHeight ? body.innerText : "";
        }),
      )
      .toContain(words);

  /** Scrolls a paragraph to the bar above the article. */
  const scrollTo = (page: Page, words: string) =>
    page.evaluate(async (sought) => {
      const frame = document.querySelector("iframe");
      const blocks = [...(frame?.contentDocument?.querySelectorAll("p") ?? [])];
      const block = blocks.find(({ textContent }) => textContent.includes(sought));
      const top = (frame?.getBoundingClientRect().top ?? 0) + (block?.getBoundingClientRect().top ?? 0);
      window.scrollBy(0, top - 60);
      // The reader learns the place by the scroll event, which comes with the next frame.
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    }, words);

  /** The paragraph at the top of the screen, below the bar. */
  const topBlock = (page: Page) =>
    page.evaluate(() => {
      const frame = document.querySelector("iframe");
      const top = frame?.getBoundingClientRect().top ?? 0;
      const blocks = [...(frame?.contentDocument?.querySelectorAll("p") ?? [])];
      return blocks.find((block) => top + block.getBoundingClientRect().bottom > 65)?.textContent.slice(0, 9) ?? "";
    });

  const progressOf = async (user: TestUser) => {
    const [item] = Object.values((await user.ok("get", { progress: 1 })).json().list);
    return { percent: Number(item?.progress ?? 0), anchor: item?.anchor ?? "" };
  };

  /** Takes a picture of the page, if `PICTURES` names a folder. */
  const picture = async (page: Page, name: string) => {
    if (process.env.PICTURES) await screenshot(page, { path: `${process.env.PICTURES}/${name}.png` });
  };

  const screenshot = async (page: Page, options: PageScreenshotOptions) => {
    const taken = await page.screenshot(options);
    // Playwright adds a style for it, which the policy of the page blocks and Firefox reports.
    for (const { complaints } of devices) {
      complaints.splice(0, Infinity, ...complaints.filter((text) => !text.includes("blocked an inline style")));
    }
    return taken;
  };

  describe("progress", () => {
    test("an article opens on another device at the paragraph where this one was left", async () => {
      const user = await userWith("/long", pageOf("Long", longText()));
      const desktop = await deviceOf(user);
      await open(desktop, "Block 60");
      await scrollTo(desktop.page, "Block 40 ");
      await expect.poll(() => topBlock(desktop.page)).toBe("Block 40 ");
      await desktop.page.keyboard.press("Escape");
      await expect.poll(async () => (await progressOf(user)).percent).toBeOneOf([49, 50, 51]);
      const small = await deviceOf(user, phone, otherBrowser);
      await expect.poll(() => small.page.locator("progress.share").getAttribute("value")).toMatch(/^0\.(49|50?|51)$/);
      await open(small, "Block 60");
      await expect.poll(() => topBlock(small.page)).toBe("Block 40 ");
      // The phone continues, and the desktop follows.
      await scrollTo(small.page, "Block 55 ");
      await expect.poll(() => topBlock(small.page)).toBe("Block 55 ");
      await picture(small.page, "progress-phone");
      // A click by WebDriver BiDi would scroll the button, which is sticky, to the middle of the screen first.
      await small.page.keyboard.press("Escape");
      await expect.poll(async () => (await progressOf(user)).percent).toBeOneOf([67, 68, 69, 70]);
      await desktop.sync();
      await open(desktop, "Block 60");
      await expect.poll(() => topBlock(desktop.page)).toBe("Block 55 ");
      await picture(small.page, "progress-phone-list");
      await picture(desktop.page, "progress-desktop");
    });

    test("the reading position is found in a text that was fetched again and has changed", async () => {
      const user = await userWith("/changing", pageOf("Changing", longText()));
      const device = await deviceOf(user);
      await open(device, "Block 60");
      await scrollTo(device.page, "Block 50 ");
      await expect.poll(() => topBlock(device.page)).toBe("Block 50 ");
      await device.page.keyboard.press("Escape");
      await expect.poll(async () => (await progressOf(user)).percent).toBeOneOf([61, 62, 63]);
      site["/changing"] = pageOf("Changing", longText(30));
      await user.call("article", { url: `${pages.origin}/changing`, refresh: 1, images: 1 });
      const other = await deviceOf(user, phone);
      await open(other, "Block 60");
      await expect.poll(() => topBlock(other.page)).toBe("Block 50 ");
    });

    test("from a phone that was offline does not set another device back", async () => {
      const user = await userWith("/offline", pageOf("Offline", longText()));
      const small = await deviceOf(user, phone);
      await open(small, "Block 60");
      await small.page.route("**/v2/send", (route) => route.abort());
      await scrollTo(small.page, "Block 24 ");
      await expect.poll(() => topBlock(small.page)).toBe("Block 24 ");
      await small.page.getByRole("button", { name: "Back to list" }).click();
      await small.page.locator(".row .pending").waitFor();
      const later = Math.ceil(Date.now() / 1000) + 5;
      const entry = { url: `${pages.origin}/offline`, progress: 90, anchor: "Block 72", time: later };
      await user.ok("send", { update_progress: JSON.stringify([entry]) });
      await small.page.unroute("**/v2/send");
      await small.sync();
      expect(await progressOf(user)).toEqual({ percent: 90, anchor: "Block 72" });
      await expect.poll(() => small.page.locator("progress.share").getAttribute("value")).toBe("0.9");
    });

    test("an hour of reading on two devices takes less than 120 of the user's 320 calls", async () => {
      const user = await userWith("/hour", pageOf("Hour", longText()));
      const both = [await deviceOf(user), await deviceOf(user, phone)] as const;
      const calls: Record<string, number> = {};
      for (const device of both) {
        await device.installClock();
        await open(device, "Block 60");
        device.page.on("request", (request) => {
          const name = /\/v2\/(\w+)$/.exec(request.url())?.[1];
          if (name && request.method() === "POST") calls[name] = (calls[name] ?? 0) + 1;
        });
      }
      const seconds = 30;
      for (let n = 0; n < 3600 / seconds; n++) {
        // The user changes the device each quarter of an hour; both stay visible.
        const { page } = both[Math.floor((n * seconds) / 900) % 2] ?? both[0];
        await scrollTo(page, `Block ${Math.floor((n / 120) * 78)} `);
        if (n % 20 === 10) {
          await select(page, `Block ${Math.floor((n / 120) * 78)} `);
          await page.clock.runFor(1000);
          await page.keyboard.press("h");
        }
        clock.advance(seconds);
        for (const device of both) await device.page.clock.fastForward(1000 * (seconds - 1));
        for (const device of both) await device.page.clock.runFor(1000);
      }
      expect((await progressOf(user)).percent).toBeGreaterThan(80);
      const total = Object.values(calls).reduce((sum, count) => sum + count, 0);
      expect(Object.keys(await marksOf(user))).toHaveLength(6);
      expect(calls.send).toBeGreaterThan(20);
      expect(total).toBeLessThan(120);
    });
  });

  /** Selects words of the article, as a finger or Shift+arrow does. */
  const select = (page: Page, from: string, to = from) =>
    page.evaluate(
      ([first = "", last = ""]) => {
        const content = document.querySelector("iframe")?.contentDocument;
        const place = (sought: string) => {
          const walker = content?.createTreeWalker(content.body, NodeFilter.SHOW_TEXT);
          for (let node = walker?.nextNode(); node; node = walker?.nextNode()) {
            const start = node.textContent?.indexOf(sought) ?? -1;
            if (start >= 0) return { node, start };
          }
          return undefined;
        };
        const [start, end] = [place(first), place(last)];
        if (start && end)
          content?.getSelection()?.setBaseAndExtent(start.node, start.start, end.node, end.start + last.length);
      },
      [from, to],
    );

  /** The texts that are painted, by color. */
  const painted = (page: Page) =>
    page.evaluate(() => {
      const view = document.querySelector("iframe")?.contentWindow as (Window & typeof globalThis) | null;
      const all: Record<string, string[]> = {};
      for (const [name, ranges] of view?.CSS.highlights ?? []) {
        if (ranges.size > 0) all[name.replace("mark-", "")] = [...ranges].map(String);
      }
      return all;
    });

  const bar = (page: Page) => page.getByRole("toolbar", { name: "Highlight selected text" });

  describe("marks", () => {
    test("selected text is marked in a color, with a note, changed, removed and undone", async () => {
      const user = await userWith("/marked", pageOf("Marked", longText(70)));
      const { page } = await deviceOf(user);
      await open(devices[0] as Device, "Block 79");
      await select(page, "Block 71");
      await bar(page).getByRole("button", { name: "Green" }).click();
      await expect.poll(() => painted(page)).toEqual({ green: ["Block 71"] });
      expect(await bar(page).count()).toBe(0);
      // By keyboard, in the color that was used last.
      await select(page, "Block 72");
      await bar(page).waitFor();
      await page.keyboard.press("h");
      await expect.poll(() => painted(page)).toEqual({ green: expect.arrayContaining(["Block 71", "Block 72"]) });
      await select(page, "Block 73");
      await bar(page).getByRole("button", { name: "Highlight with a note" }).click();
      await page.getByRole("textbox", { name: "Note" }).fill("Why?");
      await page.getByTitle("Purple").last().click();
      await page.getByRole("button", { name: "Save" }).click();
      await expect.poll(() => painted(page)).toMatchObject({ purple: ["Block 73"], note: ["Block 73"] });

      await page.getByText("3 highlights").click();
      await page.getByRole("button", { name: "Edit highlight “Block 73”" }).click();
      await page.getByTitle("Red").last().click();
      await page.getByRole("button", { name: "Save" }).click();
      await expect.poll(() => painted(page)).toMatchObject({ red: ["Block 73"] });
      await page.getByRole("button", { name: "Undo" }).click();
      await expect.poll(() => painted(page)).toMatchObject({ purple: ["Block 73"] });
      await page.getByRole("button", { name: "Edit highlight “Block 73”" }).click();
      await page.getByRole("button", { name: "Remove highlight" }).click();
      await expect.poll(async () => (await painted(page)).purple).toBeUndefined();
      await page.getByRole("button", { name: "Undo" }).click();
      await expect.poll(() => painted(page)).toMatchObject({ purple: ["Block 73"], note: ["Block 73"] });
    });

    test("keys move a marker by paragraphs, and highlight its paragraph", async () => {
      const list =
        "<ul><li>First point with a line<br>break in it</li><li>Second point<ul><li>Inner point</li></ul></li></ul>";
      const table = "<table><tr><th>Name</th><th>Value</th></tr><tr><td>Alpha</td><td>12 units</td></tr></table>";
      const user = await userWith(
        "/by-keys",
        pageOf("By keys", [72, 73, 74, 75, 76, 77].map(paragraph).join("") + list + table + longText(78)),
      );
      const device = await deviceOf(user);
      const { page } = device;
      await open(device, "Block 79");
      const current = () =>
        page.evaluate(() => {
          const frame = document.querySelector("iframe");
          const [element, ...others] = frame?.contentDocument?.querySelectorAll<HTMLElement>("[data-current]") ?? [];
          if (!element || !frame || others.length > 0) return `${others.length} others`;
          const { top, bottom } = element.getBoundingClientRect();
          const above = frame.getBoundingClientRect().top;
          const isShown = above + top >= 64 && above + bottom <= innerHeight;
          const { outlineStyle, outlineWidth } = getComputedStyle(element);
          return [element.innerText.slice(0, 12).trim(), isShown, outlineStyle, outlineWidth].join(" ");
        });
      const at = async (key: string, words: string) => {
        await page.keyboard.press(key);
        await expect.poll(current).toBe(`${words} true solid 2px`);
        // A screen reader reads the paragraph.
        await page.locator(".reading [role=status]", { hasText: words }).waitFor({ state: "attached" });
      };
      for (let n = 72; n < 78; n++) await at("]", `Block ${n} ${paragraph(n).slice(12, 15)}`.slice(0, 12).trim());
      await at("]", "First point");
      await at("]", "Second point");
      await at("]", "Inner point");
      await at("[", "Second point");
      await page.keyboard.press("h");
      const marked = async () =>
        Object.values(await painted(page))
          .flat()
          .map((text) => text.trim());
      await expect.poll(marked).toEqual(["Second point"]);
      await page.keyboard.press("h");
      await expect.poll(marked).toEqual([]);
      await page.keyboard.press("z");
      await expect.poll(marked).toEqual(["Second point"]);
      await page.keyboard.press("3");
      await expect.poll(() => painted(page)).toEqual({ green: [expect.stringMatching(/^Second point\s*$/)] });
      await at("[", "First point");
      await page.keyboard.press("h");
      await expect.poll(async () => (await marked()).join("").replaceAll(/\s+/g, " ")).toContain("break in it");
      for (const words of ["Second point", "Inner point", "Name\tValue", "Alpha\t12 un", `Block 78`])
        await page.keyboard.press("]").then(() => expect.poll(current).toContain(words));
      // Scrolled away, the marker begins again at the top of the screen, and no key marks what cannot be seen.
      await scrollTo(page, "Block 72");
      const before = await marked();
      await page.keyboard.press("h");
      await page.keyboard.press("]");
      await expect.poll(current).toMatch(/^Block 7[23]/);
      expect(await marked()).toEqual(before);
    });

    test("a click on a mark opens it; the mark is found by the place that was clicked", async () => {
      const user = await userWith("/clicked", pageOf("Clicked", longText(70)));
      const device = await deviceOf(user);
      const { page } = device;
      await open(device, "Block 79");
      await select(page, "Block 70");
      await bar(page).getByRole("button", { name: "Blue" }).click();
      await expect.poll(() => painted(page)).toEqual({ blue: ["Block 70"] });
      const { x = 0, y = 0 } = (await page.locator("iframe").boundingBox()) ?? {};
      const inside = await page.evaluate(() => {
        const view = document.querySelector("iframe")?.contentWindow as (Window & typeof globalThis) | null;
        const [range] = view?.CSS.highlights.get("mark-blue") ?? [];
        const {
          left = 0,
          right = 0,
          top = 0,
          bottom = 0,
        } = (range as Range | undefined)?.getBoundingClientRect() ?? {};
        return { x: (left + right) / 2, y: (top + bottom) / 2 };
      });
      await page.mouse.click(x + inside.x, y + inside.y);
      await page.getByRole("dialog", { name: "Edit highlight" }).waitFor();
      expect(await violations(page)).toEqual([]);
    });

    test("of several blocks has a line break between them, a space between cells, and counts neither before it", async () => {
      const rows = "<tr><td>cell12</td><td>unitsbeta</td></tr><tr><td>cell13</td><td>end</td></tr>";
      const table = `<table><tr><th>Name</th><th>Unit</th></tr>${rows}</table>`;
      const user = await userWith("/blocks", pageOf("Blocks", `${longText(10)}${table}${longText(9)}`));
      const { page } = await deviceOf(user);
      await open(devices[0] as Device, "cell12");
      await select(page, "unitsbeta", "cell13");
      await bar(page).getByRole("button", { name: "Green" }).click();
      await expect.poll(async () => Object.values(await marksOf(user))).toHaveLength(1);
      await page.reload();
      await expect.poll(() => painted(page)).toEqual({ green: ["unitsbeta", "cell13"] });
      const stored = Object.values(await marksOf(user))[0] as StoredMark & { prefix: string };
      expect(stored.quote).toBe("unitsbeta\ncell13");
      expect(stored.prefix).toMatch(/\nName Unit\ncell12$/);
      const { body } = await user.ok("article", { url: stored.url, mode: "less", images: "1" });
      const { text } = await readTextPlaces(body);
      expect(Number(stored.position)).toBe(text.indexOf("unitsbeta"));

      // A mark that an older version has stored without a separator is exported with one.
      const older = { id: "older", url: stored.url, quote: "NameUnitcell12", position: text.indexOf("NameUnit") };
      await user.ok("highlights", { save: JSON.stringify([older]) });
      const device = devices[0] as Device;
      await page.goto(`${service.baseUrl}/app/`);
      await device.sync();
      await device.openSettings("Import and export");
      await page.getByRole("button", { name: "Export…" }).click();
      await page.getByRole("radio", { name: /^Highlights for Readwise/ }).check();
      const { text: csv } = await downloadOf(page, () => page.getByRole("button", { name: "Download" }).click());
      expect(csv).toContain('"Name Unit\ncell12",');
    });

    test("across a picture leaves the picture visible", async () => {
      const figure = `<figure><img src="/red.png" width="400" height="200" alt="Red"></figure>`;
      const user = await userWith("/pictured", pageOf("Pictured", `${longText(75)}${figure}<p>Last words.</p>`));
      const device = await deviceOf(user);
      const { page } = device;
      await open(device, "Block 79");
      const shown = page.frameLocator("iframe").locator("img");
      await shown.scrollIntoViewIfNeeded();
      await expect.poll(() => shown.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(400);
      await select(page, "Block 79", "Last words");
      await bar(page).getByRole("button", { name: "Yellow" }).click();
      await expect.poll(async () => (await painted(page)).yellow).toHaveLength(2);
      await page.mouse.move(0, 0);
      await shown.scrollIntoViewIfNeeded();
      const box = (await page.locator("iframe").boundingBox()) ?? { x: 0, y: 0 };
      const inFrame = await shown.evaluate((image) => {
        const { left, top } = image.getBoundingClientRect();
        return { left, top };
      });
      const clip = { x: box.x + inFrame.left + 100, y: box.y + inFrame.top + 50, width: 50, height: 50 };
      const { dominant } = await sharp(await screenshot(page, { clip })).stats();
      expect(dominant.r).toBeGreaterThan(200);
      expect(dominant.g).toBeLessThan(60);
    });

    // Firefox leaves out the end of a range of one highlight after the paragraph in which a second range lies.
    test("inside another of the same color, both are painted whole", async () => {
      const user = await userWith(
        "/nested",
        pageOf("Nested", `<p>outer start</p><p>inner words</p><p>outer end</p>${longText(70)}`),
      );
      const device = await deviceOf(user);
      const { page } = device;
      await open(device, "Block 79");
      for (const [from, to] of [
        ["inner words", "inner words"],
        ["outer start", "outer end"],
      ]) {
        await select(page, from as string, to);
        await bar(page).getByRole("button", { name: "Yellow" }).click();
        await expect.poll(() => bar(page).count()).toBe(0);
      }
      await expect.poll(async () => Object.values(await marksOf(user))).toHaveLength(2);
      const words = page.frameLocator("iframe").locator("p").nth(2);
      const box = (await page.locator("iframe").boundingBox()) ?? { x: 0, y: 0 };
      const end = await words.evaluate((block) => {
        const range = block.ownerDocument.createRange();
        range.selectNodeContents(block);
        const { right, top, bottom } = range.getBoundingClientRect();
        return { right, middle: (top + bottom) / 2 };
      });
      const clip = { x: box.x + end.right - 20, y: box.y + end.middle - 5, width: 18, height: 10 };
      // Yellow: much red, little blue.
      const { dominant } = await sharp(await screenshot(page, { clip })).stats();
      expect(dominant.r - dominant.b).toBeGreaterThan(80);
    });

    const arabic = "فتح الميناء صباح يوم الاثنين بعد أن كان مغلقا منذ العاصفة، وحضر الصيادون والتجار ورئيس البلدية.";
    const japanese = "港は嵐のあと閉鎖されていたが、月曜日の朝に再び開かれた。漁師と商人と町長が集まった。";

    test.each([
      ["right to left", "/rtl", `<p>${arabic}</p>`.repeat(9), "الصيادون والتجار"],
      ["without spaces", "/cjk", `<p>${japanese}</p>`.repeat(12), "漁師と商人"],
    ])("in a text %s", async (_, path, body, words) => {
      const user = await userWith(path, pageOf(words, body));
      const device = await deviceOf(user, phone);
      const { page } = device;
      await open(device, words);
      await select(page, words);
      await bar(page).getByRole("button", { name: "Yellow" }).click();
      await expect.poll(() => painted(page)).toEqual({ yellow: [words] });
      await page.getByText("1 highlight", { exact: true }).click();
      await page.getByRole("button", { name: words, exact: true }).waitFor();
    });

    test("on a phone the colors are at the end of the screen, away from the bar of the system", async () => {
      const user = await userWith("/touched", pageOf("Touched", longText(60)));
      const device = await deviceOf(user, phone);
      const { page } = device;
      await open(device, "Block 79");
      await select(page, "Block 61");
      await bar(page).waitFor();
      // Playwright does not make a pointer coarse in Firefox.
      const isCoarse = await page.evaluate(() => matchMedia("(pointer: coarse)").matches);
      const { y = 0, height = 0 } = (await bar(page).boundingBox()) ?? {};
      if (isCoarse) expect(y + height).toBe(844);
      else expect(isFirefox).toBe(true);
    });
  });

  interface StoredMark {
    url: string;
    quote: string;
    color: string;
    note: string;
    position: string;
  }
  /** The marks that the service has, by their quotation. */
  const marksOf = async (user: TestUser): Promise<Record<string, StoredMark>> => {
    const { list } = JSON.parse((await user.ok("highlights")).body) as { list: Record<string, StoredMark> };
    return Object.fromEntries(Object.values(list).map((mark) => [mark.quote, mark]));
  };

  const mark = async (page: Page, words: string, color: string) => {
    await select(page, words);
    await bar(page).getByRole("button", { name: color }).click();
    await bar(page).waitFor({ state: "detached" });
  };

  const edit = async (page: Page, quote: string, change: () => Promise<void>) => {
    const list = page.locator("details");
    if ((await list.getAttribute("open")) === null) await list.locator("summary").click();
    await page.getByRole("button", { name: `Edit highlight “${quote}”` }).click();
    await change();
    await page.getByRole("button", { name: "Save" }).click();
  };

  describe("marks on two devices", () => {
    test("highlights that were made and edited offline are merged", async () => {
      const user = await userWith("/merged", pageOf("Merged", longText(70)));
      const both = [await deviceOf(user), await deviceOf(user, phone, otherBrowser)] as const;
      const [desktop, small] = both;
      await open(desktop, "Block 79");
      await mark(desktop.page, "Block 70", "Yellow");
      await expect.poll(() => marksOf(user)).toMatchObject({ "Block 70": { color: "yellow" } });
      await small.sync();
      await open(small, "Block 79");
      await expect.poll(() => painted(small.page)).toEqual({ yellow: ["Block 70"] });
      const call = /\/v2\/(send|get|highlights|stats)$/;
      for (const { page } of both) await page.route(call, (route) => route.abort());
      await edit(desktop.page, "Block 70", () => desktop.page.getByTitle("Red").last().click());
      await edit(small.page, "Block 70", () =>
        small.page.getByRole("textbox", { name: "Note" }).fill("From the train"),
      );
      await mark(desktop.page, "Block 71", "Green");
      await mark(small.page, "Block 72", "Blue");
      await expect.poll(() => painted(desktop.page)).toEqual({ red: ["Block 70"], green: ["Block 71"] });
      // They survive a reload of the page.
      await small.page.reload();
      const ofPhone = { yellow: ["Block 70"], note: ["Block 70"], blue: ["Block 72"] };
      await expect.poll(() => painted(small.page)).toEqual(ofPhone);
      for (const { page } of both) {
        await page.unroute(call);
        await page.getByRole("button", { name: "Back to list" }).click();
      }
      for (const device of [...both, ...both]) await device.sync();
      const merged = { red: ["Block 70"], note: ["Block 70"], green: ["Block 71"], blue: ["Block 72"] };
      for (const device of both) {
        await open(device, "Block 79");
        await expect.poll(() => painted(device.page)).toEqual(merged);
        await picture(device.page, device === small ? "merged-phone" : "merged-desktop");
      }
      expect(await marksOf(user)).toMatchObject({
        "Block 70": { color: "red", note: "From the train" },
        "Block 71": { color: "green" },
        "Block 72": { color: "blue" },
      });
    });

    test("a highlight survives changes of its page; a highlight whose text is gone is listed at the end", async () => {
      const user = await userWith("/edited", pageOf("Edited", longText(60)));
      const device = await deviceOf(user);
      await open(device, "Block 79");
      const quoteOf = (n: number) => paragraph(n).slice(3, 120).trim();
      await mark(device.page, quoteOf(75), "Purple");
      await mark(device.page, quoteOf(61), "Green");
      await expect.poll(async () => Object.keys(await marksOf(user))).toHaveLength(2);
      const changed = longText(60)
        .replace(paragraph(61), "")
        .replace(paragraph(62), "")
        .replace(quoteOf(75), quoteOf(75).replace("Block 75 ", "Block 75, as we know, "));
      site["/edited"] = pageOf("Edited", changed);
      await user.call("article", { url: `${pages.origin}/edited`, refresh: 1, images: 1 });
      const other = await deviceOf(user, phone, otherBrowser);
      await open(other, "Block 79");
      await expect
        .poll(() => painted(other.page))
        .toEqual({ purple: [expect.stringContaining("Block 75, as we know, ")] });
      await other.page.getByText("No longer found in the text").waitFor();
      expect(await other.page.locator(".article-marks > .marks").textContent()).toContain("Block 61");
      await other.page.getByText("No longer found in the text").scrollIntoViewIfNeeded();
      await picture(other.page, "lost-phone");
      await other.page.locator("summary").click();
      await other.page.getByRole("button", { name: /^Block 75/ }).click();
      await expect.poll(() => other.page.evaluate(() => scrollY)).toBeGreaterThan(500);
      await picture(other.page, "survived-phone");
      // The original quotation stays.
      expect(await marksOf(user)).toHaveProperty([quoteOf(75)]);
    });

    test("a note on the page is written without a connection, stands above the text and in the list, is searched, changed, and goes when it is emptied", async () => {
      const user = await userWith("/noted", pageOf("Noted", longText(30)));
      const device = await deviceOf(user);
      const { page } = device;
      await open(device, "Block 79");
      const call = /\/v2\/(send|get|highlights|stats|search)$/;
      await page.route(call, (route) => route.abort());
      await page.getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("button", { name: "Add a note" }).click();
      const field = page.getByRole("dialog", { name: "Note on the page" }).getByLabel("Note", { exact: true });
      await field.fill("Bring a crème brûlée");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Note saved").waitFor();
      const shown = page.locator(".page-notes .mark-note");
      expect(await shown.textContent()).toBe("Bring a crème brûlée");
      expect(await page.locator(".page-notes blockquote, .article-marks").count()).toBe(0);
      await page.getByRole("button", { name: "Back to list" }).click();
      await page.locator(".row-note", { hasText: "Bring a crème brûlée" }).waitFor();
      // A screen reader says what the line is.
      expect(await page.locator(".row-line:has(.row-note)").textContent()).toMatch(/^Note: ?Bring a crème brûlée/);
      await page.getByRole("searchbox").fill("creme brulee");
      await page.locator(".row-note").waitFor();
      await page.getByRole("searchbox").fill("");
      await page.unroute(call);
      await device.sync();
      const stored = async () => {
        const { list } = JSON.parse((await user.ok("highlights")).body);
        return (Object.values(list) as { note: string; quote: string }[]).map(({ note, quote }) => [note, quote]);
      };
      await expect.poll(stored).toEqual([["Bring a crème brûlée", ""]]);
      const other = await deviceOf(user, phone, otherBrowser);
      await other.page.locator(".row-note").waitFor();
      await picture(other.page, "noted-list-phone");
      await open(other, "Block 79");
      await picture(other.page, "noted-phone");
      await other.page.getByRole("button", { name: "Edit note “Bring a crème brûlée”" }).click();
      await other.page.getByRole("dialog").getByLabel("Note", { exact: true }).fill("Changed");
      await other.page.getByRole("button", { name: "Save" }).click();
      await expect.poll(stored).toEqual([["Changed", ""]]);
      await other.page.getByRole("button", { name: "Edit note “Changed”" }).click();
      await other.page.getByRole("dialog").getByLabel("Note", { exact: true }).fill("");
      await other.page.getByRole("button", { name: "Save" }).click();
      await expect.poll(stored).toEqual([]);
      await other.page.getByRole("button", { name: "Undo" }).click();
      await expect.poll(stored).toEqual([["Changed", ""]]);
    });

    test("a deleted page takes its marks into the trash, and brings them back", async () => {
      const user = await userWith("/back", pageOf("Back", longText(70)));
      const device = await deviceOf(user);
      const { page } = device;
      await open(device, "Block 79");
      await mark(page, "Block 74", "Red");
      await expect.poll(() => marksOf(user)).toMatchObject({ "Block 74": { color: "red" } });
      await page.keyboard.press("#");
      await page.getByText("Nothing to read").waitFor();
      await page.getByRole("button", { name: "Menu" }).click();
      await page.getByRole("button", { name: "Trash", exact: true }).click();
      await page.getByRole("button", { name: "Restore “Back”" }).waitFor();
      expect(await marksOf(user)).toEqual({});
      await picture(page, "trash");
      await page.getByRole("button", { name: "Restore “Back”" }).click();
      await page.keyboard.press("Escape");
      await device.shows("Back");
      await device.sync();
      await open(device, "Block 79");
      await expect.poll(() => painted(page)).toEqual({ red: ["Block 74"] });
      await picture(page, "restored");
      expect(await marksOf(user)).toMatchObject({ "Block 74": { color: "red" } });
      const other = await deviceOf(user, phone, otherBrowser);
      await open(other, "Block 79");
      await expect.poll(() => painted(other.page)).toEqual({ red: ["Block 74"] });
      await picture(other.page, "restored-phone");
    });

    test("all marks are on a page by article, newest first; it is searched, and leads to the place", async () => {
      const user = await userWith("/first", pageOf("First", longText(20)));
      site["/second"] = pageOf("Second", longText(70));
      await user.add(`${pages.origin}/second`);
      const url = (path: string) => `${pages.origin}${path}`;
      const save = [
        { id: "a", url: url("/first"), quote: "Block 77", note: "Löwe", time_created: 1_700_000_000 },
        { id: "b", url: url("/second"), quote: "Block 71", color: "blue", time_created: 1_700_000_100 },
        { id: "c", url: url("/first"), quote: "Block 33", color: "green", time_created: 1_700_000_200 },
      ];
      await user.ok("highlights", { save: JSON.stringify(save) });
      const device = await deviceOf(user);
      const { page } = device;
      await device.shows("Second", "First");
      await device.sync();
      await page.keyboard.press("m");
      const quotes = () => page.locator(".marks-page blockquote").allTextContents();
      await expect.poll(quotes).toEqual(["Block 33", "Block 77", "Block 71"]);
      expect(await page.locator(".marks-page h2 a").allTextContents()).toEqual(["First", "Second"]);
      expect(await violations(page)).toEqual([]);
      await picture(page, "all-marks");
      await page.getByLabel("Search highlights").fill("lowe");
      await expect.poll(quotes).toEqual(["Block 77"]);
      // The address, to which "Back" returns, follows the field after 300 ms.
      await expect.poll(() => page.url()).toContain("lowe");
      await page.getByRole("link", { name: "Block 77" }).click();
      await untilShown(page, "Block 79");
      await expect.poll(() => painted(page)).toMatchObject({ yellow: ["Block 77"] });
      await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(2000);
      // Looking at a highlight does not count as reading.
      await page.keyboard.press("Escape");
      await expect.poll(quotes).toEqual(["Block 77"]);
      await page.keyboard.press("Escape");
      await device.sync();
      expect(await progressOf(user)).toEqual({ percent: 0, anchor: "" });
    });

    test("highlights that an earlier version has stored, but not sent, are sent", async () => {
      const user = await userWith("/former", pageOf("Former", longText(70)));
      const device = await deviceOf(user);
      const { page } = device;
      await device.shows("Former");
      const former = { name: `marks-of-${user.credentials.username}`, url: `${pages.origin}/former` };
      await page.evaluate(
        ({ name, url }) =>
          new Promise<void>((done) => {
            const opening = indexedDB.open(name, 1);
            opening.onupgradeneeded = () => {
              const options = { keyPath: "id", autoIncrement: true };
              const queue = opening.result.createObjectStore("queue", options);
              const change = { id: "former", url, quote: "Block 70", color: "red", timeCreated: new Date(1e12) };
              queue.add({ kind: "save", change });
              queue.add({ kind: "save", change: { id: "former", note: "waiting" }, isRefused: true });
            };
            opening.onsuccess = () => {
              opening.result.close();
              done();
            };
          }),
        former,
      );
      await page.reload();
      await expect.poll(() => marksOf(user)).toMatchObject({ "Block 70": { color: "red", note: "waiting" } });
      const names = () => page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name));
      await expect.poll(names).not.toContain(former.name);
      await open(device, "Block 79");
      await expect.poll(() => painted(page)).toEqual({ red: ["Block 70"], note: ["Block 70"] });
    });

    test("a highlight that the service refuses stays on the device and does not block others", async () => {
      const user = await userWith("/refused", pageOf("Refused", longText(70)));
      const device = await deviceOf(user);
      const { page } = device;
      await open(device, "Block 79");
      await page.route("**/v2/highlights", (route) => route.abort());
      await mark(page, "Block 70", "Yellow");
      await page.getByRole("button", { name: "Back to list" }).click();
      // Another device erases the page for good, and this one marks another page.
      site["/other"] = pageOf("Other", longText(75));
      await user.ok("send", { delete: JSON.stringify([{ url: `${pages.origin}/refused` }]) });
      await user.ok("trash", { purge: "all" });
      await user.add(`${pages.origin}/other`, { title: "Other" });
      await page.keyboard.press("s");
      await device.shows("Other");
      await open(device, "Block 79");
      await mark(page, "Block 76", "Green");
      await page.unroute("**/v2/highlights");
      await page.keyboard.press("Escape");
      await page.getByText("stays on this device").waitFor();
      await expect.poll(() => marksOf(user)).toMatchObject({ "Block 76": { color: "green" } });
      expect(Object.keys(await marksOf(user))).toEqual(["Block 76"]);
    });
  });

  describe("the trash", () => {
    test("lists deleted pages, restores one with everything that belongs to it, and erases the others", async () => {
      const user = await userWith("/kept", pageOf("Kept", longText(70)));
      for (const name of ["gone", "lost"]) await user.add(`${pages.origin}/${name}`, { title: name });
      await user.ok("send", { update_tags: JSON.stringify([{ url: `${pages.origin}/kept`, tags: "a,b" }]) });
      const device = await deviceOf(user);
      const { page } = device;
      // Equal times: the page whose tags were changed last is first.
      await device.shows("Kept", "lost", "gone");
      const before = (await user.ok("get", { tags: 1 })).json().list;
      for (const title of ["Kept", "gone", "lost"]) await device.press(title, "Delete");
      await page.getByText("Nothing to read").waitFor();
      await page.getByRole("button", { name: "Menu" }).click();
      await page.getByRole("button", { name: "Trash", exact: true }).click();
      const trash = page.locator(".trash-page");
      await trash.getByText("Kept", { exact: true }).waitFor();
      await trash.getByText("30 days left").first().waitFor();
      expect(await violations(page)).toEqual([]);
      page.on("dialog", (question) => void question.accept());
      await trash.getByRole("button", { name: "Restore “Kept”" }).click();
      await trash.getByRole("button", { name: "Delete permanently: “gone”" }).click();
      await expect.poll(() => trash.getByText("gone", { exact: true }).count()).toBe(0);
      await trash.getByRole("button", { name: "Empty trash" }).click();
      await trash.getByText("The trash is empty").waitFor();
      await page.keyboard.press("Escape");
      await device.shows("Kept");
      await device.sync();
      const [after] = Object.values((await user.ok("get", { tags: 1 })).json().list);
      const { item_id = "", time_added, tags } = Object.values(before).find(({ url }) => url.endsWith("/kept")) ?? {};
      expect(after).toMatchObject({ item_id, time_added, tags, title: "Kept" });
      expect(Object.keys((await user.ok("trash")).json().list)).toEqual([]);
    });
  });
});
