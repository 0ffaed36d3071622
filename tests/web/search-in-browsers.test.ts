// SPDX-License-Identifier: MIT

import { launchBrowser } from "@reading-list/testing/browser.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { Connection } from "@reading-list/testing/connection.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { chromiumFor } from "@reading-list/testing/find-browser.ts";
import { type PageServer, page as pageOf, prose, startPageServer } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import type { Browser } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { Device, useDevices } from "./device.ts";

describe.skipIf(!chromiumFor("the search of the web reader"))("the search of the web reader", () => {
  let service: TestService;
  let browser: Browser;
  let pages: PageServer;
  const devices = useDevices();

  beforeAll(async () => {
    pages = await startPageServer((request, response) => {
      const name = request.url?.slice(1);
      const text = `<article><h1>T</h1>${prose}<p>The word of this page is ${name}word.</p></article>`;
      pageOf(`<title>T</title>${text}`)(request, response);
    });
    atEndOfFile(pages.stop);
    service = await startTestService({ TEXT_ALLOWED_ORIGINS: pages.origin });
    browser = await launchBrowser();
  });

  async function signIn(user: TestUser, baseUrl = service.baseUrl): Promise<Device> {
    const device = await Device.signedIn(browser, `${baseUrl}/app/`, user);
    devices.push(device);
    return device;
  }

  /** A user with unread pages, whose texts the device caches, and an archived page whose text only the service has. */
  async function newReader(titles: string[]): Promise<TestUser> {
    const user = await service.newUser();
    await user.ok("send", {
      new: JSON.stringify(titles.map((title) => ({ url: `${pages.origin}/${title}`, title, tags: `of${title}` }))),
    });
    await user.ok("add", { url: `${pages.origin}/old`, title: "Old" });
    await user.ok("article", { url: `${pages.origin}/old` });
    await user.send({ read: [{ url: `${pages.origin}/old` }] });
    return user;
  }

  const untilCached = async (device: Device, ...titles: string[]) => {
    for (const title of titles)
      await device
        .row(title)
        .getByText(/\d min/)
        .waitFor();
  };

  test("finds pages of this device at once, then those of the whole list behind them, and shows the words", async () => {
    const user = await newReader(["new", "newer"]);
    const device = await signIn(user);
    const { page } = device;
    await untilCached(device, "new", "newer");
    let calls = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/v2/search")) calls++;
    });
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await device.context.route("**/v2/search", async (route) => {
      await answered;
      await route.continue();
    });
    const search = page.getByRole("searchbox");
    await search.fill("fishermen mayor");
    await device.shows("newer", "new");
    const status = page.getByRole("status").filter({ hasText: "page" });
    expect(await status.textContent()).toBe("2 pages on this device. Searching…");
    await expect.poll(() => page.locator(".snippet mark").count()).toBeGreaterThan(0);
    const topOf = (title: string) =>
      device.row(title).evaluate((row) => Math.round(row.getBoundingClientRect().top + scrollY));
    const tops = [await topOf("newer"), await topOf("new")];
    answer();
    // The archived page, too.
    await device.shows("newer", "new", "Old");
    expect([await topOf("newer"), await topOf("new")]).toEqual(tops);
    await page.getByText("3 pages", { exact: true }).waitFor();
    await device.row("Old").getByText("Archived").waitFor({ state: "attached" });
    const found = await device.row("Old").locator(".snippet mark").allTextContents();
    expect(found.map((word) => word.toLowerCase())).toEqual(expect.arrayContaining(["fishermen"]));
    expect(await violations(page)).toEqual([]);

    // The keys of the list, and its buttons by the state of each page.
    await search.press("ArrowDown");
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("newer");
    await device.press("Old", "Mark as unread");
    await page.getByText("1 page marked as unread").waitFor();
    await device.shows("newer", "new", "Old");

    // From an article back to the same results, without another call.
    await device
      .row("Old")
      .getByRole("link", { name: "Old", exact: true })
      .evaluate((link) => (link as HTMLElement).click());
    await page.getByRole("heading", { name: "Old" }).waitFor();
    await page.goBack();
    await device.shows("newer", "new", "Old");
    expect(calls).toBe(1);
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: /^Unread/ }).waitFor();
    expect(await search.inputValue()).toBe("");
  });

  test("has filters as words, and says why a search cannot be read", async () => {
    const user = await newReader(["new", "newer"]);
    const device = await signIn(user);
    await untilCached(device, "new", "newer");
    const search = device.page.getByRole("searchbox");
    for (const [typed, ...titles] of [
      ["tag:ofnew", "new"],
      ["is:archived", "Old"],
      ['"of this page" -newword', "newer", "Old"],
      ["oldw", "Old"],
      ["fishermen is:unread", "newer", "new"],
    ] as const) {
      await search.fill(typed);
      await device.page.getByText(`${titles.length} page${titles.length === 1 ? "" : "s"}`, { exact: true }).waitFor();
      await device.shows(...titles);
    }
    await search.fill("is:nowhere");
    await device.page.getByText("Use is: with unread").waitFor();
    await device.shows();
    await search.fill("word -word");
    await device.page.getByText("No results").waitFor();
  });

  test("without a connection searches this device, says so, and asks the service once there is one", async () => {
    const user = await newReader(["new", "newer"]);
    const connection = await Connection.to(service.baseUrl);
    const device = await signIn(user, connection.origin);
    const { page } = device;
    await untilCached(device, "new", "newer");
    await device.untilInstalled();
    connection.cut();
    await page.getByRole("searchbox").fill("fishermen");
    await page.getByText("2 pages on this device. You are offline.").waitFor();
    await device.shows("newer", "new");
    await expect.poll(() => page.locator(".snippet mark").allTextContents()).toEqual(["fishermen", "fishermen"]);
    connection.restore();
    await device.sync();
    await device.shows("newer", "new", "Old");
  });

  test("on a service without search searches this device", async () => {
    const user = await newReader(["new"]);
    const device = await signIn(user);
    await untilCached(device, "new");
    await device.context.route("**/v2/search", (route) => route.fulfill({ status: 404 }));
    const search = device.page.getByRole("searchbox");
    await search.fill("fishermen");
    await device.page.getByText("1 page on this device", { exact: true }).waitFor();
    await device.shows("new");
  });

  test("saves searches beside the list, until they are removed, which can be undone, or until signing out", async () => {
    const user = await newReader(["new", "newer"]);
    const device = await signIn(user);
    const { page } = device;
    await device.shows("newer", "new");
    await page.getByRole("searchbox").fill("tag:ofnew");
    await page.getByRole("button", { name: "Save search" }).click();
    await page.getByText("Search saved").waitFor();
    await page.getByRole("searchbox").fill("");
    await page.reload();
    const link = page.getByRole("navigation", { name: "Tags" }).getByRole("link", { name: "tag:ofnew" });
    await link.click();
    await device.shows("new");
    expect(await page.getByRole("searchbox").inputValue()).toBe("tag:ofnew");
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Remove saved search" }).click();
    await link.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await link.waitFor();
    // On a phone they are among the filters.
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByRole("button", { name: "Sort and filter" }).click();
    await page.getByRole("dialog").getByRole("link", { name: "tag:ofnew" }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Username").waitFor();
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain("ofnew");
  });

  test("saves filters, together with a search, and shows the searches that an earlier version has saved", async () => {
    const user = await newReader(["new", "newer"]);
    const device = await signIn(user);
    const { page } = device;
    await device.shows("newer", "new");
    await page.evaluate(
      (username) => localStorage.setItem(`reading-list.state.searches.${username}`, '["tag:ofnew"]'),
      user.credentials.username,
    );
    await page.reload();
    const saved = page.getByRole("navigation", { name: "Tags" });
    await saved.getByRole("link", { name: "tag:ofnew", exact: true }).waitFor();
    await page.getByRole("button", { name: "Sort and filter" }).click();
    await page.getByRole("combobox", { name: "Tags" }).selectOption("ofnewer");
    await page.getByRole("button", { name: "Save filters" }).click();
    await page.keyboard.press("Escape");
    const filter = saved.getByRole("link", { name: "Tagged “ofnewer”", exact: true });
    await filter.waitFor();
    await device.shows("newer");
    await page.getByRole("searchbox").fill("fishermen");
    await page.getByRole("button", { name: "Save search" }).click();
    await page.reload();
    const both = saved.getByRole("link", { name: "fishermen · Tagged “ofnewer”", exact: true });
    await both.click();
    await expect.poll(() => page.getByRole("searchbox").inputValue()).toBe("fishermen");
    await device.shows("newer");
    await filter.click();
    await expect.poll(() => page.getByRole("searchbox").inputValue()).toBe("");
    expect(await filter.getAttribute("aria-current")).toBe("true");
    expect(await both.getAttribute("aria-current")).toBeNull();
  });

  test("a search that was typed just before an article was opened is there again after it", async () => {
    const device = await signIn(await newReader(["first", "second"]));
    const { page } = device;
    await device.shows("second", "first");
    const search = page.getByRole("searchbox");
    await search.fill("f");
    await expect.poll(() => page.url()).toContain("search=f");
    await page.evaluate(async () => {
      const field = document.querySelector<HTMLInputElement>("input[type=search]") as HTMLInputElement;
      field.value = "first";
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
      await new Promise((resolve) => requestAnimationFrame(resolve));
      document.querySelector<HTMLElement>(".row-title")?.click();
    });
    await page.locator("main.reading").waitFor();
    await page.goBack();
    await page.locator("main.list").waitFor();
    expect(await search.inputValue()).toBe("first");
  });
});
