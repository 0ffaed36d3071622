// SPDX-License-Identifier: MIT

import { toPath } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { articlePage, page, servePages } from "@reading-list/testing/page-server.ts";
import { ReadeckDevice } from "@reading-list/testing/readeck-device.ts";
import { startTestService } from "@reading-list/testing/test-service.ts";
import { expect, test } from "vitest";

const textPaths = endpoints.filter(({ host }) => host === "text").map(toPath);

test.each([...textPaths, "/v2/unknown"])(
  "/text%s of the main host answers like the text host, sandboxed",
  async (path) => {
    const service = await startTestService();
    const parameters = new URLSearchParams({ apikey: service.apiKey });
    const [below, own] = await Promise.all(
      [`${service.baseUrl}/text`, service.textUrl].map(async (address) => {
        const answer = await fetch(`${address}${path}?${parameters}`);
        return { answer, body: await answer.text() };
      }),
    );
    expect([below?.answer.status, below?.body]).toEqual([own?.answer.status, own?.body]);
    expect(below?.answer.headers.get("content-security-policy")).toContain("sandbox");
    expect(below?.answer.headers.get("x-content-type-options")).toBe("nosniff");
  },
);

test("the text of a page is read on the port of the main host", async () => {
  const origin = await servePages(page(articlePage));
  const service = await startTestService({ TEXT_ALLOWED_ORIGINS: origin });
  const body = new URLSearchParams({ apikey: service.apiKey, url: `${origin}/a` });
  const answer = await fetch(`${service.baseUrl}/text/v2/text`, { method: "POST", body });
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("harbour")]);
  expect(answer.headers.get("content-security-policy")).toContain("sandbox");
});

test("addresses in answers are below BASE_URL, whatever host was called", async () => {
  const service = await startTestService({ BASE_URL: "https://list.example.com/" });
  const user = await service.newUser();
  await user.add("https://example.com/");
  const [bookmark] = await (await ReadeckDevice.signIn(user)).bookmarks();
  expect(bookmark?.href).toMatch(/^https:\/\/list\.example\.com\/readeck\/api\/bookmarks\/\d+$/);
});
