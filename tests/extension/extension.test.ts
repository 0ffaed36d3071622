// SPDX-License-Identifier: MIT

import { cp, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { ReadingListClient } from "@reading-list/client/main.ts";
import { buildExtension } from "@reading-list/extension/build.ts";
import { type BrowserWithExtension, launchWithExtension } from "@reading-list/testing/browser.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { chromiumFor } from "@reading-list/testing/find-browser.ts";
import { articlePage, type PageServer, prose, startPageServer } from "@reading-list/testing/page-server.ts";
import { type Started, start, untilReady } from "@reading-list/testing/started-service.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import type { Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { violations } from "../web/axe.ts";
import { membersPage, type RecordedTexts, recordTexts, secrets } from "./recorded-texts.ts";

const credentials = { username: "ada", password: "correct horse" };
const apiKey = "local-dev-key";

/** Milliseconds: a busy machine must not fail a test of several clicks. */
const timeout = 180_000;

describe.skipIf(!chromiumFor("the browser extension"))("the browser extension", { timeout }, () => {
  let folder: string;
  let service: Started;
  let baseUrl: string;
  let textUrl: string;
  let texts: RecordedTexts;
  let pages: PageServer;
  let browser: BrowserWithExtension;
  /** The options, which the first click opens. */
  let options: Page;
  let tab: Page;
  let client: ReadingListClient;

  /** Runs `npm start` on the port of the service that ran before, on the same data. */
  async function startService(): Promise<void> {
    const port = baseUrl ? { PORT: new URL(baseUrl).port } : {};
    service = start({ DATA_DIR: path.join(folder, "data"), TEXT_ALLOWED_ORIGINS: pages.origin, ...port });
    ({ baseUrl, textUrl } = await untilReady(service));
  }

  async function stopService(): Promise<void> {
    service.process.kill();
    await service.ended;
  }

  beforeAll(async () => {
    folder = temporaryFolder();
    pages = await startPageServer((request, response) => {
      const isMember = request.headers.cookie?.includes("member=1");
      const [, kind = ""] = request.url?.split("/") ?? [];
      if (["forbidden", "large"].includes(kind) && !isMember) return void response.writeHead(403).end();
      const page: Record<string, string> = {
        article: articlePage,
        empty: "<!doctype html><title>Empty</title>",
        large: `<!doctype html><title>Large</title><p>${"word ".repeat(840_000)}</p>`,
        login: `<!doctype html><title>Log in</title><form><input name="name"><input type="password"><button>Log in</button></form>`,
      };
      const membersOnly = isMember && ["forbidden", "login"].includes(kind) ? membersPage(prose) : undefined;
      const plain = "<!doctype html><title>The harbour is open</title><a href='/linked'>More</a>";
      response.writeHead(200, { "content-type": kind === "file" ? "text/plain" : "text/html" });
      response.end(membersOnly ?? page[kind] ?? plain);
    });
    atEndOfFile(pages.stop);
    await Promise.all([startService(), buildExtension(path.join(folder, "extension"))]);
    atEndOfFile(stopService);
    texts = await recordTexts(() => textUrl);
    atEndOfFile(texts.stop);
    client = new ReadingListClient({ baseUrl, textUrl, apiKey, ...credentials });
    await client.signup();
    browser = await launchWithExtension(await grantHost(path.join(folder, "extension")));
    tab = await browser.context.newPage();
  }, timeout);

  /** A copy that may read this machine: a headless browser has nobody to ask. */
  async function grantHost(built: string): Promise<string> {
    const granted = path.join(folder, "granted");
    await cp(built, granted, { recursive: true });
    const file = path.join(granted, "manifest.json");
    const manifest = JSON.parse(await readFile(file, "utf8"));
    await writeFile(file, JSON.stringify({ ...manifest, host_permissions: ["http://127.0.0.1/*"] }));
    return granted;
  }

  beforeEach(async () => {
    const { items } = await client.get();
    await client.send(items.map(({ url }) => ({ kind: "delete", url })));
  });

  const savedPages = async () => (await client.get()).items.map(({ url, title }) => [url, title]);

  /** Opens a page of its own in the tab; returns its URL. */
  async function openPage(name: string): Promise<string> {
    await tab.goto(`${pages.origin}/${name}`);
    return tab.url();
  }

  /** The badge if nothing concerns the page of a tab. */
  const badge = () => options.evaluate<string>("chrome.action.getBadgeText({})");

  /** A value of the popup that the last click has opened. */
  const inPopup = <T>(expression: string) =>
    options.evaluate<T | undefined>(
      `(() => { const popup = chrome.extension.getViews({ type: "popup" })[0]; return popup && (${expression}); })()`,
    );
  /** The state that the popup shows, and the reason of it. */
  const popupState = () =>
    inPopup<string>(
      '[...popup.document.querySelectorAll("#state, #note:not(:empty)")].map((line) => line.textContent).join(": ")',
    );
  const tagField = 'popup.document.querySelector("#tags input")';
  /** Types into the field of tags. */
  const typeTag = (typed: string) =>
    inPopup(
      `(${tagField}.value = ${JSON.stringify(typed)}, ${tagField}.dispatchEvent(new popup.Event("input", { bubbles: true })))`,
    );
  const tagsInPopup = () =>
    inPopup<string[]>('[...popup.document.querySelectorAll("#tags .tag bdi")].map(({ textContent }) => textContent)');
  const pressInPopup = (id: string) => inPopup(`popup.document.getElementById("${id}").click()`);
  const isShown = (id: string) => inPopup<boolean>(`popup.document.getElementById("${id}").checkVisibility()`);

  /** Clicks on the button if no popup is open: the click would close it, and a test would read its state instead of the new popup's. */
  async function clickButton(page = tab): Promise<void> {
    if (options) {
      await inPopup("popup.close()");
      await expect.poll(() => inPopup("true")).toBeUndefined();
    }
    await browser.clickButton(page);
  }

  async function enterAccount(account: Record<string, string>): Promise<void> {
    for (const [name, value] of Object.entries(account)) await options.fill(`#${name}`, value);
  }

  const press = (name: string) => options.getByRole("button", { name, exact: true }).click();
  const outcome = () => options.textContent("#outcome");

  test("asks for no permission that shows it a page the user has not chosen", async () => {
    const manifest = JSON.parse(await readFile(path.join(folder, "extension/manifest.json"), "utf8"));
    expect(manifest).toMatchObject({
      manifest_version: 3,
      permissions: ["activeTab", "alarms", "contextMenus", "scripting", "storage"],
    });
    expect(Object.keys(manifest).filter((name) => /^host_permissions|content_scripts/.test(name))).toEqual([]);
    // Asked for by "Save all tabs", and for the host of the service when an account is entered.
    expect(manifest.optional_permissions).toEqual(["tabs"]);
  });

  test("without an account a click opens the options, and the page waits until an account is entered", async () => {
    const url = await openPage("first");
    const opened = browser.context.waitForEvent("page");
    await clickButton();
    options = await opened;
    await expect
      .poll(() => options.textContent("#queue"))
      .toBe("Waiting to be sent: 1. No account yet. Add one in the options.");
    await expect.poll(badge).toBe("1");

    await enterAccount({ baseUrl: "http://api.example.com", ...credentials });
    await press("Test");
    const refusal = await options.$eval(
      "#baseUrl",
      (input) => (input as unknown as { validationMessage: string }).validationMessage,
    );
    expect(refusal).toBe("Enter an address that begins with https://");

    expect(await options.isVisible("#apiKey")).toBe(false);
    await enterAccount({ baseUrl: pages.origin });
    await press("Test");
    await expect.poll(outcome).toBe("This address does not provide an API key. Check it, or enter the key below.");
    expect(await options.isVisible("#apiKey")).toBe(true);
    await options.reload();

    await enterAccount({ baseUrl, ...credentials, password: "wrong" });
    await press("Test");
    await expect
      .poll(outcome)
      .toMatch(/^The service rejected your account \(.*incorrect.*\)\. Check your username, password/);
    await enterAccount({ password: credentials.password });
    await press("Save");
    await expect.poll(outcome).toBe("The account works: 1 unread, 1 in total");
    expect(await savedPages()).toEqual([[url, "The harbour is open"]]);
    await expect.poll(() => options.textContent("#queue")).toBe("All pages have been sent.");
    await expect.poll(badge).toBe("");
  });

  const storedAccount = () => options.evaluate("chrome.storage.local.get('account').then(({ account }) => account)");

  test("stores an app password, never the account's, and replaces one that an older version stored", async () => {
    const [{ id, name } = { id: "", name: "" }, ...others] = await client.appPasswords();
    expect([name, others]).toEqual([expect.stringMatching(/^Browser extension, Chrome on /), []]);
    const config = await fetch(`${baseUrl}/app/config.json`);
    const { apiKey: publicKey } = (await config.json()) as { apiKey: string };
    const stored = {
      baseUrl: `${baseUrl}/`,
      textUrl: `${textUrl}/`,
      readerUrl: `${baseUrl}/app/`,
      apiKey: publicKey,
      username: "ada",
      password: expect.stringMatching(/^[a-z2-7]{20}$/),
    };
    expect(await storedAccount()).toEqual({ ...stored, id });
    // To save the options again makes no second one.
    await press("Save");
    await expect.poll(outcome).toMatch(/^The account works/);
    expect(await storedAccount()).toEqual({ ...stored, id });
    expect(await client.appPasswords()).toHaveLength(1);

    const older = { baseUrl, apiKey: publicKey, ...credentials };
    await options.evaluate(`chrome.storage.local.set({ account: ${JSON.stringify(older)} })`);
    const worker = await browser.worker();
    await worker.evaluate("chrome.runtime.onStartup.dispatch()");
    const replaced = { ...older, password: stored.password, id: expect.any(String) };
    await expect.poll(storedAccount).toEqual(replaced);
    expect(await client.appPasswords()).toHaveLength(2);
    await options.reload();
  });

  test.each(["light", "dark"] as const)("axe finds nothing serious in the options: %s", async (colorScheme) => {
    await options.emulateMedia({ colorScheme });
    expect(await violations(options)).toEqual([]);
  });

  test("one click saves the page with its title; the popup undoes it", async () => {
    const url = await openPage("second");
    await clickButton();
    await expect.poll(popupState).toBe("Saved");
    expect(await savedPages()).toEqual([[url, "The harbour is open"]]);
    await expect.poll(badge).toBe("");
    await pressInPopup("undo");
    await expect.poll(popupState).toBe("Undone");
    expect(await savedPages()).toEqual([]);
  });

  test("a page is saved without parameters that only track, in whose place the popup edits and undoes it", async () => {
    const url = await openPage("tracked?id=1&utm_source=news");
    const clean = `${pages.origin}/tracked?id=1`;
    await clickButton();
    await expect.poll(popupState).toBe("Saved");
    expect(await savedPages()).toEqual([[clean, "The harbour is open"]]);
    await pressInPopup("undo");
    await expect.poll(popupState).toBe("Undone");
    expect(await savedPages()).toEqual([]);
    await client.add(url, { title: "With its parameters" });
    await clickButton();
    await expect.poll(() => inPopup('popup.document.getElementById("title").value')).toBe("With its parameters");
    expect(await savedPages()).toEqual([[url, "With its parameters"]]);
  });

  test("a page that is in the list keeps its title and tags, unless the user types others in the popup", async () => {
    const url = await openPage("known");
    await client.add(url, { title: "My own title", tags: ["a", "b"] });
    await client.add("https://example.com/later");
    const item = async () => (await client.get()).items.map(({ title, tags }) => [title, ...tags]);
    await (await browser.worker()).evaluate(
      `chrome.contextMenus.onClicked.dispatch({ menuItemId: "page", pageUrl: ${JSON.stringify(url)} }, { title: "Of the tab" })`,
    );
    // A page that is saved again moves to the top.
    await expect.poll(item).toEqual([["My own title", "a", "b"], ["https://example.com/later"]]);
    await client.delete("https://example.com/later");
    await clickButton();
    await expect.poll(popupState).toBe("Already in your list");
    expect(await isShown("undo")).toBe(false);
    expect(await tagsInPopup()).toEqual(["a", "b"]);
    await inPopup(`popup.document.querySelector("[aria-label='Remove tag b']").click()`);
    await expect.poll(tagsInPopup).toEqual(["a"]);
    await typeTag("c,");
    await expect.poll(tagsInPopup).toEqual(["a", "c"]);
    await inPopup('popup.document.getElementById("details").requestSubmit()');
    await expect.poll(item).toEqual([["My own title", "a", "c"]]);
  });

  test("the popup completes tags of the newest pages in any case and without accents, and lists the last ten", async () => {
    await client.add("https://example.com/", { title: "The breakwater", tags: ["Économie", "harbour", "later"] });
    const url = await openPage("completed");
    await clickButton();
    await expect.poll(popupState).toBe("Saved");
    await inPopup(`${tagField}.focus(), ${tagField}.dispatchEvent(new popup.FocusEvent("focusin", { bubbles: true }))`);
    const suggested = () =>
      inPopup('[...popup.document.querySelectorAll("[role=option]")].map(({ textContent }) => textContent)');
    // The tags arrive after the focus.
    await typeTag("econ");
    await expect.poll(suggested).toEqual(["Économie"]);
    await inPopup('popup.document.querySelector("[role=option]").click()');
    await expect.poll(tagsInPopup).toEqual(["Économie"]);
    await typeTag("HARBOUR,new,");
    await expect.poll(tagsInPopup).toEqual(["Économie", "harbour", "new"]);
    await inPopup('popup.document.getElementById("recent").open = true');
    const newest = () =>
      inPopup('[...popup.document.querySelectorAll("#newest a")].map(({ href, textContent }) => textContent)');
    await expect.poll(newest).toEqual(["The harbour is open", "The breakwater"]);
    await inPopup('popup.document.getElementById("details").requestSubmit()');
    const saved = async () => (await client.get({ url })).items.flatMap((item) => item.tags).sort();
    await expect.poll(saved).toEqual(["harbour", "new", "Économie"]);
  });

  test("a tag that only an older page has is not created again in another case", async () => {
    await client.add("https://example.com/", { tags: ["Machine Learning"] });
    const url = await openPage("older");
    await clickButton();
    await expect.poll(popupState).toBe("Saved");
    // Without the focus, no tags are known: as if 500 pages were newer.
    await typeTag("machine  learning,brand new,");
    await inPopup('popup.document.getElementById("details").requestSubmit()');
    const saved = async () => (await client.get({ url })).items.flatMap((item) => item.tags).sort();
    await expect.poll(saved).toEqual(["Machine Learning", "brand new"]);
  });

  test("a page of the archive stays there, until the popup marks it unread; the popup takes that back", async () => {
    const url = await openPage("archived");
    await client.send([
      { kind: "add", url },
      { kind: "read", url },
    ]);
    const state = async () => (await client.get({ url })).items.map((item) => item.state);
    await clickButton();
    await expect.poll(popupState).toBe("Already in your archive");
    expect(await state()).toEqual(["read"]);
    await pressInPopup("unread");
    await expect.poll(popupState).toBe("Saved");
    expect(await state()).toEqual(["unread"]);
    await pressInPopup("undo");
    await expect.poll(popupState).toBe("Undone");
    expect(await state()).toEqual(["read"]);
  });

  test("the extension stores no copy of the list, and removes an earlier version's copy", async () => {
    const count = () =>
      options.evaluate(`new Promise((resolve) => {
        const opening = indexedDB.open("outbox");
        opening.onsuccess = () => {
          const asked = opening.result.transaction("items").objectStore("items").count();
          asked.onsuccess = () => (opening.result.close(), resolve(asked.result));
        };
      })`);
    expect(await count()).toBe(0);
    await options.evaluate(`new Promise((resolve) => {
      const opening = indexedDB.open("outbox");
      opening.onsuccess = () => {
        const step = opening.result.transaction(["items", "state"], "readwrite");
        step.objectStore("items").put({ itemId: "1", url: "https://example.com/", title: "Old", tags: [] });
        step.objectStore("state").put({ since: 1, sent: 0 }, "state");
        step.oncomplete = () => (opening.result.close(), resolve());
      };
    })`);
    expect(await count()).toBe(1);
    await (await browser.worker()).evaluate("chrome.runtime.onStartup.dispatch()");
    await expect.poll(count).toBe(0);
  });

  test("words in the address bar search the list", async () => {
    await client.add("https://example.com/breakwater", { title: 'The "breakwater" & more' });
    const worker = await browser.worker();
    const find = (words: string) =>
      worker.evaluate(
        `new Promise((resolve) => chrome.omnibox.onInputChanged.dispatch(${JSON.stringify(words)}, resolve))`,
      );
    await expect
      .poll(() => find("breakw"))
      .toEqual([{ content: "https://example.com/breakwater", description: "The &quot;breakwater&quot; &amp; more" }]);
    const opened = browser.context.waitForEvent("page");
    await worker.evaluate('chrome.omnibox.onInputEntered.dispatch("breakwater wall", "newForegroundTab")');
    const page = await opened;
    await expect.poll(() => page.url()).toBe(`${baseUrl}/app/#unread?search=breakwater+wall`);
    await page.close();
  });

  test.each(["light", "dark"] as const)("axe finds nothing serious in the popup: %s", async (colorScheme) => {
    const popup = await browser.context.newPage();
    await popup.emulateMedia({ colorScheme });
    await popup.goto(`${browser.origin}/popup.html`);
    await popup.getByText("Only pages with an http").waitFor();
    expect(await violations(popup)).toEqual([]);
    await popup.close();
  });

  test("the menu of a link saves its address, the menu of a page the page", async () => {
    const worker = await browser.worker();
    const choose = (menuItemId: string, chosen: object) =>
      worker.evaluate(
        // A headless browser has no menus to click on. An update fails if the menu has no such item.
        `chrome.contextMenus.update("${menuItemId}", {}).then(() =>
          chrome.contextMenus.onClicked.dispatch(${JSON.stringify({ menuItemId, ...chosen })}, { title: "A page" }))`,
      );
    const pageUrl = `${pages.origin}/page`;
    const linkUrl = `${pages.origin}/link`;
    await choose("page", { pageUrl });
    await expect.poll(savedPages).toEqual([[pageUrl, "A page"]]);
    await choose("link", { pageUrl, linkUrl: `${linkUrl}?fbclid=1` });
    await expect.poll(savedPages).toEqual([
      [linkUrl, linkUrl],
      [pageUrl, "A page"],
    ]);
  });

  test("a page that is not of the web is not saved, and the popup says why", async () => {
    await clickButton(options);
    await expect.poll(popupState).toContain("Only pages with an http or https address");
    await expect.poll(() => options.textContent("#queue")).toBe("All pages have been sent.");
  });

  test("a page that the service refuses is not queued, and popup and options say why", async () => {
    const url = await openPage("x".repeat(4100));
    await clickButton();
    await expect.poll(popupState).toMatch(/^Not saved: url .*4096/);
    await expect.poll(badge).toBe("");
    await expect.poll(() => options.textContent("#refused-list")).toContain(url);
    await press("Clear");
    await expect.poll(() => options.isVisible("#refused")).toBe(false);
  });

  const member = () => browser.context.addCookies([{ name: "member", value: "1", url: pages.origin }]);
  const keptText = async (url: string) => {
    const { html, keptAt } = await client.article(url);
    return keptAt && html;
  };
  /** The pages that were sent since the last time. */
  const sentPages = () => texts.pages.splice(0);

  test("without the address of the text view no text is kept, and the popup says why if it is asked for one", async () => {
    await openPage("article/0");
    await clickButton();
    await expect.poll(popupState).toBe("Saved");
    await pressInPopup("keep");
    await expect
      .poll(popupState)
      .toBe("Saved, but without a copy of its text: Enter the address of the text view in the options");
    await options.getByText("Other addresses").click();
    await enterAccount({ textUrl: texts.origin });
    await press("Save");
    await expect.poll(outcome).toMatch(/^The account works/);
    expect(sentPages()).toEqual([]);
  });

  test("the service keeps the text of a page that it can read, and no page leaves the browser", async () => {
    const url = await openPage("article/1");
    await clickButton();
    await expect.poll(popupState).toBe("Saved, with a copy of its text");
    expect(await keptText(url)).toContain("closed since the storm");
    expect(sentPages()).toEqual([undefined]);
  });

  test.each([
    ["that the service may not read", "forbidden"],
    ["that shows the service a login", "login"],
  ])(
    "of a page %s, the page as the user sees it is kept, without scripts, handlers and typed text",
    async (_, kind) => {
      await member();
      const url = await openPage(`${kind}/1`);
      await clickButton();
      await expect.poll(popupState).toBe("Saved, with the page as you see it");
      expect(await keptText(url)).toContain("the harbour has a secret entrance");
      const [asked, sent = "", ...others] = sentPages();
      expect([asked, others]).toEqual([undefined, []]);
      expect(sent).not.toMatch(secrets);
      expect(sent).toContain(`<base href="${url}">`);
      // The page itself is as it was.
      expect(await tab.inputValue("#typed")).toBe("typed by the user");
      expect(
        await tab.evaluate("document.querySelectorAll('script').length + document.querySelectorAll('base').length"),
      ).toBe(2);
      expect(await tab.evaluate("window.secret")).toBe("in a script");
      // Undo takes page and text back.
      await pressInPopup("undo");
      await expect.poll(popupState).toBe("Undone");
      expect(await isShown("keep")).toBe(false);
      await expect(client.article(url)).rejects.toThrow("not in the list");
    },
  );

  test("the popup saves the page as the user sees it instead of the text that the service has read", async () => {
    const url = await openPage("article/2");
    await clickButton();
    await expect.poll(popupState).toBe("Saved, with a copy of its text");
    await tab.evaluate("document.querySelector('article').append('The page as the user sees it.')");
    await clickButton();
    await expect.poll(popupState).toBe("Already in your list");
    await pressInPopup("keep");
    await expect.poll(popupState).toBe("Saved, with the page as you see it");
    expect(await keptText(url)).toContain("The page as the user sees it.");
    expect(sentPages()).toEqual([undefined, expect.stringContaining("The page as the user sees it.")]);
  });

  test.each([
    ["larger than the service takes", "large/1", "Without its scripts, the page is 4.3 MB. The limit is 4 MB"],
    ["a file", "file/1", "The tab shows a file, not a page"],
    ["without text", "empty/1", "No text was found on the page"],
  ])("a page that is %s is saved without its text, and the popup says why", async (_, name, reason) => {
    await member();
    const url = await openPage(name);
    await clickButton();
    await expect.poll(popupState).toMatch(/^Saved, /);
    await pressInPopup("keep");
    await expect.poll(popupState).toBe(`Saved, but without a copy of its text: ${reason}`);
    expect((await savedPages()).map(([saved]) => saved)).toEqual([url]);
    sentPages();
  });

  test("a page is not lost if the text host does not answer", async () => {
    await member();
    const url = await openPage("forbidden/2");
    const [real, nowhere] = [textUrl, "http://127.0.0.1:1"];
    textUrl = nowhere;
    await clickButton();
    await expect.poll(popupState).toBe("Saved, but without a copy of its text: the service cannot be reached");
    textUrl = real;
    expect((await savedPages()).map(([saved]) => saved)).toEqual([url]);
  });

  test("the page of another address, or of another scheme, is never sent", async () => {
    const url = await openPage("article/3");
    await clickButton();
    await expect.poll(popupState).toBe("Saved, with a copy of its text");
    sentPages();
    const tabId = await options.evaluate<number>("chrome.tabs.query({ active: true }).then(([{ id }]) => id)");
    const keep = (request: object) => options.evaluate(`chrome.runtime.sendMessage(${JSON.stringify(request)})`);
    await tab.goto(`${pages.origin}/article/4`);
    expect(await keep({ url, tabId, isAsSeen: true })).toEqual({ reason: "The tab now shows another page" });
    await clickButton(options);
    await expect.poll(popupState).toContain("Only pages with an http or https address");
    expect(await isShown("keep")).toBe(false);
    const own = await options.evaluate<number>("chrome.tabs.getCurrent().then(({ id }) => id)");
    expect(await keep({ url, tabId: own, isAsSeen: true })).toEqual({
      reason: "Your browser does not let extensions read this page",
    });
    expect(sentPages()).toEqual([]);
  });

  test("the menu of a page keeps its text, too", async () => {
    const pageUrl = `${pages.origin}/article/5`;
    const worker = await browser.worker();
    await worker.evaluate(
      `chrome.contextMenus.onClicked.dispatch(${JSON.stringify({ menuItemId: "page", pageUrl })}, { title: "A page" })`,
    );
    await expect.poll(() => sentPages().length).toBe(1);
    await expect.poll(() => keptText(pageUrl)).toContain("closed since the storm");
  });

  test("the menu of a selection marks it in the text of the page", async () => {
    const url = await openPage("article");
    const chosen = await tab.evaluate<string>(
      'getSelection().selectAllChildren(document.querySelectorAll("article p")[1]); String(getSelection()).trim()',
    );
    await (await browser.worker()).evaluate(
      `chrome.tabs.query({}).then((tabs) => chrome.contextMenus.onClicked.dispatch(
        { menuItemId: "selection", pageUrl: ${JSON.stringify(url)}, selectionText: "cut" },
        tabs.find((tab) => tab.title === ${JSON.stringify(await tab.title())})))`,
    );
    const marks = async () => (await client.highlights()).highlights.map(({ quote, prefix }) => [quote, prefix.length]);
    await expect.poll(marks).toEqual([[chosen, 64]]);
    expect((await savedPages()).map(([saved]) => saved)).toEqual([url]);
  });

  test("a selection of several paragraphs is marked with a line break between them", async () => {
    const url = await openPage("article");
    const [last, next, before] = await tab.evaluate<string[]>(
      `(() => {
        const blocks = [...document.querySelectorAll("article p")];
        getSelection().setBaseAndExtent(blocks[1].firstChild, 3, blocks[2].firstChild, 5);
        return [blocks[1].textContent.slice(3), blocks[2].textContent.slice(0, 5), blocks[0].textContent];
      })()`,
    );
    await (await browser.worker()).evaluate(
      `chrome.tabs.query({}).then((tabs) => chrome.contextMenus.onClicked.dispatch(
        { menuItemId: "selection", pageUrl: ${JSON.stringify(url)}, selectionText: "cut" },
        tabs.find((tab) => tab.title === ${JSON.stringify(await tab.title())})))`,
    );
    // The mark of the test before comes back with its page.
    const prefix = async () =>
      (await client.highlights()).highlights.find(({ quote }) => quote === `${last}\n${next}`)?.prefix;
    await expect.poll(prefix).toMatch(/\n.{3}$/);
    expect(before).toContain((await prefix())?.split("\n").at(-2));
  });

  test("the menu of a link saves it with the title that the service reads in its page", async () => {
    const linkUrl = `${pages.origin}/article/6`;
    const worker = await browser.worker();
    await worker.evaluate(
      `chrome.contextMenus.onClicked.dispatch(${JSON.stringify({ menuItemId: "link", pageUrl: "https://example.com/", linkUrl })}, {})`,
    );
    await expect.poll(savedPages).toEqual([[linkUrl, expect.not.stringContaining("/article/6")]]);
    sentPages();
  });

  test("pages saved offline are queued, outlive the service worker, and are sent by the alarm", async () => {
    const first = await openPage("offline-1");
    await stopService();
    await clickButton();
    await expect.poll(badge).toBe("1");
    const alarm = () =>
      options.evaluate<number>("chrome.alarms.get('send').then((alarm) => alarm?.scheduledTime ?? 0)");
    await expect
      .poll(() => options.textContent("#queue"))
      .toMatch(/^Waiting to be sent: 1\. The service did not respond \(.*Next attempt at /);
    await browser.endWorker();
    const second = await openPage("offline-2");
    await clickButton();
    await expect.poll(badge).toBe("2");
    // Pages that are saved meanwhile do not lengthen the wait.
    await expect.poll(() => inPopup<boolean>("true")).toBe(true);
    expect((await alarm()) - Date.now()).toBeLessThan(60_000);
    await browser.endWorker();
    await startService();
    await options.evaluate("chrome.alarms.create('send', { when: Date.now() })");
    await expect.poll(badge).toBe("");
    expect(await savedPages()).toEqual([
      [second, "The harbour is open"],
      [first, "The harbour is open"],
    ]);
    await expect.poll(alarm).toBe(0);
  });

  test("with an account that stopped working, pages stay queued; forgetting it removes everything", async () => {
    await enterAccount({ password: "wrong" });
    await press("Save");
    await expect.poll(outcome).toContain("rejected your account");
    await openPage("third");
    await clickButton();
    await expect.poll(badge).toBe("1");
    await expect.poll(() => options.textContent("#queue")).toContain("rejected your account");
    options.once("dialog", (dialog) => dialog.accept());
    await press("Remove account");
    await expect.poll(outcome).toBe("The account and the waiting pages were removed from this computer");
    expect(await options.evaluate("chrome.storage.local.get()")).toEqual({});
    await expect.poll(badge).toBe("");
    expect(await options.inputValue("#password")).toBe("");
    expect(await savedPages()).toEqual([]);
  });

  describe("the web reader in a tab", () => {
    /** Opens the account in the web reader, and has it offer a sign-in. */
    async function offer(): Promise<void> {
      await tab.getByRole("button", { name: "Devices, password…" }).click();
      await tab.getByLabel("Account password").fill(credentials.password);
      await tab.getByRole("button", { name: "Continue", exact: true }).click();
      await tab.getByRole("button", { name: "Connect the extension" }).click();
      await tab.getByText("Now click the extension's button").waitFor();
    }

    beforeAll(async () => {
      await tab.goto(`${baseUrl}/app/`);
      await tab.getByLabel("Username").fill(credentials.username);
      await tab.getByLabel("Password", { exact: true }).fill(credentials.password);
      await tab.getByRole("button", { name: "Sign in", exact: true }).click();
      await tab.locator("main.list").waitFor();
    }, timeout);

    test("signs the extension in, if the user confirms it in the popup", async () => {
      await tab.goto(`${baseUrl}/app/#settings/account`);
      await options.evaluate("chrome.storage.local.clear()");
      await offer();
      await clickButton();
      const { host } = new URL(baseUrl);
      await expect.poll(popupState).toBe(`Sign in at ${host} as ada?`);
      expect(await storedAccount()).toBeUndefined();
      await pressInPopup("accept");
      await expect.poll(popupState).toBe("Signed in: Click this button on any page to save it.");
      await tab.getByText("The extension is connected.").waitFor();
      const { id = "", ...stored } = (await storedAccount()) as Record<string, string>;
      expect(stored).toMatchObject({ baseUrl: `${baseUrl}/`, readerUrl: `${baseUrl}/app/`, username: "ada" });
      expect((await client.appPasswords()).map((each) => each.id)).toContain(id);

      // Nobody has saved the page of the reader itself.
      expect(await savedPages()).toEqual([]);
      const url = await openPage("signed-in");
      await clickButton();
      await expect.poll(popupState).toMatch(/^Saved/);
      expect(await savedPages()).toEqual([[url, "The harbour is open"]]);
    });

    test("says which sign-in a new one replaces, and revokes it if the extension does not use it", async () => {
      const before = await client.appPasswords();
      await tab.goto(`${baseUrl}/app/#settings/account`);
      await offer();
      await clickButton();
      const { host } = new URL(baseUrl);
      const question = `Sign in at ${host} as ada?: This replaces your account at ${host}.`;
      await expect.poll(popupState).toBe(question);
      expect(await client.appPasswords()).toHaveLength(before.length + 1);
      await tab.keyboard.press("Escape");
      await expect.poll(() => client.appPasswords()).toEqual(before);
      await pressInPopup("accept");
      await expect.poll(popupState).toBe("The page no longer offers this sign-in.");
      expect(((await storedAccount()) as { id: string }).id).not.toBe("");
    });
  });
});
