// SPDX-License-Identifier: MIT

import { patientMs } from "@reading-list/testing/browser.ts";
import type { Account, TestUser } from "@reading-list/testing/client.ts";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterEach, expect } from "vitest";

/** A browser of its own with the web reader, as one user sees it. */
export class Device {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors and violations of the policy that the page has reported. */
  readonly complaints: string[] = [];

  #hasClock = false;

  private constructor(context: BrowserContext, page: Page) {
    this.context = context;
    this.page = page;
    // Chromium reports each response that is not 200, and Firefox each lost one, also for a module whose loading a
    // navigation interrupts, which is not an error of the page. Chromium has a different message for a missing module.
    const isResponse =
      /Failed to load resource|NetworkError when|CORS request did not succeed|error loading dynamically imported module|A ServiceWorker intercepted the request and encountered/;
    // Playwright's clock is a script in every frame, which the sandbox of an article blocks.
    const isClock = (message: string) =>
      this.#hasClock && message.startsWith("Blocked script execution in 'about:srcdoc'");
    const complain = (message: string) => isResponse.test(message) || isClock(message) || this.complaints.push(message);
    page.on("pageerror", ({ message }) => complain(message));
    page.on("console", (message) => message.type() === "error" && complain(message.text()));
  }

  /** Opens the reader; `before` runs in the page first. */
  static async open(
    browser: Browser,
    readerUrl: string,
    options: BrowserContextOptions & { before?: () => void } = {},
  ): Promise<Device> {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(patientMs);
    if (options.before) await context.addInitScript(options.before);
    const device = new Device(context, await context.newPage());
    await device.page.goto(readerUrl);
    return device;
  }

  /** Opens the reader and signs in. */
  static async signedIn(
    browser: Browser,
    readerUrl: string,
    { credentials }: Pick<TestUser, "credentials">,
    options: Parameters<typeof Device.open>[2] & { stays?: boolean } = {},
  ): Promise<Device> {
    const device = await Device.open(browser, readerUrl, options);
    await device.signIn(credentials, options.stays);
    return device;
  }

  async signIn({ username, password }: Account, stays = true): Promise<void> {
    const { page } = this;
    await page.getByLabel("Username").fill(username);
    await page.getByLabel("Password").fill(password);
    await page.getByLabel("Stay signed in").setChecked(stays);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.locator("main.list").waitFor();
  }

  /** Lets a test move the page's clock, which keeps running. */
  async installClock(): Promise<void> {
    this.#hasClock = true;
    await this.page.clock.install();
  }

  /** Until the service worker can answer instead of the service. */
  async untilInstalled(): Promise<void> {
    await this.page.evaluate(async () => {
      const { active } = await navigator.serviceWorker.ready;
      while (active && active.state !== "activated")
        await new Promise((resolve) => active.addEventListener("statechange", resolve, { once: true }));
    });
    await this.page.evaluate(
      () =>
        navigator.serviceWorker.controller ??
        new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve)),
    );
  }

  /** Opens a section of the settings. */
  async openSettings(section: "Appearance" | "Import and export" | "Account" | "About"): Promise<void> {
    if ((await this.page.locator(".settings-page").count()) === 0) {
      await this.page.getByRole("button", { name: "Menu" }).click();
      await this.page.getByRole("button", { name: "Settings", exact: true }).click();
    }
    await this.page.getByRole("link", { name: section, exact: true }).click();
  }

  /** Opens the page of the account. */
  async openAccount(): Promise<void> {
    await this.openSettings("Account");
    await this.page.getByRole("button", { name: "Devices, password…" }).click();
  }

  /** From a page that stands instead of the list. */
  async backToList(): Promise<void> {
    await this.page.getByRole("button", { name: "Back to list" }).click();
    await this.page.locator("main.list").waitFor();
  }

  row(title: string) {
    return this.page.locator(".row").filter({ has: this.page.getByRole("link", { name: title, exact: true }) });
  }

  /** Presses a button of a row, which shows when the pointer is on it. */
  async press(title: string, button: string): Promise<void> {
    await this.row(title).hover();
    await this.row(title).getByRole("button", { name: button }).click();
  }

  titles(): Promise<string[]> {
    return this.page.locator(".row-title").allTextContents();
  }

  /** Until the rows have these titles. */
  async shows(...titles: string[]): Promise<void> {
    await expect.poll(() => this.titles()).toEqual(titles);
  }

  async add(url: string, title = ""): Promise<void> {
    await this.page.getByRole("button", { name: "Add a page" }).click();
    await this.page.getByLabel("Address").fill(url);
    await this.page.getByLabel("Title (optional)").fill(title);
    await this.page.getByRole("button", { name: "Save", exact: true }).click();
  }

  async show(view: "Unread" | "Archive"): Promise<void> {
    await this.page.getByRole("link", { name: new RegExp(`^${view}`) }).click();
  }

  /** Starts a sync, and waits until one has succeeded with nothing left to send. */
  async sync(): Promise<void> {
    await this.page.locator("button.sync").click();
    const dialog = this.page.getByRole("dialog");
    const before = await this.lastSuccess();
    await dialog.getByRole("button", { name: "Sync now" }).click();
    await expect.poll(() => this.lastSuccess()).not.toBe(before);
    await dialog.getByText("No changes to send").waitFor();
    await this.page.keyboard.press("Escape");
  }

  lastSuccess(): Promise<string | null> {
    return this.page.evaluate(() => {
      const key = Object.keys(localStorage).find((name) => name.includes(".synced.") && !name.endsWith("verified"));
      return key ? localStorage.getItem(key) : null;
    });
  }

  close(): Promise<void> {
    return this.context.close();
  }
}

/** Until the list has all its keys: it loads some of them, and its menu, after its first rendering. */
export const untilKeysAct = (page: Page): Promise<void> => page.getByRole("button", { name: "Menu" }).waitFor();

/** The devices of a test, which adds its own: they are closed after it, and none must have complained. */
export function useDevices(): Device[] {
  const devices: Device[] = [];
  afterEach(async () => {
    const complaints = devices.flatMap((device) => device.complaints);
    await Promise.all(devices.splice(0).map((device) => device.close()));
    expect(complaints).toEqual([]);
  });
  return devices;
}
