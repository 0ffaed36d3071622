// SPDX-License-Identifier: MIT

import { launchBrowser } from "@reading-list/testing/browser.ts";
import type { ItemAnswer, TestUser } from "@reading-list/testing/client.ts";
import { chromiumFor } from "@reading-list/testing/find-browser.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import type { Browser } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { Device, useDevices } from "./device.ts";

/** The reader as it is when it is installed: without the browser's bars. */
function installReader() {
  const { matchMedia } = window;
  window.matchMedia = (query) => matchMedia.call(window, query === "(display-mode: standalone)" ? "all" : query);
}

describe.skipIf(!chromiumFor("the share target of the web reader"))("an app that shares a page", () => {
  let service: TestService;
  let browser: Browser;
  let readerUrl: string;
  const devices = useDevices();

  beforeAll(async () => {
    service = await startTestService();
    browser = await launchBrowser();
    readerUrl = `${service.baseUrl}/app/`;
  });

  async function signedIn(user: TestUser, stays = true): Promise<Device> {
    const device = await Device.signedIn(browser, readerUrl, user, { before: installReader, stays });
    devices.push(device);
    return device;
  }

  /** Opens the reader as Android does, which puts the address of the page into the text. */
  const share = ({ page }: Device, url: string, title = "Harbour") =>
    page.goto(`${readerUrl}?${new URLSearchParams({ title, text: `Look ${url}` })}`);

  const listOf = async (user: TestUser) =>
    Object.values<ItemAnswer>((await user.ok("get", { tags: 1 })).json().list).map(({ url, title, state, tags }) => ({
      url,
      title,
      state,
      tags,
    }));
  const signOut = async ({ page }: Device) => {
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Username").waitFor();
  };

  test("saves it at once, without tracking parameters; tags can follow, and one undo takes it back", async () => {
    const user = await service.newUser();
    const device = await signedIn(user);
    const { page } = device;
    await share(device, "https://sea.example/harbour?utm_source=app");
    await page.getByText("Saved", { exact: true }).waitFor();
    const saved = { url: "https://sea.example/harbour", title: "Harbour", state: "0", tags: "" };
    await expect.poll(() => listOf(user)).toEqual([saved]);
    expect(page.url()).not.toContain("sea.example");
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Add tags" }).click();
    await page.getByRole("dialog").getByLabel("Tags").fill("boats");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await expect.poll(() => listOf(user)).toEqual([{ ...saved, tags: "boats" }]);
    await page.keyboard.press("z");
    await page.keyboard.press("z");
    await expect.poll(() => listOf(user)).toEqual([]);
    await page.reload();
    await page.getByText("Nothing to read").waitFor();
  });

  test("saves it without a connection, too", async () => {
    const user = await service.newUser();
    const device = await signedIn(user);
    const { page } = device;
    await device.untilInstalled();
    await device.context.setOffline(true);
    await share(device, "https://sea.example/offline", "Offline");
    await page.getByRole("button", { name: "Undo" }).waitFor();
    await device.shows("Offline");
    await device.context.setOffline(false);
    await expect.poll(async () => (await listOf(user)).length).toBe(1);
  });

  test("says that a page is in the list already, and makes an archived one unread", async () => {
    const user = await service.newUser();
    const url = "https://sea.example/known";
    await user.add(url, { title: "Known", tags: "a" });
    const device = await signedIn(user);
    const { page } = device;
    await device.shows("Known");
    await share(device, url);
    await page.getByText("Already in your list").waitFor();
    await page.getByRole("button", { name: "Add tags" }).waitFor();
    await device.press("Known", "Archive");
    await device.shows();
    await share(device, url);
    await device.shows("Known");
    await expect.poll(() => listOf(user)).toEqual([{ url, title: "Known", state: "0", tags: "a" }]);
  });

  test.each([
    ["the user has signed out", true],
    ["the browser was closed", false],
  ])("keeps it if %s: only the last signed-in account saves and sees it", async (_, signsOut) => {
    const [user, other] = [await service.newUser(), await service.newUser()];
    const device = await signedIn(user, signsOut);
    const { page } = device;
    await device.page.getByText("Nothing to read").waitFor();
    if (signsOut) await signOut(device);
    else await page.evaluate(() => sessionStorage.clear());
    await share(device, "https://sea.example/kept", "Kept");
    await page.getByText("The page is kept on this device").waitFor();
    await share(device, "https://sea.example/second", "Second");
    await page.getByText("The page is kept on this device").waitFor();
    expect(await violations(page)).toEqual([]);

    await device.signIn(other.credentials);
    await page.getByText("Nothing to read").waitFor();
    await page.reload();
    await page.getByText("Up to date").waitFor();
    expect(await page.content()).not.toMatch(/Kept|sea\.example/);
    expect(await listOf(other)).toEqual([]);
    await signOut(device);

    await device.signIn(user.credentials);
    await page.getByText("2 pages added").waitFor();
    await device.shows("Second", "Kept");
    await expect.poll(async () => (await listOf(user)).length).toBe(2);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => listOf(user)).toEqual([]);
    await page.reload();
    await page.getByText("Nothing to read").waitFor();
    expect(await listOf(user)).toEqual([]);
  });

  test("the name of an account that has signed out is not stored", async () => {
    const user = await service.newUser();
    const device = await signedIn(user);
    await device.page.getByText("Nothing to read").waitFor();
    await signOut(device);
    const stored = await device.page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect(stored).toContain("last-account");
    expect(stored).not.toContain(user.credentials.username);
  });

  test("a link that a site opens saves nothing before the user confirms it", async () => {
    const user = await service.newUser();
    const device = await signedIn(user);
    const { page } = device;
    await page.evaluate(() => {
      location.search = "?url=https://evil.example/";
    });
    await page.getByRole("dialog").getByLabel("Address").waitFor();
    expect(await listOf(user)).toEqual([]);
  });
});
