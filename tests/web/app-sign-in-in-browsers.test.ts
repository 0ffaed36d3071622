// SPDX-License-Identifier: MIT

import { isFirefox, launchBrowser, patientMs } from "@reading-list/testing/browser.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { chromiumFor } from "@reading-list/testing/find-browser.ts";
import { newVerifier, OAuthApp, parametersOf } from "@reading-list/testing/oauth-app.ts";
import { page as answer, startPageServer } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import type { Browser, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { violations } from "./axe.ts";

describe.skipIf(!chromiumFor("the pages that sign apps in"))("the pages on which users sign apps in", () => {
  let service: TestService;
  let browser: Browser;
  let app: OAuthApp;
  let user: TestUser;
  const complaints: string[] = [];

  beforeAll(async () => {
    const callback = await startPageServer(answer("back in the app"));
    atEndOfFile(callback.stop);
    service = await startTestService();
    app = await OAuthApp.register(service, { redirectUri: `${callback.origin}/callback` });
    user = await service.newUser();
    browser = await launchBrowser();
  });

  async function open(url: string, options: Parameters<Browser["newPage"]>[0] = {}): Promise<Page> {
    const page = await browser.newPage(options);
    page.setDefaultTimeout(patientMs);
    page.on("console", (message) => complaints.push(message.text()));
    await page.goto(url);
    return page;
  }

  async function signIn(page: Page, password = user.credentials.password, button = "Allow"): Promise<void> {
    await page.getByLabel("Username").fill(user.credentials.username);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: button }).click();
  }

  test("take the password, also after a wrong one, and lead back to the app with a code", async () => {
    const verifier = newVerifier();
    const page = await open(app.authorizeUrl(verifier));
    await signIn(page, "wrong");
    await page.getByRole("link", { name: "Try again" }).click();
    await signIn(page);
    await page.waitForURL(`${app.redirectUri}?**`);
    expect(await page.innerText("body")).toBe("back in the app");
    const { code = "", state } = parametersOf(page.url());
    expect([state, (await app.redeem(code, verifier)).status]).toEqual(["state of the app", 200]);
    await page.close();
  });

  test("say that the app is not signed in if the user refuses with empty fields", async () => {
    const page = await open(app.authorizeUrl(newVerifier()));
    await page.getByRole("button", { name: "Deny" }).click();
    await page.getByText("The app is not signed in").waitFor();
    expect(new URL(page.url()).origin).toBe(service.baseUrl);
    await page.close();
  });

  test("lead back to the app if the user signs in and refuses", async () => {
    const page = await open(app.authorizeUrl(newVerifier()));
    await signIn(page, undefined, "Deny");
    await page.waitForURL(`${app.redirectUri}?**`);
    expect(parametersOf(page.url()).error).toBe("access_denied");
    await page.close();
  });

  test("sign in a device after the user enters its code", async () => {
    const {
      device_code: deviceCode,
      user_code: code,
      verification_uri: url,
    } = JSON.parse((await app.requestDevice()).body);
    const page = await open(url);
    await page.getByLabel("Code").fill(code.toLowerCase());
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText(code).waitFor();
    await signIn(page);
    await page.getByText("The device is signed in").waitFor();
    expect((await app.poll(deviceCode)).status).toBe(200);
    await page.close();
  });

  test.skipIf(isFirefox)(
    "are readable in both colour schemes and on a phone, and break no rule of their policy",
    async () => {
      const deviceUrl = JSON.parse((await app.requestDevice()).body).verification_uri_complete;
      const pages = [app.authorizeUrl(newVerifier()), deviceUrl, `${service.baseUrl}/readeck/device`];
      for (const url of pages) {
        for (const colorScheme of ["light", "dark"] as const) {
          const page = await open(url, { colorScheme, viewport: { width: 320, height: 640 } });
          expect(await violations(page)).toEqual([]);
          expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
          await page.close();
        }
      }
      expect(complaints.filter((text) => !text.includes("401"))).toEqual([]);
    },
  );
});
