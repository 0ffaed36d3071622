// SPDX-License-Identifier: MIT

/** `npm run pictures`: takes the pictures of our own pages in docs/apps.md and docs/self-hosting.md, in Chromium, of a service that it starts. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ReadingListClient } from "@reading-list/client/main.ts";
import { ServiceClient } from "@reading-list/testing/client.ts";
import { findChromium } from "@reading-list/testing/find-browser.ts";
import { newVerifier, OAuthApp } from "@reading-list/testing/oauth-app.ts";
import { articlePage } from "@reading-list/testing/page-server.ts";
import { start, untilReady } from "@reading-list/testing/started-service.ts";
import { chromium, type Locator, type Page } from "playwright-core";
import sharp from "sharp";

/** The size of the page, on which the account is shown as a whole. */
const viewport = { width: 480, height: 3000 };
/** The address that the pictures show. */
const address = "https://list.example.com";
const account = { username: "ann", password: "a good password" };
const apiKey = "a-key-for-pictures";

const folder = mkdtempSync(path.join(tmpdir(), "pictures-"));
const started = start({ DATA_DIR: folder, BASE_URL: address, LOCAL_API_KEY: apiKey });
const browser = await chromium.launch({ executablePath: findChromium() ?? "", args: ["--no-sandbox"] });
try {
  const { baseUrl, textUrl } = await untilReady(started);
  const service = new ServiceClient({ baseUrl, textUrl, apiKey });
  const page = await openPage(baseUrl);
  await page.goto(`${address}/app/#code=${"x".repeat(22)}`);
  await page.getByRole("heading", { name: "Create the first account" }).waitFor();
  await takePicture(page, "first-account", page.locator("main"));
  await service.call("signup", account);
  for (const username of ["bob", "carol"]) await service.call("signup", { ...account, username });
  const operator = ["packages/ops/readinglist.js", "users", "operator", account.username];
  execFileSync(process.execPath, operator, { env: { ...process.env, DATA_DIR: folder } });
  const app = await OAuthApp.register(service, { name: "MyDeck", redirectUri: "mydeck:/callback" });
  await page.goto(app.authorizeUrl(newVerifier()).replace(baseUrl, address));
  await takePicture(page, "consent", page.locator("main"));
  await app.signIn(account);
  const assistant = await OAuthApp.register(service, { name: "Assistant", redirectUri: "https://assistant.example/" });
  await assistant.signIn(account, "bookmarks:read", `${address}/mcp`);
  await service.call("app_passwords", { ...account, create: "KOReader, catalogue", scope: "read" });
  await takePicturesOfAccount(page);
  await takeFirstMinutes(service);
} finally {
  await browser.close();
  started.process.kill();
  await started.ended;
  rmSync(folder, { recursive: true });
}

/** A page that reaches the service at its address in the pictures. */
async function openPage(baseUrl: string, size = viewport): Promise<Page> {
  const context = await browser.newContext({ viewport: size, serviceWorkers: "block" });
  await context.route(`${address}/**`, async (route) => {
    const request = route.request();
    const headers = { ...(await request.allHeaders()), host: new URL(address).host, "x-forwarded-proto": "https" };
    await route.fulfill({ response: await route.fetch({ url: request.url().replace(address, baseUrl), headers }) });
  });
  return context.newPage();
}

