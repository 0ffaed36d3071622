import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { chromiumFor } from "@reading-list/testing/find-chromium.ts";
import { articlePage, page } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ChromiumTab } from "../reader/chromium.ts";

const chromium = chromiumFor("the API reference page in a browser");

/** Functions that the expressions of the tests use in the page. */
const tools = `
  window.waitFor = async (find) => {
    for (let i = 0; i < 600; i++) {
      const found = find();
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error("not in the page: " + find);
  };
  window.idsOf = (selector) => [...document.querySelectorAll(selector)].map(({ id }) => id).sort();
  window.enter = (field, value) => {
    const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value");
    set.call(field, value);
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new FocusEvent("focusout", { bubbles: true }));
  };
  /** Tries an operation with some parameters; gives status and body that the page shows. */
  window.tryOperation = async (id, parameters) => {
    const operation = document.getElementById(id);
    operation.querySelector(".try-out__btn").click();
    for (const [name, value] of Object.entries(parameters)) {
      const row = '[data-property-name="' + name + '"], [data-param-name="' + name + '"]';
      const fieldOf = () => operation.querySelector(row)?.querySelector("input[type=text], input[type=password], input:not([type]), textarea, select");
      enter(await waitFor(fieldOf), value);
    }
    operation.querySelector(".execute").click();
    const live = await waitFor(() => operation.querySelector(".live-responses-table tbody .response-col_status"));
    const body = live.parentElement.querySelector(".response-col_description");
    return { status: live.textContent.trim(), body: body.textContent };
  };
`;

describe.skipIf(chromium === undefined)("the API reference page in a browser", () => {
  const pages = createServer(page(articlePage));
  let tab: ChromiumTab;
  let service: TestService;
  let pageUrl: string;
  const requests: URL[] = [];
  const complaints: unknown[] = [];

  beforeAll(async () => {
    await once(pages.listen(0, "127.0.0.1"), "listening");
    pageUrl = `http://127.0.0.1:${(pages.address() as AddressInfo).port}/`;
    service = await startTestService({ TEXT_ALLOWED_ORIGINS: new URL(pageUrl).origin });
    tab = await ChromiumTab.open(chromium ?? "");
    tab.listen((method, params) => {
      const { request, entry, exceptionDetails } = params as {
        request?: { url: string };
        entry?: { text: string; url?: string };
        exceptionDetails?: { text: string };
      };
      if (method === "Network.requestWillBeSent" && request) requests.push(new URL(request.url));
      if (method === "Log.entryAdded") complaints.push(`${entry?.text} ${entry?.url ?? ""}`);
      if (method === "Runtime.exceptionThrown") complaints.push(exceptionDetails);
    });
    for (const domain of ["Page", "Network", "Runtime", "Log"]) await tab.send(`${domain}.enable`);
    await tab.send("Page.navigate", { url: `${service.baseUrl}/` });
    await tab.evaluate(tools);
    await tab.evaluate(`waitFor(() => idsOf(".opblock-post.is-open").length === ${endpoints.length})`);
  });
  afterAll(async () => {
    await tab.close();
    pages.close();
  });

  test("shows each operation by POST, and collapses it by GET", async () => {
    const idsOf = async (selector: string) => tab.evaluate(`idsOf(${JSON.stringify(selector)})`);
    const ids = endpoints.map(({ name, tag }) => `operations-${tag}-${name}`);
    expect(await idsOf(".opblock-post.is-open")).toEqual(ids.toSorted());
    expect(await idsOf(".opblock-get:not(.is-open)")).toEqual(ids.map((id) => `${id}ByGet`).sort());
  });

  test("tries `api` on the main host", async () => {
    const parameters = { apikey: service.apiKey };
    expect(await tab.evaluate(`tryOperation("operations-limits-api", ${JSON.stringify(parameters)})`)).toEqual({
      status: "200",
      body: expect.stringContaining("200 OK"),
    });
    expect(requests.at(-1)?.href).toBe(`${service.baseUrl}/v2/api`);
  });

  test("tries `text` on the text host", async () => {
    const parameters = { apikey: service.apiKey, url: pageUrl };
    const shown = await tab.evaluate(`tryOperation("operations-text-text", ${JSON.stringify(parameters)})`);
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
