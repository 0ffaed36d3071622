// SPDX-License-Identifier: MIT

import type { BrowserContext, Request } from "playwright-core";

interface Received {
  /** Bytes of responses, with their headers, that the page has received. */
  bytes: number;
  files: number;
  /** Bytes that its service worker has received. */
  ahead: number;
}

/** Opens a page in a new browser and counts what it receives until the network is idle. */
export async function bytesUntilIdle(context: BrowserContext, url: string): Promise<Received> {
  const requests: Request[] = [];
  context.on("requestfinished", (request) => requests.push(request));
  const page = await context.newPage();
  await page.goto(url, { waitUntil: "networkidle" });
  await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)");
  await page.waitForLoadState("networkidle");
  const { true: ofWorker = [], false: ofPage = [] } = Object.groupBy(
    requests,
    (each) => `${each.serviceWorker() !== null}` as const,
  );
  return { bytes: await bytesOf(ofPage), files: ofPage.length, ahead: await bytesOf(ofWorker) };
}

async function bytesOf(requests: readonly Request[]): Promise<number> {
  const sizes = await Promise.all(requests.map((request) => request.sizes()));
  return sizes.reduce(
    (sum, { responseBodySize, responseHeadersSize }) => sum + responseBodySize + responseHeadersSize,
    0,
  );
}
