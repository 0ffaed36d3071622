// SPDX-License-Identifier: MIT

import { findChromium } from "@reading-list/testing/find-browser.ts";
import { rounded, type Subject } from "@reading-list/testing/table-text.ts";
import { bytesUntilIdle } from "@reading-list/testing/wire.ts";
import { chromium, type Page } from "playwright-core";
import { seedList, startMeasuredService } from "./measured-service.ts";

/** Reloads, keystrokes and frames that are measured for each list. */
const reloads = 5;
const words = ["article", "happened", "nothing"];
const frames = 120;

const launch = (executablePath: string) =>
  chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });

/** Measures what Chromium loads of the reader while nobody is signed in. Without a browser the table has no row. */
export async function measureFirstLoad(): Promise<Subject> {
  const subject: Subject = {
    title: "The page for signing in, in Chromium",
    notes: [
      "bytes: on the wire with the headers of responses, until the network is idle.",
      "ahead: bytes that the service worker loads, so that the reader starts without a connection; not part of `bytes`.",
    ],
    rows: [],
  };
  const executablePath = findChromium();
  if (executablePath === undefined) return subject;
  const service = await startMeasuredService();
  const browser = await launch(executablePath);
  try {
    const { bytes, files, ahead } = await bytesUntilIdle(await browser.newContext(), `${service.client.baseUrl}/app/`);
    subject.rows.push({ bytes, files, ahead });
  } finally {
    await browser.close();
    await service.stop();
  }
  return subject;
}

/**
 * Measures the web reader in Chromium with replicas of several sizes. Without a browser the table has no row for it.
 */
export async function measureWebReader(listSizes: readonly number[]): Promise<Subject> {
  const subject: Subject = {
    title: "The web reader in Chromium",
    notes: [
      `first list: from a reload to the first rows, which come from the replica; median of ${reloads}.`,
      "keystroke: from the input event to the new rows, laid out; median and longest while typing three words.",
      `frame: between two frames while scrolling through all of the list in ${frames} steps; a screen has 60 in a second.`,
      "x: in units of the same with 10 items.",
    ],
    rows: [],
  };
  const executablePath = findChromium();
  if (executablePath === undefined) return subject;
  const service = await startMeasuredService();
  const browser = await launch(executablePath);
  try {
    for (const items of listSizes) {
      const { account } = await seedList(service.client, items);
      const context = await browser.newContext({ serviceWorkers: "block" });
      // Caching texts would run beside the measurements.
      await context.route("**/v2/text", (route) => route.abort());
      const page = await context.newPage();
      await page.goto(`${service.client.baseUrl}/app/`);
      await page.getByLabel("Username").fill(account.username);
      await page.getByLabel("Password").fill(account.password);
      await page.getByLabel("Stay signed in").check();
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByText("Up to date").waitFor({ timeout: 120_000 });
      await page.locator(`[aria-setsize="${items}"]`).first().waitFor();
      // The reader packs its list 2 s after the last write.
      await page.waitForTimeout(3000);
      const firstList = await measureReloads(page);
      // As a person does, who begins to type a moment after choosing the field.
      await page.getByRole("searchbox").focus();
      await page.waitForTimeout(300);
      const keystrokes = (await page.evaluate(`(${typeWords})(${JSON.stringify(words)})`)) as number[];
      const intervals = (await page.evaluate(`(${scrollThrough})(${frames})`)) as number[];
      await context.close();
      const base = subject.rows[0];
      const times = (name: string, value: number) => rounded(value / Number(base?.[name] ?? value));
      subject.rows.push({
        items,
        "first list ms": rounded(firstList),
        "x list": times("first list ms", firstList),
        "keystroke ms": rounded(median(keystrokes)),
        "longest ms": rounded(Math.max(...keystrokes)),
        "x keystroke": times("keystroke ms", median(keystrokes)),
        "frame ms": rounded(median(intervals)),
        "longest frame ms": rounded(Math.max(...intervals)),
      });
    }
  } finally {
    await browser.close();
    await service.stop();
  }
  return subject;
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function measureReloads(page: Page): Promise<number> {
  const durations: number[] = [];
  for (let i = 0; i < reloads; i++) {
    await page.reload({ waitUntil: "commit" });
    await page.locator(".row").first().waitFor();
    durations.push((await page.evaluate("performance.now()")) as number);
  }
  return median(durations);
}

// The functions below run in the page, which has types that Node has not.

const typeWords = `async (words) => {
  const field = document.querySelector("input[type=search]");
  const durations = [];
  for (const word of words) {
    for (let length = 1; length <= word.length; length++) {
      const start = performance.now();
      field.value = word.slice(0, length);
      field.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = resolve;
        port2.postMessage(0);
      });
      document.body.getBoundingClientRect();
      durations.push(performance.now() - start);
    }
  }
  field.value = "";
  field.dispatchEvent(new Event("input", { bubbles: true }));
  return durations;
}`;

const scrollThrough = `async (frames) => {
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  await nextFrame();
  const step = (document.body.scrollHeight - innerHeight) / frames;
  const intervals = [];
  let last = await nextFrame();
  for (let i = 1; i <= frames; i++) {
    scrollTo(0, i * step);
    const now = await nextFrame();
    intervals.push(now - last);
    last = now;
  }
  return intervals;
}`;
