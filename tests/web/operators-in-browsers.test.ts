// SPDX-License-Identifier: MIT

import { downloadOf, isFirefox, launchBrowser } from "@reading-list/testing/browser.ts";
import { TestUser } from "@reading-list/testing/client.ts";
import { chromiumFor } from "@reading-list/testing/find-browser.ts";
import { findFreePort } from "@reading-list/testing/free-port.ts";
import { startMailServer } from "@reading-list/testing/mail-server.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import type { Browser, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { Device } from "./device.ts";

const BACKUP_RECIPIENT = "age1kxqxwch3cvcm0v2tkcyj9yqza9yt7gnxun2ssc08wqqgsq4m99tqnxlmfx";

describe.skipIf(!chromiumFor("the administration in the web reader"))("operators in the web reader", () => {
  let browser: Browser;
  let service: TestService;

  beforeAll(async () => {
    browser = await launchBrowser();
  });

  /** A new service without users, at the address of its links. */
  async function start(env: Record<string, string> = {}): Promise<void> {
    const port = String(await findFreePort());
    service = await startTestService({ PORT: port, BASE_URL: `http://127.0.0.1:${port}`, ...env });
  }
  const readerUrl = () => `${service.baseUrl}/app/`;

  async function newOperator(): Promise<TestUser> {
    const user = await service.newUser();
    await service.operator.administration?.setOperator(user.credentials.username, true);
    return user;
  }

  async function openAdministration(device: Device, user: TestUser): Promise<void> {
    const { page } = device;
    await device.openAccount();
    await page.getByLabel("Account password").fill(user.credentials.password);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Administration…" }).click();
  }
  const administration = (page: Page) =>
    page.getByRole("main").filter({ has: page.getByRole("heading", { name: "Administration", level: 1 }) });

  /** The secret that is shown once. */
  const createdIn = (page: Page) => page.locator(".created code").innerText();

  async function register({ page }: Device, { username, password }: TestUser["credentials"]): Promise<void> {
    const name = page.getByLabel("Username");
    if (await name.isEditable()) await name.fill(username);
    else expect(await name.inputValue()).toBe(username);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: /Create account|Save password/ }).click();
  }

  test("the first administrator registers with the link from the log, invites a person, and helps a user who forgot the password", async () => {
    await start({ SIGNUP: "closed" });
    expect(service.operatorLink).toBeDefined();
    const ann = new TestUser(service, "ann", "secret");
    const device = await Device.open(browser, readerUrl());
    await device.page.getByRole("heading", { name: "Create the first account" }).waitFor();
    expect(await violations(device.page)).toEqual([]);
    await device.page.getByLabel("Code from the log").fill("guessed");
    await register(device, ann.credentials);
    await device.page.getByRole("alert").filter({ hasText: "has been used or has expired" }).waitFor();
    await device.page.goto(service.operatorLink ?? "");
    await expect.poll(() => device.page.getByLabel("Code from the log").inputValue()).not.toBe("guessed");
    await register(device, ann.credentials);
    await device.page.locator("main.list").waitFor();
    expect(new URL(device.page.url()).hash).not.toContain("code");

    await openAdministration(device, ann);
    const dialog = administration(device.page);
    await dialog.getByRole("heading", { name: "1 user" }).waitFor();
    expect(await violations(device.page)).toEqual([]);
    await dialog.getByRole("button", { name: "Create invitation" }).click();
    const invitation = await createdIn(device.page);
    expect(await violations(device.page)).toEqual([]);

    const bob = new TestUser(service, "bob", "forgotten");
    const second = await Device.open(browser, invitation);
    await second.page.getByRole("heading", { name: "You are invited" }).waitFor();
    await register(second, bob.credentials);
    await second.page.locator("main.list").waitFor();
    await second.add("https://example.com/of-bob", "Of Bob");
    await second.sync();

    await device.page.reload();
    await device.page.getByLabel("Account password").fill(ann.credentials.password);
    await device.page.getByRole("button", { name: "Continue" }).click();
    await dialog.getByRole("searchbox").fill("BO");
    await dialog.getByRole("heading", { name: "1 user" }).waitFor();
    await dialog.getByLabel("Actions for bob").click();
    expect(await violations(device.page)).toEqual([]);
    await dialog.getByRole("button", { name: "Reset password of bob" }).click();
    const reset = await createdIn(device.page);
    await dialog.getByText("Password reset for bob", { exact: true }).waitFor();
    const third = await Device.open(browser, reset);
    await third.page.getByRole("heading", { name: "Set a new password" }).waitFor();
    expect(await violations(third.page)).toEqual([]);
    await register(third, { username: "bob", password: "remembered" });
    await third.shows("Of Bob");
    expect((await bob.call("auth")).status).toBe(401);

    const fourth = await Device.open(browser, reset);
    await register(fourth, { username: "bob", password: "once more" });
    await fourth.page.getByRole("alert").filter({ hasText: "has been used or has expired" }).waitFor();
    for (const each of [device, second, third, fourth]) {
      expect(each.complaints).toEqual([]);
      await each.close();
    }
  });

  test("a link on a device where someone is signed in asks to sign out first", async () => {
    await start();
    const ann = await newOperator();
    const { body } = await ann.ok("operator/links", { create: "signup" });
    const device = await Device.signedIn(browser, readerUrl(), ann);
    const open = async () => {
      await device.page.goto(JSON.parse(body).url);
      await device.page.getByText(`You are signed in as ${ann.credentials.username}`).waitFor();
    };
    await open();
    await device.page.getByRole("button", { name: "Go to your list" }).click();
    await device.page.locator("main.list").waitFor();
    await open();
    await device.page.getByRole("button", { name: "Sign out" }).click();
    await register(device, { username: "carol", password: "secret" });
    await device.page.locator("main.list").waitFor();
    await device.close();
  });

  test("an operator manages users, apps, maintenance and backups; a user is refused", async () => {
    await start({ BACKUP_TO: temporaryFolder(), BACKUP_RECIPIENT });
    const ann = await newOperator();
    const eve = await service.newUser("eve");
    const evil = await Device.signedIn(browser, readerUrl(), eve);
    await openAdministration(evil, eve);
    await evil.page.getByRole("alert").filter({ hasText: "Only administrators can do this" }).waitFor();
    await evil.close();

    const device = await Device.signedIn(browser, readerUrl(), ann);
    const { page } = device;
    await openAdministration(device, ann);
    const dialog = administration(page);
    await dialog.getByLabel("New app").fill("E-reader");
    await dialog.getByRole("button", { name: "Create API key" }).click();
    const apikey = await createdIn(page);
    expect((await service.call("auth", { ...ann.credentials, apikey })).status).toBe(200);
    page.on("dialog", (asked) => void asked.accept(asked.type() === "prompt" ? "eve" : undefined));
    await dialog.getByRole("button", { name: "Disable E-reader" }).click();
    await dialog.getByRole("button", { name: "Enable E-reader" }).waitFor();
    expect((await service.call("auth", { ...ann.credentials, apikey })).status).toBe(403);

    await dialog.getByText("1 backup. A new one is made every day.").waitFor();
    service.clock.advance(5);
    await dialog.getByRole("button", { name: "Back up now" }).click();
    await dialog.getByText("2 backups. A new one is made every day.").waitFor();
    const newest = dialog.getByRole("button", { name: "Download the backup of" }).first();
    const { name, text } = await downloadOf(page, () => newest.click());
    expect(name).toMatch(/^\d{4}-\d\d-\d\dT\d{6}Z\.db\.age$/);
    expect(text).toMatch(/^age-encryption\.org\/v1\n/);

    await dialog.getByRole("button", { name: "Check now" }).click();
    await dialog.getByText("Checking the data").waitFor();
    await dialog.getByText("Last check:").waitFor();
    await dialog.getByText("is intact").waitFor();
    await dialog.getByText("Reading progress", { exact: true }).waitFor();

    await dialog.getByLabel("Message to users").fill("Back at noon");
    await dialog.getByRole("button", { name: "Start maintenance" }).click();
    await dialog.getByText("The service is in maintenance: Back at noon").waitFor();
    expect((await ann.call("auth")).status).toBe(503);
    await dialog.getByRole("button", { name: "End maintenance" }).click();
    await dialog.getByRole("button", { name: "Start maintenance" }).waitFor();

    expect(await dialog.getByRole("heading", { name: "E-mail" }).count()).toBe(0);

    await dialog.getByLabel("Actions for eve").click();
    await dialog.getByRole("button", { name: "Delete eve" }).click();
    await dialog.getByRole("heading", { name: "1 user" }).waitFor();
    expect((await eve.call("auth")).status).toBe(401);
    await device.close();
  });

  test("an operator sends a test mail, and reads what the mail server says", async () => {
    const mail = await startMailServer();
    await start({ SMTP_URL: mail.url, MAIL_FROM: "list@example.com" });
    const ann = await newOperator();
    const device = await Device.signedIn(browser, readerUrl(), ann);
    await openAdministration(device, ann);
    const dialog = administration(device.page);
    const send = async (address: string) => {
      const field = dialog.getByLabel("Your e-mail address");
      // In Firefox, a driver cannot select what is in a field of this type, and types after it.
      await field.clear();
      await field.fill(address);
      await dialog.getByRole("button", { name: "Send a test mail" }).click();
    };
    await send("unknown@example.com");
    await dialog.getByRole("alert").filter({ hasText: "the mail server rejected the address: 550 unknown" }).waitFor();
    await send("ann@example.com");
    await dialog.getByText("The mail server accepted the test mail to ann@example.com.").waitFor();
    expect(await dialog.getByText("550").count()).toBe(0);
    expect(mail.mails.map(({ to }) => to)).toEqual([["ann@example.com"]]);
    expect(await violations(device.page)).toEqual([]);
    expect(device.complaints).toEqual([]);
    await device.close();
  });

  test.each([
    [1100, "light"],
    [360, "dark"],
  ] as const)(
    "the administration fits into %i pixels, and axe finds nothing serious: %s",
    async (width, colorScheme) => {
      await start();
      const ann = await newOperator();
      await service.newUser("a-name-of-20-letters");
      await ann.ok("operator/links", { create: "password", user: "a-name-of-20-letters" });
      const options = { viewport: { width, height: 740 }, ...(!isFirefox && { colorScheme }) };
      const device = await Device.signedIn(browser, readerUrl(), ann, options);
      await openAdministration(device, ann);
      await administration(device.page).getByText("Version").waitFor();
      await administration(device.page).getByText("Password reset for a-name-of-20-letters").first().waitFor();
      const excess = await device.page.locator("html").evaluate((each) => each.scrollWidth - each.clientWidth);
      expect(excess).toBeLessThanOrEqual(0);
      expect(await violations(device.page)).toEqual([]);
      expect(device.complaints).toEqual([]);
      await device.close();
    },
  );
});
