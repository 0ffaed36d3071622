// SPDX-License-Identifier: MIT

import { launchBrowser } from "@reading-list/testing/browser.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { chromiumFor } from "@reading-list/testing/find-browser.ts";
import { findFreePort } from "@reading-list/testing/free-port.ts";
import { articlePage, type PageServer, page as pageOf, startPageServer } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { type Catalogue, languages, readCatalogue } from "@reading-list/web/catalogues.ts";
import type { Browser, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { Device, useDevices } from "./device.ts";
import { unreachable } from "./unreachable.ts";

/** Checks the texts on the screen. */
type Look = (place: string) => Promise<void>;

describe.skipIf(!chromiumFor("the languages of the web reader"))("the web reader", () => {
  let service: TestService;
  let pages: PageServer;
  let browser: Browser;
  const devices = useDevices();
  beforeAll(async () => {
    pages = await startPageServer(pageOf(articlePage));
    atEndOfFile(pages.stop);
    const port = String(await findFreePort());
    // With a mail server, which nobody asks for anything here.
    const mail = { SMTP_URL: "smtp://127.0.0.1:1", MAIL_FROM: "list@example.com" };
    const own = { PORT: port, BASE_URL: `http://127.0.0.1:${port}`, ...mail };
    service = await startTestService({ TEXT_ALLOWED_ORIGINS: pages.origin, ...own });
    // With an operator, nobody is asked for the code of the first account.
    const { credentials } = await service.newUser();
    await service.operator.administration?.setOperator(credentials.username, true);
    browser = await launchBrowser();
  });

  async function open(options: Parameters<typeof Device.open>[2]) {
    const device = await Device.open(browser, `${service.baseUrl}/app/`, options);
    devices.push(device);
    return device;
  }

  async function signIn({ page }: Device, { later: { account } }: Catalogue, username: string, password: string) {
    await page.getByLabel(account.username, { exact: true }).fill(username);
    await page.getByLabel(account.password, { exact: true }).fill(password);
    await page.getByRole("button", { name: account.signIn, exact: true }).click();
  }

  /** Walks through the pages and dialogs as an operator, who sees all. */
  async function walk(device: Device, texts: Catalogue, look: Look): Promise<void> {
    const { page } = device;
    const { first, later } = texts;
    const user = await service.newUser();
    const { username, password } = user.credentials;
    await service.operator.administration?.setOperator(username, true);
    const onTop = page.locator("dialog[open], :popover-open");
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const goTo = (fragment: string) =>
      page.evaluate((hash) => {
        location.hash = hash;
      }, fragment);
    /** Opens what a button opens, looks, and closes it. */
    const lookInto = async (name: string) => {
      await button(name).first().click();
      await onTop.locator("button, input, select").first().waitFor();
      await look(name);
      await page.keyboard.press("Escape");
      await expect.poll(() => onTop.count()).toBe(0);
    };

    await page.locator("main.account").waitFor();
    await look("sign-in");
    await signIn(device, texts, username, "wrong");
    await page.getByRole("alert").filter({ hasText: /\S/ }).waitFor();
    await look("wrong password");
    await button(later.account.toSignUp).click();
    await look("sign-up");
    await button(later.account.toSignIn).click();
    await signIn(device, texts, username, password);
    await page.locator(".first-steps").waitFor();
    await look("first steps");

    // Words of the data are in neither language.
    const entries = ["一", "二"].map((title) => ({ url: `${pages.origin}/${title}`, title, tags: "標籤" }));
    await user.ok("send", { new: JSON.stringify(entries) });
    service.clock.advance(60);
    await page.locator(".sync").click();
    await button(later.sync.now).click();
    await page.locator(".row").nth(1).waitFor();
    await look(later.sync.title);
    await page.keyboard.press("Escape");
    await page.locator(".row").first().hover();
    await look("list");
    for (const name of [first.filters.title, first.add.title, later.menu.title]) await lookInto(name);
    await page.keyboard.press("?");
    await onTop.waitFor();
    await look(later.shortcuts.title);
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await goTo("#unread?tag=標籤");
    await page.locator(".filter .tag").waitFor();
    await lookInto(first.filters.title);
    await goTo("#unread");
    await page.locator(".filter").waitFor({ state: "detached" });
    await page.keyboard.press("x");
    await page.locator(".row input").first().waitFor();
    await look("selection");
    await page.keyboard.press("Escape");
    await page.getByRole("searchbox").fill("無");
    await page.locator(".findings").waitFor();
    await look("search");
    await page.getByRole("searchbox").fill("is:wrong");
    await page.locator(".findings", { hasText: later.search.faults.is }).waitFor();
    await page.getByRole("searchbox").fill("");
    // The address follows a moment later: else "back" would lead to the search.
    await page.waitForURL(/#unread$/);
    await page.locator(".row").first().waitFor();

    await page.getByRole("link", { name: "一", exact: true }).click();
    await page.locator("iframe.article-frame").waitFor();
    await look("article");
    for (const name of [later.display.title, later.article.more]) await lookInto(name);
    await button(later.article.more).click();
    await lookInto(later.article.sendTo);
    await button(later.article.more).click();
    await button(later.article.listen).click();
    await page.locator(".listen-bar").waitFor();
    await look(later.listen.title);
    await button(later.listen.stop).click();
    await page.keyboard.press("e");
    await expect.poll(() => page.locator("main.list .row").count()).toBe(1);
    await page.locator(".notice").waitFor();
    await look("notice");
    await page.keyboard.press("z");
    await page.locator(".row").nth(1).waitFor();
    await look("undone");
    await page.keyboard.press("#");
    await page.locator(".row").nth(1).waitFor({ state: "detached" });
    await goTo("#unread?marks=1");
    await page.locator(".marks-page").waitFor();
    await look(later.marks.title);
    await goTo("#unread?trash=1");
    await page.locator(".trash li").waitFor();
    await look(later.trash.title);

    for (const [section, name] of Object.entries(later.settings.sections)) {
      await goTo(`#unread?settings=${section}`);
      await page.getByRole("heading", { name, exact: true }).waitFor();
      await look(name);
    }
    await goTo("#unread?settings=data");
    await lookInto(later.settings.export);
    const pocket = `title,url,time_added,tags,status\n三,${pages.origin}/三,1600000000,,unread`;
    const file = { name: "三", mimeType: "text/csv", buffer: Buffer.from(pocket) };
    await page.getByLabel(later.menu.import).setInputFiles(file);
    await onTop.locator(".preview li").waitFor();
    await look(later.import.title);
    await page.keyboard.press("Escape");
    await goTo("#unread?settings=account");
    await button(later.manage.open).click();
    await page.getByLabel(later.manage.accountPassword, { exact: true }).waitFor();
    await look("asks for the password");
    await page.getByLabel(later.manage.accountPassword, { exact: true }).fill(password);
    await button(later.manage.continue).click();
    await button(later.operator.open).waitFor();
    await look(later.manage.title);
    await button(later.operator.open).click();
    await page.getByText(later.operator.neverBackedUp).waitFor();
    await page.getByText(username, { exact: true }).waitFor();
    await look(later.operator.title);
  }

  test("has no English text outside of its catalogue", async () => {
    const pseudo = mapTexts(readCatalogue("en"), inFullWidth);
    const device = await open({ locale: "ar", before: withoutServiceWorker });
    const { page } = device;
    await page.route(/(first|sign-in|later)-ar-/, (route) =>
      route.fulfill({ json: route.request().url().includes("first-ar") ? pseudo.first : pseudo.later }),
    );
    await page.reload();
    const found: Record<string, string[]> = {};
    await walk(device, pseudo, async (place) => {
      const texts = await latinTextsIn(page);
      if (texts.length > 0) found[place] = texts;
    });
    expect(found).toEqual({});
  });

  test.each(languages)("in %s, every control can be reached on the smallest screen", async (locale) => {
    const device = await open({ locale, viewport: { width: 320, height: 640 } });
    const found: Record<string, string[]> = {};
    await walk(device, readCatalogue(locale), async (place) => {
      const problems = [...(await unreachable(device.page)), ...(await violations(device.page))];
      if (problems.length > 0) found[place] = problems;
    });
    expect(found).toEqual({});
  });

  test("uses the language of the browser, or the chosen one", async () => {
    const device = await open({ locale: "de-AT" });
    const { page } = device;
    const shown = () =>
      page.evaluate(() => [document.documentElement.lang, document.documentElement.dir, document.title]);
    const user = await service.newUser();
    const german = readCatalogue("de");
    await signIn(device, german, user.credentials.username, user.credentials.password);
    await page.locator("main.list").waitFor();
    await expect.poll(shown).toEqual(["de-AT", "ltr", german.first.name]);
    await page.goto(`${service.baseUrl}/app/#unread?settings=look`);
    await page.getByLabel(german.later.menu.language).selectOption("العربية");
    const arabic = readCatalogue("ar");
    await page.getByRole("heading", { name: arabic.later.settings.title }).waitFor();
    const title = `${arabic.later.settings.title} – ${arabic.first.name}`;
    await expect.poll(shown).toEqual(["ar", "rtl", title]);
    await page.reload();
    await page.getByLabel(arabic.later.menu.language).selectOption("");
    await page.getByRole("heading", { name: german.later.settings.title }).waitFor();
  });

  test("reads the language from names that systems have for it", async () => {
    const before = () => Object.defineProperty(navigator, "languages", { value: ["C", "xx", "fr-CA@euro", "de"] });
    const { page } = await open({ before });
    await page.getByRole("heading", { name: readCatalogue("fr").first.name }).waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe("fr-CA");
  });

  test("counts with the plural forms of the language", async () => {
    const user = await service.newUser();
    await user.ok("send", {
      new: JSON.stringify([1, 2, 3].map((n) => ({ url: `${pages.origin}/${n}`, title: `${n}` }))),
    });
    const device = await open({ locale: "ar" });
    const { page } = device;
    await signIn(device, readCatalogue("ar"), user.credentials.username, user.credentials.password);
    await page.locator(".row").nth(2).waitFor();
    await page.keyboard.press("j");
    const label = () => page.locator(".rows").getAttribute("aria-label");
    expect(await label()).toMatch(/^\u2068غير مقروء\u2069، [3٣] صفحات$/u);
    await page.keyboard.press("e");
    await page.locator(".row").nth(2).waitFor({ state: "detached" });
    expect(await label()).toBe("\u2068غير مقروء\u2069، صفحتان");
    await page.locator(".notice").getByText("تمت أرشفة صفحة واحدة").waitFor();
  });
});

/** It would answer instead of the test. */
function withoutServiceWorker(): void {
  delete (Navigator.prototype as { serviceWorker?: unknown }).serviceWorker;
}

/** Each text of a catalogue changed; the names of values stay. */
function mapTexts<T>(texts: T, change: (text: string) => string): T {
  if (typeof texts === "string") return texts.replaceAll(/[^{}]+(?![^{]*\})/g, change) as T;
  return Object.fromEntries(Object.entries(texts as object).map(([name, text]) => [name, mapTexts(text, change)])) as T;
}

/** Latin letters by their full-width forms, which are no `[A-Za-z]`. */
const inFullWidth = (text: string) =>
  text.replaceAll(/[A-Za-z]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0));

/** Words in Latin letters that a person sees or hears, except keys, addresses, and names of users, devices and apps. */
const latinTextsIn = (page: Page) =>
  page.evaluate(() => {
    const found: string[] = [];
    const names = /\bu[0-9a-f]{15}\b|Web reader tab, \w+ on \w+|Web reader|Local development/g;
    const exempt = "kbd, code, pre, body [lang], noscript, iframe, [aria-hidden=true]";
    const collect = (text: string | null) => {
      if (/[A-Za-z]{2,}/.test(text?.replaceAll(names, "") ?? "")) found.push(text ?? "");
    };
    for (const element of document.body.querySelectorAll("*")) {
      if (element.closest(exempt) || !element.checkVisibility()) continue;
      for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) collect(node.nodeValue);
      for (const name of ["aria-label", "title", "placeholder", "alt"]) collect(element.getAttribute(name));
    }
    collect(document.title);
    return found;
  });
