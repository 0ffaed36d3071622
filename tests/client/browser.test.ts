// SPDX-License-Identifier: MIT

import path from "node:path";
import { launchBrowser } from "@reading-list/testing/browser.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { chromiumFor } from "@reading-list/testing/find-browser.ts";
import { startPageServer } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { build } from "esbuild";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";

const chromium = chromiumFor("packages/client in a browser");

/** The globals of a page of another origin, or of its worker. */
const program = `
  export { ApiError, localItems, ReadingListClient } from "@reading-list/client/main.ts";
  export { IndexedDbStore } from "@reading-list/client/indexeddb-store.ts";
`;

/** Runs in the browser: syncs a store of IndexedDB, and returns its content. */
const syncStore = `async ({ options, name, changes }) => {
  const { IndexedDbStore, ReadingListClient, localItems } = client;
  const store = await IndexedDbStore.open(name);
  await store.enqueue(changes);
  const pending = (await localItems(store)).filter(({ isPending }) => isPending).length;
  const steps = [];
  const caller = new ReadingListClient(options);
  for await (const { added, changed, deleted } of caller.sync(store)) steps.push([added.length, changed.length, deleted.length]);
  const shown = (await localItems(store)).map(({ url, title, state, timeAdded }) => [url, title, state, timeAdded instanceof Date]);
  const verified = await caller.verify(store);
  store.close();
  return { pending, steps, shown, verified, remaining: caller.limits.user.remaining > 0 };
}`;

describe.skipIf(chromium === undefined)("in a page of another origin", () => {
  let service: TestService;
  let tab: Page;
  const urls: string[] = [];

  beforeAll(async () => {
    const { outputFiles } = await build({
      stdin: { contents: program, resolveDir: path.resolve(import.meta.dirname, "../..") },
      bundle: true,
      format: "iife",
      globalName: "client",
      platform: "browser",
      write: false,
    });
    const script = outputFiles[0]?.text ?? "";
    service = await startTestService();
    const pages = await startPageServer((request, response) => {
      if (request.url === "/worker.js") {
        const answer = "onmessage = async ({ data }) => postMessage(await run(data));";
        return response
          .writeHead(200, { "content-type": "text/javascript" })
          .end(`${script};const run = ${syncStore};${answer}`);
      }
      return response
        .writeHead(200, { "content-type": "text/html" })
        .end(`<!doctype html><title>x</title><script>${script}</script>`);
    });
    atEndOfFile(pages.stop);
    tab = await (await launchBrowser()).newPage();
    tab.on("request", (request) => urls.push(request.url()));
    await tab.goto(pages.origin);
  });

  const optionsOf = ({ credentials }: TestUser) => ({
    baseUrl: service.baseUrl,
    textUrl: service.textUrl,
    apiKey: service.apiKey,
    ...credentials,
  });
  const shownOf = async (user: TestUser) =>
    (await user.items()).map(({ url, title, state }) => [url, title, state === "1" ? "read" : "unread", true]);

  test.each([
    ["the page", (input: object) => `(${syncStore})(${JSON.stringify(input)})`],
    [
      "a worker",
      (input: object) => `new Promise((resolve, reject) => {
        const worker = new Worker("/worker.js");
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => reject(message);
        worker.postMessage(${JSON.stringify(input)});
      })`,
    ],
  ])("%s syncs a replica in IndexedDB, and sends the changes queued there", async (name, expressionOf) => {
    const user = await service.newUser();
    const input = { options: optionsOf(user), name };
    for (let n = 0; n < 5; n++) await user.add(`https://example.com/${n}`, { title: `Grüße ${n}` });
    const added = { kind: "add", url: "https://example.com/local", title: "local" };
    const read = { kind: "read", url: "https://example.com/1" };
    expect(await tab.evaluate(expressionOf({ ...input, changes: [added, read] }))).toEqual({
      pending: 1,
      steps: [[6, 0, 0]],
      verified: "equal",
      remaining: true,
      shown: await shownOf(user),
    });
    service.clock.advance(1);
    await user.send({ delete: [{ url: "https://example.com/0" }], new: [{ url: "https://example.com/6" }] });
    expect(await tab.evaluate(expressionOf({ ...input, changes: [read] }))).toMatchObject({
      pending: 1,
      steps: [[1, 0, 1]],
      verified: "equal",
      shown: await shownOf(user),
    });
  });

  test("a long list is read from few values, with the changes after them", async () => {
    const read = await tab.evaluate(`(async () => {
      const { IndexedDbStore } = client;
      const storeItem = (i, title) => ({ itemId: String(i), title, timeUpdated: new Date(i) });
      const titlesOf = async () => {
        const store = await IndexedDbStore.open("long");
        const titles = Object.fromEntries((await store.items()).map(({ itemId, title, timeUpdated }) =>
          [itemId, title + (timeUpdated - Number(itemId))]));
        store.close();
        return [Object.keys(titles).length, titles[0], titles[1], titles[2], titles[1500]];
      };
      const store = await IndexedDbStore.open("long");
      await store.items();
      await store.commit({ state: { sent: 0 }, put: Array.from({ length: 1500 }, (_, i) => storeItem(i, "first")) });
      const raw = await new Promise((resolve) => {
        const opened = indexedDB.open("long");
        opened.onsuccess = () => resolve(opened.result);
      });
      const run = (ask, name = "state") => new Promise((resolve) => {
        const asked = ask(raw.transaction(name, "readwrite").objectStore(name));
        asked.onsuccess = () => resolve(asked.result);
      });
      while (!(await run((states) => states.get("packed")))) await new Promise(requestAnimationFrame);
      // Shows from which of the two the store reads.
      await run((items) => items.put(storeItem(2, "changed behind the back")), "items");
      await store.commit({ state: { sent: 0 }, put: [storeItem(1, "second"), storeItem(1500, "new")], remove: ["0"] });
      await store.enqueue([{ kind: "read", url: "https://example.com/" }]);
      await store.commit({ state: { sent: 0 }, put: [storeItem(1, "second")] });
      const { loose } = await run((states) => states.get("packed"));
      store.close();
      const packed = await titlesOf();
      // An older version of the client counts its writes, too, and notes no records.
      await run((states) => states.put(100, "revision"));
      const unpacked = await titlesOf();
      raw.close();
      return { loose, packed, unpacked };
    })()`);
    expect(read).toEqual({
      loose: ["0", "1", "1500"],
      packed: [1500, undefined, "second0", "first0", "new0"],
      unpacked: [1500, undefined, "second0", "changed behind the back0", "new0"],
    });
  });

  test("an error has its kind, its text and Retry-After, and no URL holds a credential", async () => {
    const options = optionsOf(await service.newUser());
    const failing = `new client.ReadingListClient(${JSON.stringify({ ...options, password: "wrong" })})
      .auth().catch((error) => [error instanceof client.ApiError, error.kind, error.message, error.limits.key.limit])`;
    expect(await tab.evaluate(failing)).toEqual([
      true,
      "unauthorized",
      expect.stringContaining("incorrect"),
      1_000_000,
    ]);
    const calls = urls.filter((url) => url.startsWith(service.baseUrl));
    expect(calls.length).toBeGreaterThan(0);
    for (const url of calls) expect(url).toMatch(/\/v2\/[a-z]+$/);
  });
});
