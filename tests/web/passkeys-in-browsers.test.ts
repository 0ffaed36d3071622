// SPDX-License-Identifier: MIT

import { launchBrowser } from "@reading-list/testing/browser.ts";
import { chromiumFor } from "@reading-list/testing/find-browser.ts";
import { findFreePort } from "@reading-list/testing/free-port.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import type { Browser } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { Device } from "./device.ts";

// Firefox has no authenticator for tests.
const canRun = chromiumFor("passkeys in the web reader") && process.env.BROWSER !== "firefox";

describe.skipIf(!canRun)("passkeys in the web reader", () => {
  let browser: Browser;
  let service: TestService;
  let readerUrl: string;

  beforeAll(async () => {
    browser = await launchBrowser();
    const port = String(await findFreePort());
    readerUrl = `http://localhost:${port}/app/`;
    service = await startTestService({ PORT: port, BASE_URL: `http://localhost:${port}` });
  });

  /** Gives a browser an authenticator, which confirms by itself. Returns a function that takes its passkeys away. */
  async function addAuthenticator({ page }: Device): Promise<() => Promise<void>> {
    const session = await page.context().newCDPSession(page);
    await session.send("WebAuthn.enable");
    const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return async () => {
      await session.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
    };
  }

  test("a user adds a passkey, signs in with both, and changes the password", async () => {
    const user = await service.newUser("ann");
    const { username, password } = user.credentials;
    const device = await Device.signedIn(browser, readerUrl, user);
    const { page } = device;
    await addAuthenticator(device);
    await device.openAccount();
    await page.getByLabel("Account password").fill(password);
    await page.getByRole("button", { name: "Continue", exact: true }).click();
    await page.getByLabel("New passkey").fill("Laptop");
    await page.getByRole("button", { name: "Add passkey" }).click();
    await page.getByRole("button", { name: "Remove Laptop" }).waitFor();
    expect(await violations(page)).toEqual([]);
    expect((await user.call("auth")).status).toBe(401);
    // The token replaces the password, and still manages the account.
    await page.getByLabel("New app or device").fill("Phone");
    await page.getByRole("button", { name: "Create app password" }).click();
    await page.locator(".created code").waitFor();
    await page.getByLabel("New password").fill("another password");
    await page.getByLabel("Also sign out all apps and devices").check();
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByText("Password changed").waitFor();
    await device.add("https://example.com/after", "After the change");
    await device.sync();
    await device.shows("After the change");

    // The account is managed with both.
    await device.openAccount();
    await page.getByLabel("Account password").fill("another password");
    await page.getByRole("button", { name: "Continue with password and passkey" }).click();
    await page.getByRole("button", { name: "Remove Laptop" }).waitFor();
    await page.getByRole("button", { name: "Back to list" }).click();

    // Sign out, and in again.
    page.on("dialog", (dialog) => dialog.accept());
    await device.openSettings("Account");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Username").fill(username);
    await page.getByLabel("Password").fill("another password");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("alert").filter({ hasText: "password" }).waitFor();
    await page.getByRole("button", { name: "Sign in with password and passkey" }).click();
    await page.locator("main.list").waitFor();
    await device.shows("After the change");
    await page.reload();
    await device.shows("After the change");
    await device.close();
  });

  test("without an authenticator the page says so, and a removed passkey gives the password back", async () => {
    const user = await service.newUser("bob");
    const device = await Device.signedIn(browser, readerUrl, user);
    const { page } = device;
    const removeAuthenticator = await addAuthenticator(device);
    await device.openAccount();
    await page.getByLabel("Account password").fill(user.credentials.password);
    await page.getByRole("button", { name: "Continue", exact: true }).click();
    await page.getByLabel("New passkey").fill("Key");
    await page.getByRole("button", { name: "Add passkey" }).click();
    await page.getByRole("button", { name: "Remove Key" }).waitFor();
    await removeAuthenticator();
    await addAuthenticator(device);
    const other = await Device.open(browser, readerUrl);
    await addAuthenticator(other);
    await other.page.getByLabel("Username").fill("bob");
    await other.page.getByLabel("Password").fill(user.credentials.password);
    await other.page.getByRole("button", { name: "Sign in with password and passkey" }).click();
    await other.page.getByText("No passkey responded").waitFor();
    await other.close();
    page.on("dialog", (dialog) => dialog.accept());
    await page.getByRole("button", { name: "Remove Key" }).click();
    await page.getByRole("button", { name: "Remove Key" }).waitFor({ state: "detached" });
    expect((await user.call("auth")).status).toBe(200);
    await device.close();
  });
});
