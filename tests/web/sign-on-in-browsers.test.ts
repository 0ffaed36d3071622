// SPDX-License-Identifier: MIT

import { launchBrowser } from "@reading-list/testing/browser.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { chromiumFor } from "@reading-list/testing/find-browser.ts";
import { findFreePort } from "@reading-list/testing/free-port.ts";
import { IdentityProvider, oidcClient } from "@reading-list/testing/identity-provider.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { Device } from "./device.ts";

describe.skipIf(!chromiumFor("single sign-on in the web reader"))("single sign-on in the web reader", () => {
  let browser: Browser;
  let provider: IdentityProvider;
  let service: TestService;
  let port: string;
  const readerUrl = () => `http://127.0.0.1:${port}/app/`;

  beforeAll(async () => {
    browser = await launchBrowser();
    port = String(await findFreePort());
    provider = await IdentityProvider.start(`${readerUrl()}oidc/callback`);
    await start();
  });
  afterAll(() => provider.stop());

  async function start(env: Record<string, string> = {}): Promise<void> {
    await service?.stop();
    const { clientId: OIDC_CLIENT_ID, clientSecret: OIDC_CLIENT_SECRET } = oidcClient;
    const oidc = { OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_NAME: "Our login" };
    service = await startTestService({ PORT: port, BASE_URL: `http://127.0.0.1:${port}`, ...oidc, ...env });
  }

  /** Signs in at the provider, in a new browser. */
  async function signOn(person: IdentityProvider["person"]): Promise<Device> {
    provider.person = person;
    const device = await Device.open(browser, readerUrl());
    await device.page.getByRole("button", { name: "Sign in with Our login" }).click();
    return device;
  }

  test("signs in, stays for the tab, and leaves no code in the address", async () => {
    const device = await signOn({ sub: "1", claims: { preferred_username: "ann" } });
    const { page } = device;
    await page.locator("main.list").waitFor();
    expect(page.url()).not.toContain("signin");
    await device.add("https://example.com/a", "Of Ann");
    await device.sync();
    await page.reload();
    await device.shows("Of Ann");
    expect(device.complaints).toEqual([]);
    await device.close();
  });

  test("a new sign-in at the provider opens the account, where a person without a password manages it", async () => {
    const device = await signOn({ sub: "2", claims: { preferred_username: "bob" } });
    const { page } = device;
    await page.locator("main.list").waitFor();
    await device.openAccount();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Sign in again with Our login" }).click();
    const dialog = page.locator(".account-page");
    await dialog.getByText("You can sign in with Our login.").waitFor();
    expect(page.url()).not.toContain("fresh");
    await dialog.getByLabel("New app or device").fill("Phone");
    await dialog.getByRole("button", { name: "Create app password" }).click();
    const password = await page.locator(".created code").innerText();
    expect((await service.call("auth", { username: "bob", password })).status).toBe(200);
    await dialog.getByLabel("To confirm, type your username: bob").fill("bob");
    await dialog.getByRole("button", { name: "Delete account" }).click();
    await page.getByText("Account deleted").waitFor();
    expect((await service.call("auth", { username: "bob", password })).status).toBe(401);
    await device.close();
  });

  test("a user links an account, and signs in without its password then", async () => {
    const carol: TestUser = await service.newUser("carol");
    const device = await Device.signedIn(browser, readerUrl(), carol);
    const { page } = device;
    provider.person = { sub: "carol at work", claims: { preferred_username: "c" } };
    await device.openAccount();
    await page.getByLabel("Account password").fill(carol.credentials.password);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Link Our login" }).click();
    await page.getByText("Linked", { exact: true }).waitFor();
    await device.close();
    const second = await Device.open(browser, readerUrl());
    await second.page.getByLabel("Stay signed in").check();
    await second.page.getByRole("button", { name: "Sign in with Our login" }).click();
    await second.page.locator("main.list").waitFor();
    expect(await second.page.evaluate(() => Object.keys(sessionStorage).join())).not.toContain("state.tab");
    await second.page.getByRole("button", { name: "Menu" }).click();
    await second.page.getByText("Signed in as carol").waitFor();
    await second.close();
  });

  test("a refusal of the provider, or of this service, leads back to the page", async () => {
    const device = await signOn({ sub: "3", refuses: true });
    await device.page.getByText("you did not agree").waitFor();
    await device.page.getByRole("link", { name: "Try again" }).click();
    await device.page.getByRole("button", { name: "Sign in with Our login" }).waitFor();
    await device.close();
  });

  test("after signing out, a user can also sign out at the provider", async () => {
    const device = await signOn({ sub: "5", claims: { preferred_username: "eve" } });
    const { page } = device;
    await page.locator("main.list").waitFor();
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign out of Our login" }).click();
    await page.getByRole("button", { name: /yes, sign me out/i }).click();
    await page.getByRole("button", { name: "Sign in with Our login" }).waitFor();
    expect(page.url()).toBe(readerUrl());
    await device.close();
  });

  test("OIDC_ONLY asks for no password, and an invitation is answered by single sign-on", async () => {
    await start({ OIDC_ONLY: "1", SIGNUP: "closed" });
    const refused = await signOn({ sub: "4", claims: { preferred_username: "dora" } });
    await refused.page.getByText("ask the administrator for an invitation").waitFor();
    await refused.close();
    const link = { id: "one", username: undefined, createdAt: service.clock.seconds() };
    const { writeLinkAddress, createLinkSecret, hashLinkSecret } = await import(
      "@reading-list/core/domain/operator-link.ts"
    );
    const secret = createLinkSecret();
    const expiresAt = link.createdAt + 86_400;
    await service.operator.administration?.addLink({ ...link, secretHash: hashLinkSecret(secret), expiresAt });
    const device = await Device.open(browser, writeLinkAddress(`http://127.0.0.1:${port}`, secret, link));
    expect(await device.page.getByLabel("Password").count()).toBe(0);
    expect(await violations(device.page)).toEqual([]);
    await device.page.getByLabel("Stay signed in").check();
    await device.page.getByRole("button", { name: "Sign in with Our login" }).click();
    await device.page.locator("main.list").waitFor();
    expect(await service.operator.findUser("dora")).toBeDefined();
    await device.page.close();
    const page = await device.context.newPage();
    await page.goto(readerUrl());
    await page.locator("main.list").waitFor();
    await device.close();
  });
});
