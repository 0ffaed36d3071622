// SPDX-License-Identifier: MIT

import { launchBrowser } from "@reading-list/testing/browser.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { chromiumFor } from "@reading-list/testing/find-browser.ts";
import { startPageServer } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { buildReader } from "@reading-list/web/build.ts";
import type { ReaderFile } from "@reading-list/web/reader-files.ts";
import { type ReaderConfig, readerSecurityPolicy } from "@reading-list/web/web-application.ts";
import type { Browser } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { Device } from "./device.ts";

describe.skipIf(!chromiumFor("the web reader on an origin of its own"))("on an origin of its own, as deployed", () => {
  let service: TestService;
  let browser: Browser;
  let siteUrl: string;
  let files: ReaderFile[];

  beforeAll(async () => {
    let config: ReaderConfig;
    files = await buildReader();
    const site = await startPageServer(({ url = "" }, response) => {
      const name = new URL(url, "http://site").pathname.slice(1);
      const file = files.find((file) => file.name === name);
      response.setHeader("content-security-policy", readerSecurityPolicy(config.baseUrl, config.textUrl));
      if (name === "config.json") response.end(JSON.stringify(config));
      else if (file) response.setHeader("content-type", file.contentType).end(file.content);
      else response.writeHead(404).end();
    });
    atEndOfFile(site.stop);
    siteUrl = `${site.origin}/`;
    service = await startTestService({ OWN_ORIGINS: site.origin });
    const load = await service.fetch(`${service.baseUrl}/app/config.json`);
    const { apiKey } = JSON.parse(load.body) as ReaderConfig;
    config = { baseUrl: service.baseUrl, textUrl: service.textUrl, apiKey, isSignupOpen: true };
    browser = await launchBrowser();
  });

  test("works, and offers a new version, which the user's click activates", async () => {
    const user = await service.newUser();
    const device = await Device.signedIn(browser, siteUrl, user);
    await device.add("https://example.com/", "Saved");
    await device.sync();
    expect((await user.ok("stats")).json().count_list).toBe("1");
    await device.untilInstalled();

    const isNew = () => device.page.locator("meta[name=new-version]").count();
    files = files.map((file) => {
      const text = file.content.toString();
      if (file.name === "service-worker.js") return { ...file, content: Buffer.from(`${text}// new`) };
      if (file.name !== "") return file;
      return { ...file, content: Buffer.from(text.replace("<title>", '<meta name="new-version"><title>')) };
    });
    const { page } = device;
    await page.reload();
    await page.getByText("A new version of the reader is ready").waitFor();
    expect(await isNew()).toBe(0);
    await page.getByRole("button", { name: "Reload" }).click();
    await expect.poll(isNew).toBe(1);
    await device.shows("Saved");
    expect(device.complaints).toEqual([]);
    await device.close();
  });
});