async function takePicturesOfAccount(page: Page): Promise<void> {
  await page.goto(`${address}/app/`);
  await page.getByLabel("Username").fill(account.username);
  await page.getByLabel("Password").fill(account.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("button", { name: "Settings", exact: true }).click();
  await page.getByRole("link", { name: "Account", exact: true }).click();
  await page.getByRole("button", { name: "Devices, password" }).click();
  await page.getByLabel("Account password").fill(account.password);
  await page.getByRole("button", { name: "Continue", exact: true }).click();
  await page.getByLabel("Serial number").fill("N418123456789");
  await page.getByRole("button", { name: "Show Kobo settings" }).click();
  await page.getByRole("button", { name: "Create feed address" }).click();
  await page.locator(".created").nth(1).waitFor();
  for (const [name, heading] of [
    ["apps-and-devices", "Apps and devices"],
    ["feed-address", "Feed"],
    ["kobo-lines", "Kobo e-reader"],
  ] as const) {
    await takePicture(page, name, page.getByRole("heading", { name: heading, exact: true }), viewport.width);
  }
  await page.getByRole("button", { name: "Administration…" }).click();
  await page.getByText("Version").waitFor();
  await page.getByRole("button", { name: "Create invitation" }).click();
  await page.locator(".created").waitFor();
  await takePicture(page, "administration", page.locator("main"));
}

/** A person's first minutes on a phone, from the account to the first article, in a row. */
async function takeFirstMinutes(service: ServiceClient): Promise<void> {
  const size = { width: 390, height: 700 };
  const page = await openPage(service.baseUrl, size);
  const user = { username: "dora", password: "another password" };
  const url = "https://town-news.example/harbour";
  const shots: Buffer[] = [];
  const shoot = async () => {
    await page.mouse.move(0, size.height - 1);
    shots.push(await page.screenshot({ animations: "disabled" }));
  };
  await page.goto(`${address}/app/`);
  await page.getByRole("button", { name: "New here?" }).click();
  await page.getByLabel("Username").fill(user.username);
  await page.getByLabel("Password").fill(user.password);
  await shoot();
  await page.getByRole("button", { name: "Create account" }).click();
  await page.locator(".first-steps").waitFor();
  await shoot();
  await page.getByRole("button", { name: "Add a page" }).first().click();
  await page.getByLabel("One or more addresses").fill(url);
  await page.getByLabel("Title").fill("The harbour is open");
  await shoot();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.locator(".row").waitFor();
  const client = new ReadingListClient({ baseUrl: service.baseUrl, textUrl: service.textUrl, apiKey, ...user });
  // The site is not there: its page is handed over, as the extension does.
  while ((await client.get()).items.length === 0) await page.waitForTimeout(100);
  await client.article(url, { html: articlePage });
  await page.getByRole("link", { name: "The harbour is open" }).click();
  await page.locator("iframe.article-frame").waitFor();
  await page.frameLocator("iframe").getByText("Paragraph 0").waitFor();
  await shoot();
  await page.getByRole("button", { name: "Back to list" }).click();
  await page.locator(".row-facts").getByText("min").waitFor();
  await shoot();
  const gap = 24;
  const [, , , article, list] = shots;
  const inOrder = [...shots.slice(0, 3), list, article].filter((shot) => shot !== undefined);
  const width = inOrder.length * (size.width + gap) - gap;
  const row = sharp({ create: { width, height: size.height, channels: 3, background: "#8a8174" } }).composite(
    inOrder.map((input, i) => ({ input, left: i * (size.width + gap), top: 0 })),
  );
  await sharp(await row.png().toBuffer())
    .resize({ width: Math.round(width * 0.6) })
    .png({ palette: true, effort: 10 })
    .toFile("docs/images/first-minutes.png");
}

/** Writes a picture of an element; with `sectionWidth` from a heading to the next one. */
async function takePicture(page: Page, name: string, element: Locator, sectionWidth = 0): Promise<void> {
  const clip = await element.evaluate((from, sectionWidth) => {
    const { x, y, width, height } = from.getBoundingClientRect();
    let next = from.nextElementSibling;
    while (next && next.tagName !== from.tagName) next = next.nextElementSibling;
    if (!sectionWidth || !next) return { x, y, width, height };
    const top = y + 2;
    return { x: 0, y: top, width: sectionWidth, height: next.getBoundingClientRect().y - 12 - top };
  }, sectionWidth);
  const png = await page.screenshot({ clip, animations: "disabled" });
  await sharp(png).png({ palette: true, effort: 10 }).toFile(`docs/images/${name}.png`);
}
