// SPDX-License-Identifier: MIT

import { launchBrowser } from "@reading-list/testing/browser.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { chromiumFor, firefoxFor } from "@reading-list/testing/find-browser.ts";
import { findFreePort } from "@reading-list/testing/free-port.ts";
import { articlePage, page, startPageServer } from "@reading-list/testing/page-server.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import type { Browser } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { installedProxies, type ProxyName, ReverseProxy } from "../deploy/reverse-proxy.ts";
import { Device } from "./device.ts";

const canRun = chromiumFor("the web reader below a path") && firefoxFor("the web reader below a path in Firefox");
const names: ProxyName[] = ["nginx", "caddy"];

describe.skipIf(!canRun)("the web reader below a path of the host", () => {
  let browsers: Browser[];

  beforeAll(async () => {
    browsers = [await launchBrowser(), await launchBrowser({ isOther: true })];
  });

  describe.each(names.filter((name) => installedProxies.includes(name)))("behind %s", (name) => {
    let service: TestService;
    let pageUrl: string;
    let address: string;

    beforeAll(async () => {
      const { origin, stop } = await startPageServer(page(articlePage));
      atEndOfFile(stop);
      pageUrl = `${origin}/article`;
      const port = await findFreePort();
      address = `http://localhost:${port}/reading`;
      const env = { BASE_URL: address, TRUST_PROXY: "127.0.0.1", TEXT_ALLOWED_ORIGINS: origin };
      service = await startTestService(env);
      const proxy = await ReverseProxy.start(name, temporaryFolder(), new URL(service.baseUrl).host, port);
      atEndOfFile(() => proxy.stop());
    });

    test.each(["Chromium", "Firefox"])(
      "saves, reads and syncs, installs its worker, shows the API: %s",
      async (which) => {
        const browser = browsers[which === "Chromium" ? 0 : 1] as Browser;
        const user = await service.newUser();
        const device = await Device.signedIn(browser, address, user);
        const { page } = device;
        expect(page.url()).toBe(`${address}/app/`);
        await device.add(pageUrl, "Harbour");
        await device.sync();
        expect((await user.ok("stats")).json().count_list).toBe("1");
        await device.untilInstalled();
        const scopes = await page.evaluate(async () =>
          (await navigator.serviceWorker.getRegistrations()).map(({ scope }) => scope),
        );
        expect(scopes).toEqual([`${address}/app/`]);
        await page.getByRole("link", { name: "Harbour", exact: true }).click();
        await page.frameLocator("iframe").getByText("Paragraph 3 of the article").waitFor();
        await device.backToList();
        await device.openSettings("About");
        expect(device.complaints).toEqual([]);
        await page.getByRole("link", { name: "API reference for developers" }).click();
        await page.getByText("/v2/add").first().waitFor();
        expect(page.url()).toBe(`${address}/reference/`);
        await device.close();
      },
    );
  });
});
