// SPDX-License-Identifier: MIT

import { isFirefox, launchBrowser } from "@reading-list/testing/browser.ts";
import type { ItemAnswer, TestUser } from "@reading-list/testing/client.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { chromiumFor } from "@reading-list/testing/find-browser.ts";
import { type PageServer, page as pageOf, prose, startPageServer } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import type { Browser } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { Device, untilKeysAct, useDevices } from "./device.ts";

const longText = `<title>Long</title><article><h1>Long</h1>${prose.repeat(20)}</article>`;

describe.skipIf(!chromiumFor("undoing in the web reader"))("undoing in the web reader", () => {
  let service: TestService;
  let pages: PageServer;
  let browser: Browser;
  const devices = useDevices();

  beforeAll(async () => {
    pages = await startPageServer(pageOf(longText));
    atEndOfFile(pages.stop);
    service = await startTestService({ TEXT_ALLOWED_ORIGINS: pages.origin });
    browser = await launchBrowser();
  });

  async function deviceWith(...titles: string[]): Promise<{ user: TestUser; device: Device }> {
    const user = await service.newUser();
    for (const title of titles) {
      await user.ok("add", { url: `${pages.origin}/${title}`, title });
      service.clock.advance(1);
    }
    const device = await Device.signedIn(browser, `${service.baseUrl}/app/`, user);
    devices.push(device);
    await device.shows(...titles.toReversed());
    return { user, device };
  }

  type Shown = Pick<ItemAnswer, "title" | "state" | "tags" | "time_added">;
  const listOf = async (user: TestUser): Promise<Shown[]> =>
    Object.values<ItemAnswer>((await user.ok("get", { tags: 1 })).json().list)
      .map(({ title, state, tags, time_added }) => ({ title, state, tags: tags ?? "", time_added }))
      .sort((one, other) => (one.title < other.title ? -1 : 1));

  test("every step in list and article is undone in order: by the notice, z, Ctrl+Z and the menu", async () => {
    const { user, device } = await deviceWith("A", "B", "C", "D");
    const { page } = device;
    const states = [await listOf(user)];
    const step = async (act: () => Promise<void>) => {
      await act();
      const before = JSON.stringify(states.at(-1));
      await expect.poll(async () => JSON.stringify(await listOf(user))).not.toBe(before);
      states.push(await listOf(user));
    };
    await step(() => device.press("A", "Archive"));
    await step(() => device.press("B", "Star"));
    await step(async () => {
      await page.getByRole("link", { name: "C", exact: true }).click();
      await page.locator("main.reading").waitFor();
      await page.keyboard.press("#");
      await page.locator("main.list").waitFor();
    });
    await step(() => device.press("D", "Delete"));
    const takes = [
      () => page.getByRole("button", { name: "Undo" }).click(),
      () => page.keyboard.press("z"),
      () => page.keyboard.press("Control+z"),
      async () => {
        await page.getByRole("button", { name: "Menu" }).click();
        await page.getByRole("button", { name: "Undo: 1 page archived" }).click();
      },
    ];
    for (const take of takes) {
      states.pop();
      await take();
      await page.getByText("Undone: ").waitFor();
      await expect.poll(() => listOf(user)).toEqual(states.at(-1));
    }
    await page.keyboard.press("z");
    await page.getByText("Nothing to undo").waitFor();
  });

  test("steps that are undone without a connection leave no trace on the service", async () => {
    const { user, device } = await deviceWith("A", "B");
    const { page } = device;
    const before = (await user.ok("get", { tags: 1 })).json().list;
    service.clock.advance(60);
    await page.route("**/v2/*", (route) => route.abort());
    await device.press("A", "Delete");
    await device.shows("B");
    await device.press("B", "Archive");
    await device.shows();
    for (const titles of [["B"], ["B", "A"]]) {
      await page.keyboard.press("z");
      await device.shows(...titles);
    }
    await page.unroute("**/v2/*");
    await device.sync();
    expect((await user.ok("get", { tags: 1 })).json().list).toEqual(before);
  });

  test("a deletion followed by closing the tab is sent", async () => {
    const { user, device } = await deviceWith("A", "B");
    // Another tab keeps the browser's context.
    await device.context.newPage();
    const sending = isFirefox && device.page.waitForRequest("**/v2/send");
    await device.press("A", "Delete");
    await device.page.getByText("1 page deleted").waitFor();
    // Firefox drops a call that a page begins while its tab is closed.
    if (sending) await sending;
    await device.page.close();
    await expect.poll(async () => (await listOf(user)).map(({ title }) => title)).toEqual(["B"]);
  });

  test("undoing in the trash reverts a restoration", async () => {
    const { device } = await deviceWith("A", "B");
    const { page } = device;
    for (const title of ["A", "B"]) await device.press(title, "Delete");
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("button", { name: "Trash", exact: true }).click();
    const shown = () => page.locator(".trash strong").allTextContents();
    await expect.poll(shown).toEqual(["B", "A"]);
    await page.getByRole("button", { name: "Restore “A”" }).click();
    await expect.poll(shown).toEqual(["B"]);
    // Until then, the notice of the deletion has a button of that name.
    await page.getByText("1 page restored").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(shown).toEqual(["A", "B"]);
    await page.getByRole("button", { name: "Back to list" }).click();
    await page.getByText("Nothing to read").waitFor();
    await page.goForward();
    await expect.poll(shown).toEqual(["A", "B"]);
  });

  test("single-key shortcuts can be turned off; other keys still work", async () => {
    const { device } = await deviceWith("A", "B");
    const { page } = device;
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByLabel("Single-key shortcuts").uncheck();
    await page.keyboard.press("Escape");
    await page.keyboard.press("ArrowDown");
    await page.locator(".row-title:focus").waitFor();
    for (const key of ["e", "#", "a", "x", "?"]) await page.keyboard.press(key);
    await device.shows("B", "A");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await device.press("B", "Archive");
    await device.shows("A");
    await page.keyboard.press("z");
    await page.keyboard.press("Control+z");
    await device.shows("B", "A");
    await page.reload();
    await device.shows("B", "A");
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
    await page.getByLabel("Single-key shortcuts").check();
    await page.keyboard.press("Escape");
    await page.keyboard.press("a");
    await page.getByRole("dialog", { name: "Add a page" }).waitFor();
  });

  test("actions can be given other keys, each key once, which the device stores and the help shows", async () => {
    const { device } = await deviceWith("A", "B");
    const { page } = device;
    await untilKeysAct(page);
    await page.keyboard.press("?");
    const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await dialog.getByRole("link", { name: "Change keys" }).click();
    const archive = page.getByLabel("Archive or mark as unread");
    const fault = page.getByRole("alert");
    await archive.focus();
    for (const [typed, refusal] of [
      ["x", "“x” is already the key for: Select. Choose another key."],
      [" ", "Type one letter, digit or sign."],
    ] as const) {
      await page.keyboard.type(typed);
      await fault.filter({ hasText: refusal }).waitFor();
      expect(await archive.inputValue()).toBe("e");
    }
    await page.keyboard.type("w");
    await expect.poll(() => archive.inputValue()).toBe("w");
    expect(await fault.count()).toBe(0);
    // The key is free now.
    await page.getByLabel("Delete", { exact: true }).fill("e");
    expect(await violations(page)).toEqual([]);
    await page.reload();
    await device.backToList();
    await untilKeysAct(page);
    await page.keyboard.press("?");
    const keyOf = (action: string) => dialog.locator("div", { hasText: action }).last().locator("kbd").textContent();
    expect(await keyOf("Archive or mark as unread")).toBe("w");
    expect(await keyOf("Delete")).toBe("e");
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.locator(".row-title:focus").waitFor();
    await page.keyboard.press("#");
    await page.keyboard.press("w");
    await page.getByText("1 page archived").waitFor();
    await device.shows("A");
    await page.keyboard.press("e");
    await page.getByText("1 page deleted").waitFor();
    await device.shows();
    await page.keyboard.press("Control+z");
    await device.shows("A");

    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    await page.getByRole("link", { name: "Keyboard", exact: true }).click();
    await page.getByRole("button", { name: "Restore the default keys" }).click();
    await expect.poll(() => archive.inputValue()).toBe("e");
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await expect.poll(() => archive.inputValue()).toBe("w");
    await page.keyboard.press("z");
    await expect.poll(() => archive.inputValue()).toBe("w");
  });

  test.each([null, 5, "xyz", { e: 5, f: "long", x: null }])(
    "stored keys that cannot be read change none: %j",
    async (keys) => {
      const { device } = await deviceWith("A", "B");
      const { page } = device;
      await page.evaluate(
        (stored) => localStorage.setItem("reading-list.settings", JSON.stringify({ keys: stored })),
        keys,
      );
      await page.reload();
      await device.shows("B", "A");
      await untilKeysAct(page);
      await page.keyboard.press("j");
      await page.locator(".row-title:focus").waitFor();
      await page.keyboard.press("e");
      await device.shows("A");
    },
  );

  test("keys scroll an article after a click into it", async () => {
    const { device } = await deviceWith("Long");
    const { page } = device;
    await page.getByRole("link", { name: "Long", exact: true }).click();
    await page.frameLocator("iframe.article-frame").locator("p").first().click();
    const scrolled = () => page.evaluate(() => scrollY);
    for (const [key, direction] of [
      [" ", 1],
      ["PageDown", 1],
      ["ArrowDown", 1],
      ["End", 1],
      ["Shift+ ", -1],
      ["PageUp", -1],
      ["ArrowUp", -1],
      ["Home", -1],
    ] as const) {
      const before = await scrolled();
      await page.keyboard.press(key);
      await expect.poll(async () => Math.sign((await scrolled()) - before), { message: key }).toBe(direction);
      // A smooth scroll has ended.
      await expect
        .poll(async () => {
          const place = await scrolled();
          await page.evaluate(() => new Promise((done) => setTimeout(done, 100)));
          return (await scrolled()) === place;
        })
        .toBe(true);
    }
  });
});
