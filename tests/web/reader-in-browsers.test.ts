// SPDX-License-Identifier: MIT

import { readFileSync } from "node:fs";
import { createPasswordHasher } from "@reading-list/http/compose/password-hasher.ts";
import { downloadOf, isFirefox, launchBrowser } from "@reading-list/testing/browser.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { Connection } from "@reading-list/testing/connection.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { chromiumFor } from "@reading-list/testing/find-browser.ts";
import { articlePage, type PageServer, page as pageOf, startPageServer } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { bytesUntilIdle } from "@reading-list/testing/wire.ts";
import type { Browser, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { Device, untilKeysAct, useDevices } from "./device.ts";

describe.skipIf(!chromiumFor("the web reader"))("the web reader", () => {
  let service: TestService;
  let readerUrl: string;
  let browser: Browser;
  let pages: PageServer;
  const devices = useDevices();

  beforeAll(async () => {
    pages = await startPageServer(pageOf(articlePage));
    atEndOfFile(pages.stop);
    service = await startTestService({ TEXT_ALLOWED_ORIGINS: pages.origin });
    readerUrl = `${service.baseUrl}/app/`;
    browser = await launchBrowser();
  });

  async function open(options: Parameters<typeof Device.open>[2] = {}): Promise<Device> {
    const device = await Device.open(browser, readerUrl, options);
    devices.push(device);
    return device;
  }

  async function signIn(user: TestUser, options: Parameters<typeof Device.signedIn>[3] = {}): Promise<Device> {
    const device = await Device.signedIn(browser, readerUrl, user, options);
    devices.push(device);
    return device;
  }

  const listOf = async (user: TestUser) => Object.values((await user.ok("get", { tags: 1 })).json().list);
  const addAll = (user: TestUser, titles: string[]) =>
    user.ok("send", { new: JSON.stringify(titles.map((title, i) => ({ url: `${pages.origin}/${i}`, title }))) });

  // Playwright cannot measure sizes in Firefox.
  test.skipIf(isFirefox)("loads at most 50,000 bytes until someone signs in", async () => {
    const context = await browser.newContext({ locale: "ar" });
    const { bytes, files, ahead } = await bytesUntilIdle(context, readerUrl);
    await context.close();
    expect(bytes).toBeLessThanOrEqual(50_000);
    expect(files).toBeGreaterThan(5);
    expect(ahead).toBeGreaterThan(100_000);
  });

  describe("account", () => {
    test("creates one, and says why it cannot", async () => {
      const { credentials } = await service.newUser();
      const { page } = await open();
      await page.getByRole("button", { name: "New here?" }).click();
      await page.getByLabel("Username").fill(credentials.username);
      await page.getByLabel("Password").fill("another");
      await page.getByRole("button", { name: "Create account" }).click();
      await page.getByRole("alert").filter({ hasText: "taken" }).waitFor();
      await page.getByLabel("Username").fill(`${credentials.username.slice(0, 15)}-new`);
      await page.getByRole("button", { name: "Create account" }).click();
      await page.getByText("Nothing to read").waitFor();
    });

    test("has fields that password managers know", async () => {
      const { page } = await open();
      const password = page.getByLabel("Password");
      expect(await page.getByLabel("Username").getAttribute("autocomplete")).toBe("username");
      expect(await password.getAttribute("autocomplete")).toBe("current-password");
      await page.getByRole("button", { name: "New here?" }).click();
      expect(await password.getAttribute("autocomplete")).toBe("new-password");
      expect(await violations(page)).toEqual([]);
    });

    const everythingStored = (page: Page) =>
      page.evaluate(async () => {
        const all: unknown[] = [{ ...localStorage }, { ...sessionStorage }, document.cookie];
        for (const { name = "" } of await indexedDB.databases()) {
          const database = await new Promise<IDBDatabase>((resolve) => {
            const opening = indexedDB.open(name);
            opening.onsuccess = () => resolve(opening.result);
          });
          for (const store of database.objectStoreNames) {
            const reading = database.transaction(store).objectStore(store).getAll();
            await new Promise((resolve) => {
              reading.onsuccess = resolve;
            });
            all.push(name, reading.result);
          }
          database.close();
        }
        return JSON.stringify(all);
      });

    const listAppPasswords = async (user: TestUser): Promise<{ expires: string }[]> =>
      Object.values(JSON.parse((await user.ok("app_passwords")).body).list);

    const storedAccount = async (page: Page) =>
      JSON.parse(
        await page.evaluate(() => Object.entries(localStorage).find(([key]) => key.endsWith(".account"))?.[1] ?? "{}"),
      );

    test("without staying signed in, the tab has an app password that ends after a day, and a reload does not sign out", async () => {
      const user = await service.newUser();
      const { page } = await signIn(user, { stays: false });
      await page.getByText("Nothing to read").waitFor();
      expect(await everythingStored(page)).not.toContain(user.credentials.password);
      expect(await storedAccount(page)).toEqual({ username: user.credentials.username });
      const [tab] = await listAppPasswords(user);
      expect(Number(tab?.expires) - Date.now() / 1000).toSatisfy((left) => left > 80_000 && left <= 86_400);
      await page.reload();
      await page.getByText("Nothing to read").waitFor();
      await page.getByRole("button", { name: "Menu" }).click();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByLabel("Username").waitFor();
      expect(await everythingStored(page)).not.toContain("password");
    });

    test("the list is read while the configuration is still on its way", async () => {
      const user = await service.newUser();
      await user.ok("add", { url: "https://example.com/stored", title: "Stored" });
      const { page } = await signIn(user, {
        before: () => {
          const { fetch } = globalThis;
          const { getAll } = IDBObjectStore.prototype;
          const read = new Promise<void>((resolve) => {
            IDBObjectStore.prototype.getAll = function (...query) {
              if (this.transaction.db.name.startsWith("reading-list-of-")) resolve();
              return getAll.apply(this, query);
            };
          });
          globalThis.fetch = async (...request) => {
            if (request[0] === "config.json" && "reading-list.state.account" in localStorage) await read;
            return fetch(...request);
          };
        },
      });
      await page.getByText("Stored").waitFor();
      await page.reload();
      await page.getByText("Stored").waitFor();
    });

    test("a tab takes none of the last places of devices", async () => {
      const user = await service.newUser();
      for (let device = 0; device < 45; device++) await user.ok("app_passwords", { create: `Device ${device}` });
      const { page } = await signIn(user, { stays: false });
      await page.getByText("Nothing to read").waitFor();
      expect(await listAppPasswords(user)).toHaveLength(45);
      await page.reload();
      expect(await page.getByLabel("Username").inputValue()).toBe(user.credentials.username);
    });

    test("no password is truncated: the reader shows the limit, and creates no account", async () => {
      const { page } = await open();
      const username = `long-${Date.now() % 1e9}`;
      await page.getByRole("button", { name: "New here?" }).click();
      await page.getByLabel("Username").fill(username);
      const password = page.getByLabel("Password", { exact: true });
      await password.fill("correct-horse-battery-staple");
      await page.getByRole("button", { name: "Create account" }).click();
      expect(
        await password.evaluate((field: HTMLInputElement) => [
          field.value.length,
          field.validity.patternMismatch,
          field.title,
        ]),
      ).toEqual([28, true, "1 to 20 characters"]);
      const stats = await service.call("stats", { username, password: "correct-horse-batter" });
      expect(stats.status).toBe(401);
      await password.fill("correct-horse-batter");
      await page.getByRole("button", { name: "Create account" }).click();
      await page.getByText("Nothing to read").waitFor();
    });

    test("a user who forgot the password sees the administrator's text", async () => {
      const helping = await startTestService({ HELP_TEXT: "Write to help@example.com." });
      await helping.newUser();
      const device = await Device.open(browser, `${helping.baseUrl}/app/`);
      devices.push(device);
      await device.page.getByText("Forgot your password?").click();
      await device.page.getByText("Write to help@example.com.").waitFor();
      expect(await violations(device.page)).toEqual([]);
    });

    test("stores an app password, never the account's, to stay signed in", async () => {
      const user = await service.newUser();
      const staying = await signIn(user, { stays: true });
      const { id, password } = await storedAccount(staying.page);
      expect(await everythingStored(staying.page)).not.toContain(user.credentials.password);
      await user.ok("auth", { password });
      expect(Object.keys(JSON.parse((await user.ok("app_passwords")).body).list)).toEqual([id]);
      await staying.page.reload();
      await staying.page.getByText("Nothing to read").waitFor();
    });

    test("replaces the account's password that an earlier version has stored", async () => {
      const user = await service.newUser();
      const { page } = await signIn(user);
      await page.evaluate((credentials) => {
        const key = Object.keys(localStorage).find((name) => name.endsWith(".account")) ?? "";
        localStorage.setItem(key, JSON.stringify(credentials));
      }, user.credentials);
      await page.reload();
      await page.getByText("Nothing to read").waitFor();
      await expect.poll(async () => (await storedAccount(page)).id).toBeDefined();
      const { password } = await storedAccount(page);
      expect(password).not.toBe(user.credentials.password);
      await user.ok("auth", { password });
    });

    test("on a service without app passwords keeps the account's", async () => {
      const user = await service.newUser();
      const device = await open();
      await device.context.route("**/v2/app_passwords", (route) => route.fulfill({ status: 404 }));
      await device.signIn(user.credentials);
      expect(await storedAccount(device.page)).toEqual(user.credentials);
    });

    test("is managed with its own password: devices, kept articles, password, deletion", async () => {
      const user = await service.newUser();
      const { username, password } = user.credentials;
      await user.ok("add", { url: `${pages.origin}/kept`, title: "Kept" });
      const device = await signIn(user);
      const { page } = device;
      await device.row("Kept").getByText("1 min").waitFor();
      const manage = async (accountPassword: string) => {
        await device.openAccount();
        await page.getByLabel("Account password").fill(accountPassword);
        await page.getByRole("button", { name: "Continue" }).click();
      };
      await manage("wrong");
      await page.getByRole("alert").filter({ hasText: "password is wrong" }).waitFor();
      await page.getByLabel("Account password").fill(password);
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByText("this browser", { exact: true }).waitFor();
      await page.getByText(/^\d+(\.\d)? kB of 1 GB \(1 copy\)$/).waitFor();
      expect(await violations(page)).toEqual([]);
      await page.getByLabel("New app or device").fill("Phone");
      await page.getByRole("button", { name: "Create app password" }).click();
      const phone = (await page.locator(".created code").textContent()) ?? "";
      await user.ok("auth", { password: phone });
      await page.getByRole("button", { name: "Create feed address" }).click();
      const feed = (await page.locator(".created code", { hasText: "/feeds/" }).textContent()) ?? "";
      expect(await (await fetch(feed)).text()).toContain("<title>Kept</title>");
      await page.getByRole("button", { name: "Revoke Feed" }).waitFor();
      page.on("dialog", (dialog) => void dialog.accept());
      await page.getByRole("button", { name: "Revoke Phone" }).click();
      await page.getByRole("button", { name: "Revoke Phone" }).waitFor({ state: "detached" });
      expect((await user.call("auth", { password: phone })).status).toBe(401);

      await page.getByLabel("Serial number").fill("N4");
      await page.getByRole("button", { name: "Show Kobo settings" }).click();
      await page.getByRole("alert").filter({ hasText: "serial must be the serial number" }).waitFor();
      await page.getByLabel("Serial number").fill(" n418123456789");
      await page.getByRole("button", { name: "Show Kobo settings" }).click();
      const settings = (await page.locator(".created pre").textContent()) ?? "";
      expect(settings).toContain(`api_endpoint=${service.baseUrl}/kobo/store/${username}.`);
      await page.getByRole("button", { name: "Revoke Kobo" }).waitFor();
      expect(await violations(page)).toEqual([]);
      // Neither the address nor the lines stretch the page.
      expect(await page.locator("html").evaluate((root) => root.scrollWidth - root.clientWidth)).toBe(0);

      expect(await page.getByLabel("New password").inputValue()).toBe("");
      await page.getByLabel("New password").fill("another");
      await page.getByLabel("Also sign out all").check();
      await page.getByRole("button", { name: "Change password" }).click();
      await page.getByText("Password changed").waitFor();
      await user.ok("auth", { password: "another" });
      const stored = await storedAccount(page);
      await user.ok("auth", { password: stored.password });

      await manage("another");
      await page.getByLabel("To confirm, type your username").fill(username);
      await page.getByRole("button", { name: "Delete account" }).click();
      await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
      expect((await user.call("auth", { password: "another" })).status).toBe(401);
      expect(await storedAccount(page)).toEqual({});
    });

    test("without staying signed in, the next start deletes all data in the browser except the username", async () => {
      const user = await service.newUser();
      await addAll(user, ["One"]);
      const device = await signIn(user, { stays: false });
      await device.shows("One");
      await device.untilInstalled();
      await device.page.close();
      const page = await device.context.newPage();
      await page.goto(readerUrl);
      await page.getByLabel("Username").waitFor();
      expect(await page.evaluate(async () => (await indexedDB.databases()).length)).toBe(0);
      expect(await everythingStored(page)).toContain(user.credentials.username);
      await device.context.setOffline(true);
      await page.getByLabel("Password").fill("any");
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByText("Cannot reach the service").waitFor();
    });

    const failToStore = () => {
      IDBObjectStore.prototype.add = () => {
        throw new DOMException("full", "QuotaExceededError");
      };
    };

    test("works in a browser whose storage throws, and says what to do if it cannot store a list", async () => {
      const user = await service.newUser();
      const before = () =>
        Object.defineProperty(window, "localStorage", {
          get: () => {
            throw new DOMException("denied", "SecurityError");
          },
        });
      const device = await signIn(user, { before });
      await device.add("https://example.com/", "Saved");
      await device.shows("Saved");
      const { page } = device;
      await page.evaluate(failToStore);
      await device.add("https://example.com/b", "Not saved");
      await page.getByText("This site has run out of storage").waitFor();
      await page.locator("[data-state=failed]").waitFor();
    });

    test("a sync that was under way while a change could not be stored does not hide that", async () => {
      const device = await signIn(await service.newUser());
      const { page } = device;
      await device.sync();
      const before = await device.lastSuccess();
      let end = () => {};
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      await page.route("**/v2/get", (route) => ended.then(() => route.continue()));
      const called = page.waitForRequest("**/v2/get");
      await page.keyboard.press("s");
      await called;
      await page.evaluate(failToStore);
      await device.add("https://example.com/", "Not saved");
      await page.locator("[data-state=failed]").waitFor();
      end();
      await expect.poll(() => device.lastSuccess()).not.toBe(before);
      expect(await page.locator("[data-state=failed]").count()).toBe(1);
    });

    test("signing out deletes all that the browser stores of the user, in all tabs", async () => {
      const user = await service.newUser();
      await addAll(user, ["One"]);
      const device = await signIn(user);
      await device.shows("One");
      const { page } = device;
      const other = await device.context.newPage();
      await other.goto(readerUrl);
      await other.getByText("One").waitFor();
      await page.getByRole("button", { name: "Menu" }).click();
      await page.getByRole("button", { name: "Sign out" }).click();
      for (const tab of [page, other]) await tab.getByLabel("Username").waitFor();
      await expect.poll(() => page.evaluate(async () => (await indexedDB.databases()).length)).toBe(0);
      expect(await everythingStored(page)).not.toContain(user.credentials.username);
    });

    test("asks for the password after it was reset elsewhere, and sends queued changes", async () => {
      const user = await service.newUser();
      const device = await signIn(user);
      const { page } = device;
      await page.getByText("Nothing to read").waitFor();
      const { operator } = service;
      for (const { id } of await operator.signIns.list(user.credentials.username)) {
        await operator.signIns.remove(user.credentials.username, id);
      }
      const hash = await createPasswordHasher().hash("new password");
      await service.operator.setPasswordHash(user.credentials.username, hash);
      await device.add("https://example.com/waiting", "Waiting");
      await page.getByRole("button", { name: "1 change to send" }).and(page.locator("[data-state=failed]")).click();
      await page.getByText("no longer accepts your password").waitFor();
      expect(await violations(page)).toEqual([]);
      await page.getByLabel("Current password").fill("new password");
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByText("No changes to send").waitFor();
      user.credentials.password = "new password";
      expect((await listOf(user)).map(({ title }) => title)).toEqual(["Waiting"]);
      await page.reload();
      await device.shows("Waiting");
    });
  });

  describe("list", () => {
    test("two devices that change a list show the same", async () => {
      const user = await service.newUser();
      const [one, other] = [await signIn(user), await signIn(user)];
      await one.add("https://example.com/a", "First");
      await one.add("example.com/b", "Second");
      await one.shows("Second", "First");
      await one.sync();
      await other.sync();
      await other.shows("Second", "First");

      await other.press("First", "Edit");
      await other.page.getByLabel("Title").fill("First, renamed");
      await other.page.getByRole("dialog").getByLabel("Tags").fill("later,");
      await other.page.getByRole("button", { name: "Save" }).click();
      await other.press("Second", "Archive");
      await other.shows("First, renamed");
      await other.sync();
      await one.sync();
      await one.shows("First, renamed");
      await one.row("First, renamed").getByRole("link", { name: "later" }).waitFor();
      await one.show("Archive");
      await one.shows("Second");
      await one.press("Second", "Mark as unread");
      await one.sync();
      await other.sync();
      expect((await other.titles()).sort()).toEqual(["First, renamed", "Second"]);
    });

    test("a change that was sent is undone by its opposite", async () => {
      const user = await service.newUser();
      await addAll(user, ["Read me"]);
      const device = await signIn(user);
      await device.shows("Read me");
      await device.press("Read me", "Archive");
      await expect.poll(async () => (await listOf(user))[0]?.state).toBe("1");
      await device.page.getByRole("button", { name: "Undo" }).click();
      await device.shows("Read me");
      await expect.poll(async () => (await listOf(user))[0]?.state).toBe("0");
    });

    test("saving a page that is in the list shows it as it is; merging and undoing lose nothing", async () => {
      const user = await service.newUser();
      const url = `${pages.origin}/known`;
      await user.ok("add", { url, title: "My own title", tags: "a,b" });
      const before = await listOf(user);
      const device = await signIn(user);
      const { page } = device;
      await device.shows("My own title");
      await page.goto(`${readerUrl}?url=${encodeURIComponent(url)}&title=Other`);
      await page.getByText("This page is already in your list").waitFor();
      expect(await page.getByLabel("Title (optional)").inputValue()).toBe("My own title");
      await page.getByRole("dialog").getByLabel("Tags").fill("c");
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Save" }).click();
      const fields = async () => (await listOf(user)).map(({ title, tags, time_added }) => [title, tags, time_added]);
      const [{ time_added } = {}] = before;
      await expect.poll(fields).toEqual([["My own title", "a,b,c", time_added]]);
      await page.getByRole("button", { name: "Undo" }).click();
      await expect.poll(fields).toEqual([["My own title", "a,b", time_added]]);
      // The dialog of a shared page is shown once.
      await page.locator(".row-title").click();
      await page.locator("main.reading").waitFor();
      await page.keyboard.press("Escape");
      await device.shows("My own title");
      expect(await page.getByRole("dialog").count()).toBe(0);
    });

    test("+ accepts several addresses, and pages that are in the list keep their data", async () => {
      const user = await service.newUser();
      const at = (path: string) => `${pages.origin}/${path}`;
      await user.ok("add", { url: at("known"), title: "Known", tags: "a" });
      await user.ok("send", { read: JSON.stringify([{ url: at("known") }]) });
      const device = await signIn(user);
      const { page } = device;
      await page.getByRole("button", { name: "Add a page" }).click();
      await page.getByLabel("Address").fill(`${at("one")} see ${at("two")}, ${at("known")} and ${at("two")}`);
      await page.getByText("3 pages.").waitFor();
      expect(await page.getByLabel("Title (optional)").count()).toBe(0);
      await page.getByRole("dialog").getByLabel("Tags").fill("b");
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("3 pages added").waitFor();
      const fields = async () =>
        (await listOf(user)).map(({ url, tags, state }) => [url, tags, state].join(" ")).sort();
      await expect.poll(fields).toEqual([`${at("known")} a,b 0`, `${at("one")} b 0`, `${at("two")} b 0`]);
      await page.getByRole("button", { name: "Undo" }).click();
      await expect.poll(fields).toEqual([`${at("known")} a 1`]);
    });

    test("dropping a row on the list adds no page", async () => {
      const user = await service.newUser();
      await addAll(user, ["A", "B"]);
      const device = await signIn(user);
      await device.shows("B", "A");
      await device.row("A").dragTo(device.row("B"));
      await device.add("https://example.com/", "C");
      await device.shows("C", "B", "A");
    });

    test("renames a tag on all pages, and removes it", async () => {
      const user = await service.newUser();
      await user.ok("send", {
        new: JSON.stringify(["a,old", "old,new", "other"].map((tags, i) => ({ url: `http://127.0.0.1:1/${i}`, tags }))),
      });
      const device = await signIn(user);
      const { page } = device;
      await expect.poll(() => page.locator(".row").count()).toBe(3);
      await page.locator(".row").getByRole("link", { name: "old", exact: true }).first().click();
      await page.getByRole("button", { name: "Rename or delete tag" }).click();
      await page.getByLabel("Tag name").fill("new");
      await page.getByRole("button", { name: /^(Save|Merge with )/ }).click();
      const tags = async () => (await listOf(user)).map(({ tags }) => tags).sort();
      await expect.poll(tags).toEqual(["a,new", "new", "other"]);
      await page.getByRole("button", { name: "Rename or delete tag" }).click();
      await page.getByRole("button", { name: "Remove tag from all pages" }).click();
      await expect.poll(tags).toEqual(["", "a", "other"]);
    });

    test("a new name of a tag that differs from another tag only in case and accents merges both", async () => {
      const user = await service.newUser();
      await user.send({
        new: ["ml", "Café Notes"].map((tags, i) => ({ url: `http://127.0.0.1:1/${i}`, tags })),
      });
      const device = await signIn(user);
      const { page } = device;
      const rename = async (from: string, to: string) => {
        await page.locator(".row").getByRole("link", { name: from, exact: true }).first().click();
        await page.getByRole("button", { name: "Rename or delete tag" }).click();
        await page.getByLabel("Tag name").fill(to);
        await page.getByRole("button", { name: /^(Save|Merge with )/ }).click();
      };
      const tags = async () => (await listOf(user)).map(({ tags }) => tags);
      await rename("ml", "cafe notes");
      await expect.poll(tags).toEqual(["Café Notes", "Café Notes"]);
      await rename("Café Notes", "café notes");
      await expect.poll(tags).toEqual(["café notes", "café notes"]);
    });

    test("the side bar shows the 40 most frequent tags, all of them by name on demand, and leads to their page", async () => {
      const user = await service.newUser();
      const names = Array.from({ length: 60 }, (_, i) => `t${i + 1}`);
      await user.send({
        new: ["t60", ...names].map((tags, i) => ({ url: `http://127.0.0.1:1/${i}`, tags })),
      });
      const { page } = await signIn(user);
      const side = page.getByRole("navigation", { name: "Tags" });
      const shown = async () => (await side.locator("span > a > bdi").allTextContents()).filter((t) => /^t\d/.test(t));
      await expect.poll(shown).toEqual(["t60", ...names.slice(0, 39)]);
      await side.getByRole("button", { name: "All tags (60)" }).click();
      await expect.poll(shown).toEqual(names);
      await side.getByRole("link", { name: "Tags", exact: true }).click();
      await page.getByRole("searchbox", { name: "Search tags" }).waitFor();
    });

    test("a star is the tag `starred`, with a filter of its own", async () => {
      const user = await service.newUser();
      await addAll(user, ["A", "B"]);
      const device = await signIn(user, { viewport: { width: 1440, height: 900 } });
      await device.shows("B", "A");
      await device.press("A", "Star");
      await expect.poll(async () => (await listOf(user)).map(({ tags }) => tags).sort()).toEqual(["", "starred"]);
      await device.page.getByRole("navigation", { name: "Tags" }).getByRole("link", { name: "Starred" }).click();
      await device.shows("A");
    });

    test("a star and a mark as unread leave the article open; archive and delete close it", async () => {
      const user = await service.newUser();
      const at = (path: string) => `${pages.origin}/${path}`;
      await user.send({ new: ["closed", "starred"].map((path) => ({ url: at(path), title: path })) });
      const device = await signIn(user);
      const { page } = device;
      await device.shows("starred", "closed");
      const reading = page.locator("main.reading");
      await page.getByRole("link", { name: "starred", exact: true }).click();
      await reading.waitFor();
      await page.getByRole("button", { name: "Star", exact: true }).click();
      await page.getByRole("button", { name: "Remove star" }).waitFor();
      await page.keyboard.press("f");
      await page.getByRole("button", { name: "Star", exact: true }).waitFor();
      await page.keyboard.press("e");
      await device.shows("closed");
      await device.show("Archive");
      await page.getByRole("link", { name: "starred", exact: true }).click();
      await page.getByRole("button", { name: "Mark as unread" }).first().click();
      await page.getByRole("button", { name: "Archive" }).first().waitFor();
      expect(await reading.count()).toBe(1);
      await page.getByRole("button", { name: "Delete" }).click();
      await page.locator("main.list").waitFor();
      await expect.poll(async () => (await listOf(user)).map(({ title }) => title)).toEqual(["closed"]);
    });

    test("no sync and no change reads the stored list again; other tabs follow", async () => {
      const user = await service.newUser();
      // More than a page of a first sync.
      await addAll(
        user,
        Array.from({ length: 600 }, (_, i) => `Page ${i}`),
      );
      const before = () => {
        let items = 0;
        Object.defineProperty(globalThis, "itemsRead", { get: () => items });
        for (const name of ["get", "getAll"] as const) {
          const read = IDBObjectStore.prototype[name] as (this: IDBObjectStore, ...query: unknown[]) => IDBRequest;
          IDBObjectStore.prototype[name] = function (...query: unknown[]) {
            const request = read.apply(this, query);
            request.addEventListener("success", () => {
              if (this.name === "items") items += Array.isArray(request.result) ? request.result.length : 1;
            });
            return request;
          };
        }
      };
      const device = await signIn(user, { before });
      const { page } = device;
      const itemsRead = () => page.evaluate(() => (globalThis as unknown as { itemsRead: number }).itemsRead);
      await device.row("Page 599").waitFor();
      await device.sync();
      await device.press("Page 599", "Archive");
      await device.sync();
      expect(await itemsRead()).toBe(0);
      const other = await device.context.newPage();
      await other.goto(readerUrl);
      await other.getByText("Page 598", { exact: true }).waitFor();
      await device.press("Page 598", "Archive");
      await other.getByText("Page 598", { exact: true }).waitFor({ state: "detached" });
    });

    test("an edit moves no page, even among pages that were added in the same second", async () => {
      const user = await service.newUser();
      await addAll(user, ["A", "B", "C", "D"]);
      const device = await signIn(user);
      await device.shows("D", "C", "B", "A");
      service.clock.advance(60);
      await device.press("B", "Edit");
      await device.page.getByLabel("Title").fill("Renamed");
      await device.page.getByRole("button", { name: "Save" }).click();
      await device.sync();
      await device.shows("D", "C", "Renamed", "A");
      await device.page.reload();
      await device.shows("D", "C", "Renamed", "A");
    });

    test("on a phone, an Arabic title and its facts stand beside the thumbnail; an address is cut, not broken", async () => {
      const user = await service.newUser();
      await addAll(user, ["إغلاق آخر محطة"]);
      await user.add(`http://127.0.0.1:1/an-address/${"word".repeat(40)}`);
      const device = await signIn(user, { viewport: { width: 360, height: 740 } });
      const { page } = device;
      await expect.poll(() => device.titles()).toHaveLength(2);
      const placesOf = (row: number) =>
        page.evaluate((index) => {
          const box = document.querySelectorAll(".row-text")[index];
          const title = box?.querySelector(".row-title");
          const line = document.createRange();
          line.selectNodeContents(title as Node);
          const leftOf = (part?: Range | Element | null) => Math.round(part?.getBoundingClientRect().left ?? 0);
          const parts = { box, line, facts: box?.querySelector(".row-facts > *") };
          const height = title?.getBoundingClientRect().height ?? 0;
          const lefts = Object.values(parts).map(leftOf);
          return {
            lefts,
            lines: Math.round(height / Number.parseFloat(getComputedStyle(title as Element).lineHeight)),
          };
        }, row);
      const [left, ...others] = (await placesOf(1)).lefts;
      expect(others).toEqual([left, left]);
      expect((await placesOf(0)).lines).toBe(1);
    });

    test("the page of all tags finds tags, renames and merges them, and removes one from all pages", async () => {
      const user = await service.newUser();
      const tags = ["Économie,tag 10", "economics,tag 2", "tag 2"];
      await user.send({ new: tags.map((each, n) => ({ url: `https://example.com/${n}`, tags: each })) });
      const device = await signIn(user);
      const { page } = device;
      await page.getByRole("button", { name: "Menu" }).click();
      await page.getByRole("button", { name: "Tags", exact: true }).click();
      const shown = () => page.locator(".tags a").allInnerTexts();
      const names = async () => (await shown()).map((each) => each.replace(/\s+/g, " "));
      await expect.poll(names).toEqual(["economics 1", "Économie 1", "tag 2 2", "tag 10 1"]);
      expect(await violations(page)).toEqual([]);
      await page.reload();
      await page.getByRole("searchbox").fill("ECO");
      await expect.poll(names).toEqual(["economics 1", "Économie 1"]);
      const open = (tag: string) => page.getByRole("button", { name: `Rename or delete ${tag}`, exact: true }).click();
      await open("economics");
      await page.getByLabel("Tag name").fill("economie");
      await page.getByRole("button", { name: "Merge with Économie" }).click();
      await expect.poll(names).toEqual(["Économie 2"]);
      await page.getByRole("searchbox").fill("");
      await open("tag 2");
      await page.getByRole("button", { name: "Remove tag from all pages" }).click();
      await expect.poll(names).toEqual(["Économie 2", "tag 10 1"]);
      await page.getByRole("link", { name: "Économie" }).click();
      await expect.poll(() => device.titles()).toHaveLength(2);
      await device.sync();
      expect((await listOf(user)).map((each) => each.tags).sort()).toEqual(["", "Économie", "Économie,tag 10"]);
    });

    test("title and tags are edited while the article is read", async () => {
      const user = await service.newUser();
      await user.send({ new: [{ url: `${pages.origin}/article`, title: "Before", tags: "Machine Learning" }] });
      const device = await signIn(user);
      const { page } = device;
      await page.getByRole("link", { name: "Before" }).click();
      await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("button", { name: "Edit title and tags" }).click();
      await page.getByLabel("Title").fill("After");
      await page.getByLabel("Tags").fill("new,");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("1 page changed").waitFor();
      await page.getByRole("heading", { name: "After", level: 1 }).waitFor();
      await page.getByRole("link", { name: "new", exact: true }).waitFor();
      expect(await violations(page)).toEqual([]);
      await device.backToList();
      await device.sync();
      expect(await listOf(user)).toMatchObject([{ title: "After", tags: "Machine Learning,new" }]);
    });

    test("a title uses the space of the buttons until the pointer is on its row", async () => {
      const user = await service.newUser();
      const title = "A long title ".repeat(30).trim();
      await user.send({ new: [{ url: "https://example.com/long", title }] });
      const device = await signIn(user);
      const { page } = device;
      const roomOf = async () => {
        const [row, shown] = [await page.locator(".row").boundingBox(), await page.locator(".row-title").boundingBox()];
        return (row?.x ?? 0) + (row?.width ?? 0) - (shown?.x ?? 0) - (shown?.width ?? 0);
      };
      await page.mouse.move(1, 1);
      await expect.poll(roomOf).toBeLessThan(20);
      await page.locator(".row").hover();
      await expect.poll(roomOf).toBeGreaterThan(120);
      await page.getByRole("button", { name: `Delete: ${title}`, exact: true }).waitFor();
    });

    test("a phone in landscape shows four rows", async () => {
      const user = await service.newUser();
      await user.send({ new: [1, 2, 3, 4, 5].map((n) => ({ url: `https://example.com/${n}` })) });
      const { page } = await signIn(user, { viewport: { width: 844, height: 390 } });
      const fourth = await page.locator(".row").nth(3).boundingBox();
      expect((fourth?.y ?? 0) + (fourth?.height ?? 0)).toBeLessThanOrEqual(390);
    });

    test("its settings name the version, and lead to the API reference if the service has one", async () => {
      const user = await service.newUser();
      const { version } = JSON.parse(readFileSync("package.json", "utf8"));
      const openAbout = async (device: Device) => {
        await device.openSettings("About");
        await device.page.getByText(`Version ${version}`, { exact: true }).waitFor();
        return device.page.getByRole("link", { name: "API reference for developers" });
      };
      const ofStage = await Device.open(browser, "about:blank");
      devices.push(ofStage);
      await ofStage.page.route("**/config.json", async (route) => {
        const { hasReference, ...config } = await (await route.fetch()).json();
        await route.fulfill({ json: config });
      });
      await ofStage.page.goto(readerUrl);
      await ofStage.signIn(user.credentials);
      expect(await (await openAbout(ofStage)).count()).toBe(0);

      const device = await signIn(user);
      await (await openAbout(device)).click();
      await device.page.getByText("/v2/add").first().waitFor();
      expect(device.page.url()).toBe(`${service.baseUrl}/reference/`);
    });

    test("on a narrow phone the sections of the settings are one line, and no value touches its border", async () => {
      const user = await service.newUser();
      const device = await signIn(user, { viewport: { width: 360, height: 740 } });
      const { page } = device;
      await device.openSettings("Appearance");
      const tops = await page
        .locator(".sections a")
        .evaluateAll((links) => new Set(links.map((link) => link.getBoundingClientRect().top)).size);
      expect(tops).toBe(1);
      const margins = await page.locator(".segments span").evaluateAll((values) =>
        values.map((value) => {
          const range = document.createRange();
          range.selectNodeContents(value);
          return (value.getBoundingClientRect().width - range.getBoundingClientRect().width) / 2;
        }),
      );
      expect(Math.min(...margins)).toBeGreaterThan(4);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    });

    test("searches title, address, tags and cached texts, and filters by tag", async () => {
      const user = await service.newUser();
      await user.ok("send", {
        new: JSON.stringify([
          { url: `${pages.origin}/article`, title: "Cached" },
          { url: "http://127.0.0.1:1/owls", title: "Owls at night", tags: "birds" },
          { url: "http://127.0.0.1:1/tea", title: "Tea", tags: "kitchen" },
        ]),
      });
      const device = await signIn(user);
      await device
        .row("Cached")
        .getByText(/\d min/)
        .waitFor();
      const search = device.page.getByRole("searchbox");
      for (const [words, title] of [
        ["night OWLS", "Owls at night"],
        ["kitch", "Tea"],
        ["1/tea", "Tea"],
        ["fishermen mayor", "Cached"],
      ] as const) {
        await search.fill(words);
        await device.shows(title);
      }
      await search.fill("owls tea");
      await device.page.getByText("No results").waitFor();
      await search.fill("");
      await device.page.getByRole("button", { name: "Sort and filter" }).click();
      await device.page.getByRole("combobox", { name: "Tags" }).selectOption("birds");
      await device.page.keyboard.press("Escape");
      await device.shows("Owls at night");
      await device.page.reload();
      await device.shows("Owls at night");
      await device.page.getByRole("button", { name: "Remove filter Tagged “birds”" }).click();
      await device.shows("Tea", "Owls at night", "Cached");
      await device.page.keyboard.press("o");
      await device.shows("Cached", "Owls at night", "Tea");
    });

    test("archives and tags many items at once", async () => {
      const user = await service.newUser();
      await addAll(user, ["A", "B", "C"]);
      const device = await signIn(user);
      const { page } = device;
      await device.shows("C", "B", "A");
      await page.getByRole("button", { name: "Select", exact: true }).click();
      for (const title of ["A", "C"]) await page.getByLabel(`Select “${title}”`).check();
      await page.getByRole("button", { name: "Edit tags" }).click();
      await page.getByRole("dialog").getByLabel("Tags").fill("bulk");
      await page.getByRole("button", { name: "Save" }).click();
      await expect.poll(() => page.locator(".row .tag").count()).toBe(2);
      await page.getByRole("button", { name: "Select", exact: true }).click();
      await page.getByRole("button", { name: "Select all" }).click();
      await page.getByRole("button", { name: "Archive", exact: true }).click();
      await device.shows();
      await page.getByText("3 pages archived").waitFor();
      await device.sync();
      expect((await listOf(user)).map(({ title, state, tags }) => [title, state, tags]).sort()).toEqual([
        ["A", "1", "bulk"],
        ["B", "1", ""],
        ["C", "1", "bulk"],
      ]);
    });

    test("removes tags from many items at once, and completes tags whatever case and accents are typed", async () => {
      const user = await service.newUser();
      const tagsOfPages = { A: "Café,old", B: "old,Machine Learning", C: "other" };
      await user.send({
        new: Object.entries(tagsOfPages).map(([title, tags]) => ({ url: `https://example.com/${title}`, title, tags })),
      });
      const device = await signIn(user);
      const { page } = device;
      await device.shows("C", "B", "A");
      await page.getByRole("button", { name: "Select", exact: true }).click();
      await page.getByRole("button", { name: "Select all" }).click();
      await page.getByRole("button", { name: "Edit tags" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("old (2)").waitFor();
      await dialog.getByRole("button", { name: "Remove tag old" }).click();
      const field = dialog.getByRole("combobox", { name: "Tags" });
      await field.fill("cafe");
      await dialog.getByRole("option", { name: "Café" }).click();
      await field.fill("LEARN");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await field.fill("OTHER");
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Save" }).click();
      await expect
        .poll(async () => (await listOf(user)).map(({ title, tags }) => [title, tags]).sort())
        .toEqual([
          ["A", "Café,Machine Learning,other"],
          ["B", "Machine Learning,Café,other"],
          ["C", "other,Café,Machine Learning"],
        ]);
    });

    test("saves the page in a link of another site after confirmation, and pasted or dropped pages", async () => {
      const user = await service.newUser();
      const device = await signIn(user);
      const { page } = device;
      await page.goto(`${readerUrl}?title=A%20page&text=Look%20https%3A%2F%2Fexample.com%2Fshared`);
      await expect.poll(() => page.getByLabel("Address").inputValue()).toBe("https://example.com/shared");
      expect(page.url()).not.toContain("shared");
      await page.keyboard.press("Enter");
      await device.shows("A page");
      const search = page.getByRole("searchbox");
      await search.fill("https://example.com/paste");
      for (const key of ["Control+A", "Control+X"]) await search.press(key);
      await search.blur();
      await page.keyboard.press("Control+V");
      await device.shows("https://example.com/paste", "A page");
      await page.evaluate(() => {
        const dataTransfer = new DataTransfer();
        dataTransfer.setData("text/plain", "https://example.com/drop");
        document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
      });
      await device.shows("https://example.com/drop", "https://example.com/paste", "A page");
    });
  });

  test("imports 10,000 pages from a file, and renders only those on the screen", async () => {
    const user = await service.newUser();
    await user.ok("add", { url: "https://example.com/5", title: "In the list already" });
    const device = await signIn(user);
    const { page } = device;
    await device.shows("In the list already");
    const lines = Array.from(
      { length: 10_000 },
      (_, i) => `Page ${i},https://example.com/${i},${1_600_000_000 + i},a,unread,${i ? "" : "mine"}`,
    );
    const buffer = Buffer.from(["title,url,time_added,tags,status,mood", "x,no url,1,,,", ...lines].join("\n"));
    await device.openSettings("Import and export");
    await page.getByLabel("Import a file").setInputFiles({ name: "part_000000.csv", mimeType: "text/csv", buffer });
    await page.getByText("9,999 new pages").waitFor();
    // The dialog shows the newest pages first.
    const preview = page.locator(".preview li");
    expect((await preview.first().innerText()).replaceAll(/[\u2068\u2069]/g, "")).toMatch(
      /^Page 9999\n+example\.com · Sep 13, 2020 · a$/,
    );
    expect(await preview.last().innerText()).toBe("and 9,993 more");
    await page.getByText("1 page in the file is already in your list").waitFor();
    await page.getByText("1 line could not be read").waitFor();
    await page.getByText("your list has no field for it: mood (1)").waitFor();
    await page.getByRole("button", { name: "Add 9,999 pages" }).click();
    await page.getByText("9,999 pages imported").waitFor();
    await device.backToList();
    await device.row("Page 9999").waitFor();
    const rows = page.locator(".row");
    expect(await rows.count()).toBeLessThan(60);
    // Rows and scroll position agree in the middle, too.
    const middle = () =>
      page.evaluate(() => {
        const row = document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest("li");
        return Number(row?.getAttribute("aria-posinset"));
      });
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight / 2));
    await expect.poll(async () => Math.abs((await middle()) - 5000)).toBeLessThan(10);
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await device.row("Page 0").waitFor();
    expect(await rows.count()).toBeLessThan(60);
    await device.sync();
    const { count_list } = (await user.ok("stats")).json();
    expect(count_list).toBe("10000");
    const { list } = (await user.ok("get", { count: 10_000 })).json();
    const added = Object.values(list).filter(({ title }) => title.startsWith("Page "));
    expect(added.every(({ title, time_added }) => time_added === String(1_600_000_000 + Number(title.slice(5))))).toBe(
      true,
    );
    await page.reload();
    // At the end of the list, as before.
    await device.row("Page 0").waitFor();
  });

  test("returns from an article to the place in the list, and leaves no article in the history", async () => {
    const user = await service.newUser();
    await addAll(
      user,
      Array.from({ length: 60 }, (_, i) => `Page ${i}`),
    );
    const device = await signIn(user);
    const { page } = device;
    await device.row("Page 59").waitFor();
    const length = await page.evaluate(() => history.length);
    for (const close of [() => page.keyboard.press("Escape"), () => page.goBack()]) {
      await page.evaluate(() => scrollTo(0, 2000));
      // Playwright's own click scrolls in Firefox.
      await device
        .row("Page 35")
        .getByRole("link")
        .evaluate((link) => (link as HTMLElement).click());
      await page.getByRole("heading", { name: "Page 35" }).waitFor();
      await close();
      await device.row("Page 35").waitFor();
      await expect.poll(() => page.evaluate(() => scrollY)).toBe(2000);
    }
    // The second article took the place of the first one.
    expect(await page.evaluate(() => history.length)).toBe(length + 1);
  });

  /** Chooses a format in the dialog of the settings. */
  async function exportAs(device: Device, format: string): Promise<{ name: string; text: string }> {
    const { page } = device;
    await device.openSettings("Import and export");
    await page.getByRole("button", { name: "Export…" }).click();
    const dialog = page.getByRole("dialog", { name: "Export" });
    await dialog.getByRole("radio", { name: new RegExp(`^${format}`) }).check();
    const download = await downloadOf(page, () => dialog.getByRole("button", { name: "Download" }).click());
    await page.keyboard.press("Escape");
    return download;
  }

  test("exports the list, with changes that are not sent yet", async () => {
    const user = await service.newUser();
    await addAll(user, ["On the service"]);
    const device = await signIn(user);
    await device.shows("On the service");
    await device.press("On the service", "Delete");
    await device.add("https://example.com/new", "New, with a comma");
    const { name, text } = await exportAs(device, "CSV");
    expect(name).toBe("reading-list.csv");
    expect(text.trim().split("\n")).toEqual([
      "url,title,tags,state,time_added,time_updated,note",
      expect.stringMatching(/^https:\/\/example\.com\/new,"New, with a comma",,unread,20/),
    ]);
  });

  test("exports highlights and progress, including unsent ones, and imports them once", async () => {
    const user = await service.newUser();
    await addAll(user, ["One", "Two"]);
    const urls = (await user.items()).map(({ url }) => url);
    const [two = "", one = ""] = urls;
    const mark = { id: "stored", url: one, quote: "on the service", note: "Why?", position: 9, time_created: 1e9 };
    await user.ok("highlights", { save: JSON.stringify([mark]) });
    await user.send({ update_progress: [{ url: one, progress: 40, anchor: "on the" }] });
    const device = await signIn(user);
    await device.shows("One", "Two");
    await device.sync();
    const exported = (format: string) => exportAs(device, format);
    const jsonLines = await exported("JSON Lines");
    expect(
      jsonLines.text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { url: two },
      { url: one, progress: { percent: 40, anchor: "on the" } },
      { id: "stored", url: one, quote: "on the service", note: "Why?", position: 9, time_created: 1e9 },
      { count: 2, highlights: 1 },
    ]);
    const readwise = await exported("Highlights for Readwise");
    expect(readwise.text).toContain("on the service,One,,");
    expect((await exported("Highlights as Kindle clippings")).text).toContain("on the service\r\n==========");
    const markdown = await exported("Highlights as Markdown");
    expect([markdown.name, markdown.text.slice(0, 2)]).toEqual(["reading-list-marks.zip", "PK"]);
    expect(markdown.text).toContain("One.md");

    const other = await service.newUser();
    const second = await signIn(other);
    const importFile = async (name: string, text: string) => {
      await second.openSettings("Import and export");
      const file = { name, mimeType: "text/plain", buffer: Buffer.from(text) };
      await second.page.getByLabel("Import a file").setInputFiles(file);
    };
    const stored = async () => Object.values(JSON.parse((await other.ok("highlights")).body).list);
    await importFile("list.jsonl", jsonLines.text);
    await second.page.getByText("1 new highlight").waitFor();
    await second.page.getByRole("button", { name: "Add 2 pages and 1 highlight" }).click();
    await second.page.getByText("2 pages and 1 highlight imported").waitFor();
    await second.backToList();
    await second.sync();
    expect(await stored()).toMatchObject([{ id: "stored", url: one, quote: "on the service", note: "Why?" }]);
    expect((await other.items({ progress: 1 })).find(({ url }) => url === one)).toMatchObject({ progress: "40" });
    await importFile("list.jsonl", jsonLines.text);
    await second.page.getByText("1 highlight in the file already exists").waitFor();
    expect(await second.page.getByRole("button", { name: "Add 0 pages" }).isDisabled()).toBe(true);
    await second.page.keyboard.press("Escape");
    const feeds =
      '<opml><body><outline text="F" xmlUrl="https://f.example/feed" htmlUrl="https://f.example/"/></body></opml>';
    await importFile("feeds.opml", feeds);
    expect(await second.page.getByRole("button", { name: "Add 0 pages" }).isDisabled()).toBe(true);
    await second.page.getByLabel("Add their sites as pages").check();
    await second.page.getByRole("button", { name: "Add 1 page" }).waitFor();
    await second.page.keyboard.press("Escape");
    // Without ids, because ids for Readwise are derived from page, quotation and time, here as in the command line.
    await importFile("readwise.csv", "Highlight,Title,URL\nfrom Readwise,One,\nof no page,Nowhere,\n");
    await second.page.getByText("1 highlight cannot be imported").waitFor();
    await second.page.getByRole("button", { name: "Add 1 highlight" }).click();
    await second.page.getByText("1 highlight imported").waitFor();
    await second.page.getByRole("button", { name: "Undo" }).click();
    await second.backToList();
    await second.sync();
    expect(await stored()).toHaveLength(1);
  });

  describe("offline", () => {
    test("shows, changes and reloads the list, and sends the changes in order when there is a connection", async () => {
      const user = await service.newUser();
      await addAll(user, ["Old", "Older"]);
      const connection = await Connection.to(service.baseUrl);
      const device = await Device.signedIn(browser, `${connection.origin}/app/`, user);
      devices.push(device);
      const { page } = device;
      await device.shows("Older", "Old");
      await device.untilInstalled();
      connection.cut();
      await page.reload();
      await device.shows("Older", "Old");
      await device.press("Old", "Delete");
      await device.add(`${pages.origin}/0`, "Old, again");
      await device.add("https://example.com/offline", "Written in a train");
      await device.press("Written in a train", "Edit");
      await page.getByLabel("Title").fill("Written in a train, renamed");
      await page.getByRole("button", { name: "Save" }).click();
      await device.press("Older", "Archive");
      const shown = ["Written in a train, renamed", "Old, again"];
      await device.shows(...shown);
      await page.reload();
      await device.shows(...shown);
      expect(await device.row("Old, again").getByText("Not sent yet").count()).toBe(1);
      await page.getByRole("button", { name: "5 changes to send" }).and(page.locator("[data-state=offline]")).click();
      await page.getByText("will be sent when you are back online").waitFor();
      await page.keyboard.press("Escape");
      expect((await listOf(user)).map(({ title }) => title)).toEqual(["Older", "Old"]);

      connection.restore();
      await page.evaluate(() => dispatchEvent(new Event("online")));
      await page.locator("[data-state=done]").getByText("Up to date").waitFor();
      await device.shows(...shown);
      expect((await listOf(user)).map(({ title, state }) => [title, state])).toEqual(
        expect.arrayContaining([
          ["Written in a train, renamed", "0"],
          ["Old, again", "0"],
          ["Older", "1"],
        ]),
      );
    });

    test("a star and other changes of tags leave the tags that another device adds meanwhile", async () => {
      const user = await service.newUser();
      const urls = ["A", "B"].map((title) => ({ url: `https://example.com/${title}`, title, tags: "even" }));
      await user.send({ new: urls });
      const device = await signIn(user);
      const { page } = device;
      await device.shows("B", "A");
      await device.context.setOffline(true);
      await device.press("A", "Star");
      await device.press("B", "Edit");
      await page.getByRole("combobox", { name: "Tags" }).fill("edited,");
      await page.getByRole("button", { name: "Remove tag even" }).click();
      await page.getByRole("button", { name: "Save" }).click();
      await user.send({ update_tags: urls.map(({ url }) => ({ url, tags: "even,work" })) });
      await device.context.setOffline(false);
      await expect
        .poll(async () => (await listOf(user)).map(({ title, tags }) => [title, tags]).sort())
        .toEqual([
          ["A", "even,work,starred"],
          ["B", "work,edited"],
        ]);
    });

    test("caches the texts of unread items, and evicts those of read ones", async () => {
      const user = await service.newUser();
      await user.ok("add", { url: `${pages.origin}/cached`, title: "Cached" });
      const device = await signIn(user);
      await device.row("Cached").getByText("1 min").waitFor();
      const cachedTexts = () =>
        device.page.evaluate(async () => {
          const { name = "" } = (await indexedDB.databases()).find(({ name }) => name?.startsWith("texts-of-")) ?? {};
          const database = await new Promise<IDBDatabase>((resolve) => {
            const opening = indexedDB.open(name);
            opening.onsuccess = () => resolve(opening.result);
          });
          const reading = database.transaction("texts").objectStore("texts").getAllKeys();
          await new Promise((resolve) => {
            reading.onsuccess = resolve;
          });
          database.close();
          return reading.result;
        });
      expect(await cachedTexts()).toEqual([`${pages.origin}/cached`]);
      await device.press("Cached", "Archive");
      await device.sync();
      await expect.poll(cachedTexts).toEqual([]);
    });

    test.each([-400, 400])("a clock that is %i days off harms nothing", async (days) => {
      const user = await service.newUser();
      await addAll(user, ["Before"]);
      const RealDate = Date;
      const before = new Function(`
        const RealDate = Date;
        globalThis.Date = class extends RealDate {
          constructor(...parts) { parts.length ? super(...parts) : super(RealDate.now() + ${days} * 86400000); }
          static now() { return RealDate.now() + ${days} * 86400000; }
        };`) as () => void;
      const device = await signIn(user, { before });
      expect(await device.page.evaluate(() => Date.now())).not.toBeCloseTo(RealDate.now(), -9);
      await device.shows("Before");
      await device.add("https://example.com/new", "New");
      await device.shows("New", "Before");
      await device.sync();
      await device.shows("New", "Before");
      expect((await listOf(user)).map(({ title }) => title)).toEqual(["New", "Before"]);
    });

    test("says that the limit of calls is reached, and sends queued changes when the window ends", async () => {
      const user = await service.newUser();
      const device = await signIn(user);
      const { page } = device;
      await page.getByText("Nothing to read").waitFor();
      const key = (await service.operator.listApiKeys()).find(({ applicationId }) => applicationId === "web");
      await service.operator.changeApiKeys([[key?.keyHash ?? "", { userLimit: 1 }]]);
      // The service looks a key up again after 5 seconds of its clock.
      service.clock.advance(6);
      await device.add("https://example.com/waits", "Waits");
      await page.getByRole("button", { name: "1 change to send" }).and(page.locator("[data-state=failed]")).click();
      await page.getByText("will be sent when the limit resets").waitFor();
      await service.operator.changeApiKeys([[key?.keyHash ?? "", { userLimit: 1000 }]]);
      service.clock.advance(6);
      await page.getByRole("button", { name: "Sync now" }).click();
      await page.getByText("No changes to send").waitFor();
      expect((await listOf(user)).map(({ title }) => title)).toEqual(["Waits"]);
    });
  });

  describe("accessibility", () => {
    test("everything works with only the keyboard", async () => {
      const user = await service.newUser();
      await addAll(user, ["C", "B", "A"]);
      const device = await signIn(user);
      const { keyboard } = device.page;
      await device.shows("A", "B", "C");
      const focused = () => device.page.evaluate(() => document.activeElement?.textContent);
      for (const title of ["A", "B"]) {
        await keyboard.press("j");
        await expect.poll(focused).toBe(title);
      }
      await keyboard.press("e");
      await device.shows("A", "C");
      await expect.poll(focused).toBe("C");
      await keyboard.press("z");
      await device.shows("A", "B", "C");
      await keyboard.press("#");
      await device.shows("A", "B");
      await expect.poll(focused).toBe("B");
      await keyboard.press("r");
      const dialog = device.page.getByRole("dialog");
      await dialog.waitFor();
      await keyboard.press("End");
      await keyboard.type(", renamed");
      await keyboard.press("Tab");
      await keyboard.type("tag");
      await keyboard.press("Enter");
      await keyboard.press("Enter");
      await device.row("B, renamed").getByRole("link", { name: "tag", exact: true }).waitFor();
      await expect.poll(focused).toBe("B, renamed");
      await keyboard.press("k");
      await expect.poll(focused).toBe("A");
      await keyboard.press("x");
      await keyboard.press("e");
      await device.shows("B, renamed");
      await keyboard.press("2");
      await device.shows("A");
      await keyboard.press("1");
      await keyboard.press("a");
      await dialog.waitFor();
      await keyboard.type("https://example.com/typed");
      await keyboard.press("Enter");
      await device.shows("https://example.com/typed", "B, renamed");
      await keyboard.press("/");
      await keyboard.type("renamed");
      await keyboard.press("Enter");
      await device.shows("B, renamed");
      await keyboard.press("Escape");
      await keyboard.press("o");
      await device.shows("B, renamed", "https://example.com/typed");
      await keyboard.press("?");
      await device.page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
      await keyboard.press("Escape");
      await device.sync();
      expect((await listOf(user)).length).toBe(3);
    });

    test("Shift with a key, or with a click on a row, selects a range", async () => {
      const user = await service.newUser();
      await addAll(user, ["F", "E", "D", "C", "B", "A"]);
      const device = await signIn(user);
      const { page } = device;
      await device.shows("A", "B", "C", "D", "E", "F");
      await untilKeysAct(page);
      const focused = () => page.evaluate(() => document.activeElement?.textContent);
      const selected = () =>
        page
          .locator(".row:has(input:checked) .row-title")
          .evaluateAll((links) => links.map((link) => link.textContent));
      const status = page.locator("[role=status]", { hasText: "selected" });
      const step = async (key: string, title: string, ...titles: string[]) => {
        await page.keyboard.press(key);
        await expect.poll(focused).toBe(title);
        await expect.poll(selected).toEqual(titles);
        if (titles.length > 0) expect(await status.textContent()).toBe(`${titles.length} selected`);
      };
      await step("j", "A");
      await step("j", "B");
      await step("Shift+J", "C", "B", "C");
      await step("Shift+ArrowDown", "D", "B", "C", "D");
      await step("Shift+K", "C", "B", "C");
      await step("Shift+ArrowUp", "B", "B");
      await step("Shift+ArrowUp", "A", "A", "B");
      // A key without Shift leaves the range as it is, and the next range begins where it leads.
      for (const title of ["B", "C", "D", "E"]) await step("j", title, "A", "B");
      await step("Shift+J", "F", "A", "B", "E", "F");
      await page.keyboard.press("Escape");
      await expect.poll(() => status.count()).toBe(0);

      const click = (title: string) =>
        device
          .row(title)
          .locator(".row-title")
          .click({ modifiers: ["Shift"] });
      await device.row("F").locator(".row-title").focus();
      await click("D");
      await expect.poll(selected).toEqual(["D", "E", "F"]);
      await device
        .row("E")
        .getByRole("checkbox")
        .click({ modifiers: ["Shift"] });
      await expect.poll(selected).toEqual(["E", "F"]);
      await device.row("A").getByRole("checkbox").check();
      await click("C");
      await expect.poll(selected).toEqual(["A", "B", "C", "E", "F"]);
      expect(await page.evaluate(() => String(getSelection()))).toBe("");
      expect(page.context().pages()).toHaveLength(1);
      await page.keyboard.press("e");
      await device.shows("D");
    });

    test.each([
      ["light", 1100],
      ["dark", 1100],
      ["light", 360],
      ["dark", 360],
    ] as const)("axe finds nothing serious: %s, %i pixels wide", async (colorScheme, width) => {
      const user = await service.newUser();
      await user.ok("send", {
        new: JSON.stringify([
          { url: "https://example.com/a", title: "كيف تعمل المكتبات العامة", tags: "later,science" },
          { url: "https://example.com/b", title: "A title ".repeat(30) },
        ]),
      });
      const device = await signIn(user, { colorScheme, viewport: { width, height: 740 } });
      const { page } = device;
      await expect.poll(() => device.titles()).toHaveLength(2);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      expect(await violations(page)).toEqual([]);
      for (const key of ["a", "?", "r"]) {
        await page.keyboard.press("k");
        await page.locator(".row-title:focus").waitFor();
        await page.keyboard.press(key);
        await page.getByRole("dialog").waitFor();
        expect(await violations(page)).toEqual([]);
        await page.keyboard.press("Escape");
      }
      await page.keyboard.press("x");
      expect(await violations(page)).toEqual([]);
    });

    test("a swipe archives or deletes", async () => {
      const user = await service.newUser();
      await addAll(user, ["Left", "Stays", "Right"]);
      const device = await signIn(user, { hasTouch: true, viewport: { width: 360, height: 740 } });
      await device.shows("Right", "Stays", "Left");
      const swipe = (title: string, pixels: number) =>
        device.row(title).evaluate((row, pixels) => {
          const { left, top } = row.getBoundingClientRect();
          const fire = (type: string, x: number) => {
            // Firefox has no constructor of touch events on a desktop.
            const touches = type === "touchend" ? [] : [{ clientX: left + 150 + x, clientY: top + 20 }];
            row.dispatchEvent(Object.assign(new Event(type, { bubbles: true }), { touches }));
          };
          fire("touchstart", 0);
          for (const part of [0.3, 0.6, 1]) fire("touchmove", part * pixels);
          fire("touchend", pixels);
        }, pixels);
      await swipe("Stays", 50);
      await swipe("Left", -120);
      await device.shows("Right", "Stays");
      await swipe("Right", 120);
      await device.shows("Stays");
      await device.show("Archive");
      await device.shows("Right");
    });
  });
});
