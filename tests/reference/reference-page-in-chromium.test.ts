// SPDX-License-Identifier: MIT

import { listMethods } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { launchBrowser, patientMs } from "@reading-list/testing/browser.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { chromiumFor } from "@reading-list/testing/find-browser.ts";
import { articlePage, page, startPageServer } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";

const chromium = chromiumFor("the API reference page in a browser");

describe.skipIf(chromium === undefined)("the API reference page in a browser", () => {
  let tab: Page;
  let service: TestService;
  let pageUrl: string;
  const requests: URL[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    const pages = await startPageServer(page(articlePage));
    atEndOfFile(pages.stop);
    pageUrl = `${pages.origin}/`;
    service = await startTestService({ TEXT_ALLOWED_ORIGINS: pages.origin });
    tab = await (await launchBrowser()).newPage();
    tab.setDefaultTimeout(patientMs);
    tab.on("request", (request) => requests.push(new URL(request.url())));
    tab.on("console", (message) => complaints.push(message.text()));
    tab.on("pageerror", ({ message }) => complaints.push(message));
    await tab.goto(`${service.baseUrl}/reference/`);
    await tab
      .locator(".opblock-post")
      .nth(endpoints.length - 1)
      .waitFor();
  });

  /** Tries an operation with some parameters; returns status and body that the page shows. */
  async function tryOperation(id: string, parameters: Record<string, string>) {
    const operation = tab.locator(`#${id}`);
    await operation.locator(".opblock-summary-control").click();
    await operation.locator(".try-out__btn").click();
    for (const [name, value] of Object.entries(parameters)) {
      await operation.locator(`[data-property-name="${name}"] input`).fill(value);
    }
    await operation.locator(".execute").click();
    const live = operation.locator(".live-responses-table tbody .response");
    return {
      status: (await live.locator(".response-col_status").innerText()).trim(),
      body: await live.locator(".response-col_description").innerText(),
    };
  }

  test("lists each operation by each of its methods", async () => {
    const shown = await tab.locator(".opblock").evaluateAll((operations) => operations.map(({ id }) => id).sort());
    const listed = endpoints.flatMap((endpoint) =>
      listMethods(endpoint).map(
        (method) => `operations-${endpoint.tag}-${endpoint.name}${method === "GET" ? "ByGet" : ""}`,
      ),
    );
    expect(shown).toEqual(listed.sort());
  });

  test("tries `api` on the main host", async () => {
    const shown = await tryOperation("operations-limits-api", { apikey: service.apiKey });
    expect(shown).toEqual({ status: "200", body: expect.stringContaining("200 OK") });
    expect(requests.at(-1)?.href).toBe(`${service.baseUrl}/v2/api`);
  });

  test("tries `text` on the text host", async () => {
    const shown = await tryOperation("operations-text-text", { apikey: service.apiKey, url: pageUrl });
    expect(shown).toEqual({ status: "200", body: expect.stringContaining("opened again on Monday morning") });
    expect(requests.at(-1)?.href).toBe(`${service.textUrl}/v2/text`);
  });

  test("requests nothing from any other host, and breaks no rule of its policy", () => {
    const own = [service.baseUrl, service.textUrl];
    const others = requests.filter(({ origin, protocol }) => protocol !== "data:" && !own.includes(origin));
    expect(others).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
