// SPDX-License-Identifier: MIT

import { downloadOf, isFirefox, launchBrowser } from "@reading-list/testing/browser.ts";
import { Connection } from "@reading-list/testing/connection.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { chromiumFor } from "@reading-list/testing/find-browser.ts";
import { findFreePort } from "@reading-list/testing/free-port.ts";
import { codeIn, startMailServer } from "@reading-list/testing/mail-server.ts";
import { type PageServer, prose, startPageServer } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { maliciousMarkup } from "../article/hostile-pages.ts";
import { violations } from "./axe.ts";
import { Device } from "./device.ts";
import { unreachable } from "./unreachable.ts";

const table = `<table><tr><th>Name</th><th>Berths</th></tr><tr><td>North</td><td>${"1200".repeat(60)}</td></tr></table>`;
const image = await sharp({ create: { width: 640, height: 240, channels: 3, background: "teal" } })
  .png()
  .toBuffer();

const lead = await sharp({ create: { width: 320, height: 240, channels: 3, background: "navy" } })
  .png()
  .toBuffer();

const blocks = Array.from({ length: 48 }, (_, n) => `<p>Block ${n} ${prose.slice(3, 200)}</p>`).join("");

/** An answer instead of the text view's. */
const answer = {
  headers: { "access-control-allow-origin": "*", "access-control-expose-headers": "*", status: "200 OK" },
  contentType: "text/html",
};

/** Repeats the parameters of a call in its address: Playwright does not see the body of a request of Firefox. */
const showParameters = () => {
  const call = fetch;
  globalThis.fetch = (address, options) => call(options?.body ? `${address}?${options.body}` : address, options);
};

/** Holds requests for pictures. `losePictures` fails them until `holdPictures`, and `servePictures` lets all pass. */
const holdPictures = () => {
  const call = fetch;
  let held = Promise.withResolvers<void>();
  Object.assign(globalThis, {
    holdPictures() {
      held = Promise.withResolvers();
    },
    losePictures() {
      held.promise.catch(() => {});
      held.reject(new TypeError("lost"));
    },
    servePictures: () => held.resolve(),
  });
  globalThis.fetch = async (address, options) => {
    if (String(address).includes("/v2/picture?")) await held.promise;
    return call(address, options);
  };
};

const harbour = `<title>The harbour is open</title><meta property="og:image" content="/lead.png"><meta name="author" content="A. Reed">
    <meta property="article:published_time" content="2026-03-02"><article><h1>The harbour is open</h1>${prose}
    <figure><img src="/boats.png" alt="Boats"><figcaption>Boats leave</figcaption></figure>${table}
    <p>The town council says that the <a href="/storm">storm of September</a>, which
    broke the northern quay in three places, was the strongest that the oldest of the fishermen can remember.</p></article>`;

/** Pages of a site by path. */
const site: Record<string, string> = {
  "/harbour": harbour,
  "/quay": harbour.replaceAll("The harbour is open", "The quay"),
  "/ferry": harbour.replaceAll("The harbour is open", "The ferry"),
  "/notes": `<title>On notes</title><article><h1>On notes</h1><p>The second note.</p>${blocks}</article>`,
  "/lost": `<title>Lost</title><article><h1>Lost</h1>${prose}<figure><img src="/gone.png" alt="A heron"><figcaption>By the quay</figcaption></figure>
    <p><img src="/gone-too.png"></p>${prose}</article>`,
  "/drawn": `<title>Drawn</title><article><h1>Drawn</h1>${prose}<svg viewBox="0 0 300 100" width="300" height="100" onload="alert(1)">
    <title>Ships in the harbour</title><rect x="5" y="5" width="290" height="90" fill="none" stroke="#000"/><text x="20" y="55">Ships</text></svg>${prose}</article>`,
  "/file.zip": "",
  "/long": `<title>A long text</title><article><h1>A long text</h1>${blocks}</article>`,
  "/chapters": `<title>Chapters</title><article><h1>Chapters</h1>${["Harbour", "Quay", "Ferry", "Storm"]
    .map((name, n) => `<h${n === 1 ? 3 : 2}>The ${name}</h${n === 1 ? 3 : 2}>${prose}`)
    .join("")}</article>`,
  "/serial?page=1": `<title>Serial</title><article><h1>Serial</h1><p>The first part.</p>${prose}</article><a rel="next" href="/serial?page=2">Next page</a>`,
  "/serial?page=2": `<title>Serial</title><article><h1>Serial</h1><p>The second part.</p>${prose}</article>`,
  "/members": `<title>For members</title><article><h1>For members</h1>${prose}</article><form action="/login"><input name="user"><input type="password"><button>Log in</button></form>`,
  "/arabic": `<title>الميناء مفتوح</title><article><h1>الميناء مفتوح</h1>${"<p>فتح الميناء صباح يوم الاثنين بعد أن كان مغلقا منذ العاصفة، وحضر الصيادون والتجار ورئيس البلدية.</p>".repeat(9)}</article>`,
};

describe.skipIf(!chromiumFor("the article view"))("the article view", () => {
  let service: TestService;
  let pages: PageServer;
  let browser: Browser;
  let device: Device;
  let connection: Connection;
  let isConnected = true;

  beforeAll(async () => {
    pages = await startPageServer((request, response) => {
      if (!isConnected) return request.socket.destroy();
      if (request.url?.startsWith("/gone")) return response.writeHead(404).end();
      const html = site[request.url ?? ""];
      const isFile = request.url === "/file.zip";
      const type = html ? "text/html; charset=utf-8" : isFile ? "application/zip" : "image/png";
      response.writeHead(200, { "content-type": type }).end(html ?? (request.url === "/lead.png" ? lead : image));
    });
    atEndOfFile(pages.stop);
    service = await startTestService({ TEXT_ALLOWED_ORIGINS: pages.origin });
    connection = await Connection.to(service.baseUrl);
    browser = await launchBrowser();
  });

  afterEach(async () => {
    connection.restore();
    isConnected = true;
    await device.close();
    expect(device.complaints).toEqual([]);
  });

  const urlOf = (path: string) => (path.startsWith("/") ? pages.origin + path : path);

  /** Signs in as a user with one page in the list, and opens its article. */
  async function open(path: string, options: Parameters<typeof Device.signedIn>[3] = {}): Promise<Page> {
    const user = await service.newUser();
    await user.add(urlOf(path));
    device = await Device.signedIn(browser, `${connection.origin}/app/`, user, options);
    await device.page.locator(".row-title").click();
    return device.page;
  }

  /** Cuts the page off the service, the text view and the site. */
  async function disconnect(page: Page): Promise<void> {
    connection.cut();
    isConnected = false;
    await page.route(`${service.textUrl}/**`, (route) => route.abort());
  }

  /** A value of the frame's document. Playwright itself cannot see into a frame without scripts. */
  function inFrame<T>(page: Page, read: (content: Document) => T): Promise<T | undefined> {
    return page.evaluate(
      `(${read})(document.querySelector("iframe")?.contentDocument ?? new Document())`,
    ) as Promise<T>;
  }
  /** The text of the frame, once the frame is as high as that. */
  const textOf = (page: Page) =>
    page.evaluate(() => {
      const frame = document.querySelector("iframe");
      const body = frame?.contentDocument?.body;
      return body && frame?.style.height && frame.clientHeight >= body.clientHeight ? body.innerText : "";
    });
  const isForeign = (url: string) =>
    ![service.baseUrl, service.textUrl, connection.origin, "blob:", "about:"].some((own) => url.startsWith(own));
  const untilShown = (page: Page, words: string) => expect.poll(() => textOf(page)).toContain(words);

  const cachedPictures = (page: Page) =>
    page.evaluate(async () => (await (await caches.open("pictures")).keys()).length);
  const widthOfPicture = (page: Page) => inFrame(page, (content) => content.images[0]?.naturalWidth);

  test("a picture that its site does not serve is a frame with its text and a link to it", async () => {
    const page = await open("/lost");
    await untilShown(page, "By the quay");
    const shown = await inFrame(page, (content) =>
      [...content.querySelectorAll<HTMLAnchorElement>(".missing")].map((link) => [
        link.getAttribute("aria-label"),
        link.href,
        link.textContent,
        link.getBoundingClientRect().height > 30,
        link.dataset.note,
      ]),
    );
    const note = "Picture not available";
    expect(shown).toEqual([
      [`A heron – ${note}`, `${pages.origin}/gone.png`, "", true, note],
      [note, `${pages.origin}/gone-too.png`, "", true, note],
    ]);
    expect(await violations(page)).toEqual([]);
  });

  test("shows title, site and text; links open in a new tab without access to the reader", async () => {
    const page = await open("/harbour");
    await untilShown(page, "opened again on Monday morning");
    expect(await page.locator("h1").textContent()).toBe("The harbour is open");
    expect(await page.locator(".facts").textContent()).toMatch(/^127\.0\.0\.1A\. ReedMar 2, 2026\d+ min$/);
    /** The middle of the first line of the link on the screen, once nothing is above it. */
    const placeOfLink = () =>
      page.evaluate(async () => {
        const frame = document.querySelector("iframe");
        const link = frame?.contentDocument?.querySelector("a");
        link?.scrollIntoView({ block: "center" });
        // The browser finds the target of a click by the frame that it has drawn last.
        for (let drawn = 0; drawn < 2; drawn++) await new Promise(requestAnimationFrame);
        const { x = 0, y = 0, width = 0, height = 0 } = link?.getClientRects()[0] ?? {};
        const { x: left = 0, y: top = 0 } = frame?.getBoundingClientRect() ?? {};
        const place = { x: x + width / 2, y: y + height / 2 };
        const isVisible = document.elementFromPoint(left + place.x, top + place.y) === frame;
        return isVisible && frame?.contentDocument?.elementFromPoint(place.x, place.y) === link
          ? { x: left + place.x, y: top + place.y }
          : undefined;
      });
    // A click misses the link if the text moves at that moment.
    const clickUntilOpened = async () => {
      const place = await placeOfLink();
      // Awaited from before the click: Firefox may open the tab before the click has ended.
      const opened = device.context.waitForEvent("page", { timeout: 5000 });
      if (place) await page.mouse.click(place.x, place.y);
      return opened;
    };
    const tab = await clickUntilOpened().catch(clickUntilOpened).catch(clickUntilOpened);
    await tab.waitForLoadState();
    expect(tab.url()).toBe(`${pages.origin}/storm`);
    expect(await tab.evaluate(() => [window.opener, document.referrer])).toEqual([null, ""]);
  });

  test("whatever the service sends: no script runs, and no other site is asked for anything", async () => {
    const markups = Object.values(maliciousMarkup);
    const requested: string[] = [];
    device = await Device.open(browser, `${service.baseUrl}/app/`, { before: showParameters });
    const { context, page } = device;
    page.on("dialog", (dialog) => device.complaints.push(`dialog: ${dialog.message()}`));
    // A service that cleans nothing: each markup is a page of one article.
    await page.route(`${service.textUrl}/**`, (route) => {
      const place = Number(new URL(route.request().url()).searchParams.get("url")?.split("#")[1] ?? 0);
      const headers = {
        "access-control-allow-origin": "*",
        "access-control-expose-headers": "*",
        status: "200 OK",
        // The last page names the first one as the next.
        "x-next": `https://a.example/#${(place + 1) % markups.length}`,
      };
      return route.fulfill({ headers, contentType: "text/html", body: `<p>Page ${place}.</p>${markups[place]}` });
    });
    context.on("request", (request) => requested.push(request.url()));
    const user = await service.newUser();
    await user.add("https://a.example/#0");
    await device.signIn(user.credentials);
    await page.locator(".row-title").click();
    for (let place = 0; place < markups.length; place++) {
      if (place > 0) await page.getByRole("button", { name: "Load the next page" }).click();
      await untilShown(page, `Page ${place}.`);
    }
    await inFrame(page, (content) => {
      for (const element of content.querySelectorAll<HTMLElement>("*")) {
        for (const type of ["mouseover", "focus", "toggle", "error", "load"]) element.dispatchEvent(new Event(type));
        element.focus?.();
        if (!element.closest("a")) element.click?.();
      }
    });
    // The parser reports violations of the policy, although its document runs and loads nothing anyway.
    const ofParser = /^(Executing inline|Applying inline|Setting the document's base).* has been blocked\.$/;
    device.complaints.splice(0, Infinity, ...device.complaints.filter((complaint) => !ofParser.test(complaint)));
    expect(requested.filter(isForeign)).toEqual([]);
    expect(await page.getByRole("button", { name: "Load the next page" }).count()).toBe(0);
    const schemes = await inFrame(page, (content) =>
      [...content.body.querySelectorAll("[href], [src]")].map(
        (element) => new URL(element.getAttribute("href") ?? element.getAttribute("src") ?? "").protocol,
      ),
    );
    expect(new Set(schemes)).toEqual(new Set(["https:"]));
    const left = await inFrame(page, (content) =>
      [...content.body.querySelectorAll("*")].flatMap(({ localName, attributes }) => [
        localName,
        ...[...attributes].map(({ name }) => `@${name}`),
      ]),
    );
    expect(
      [...new Set(left)].filter((name) =>
        /^(script|style|iframe|form|svg|annotation|maction|mglyph|malignmark|@on|@style|@id)/.test(name),
      ),
    ).toEqual([]);
  });

  test("the frame of an article allows no scripts and forms, and loads nothing but pictures of the page", async () => {
    const page = await open("/harbour");
    await untilShown(page, "opened again");
    expect(await page.locator("iframe").getAttribute("sandbox")).toBe(
      "allow-same-origin allow-popups allow-popups-to-escape-sandbox",
    );
    const policy = () => inFrame(page, (content) => content.querySelector("meta[http-equiv]")?.getAttribute("content"));
    expect(await policy()).toMatch(/^default-src 'none'; img-src blob:; base-uri 'none'/);
    await page.getByRole("button", { name: "Text and colors" }).click();
    await page.getByLabel("Show images").uncheck();
    await expect.poll(policy).toContain("img-src 'none'");
  });

  test("loads the next page of the article on demand", async () => {
    const page = await open("/serial?page=1");
    await untilShown(page, "The first part.");
    expect(await textOf(page)).not.toContain("The second part.");
    await page.getByRole("button", { name: "Load the next page" }).click();
    await untilShown(page, "The second part.");
    expect(await textOf(page)).toContain("The first part.");
    expect(await page.getByRole("button", { name: "Load the next page" }).count()).toBe(0);
  });

  test("says that a page asks for a login, with a link to the original", async () => {
    const page = await open("/members");
    const note = page.locator(".note");
    expect(await note.textContent()).toContain("may require you to sign in");
    expect(await note.getByRole("link").getAttribute("href")).toBe(`${pages.origin}/members`);
  });

  test("offers all text of a page on which no article was found", async () => {
    device = await Device.open(browser, `${service.baseUrl}/app/`, { before: showParameters });
    const { page } = device;
    await page.route(`${service.textUrl}/**`, (route) => {
      const isMore = new URL(route.request().url()).searchParams.get("mode") === "more";
      return route.fulfill({ ...answer, body: isMore ? "<p>Menu, prices and all.</p>" : "" });
    });
    const user = await service.newUser();
    await user.add("https://a.example/");
    await device.signIn(user.credentials);
    await page.locator(".row-title").click();
    expect(await page.locator(".note").textContent()).toContain("No article was found");
    await page.getByRole("button", { name: "Show all text on the page" }).click();
    await untilShown(page, "Menu, prices and all.");
    expect(await page.locator(".note").count()).toBe(0);
  });

  test("shows the notice of a page without text, such as a scanned PDF", async () => {
    device = await Device.open(browser, `${service.baseUrl}/app/`);
    const { page } = device;
    const headers = { ...answer.headers, "x-notice": "The pages of this PDF are images without text." };
    await page.route(/\/v2\/(text|article)$/, (route) => route.fulfill({ ...answer, headers, body: "" }));
    const user = await service.newUser();
    await user.add("https://a.example/scan.pdf");
    await device.signIn(user.credentials);
    await page.locator(".row-title").click();
    await page.locator(".note").getByText("The pages of this PDF are images without text.").waitFor();
  });

  test("says why a text is missing, and tries again", async () => {
    const user = await service.newUser();
    await user.add(urlOf("/harbour"));
    device = await Device.open(browser, `${service.baseUrl}/app/`);
    const { page } = device;
    await page.route(`${service.textUrl}/**`, (route) => route.abort());
    await device.signIn(user.credentials);
    await page.locator(".row-title").click();
    expect(await page.getByRole("alert").textContent()).toContain("You are offline");
    await page.unroute(`${service.textUrl}/**`);
    await page.getByRole("button", { name: "Try again" }).click();
    await untilShown(page, "opened again");
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  test("a text that was empty or missing is read again, and a cached one on demand", async () => {
    let body = "";
    let calls = 0;
    device = await Device.open(browser, `${service.baseUrl}/app/`);
    const { page } = device;
    await page.route(`${service.textUrl}/**`, (route) => {
      calls++;
      return route.fulfill({ ...answer, body });
    });
    const user = await service.newUser();
    await user.add("https://a.example/");
    await device.signIn(user.credentials);
    await expect.poll(() => calls).toBe(1);
    body = "<p>The first text.</p>";
    await page.locator(".row-title").click();
    await untilShown(page, "The first text.");
    await page.keyboard.press("Escape");
    body = "<p>The second text.</p>";
    await page.locator(".row-title").click();
    await untilShown(page, "The first text.");
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name: "Fetch page again" }).click();
    await untilShown(page, "The second text.");
    expect(calls).toBe(3);
  });

  test("an article that the service keeps without a text is read again from its site", async () => {
    device = await Device.open(browser, `${service.baseUrl}/app/`, { before: showParameters });
    const { page } = device;
    let calls = 0;
    await page.route(`${service.textUrl}/**`, (route) => {
      calls++;
      const isRefreshed = new URL(route.request().url()).searchParams.get("refresh") === "1";
      return route.fulfill({ ...answer, body: isRefreshed ? "<p>The new text.</p>" : "" });
    });
    const user = await service.newUser();
    await user.add("https://a.example/");
    await device.signIn(user.credentials);
    await expect.poll(() => calls).toBe(1);
    await device.sync();
    await page.locator(".row-title").click();
    await untilShown(page, "The new text.");
  });

  test("an article that was kept after this device could not read its page is shown without asking the site", async () => {
    device = await Device.open(browser, `${service.baseUrl}/app/`, { before: showParameters });
    const { page } = device;
    let isKept = false;
    let refusals = 0;
    const refreshed: string[] = [];
    await page.route(`${service.textUrl}/**`, (route) => {
      const { searchParams } = new URL(route.request().url());
      if (searchParams.get("refresh")) refreshed.push(route.request().url());
      const refusal = { status: 400, headers: { ...answer.headers, "x-error-code": "page_refused" } };
      if (isKept) return route.fulfill({ ...answer, body: "<p>As the extension saw it.</p>" });
      refusals++;
      return route.fulfill({ ...answer, ...refusal });
    });
    const user = await service.newUser();
    await user.add("https://a.example/");
    await device.signIn(user.credentials);
    await expect.poll(() => refusals).toBe(1);
    await device.sync();
    isKept = true;
    await page.locator(".row-title").click();
    await untilShown(page, "As the extension saw it.");
    expect(refreshed).toEqual([]);
  });

  test("all cached texts are read again on demand; a text that cannot be read now stays", async () => {
    let body = "<p>The first text.</p>";
    let calls = 0;
    device = await Device.open(browser, `${service.baseUrl}/app/`);
    const { page } = device;
    await page.route(`${service.textUrl}/**`, (route) => {
      calls++;
      return route.fulfill({ ...answer, body });
    });
    const user = await service.newUser();
    await user.add("https://a.example/");
    await device.signIn(user.credentials);
    const minutes = page.locator(".row-facts").getByText(/^\d+ min$/);
    await minutes.waitFor();
    for (const [served, shown] of [
      ["<p>The second text.</p>", "The second text."],
      ["", "The second text."],
    ] as const) {
      body = served;
      const before = calls;
      await device.openSettings("Import and export");
      await page.getByRole("button", { name: "Refresh stored articles" }).click();
      await expect.poll(() => calls).toBe(before + 1);
      await device.backToList();
      await device.sync();
      await page.locator(".row-title").click();
      await untilShown(page, shown);
      await page.keyboard.press("Escape");
      await minutes.waitFor();
    }
    expect(calls).toBe(3);
  });

  test("reading a page again without a connection says so above the text, which stays", async () => {
    const page = await open("/serial?page=1");
    await untilShown(page, "The first part.");
    await page.route(`${service.textUrl}/**`, (route) => route.abort());
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name: "Fetch page again" }).click();
    await page.getByRole("alert").getByText("This is the text stored on this device").waitFor();
    expect(await textOf(page)).toContain("The first part.");
    await page.unroute(`${service.textUrl}/**`);
    await page.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => page.getByRole("alert").count()).toBe(0);
    await page.getByRole("button", { name: "Load the next page" }).waitFor();
    expect(await textOf(page)).not.toContain("The second part.");
  });

  /** Speech instead of the browser's, which a headless one does not have. */
  const silentSpeech = () => {
    const speech = Object.assign(new EventTarget(), {
      spoken: [] as SpeechSynthesisUtterance[],
      speak: (part: SpeechSynthesisUtterance) => speech.spoken.push(part),
      cancel: () => speech.spoken.splice(0),
      getVoices: () =>
        ["One", "Two"].map((name) => ({ name, voiceURI: name, lang: "en-GB" })) as unknown as SpeechSynthesisVoice[],
    });
    Object.defineProperty(window, "speechSynthesis", { value: speech });
    const Utterance = class {
      text: string;
      constructor(text: string) {
        this.text = text;
      }
    };
    Object.defineProperty(window, "SpeechSynthesisUtterance", { value: Utterance });
  };
  type Spoken = { spoken: (SpeechSynthesisUtterance & { onend(): void })[] };
  const spoken = (page: Page) =>
    page.evaluate(() => {
      const [part] = (speechSynthesis as unknown as Spoken).spoken;
      return part && { text: part.text, rate: part.rate, voice: part.voice?.name };
    });
  const endPart = (page: Page) => page.evaluate(() => (speechSynthesis as unknown as Spoken).spoken[0]?.onend());
  const listen = async (page: Page) => {
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name: "Listen", exact: true }).click();
  };

  test("reads an article aloud in short parts after its title: pause, paragraphs, speed, voice, stop", async () => {
    const page = await open("/harbour", { before: silentSpeech });
    await untilShown(page, "opened again");
    await listen(page);
    await expect.poll(() => spoken(page)).toEqual({ text: "The harbour is open", rate: 1 });
    await endPart(page);
    await expect.poll(async () => (await spoken(page))?.text).toMatch(/opened again on Monday/);
    const first = (await spoken(page))?.text ?? "";
    expect(first.length).toBeLessThan(500);
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Pause" }).click();
    await expect.poll(() => spoken(page)).toBeUndefined();
    await page.getByRole("button", { name: "Play" }).click();
    await expect.poll(async () => (await spoken(page))?.text).toBe(first);
    await page.getByLabel("Speed").selectOption("1.5×");
    await page.getByLabel("Voice").selectOption("Two");
    await expect.poll(() => spoken(page)).toEqual({ text: first, rate: 1.5, voice: "Two" });
    await page.getByRole("button", { name: "Next paragraph" }).click();
    await expect.poll(async () => (await spoken(page))?.text).not.toBe(first);
    await page.getByRole("button", { name: "Previous paragraph" }).click();
    await expect.poll(async () => (await spoken(page))?.text).toBe(first);
    await page.getByRole("button", { name: "Stop listening" }).click();
    await expect.poll(() => spoken(page)).toBeUndefined();
    expect(await page.locator(".listen-bar").count()).toBe(0);
  });

  test("continues with the next article, and starts at the paragraph on the screen", async () => {
    const user = await service.newUser();
    for (const path of ["/quay", "/harbour"]) await user.add(urlOf(path));
    device = await Device.signedIn(browser, `${service.baseUrl}/app/`, user, { before: silentSpeech });
    const { page } = device;
    await page.locator(".row-title").first().click();
    await untilShown(page, "opened again");
    await page.evaluate(() => scrollTo(0, 500));
    await listen(page);
    await expect.poll(async () => (await spoken(page))?.text).not.toMatch(/^The harbour is open$/);
    const readOn = () =>
      page.evaluate(() => {
        if (!location.hash.includes("quay")) (speechSynthesis as unknown as Spoken).spoken[0]?.onend();
        return location.hash;
      });
    await expect.poll(readOn).toContain("quay");
    await expect.poll(async () => (await spoken(page))?.text).toBe("The quay");
  });

  test("is saved as a book and as Markdown", async () => {
    const page = await open("/harbour");
    await untilShown(page, "opened again");
    const save = (name: string) => async () => {
      await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("button", { name }).click();
    };
    const markdown = await downloadOf(page, save("Download as Markdown"));
    expect(markdown.name).toBe("The harbour is open.md");
    expect(markdown.text).toMatch(/^# The harbour is open\n\n<http.*>\n\n[^<]*opened again/);
    const book = await downloadOf(page, save("Download as EPUB"));
    expect(book.name).toBe("The harbour is open.epub");
    expect(book.text).toMatch(/^PK.*mimetypeapplication\/epub\+zip/s);
  });

  test("is set in a typeface that the reader brings, also without a connection later", async () => {
    const user = await service.newUser();
    await user.add(urlOf("/harbour"));
    device = await Device.signedIn(browser, `${connection.origin}/app/`, user);
    const { page } = device;
    await device.untilInstalled();
    await page.locator(".row-title").click();
    await untilShown(page, "opened again");
    const faces = () =>
      inFrame(page, (content) => [...content.fonts].map(({ family, status }) => [family.replaceAll('"', ""), status]));
    expect(await faces()).toEqual([]);
    await page.getByRole("button", { name: "Text and colors" }).click();
    await page.getByLabel("Font").selectOption("Vollkorn");
    // Only with Latin letters, because the text has no others.
    const loaded = Array.from({ length: 2 }, () => ["Vollkorn", "loaded"]);
    await expect.poll(faces).toEqual(loaded);
    const family = () => inFrame(page, (content) => getComputedStyle(content.body).fontFamily);
    expect(await family()).toMatch(/^"?Vollkorn/);
    await disconnect(page);
    await page.reload();
    await untilShown(page, "opened again");
    await expect.poll(faces).toEqual(loaded);
  });

  test("is mailed to an e-reader, whose owner has confirmed the address by a code", async () => {
    const mail = await startMailServer();
    const port = String(await findFreePort());
    const own = await startTestService({
      PORT: port,
      BASE_URL: `http://localhost:${port}`,
      TEXT_ALLOWED_ORIGINS: pages.origin,
      SMTP_URL: mail.url,
      MAIL_FROM: "list@example.com",
    });
    const user = await own.newUser();
    await user.add(urlOf("/harbour"));
    device = await Device.signedIn(browser, `http://localhost:${port}/app/`, user);
    const { page } = device;
    await page.locator(".row-title").click();
    await untilShown(page, "opened again");
    const begin = async () => {
      await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("button", { name: "Send to an e-reader…" }).click();
    };
    await begin();
    await page.getByLabel("E-mail address").fill("unknown@example.com");
    await page.getByRole("button", { name: "Send code" }).click();
    await page.getByText("the mail server rejected the address").waitFor();
    // A new field: in Firefox `fill` adds to the value of one for an e-mail address.
    await page.keyboard.press("Escape");
    await begin();
    await page.getByLabel("E-mail address").fill("ann@example.com");
    await page.getByRole("button", { name: "Send code" }).click();
    await page.getByText("A code was sent to ann@example.com.").waitFor();
    await page.getByLabel("Code").fill(codeIn(mail.mails[0]));
    expect(await violations(page)).toEqual([]);
    expect(await unreachable(page)).toEqual([]);
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.getByRole("button", { name: "Send to ann@example.com" }).click();
    await page.getByText("Sent to ann@example.com").waitFor();
    expect(mail.mails[1]?.content).toContain("application/epub+zip");
    // The device knows the address from now on, until it is removed.
    await page.reload();
    await untilShown(page, "opened again");
    await begin();
    await page.getByRole("button", { name: "Remove ann@example.com" }).click();
    await page.getByRole("button", { name: "Send to ann@example.com" }).waitFor({ state: "detached" });
    expect(await violations(page)).toEqual([]);
  });

  test("shares an article and copies its link", async () => {
    const before = () => {
      const done: unknown[] = [];
      Object.assign(window, { done });
      Object.defineProperty(navigator, "share", { value: async (data: unknown) => done.push(data) });
      Object.defineProperty(navigator, "clipboard", { value: { writeText: async (link: string) => done.push(link) } });
    };
    const page = await open("/harbour", { before });
    await untilShown(page, "opened again");
    for (const name of ["Share…", "Copy link"]) {
      await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("button", { name }).click();
    }
    await page.getByText("Link copied").waitFor();
    const url = urlOf("/harbour");
    expect(await page.evaluate(() => (window as unknown as { done: unknown[] }).done)).toEqual([
      { url, title: "The harbour is open" },
      url,
    ]);
  });

  test("the theme for e-ink is black on white, and turns screens without losing a line", async () => {
    const page = await open("/long");
    await untilShown(page, "Block 20");
    await page.getByRole("button", { name: "Text and colors" }).click();
    await page.getByText("E-ink", { exact: true }).click();
    await page.keyboard.press("Escape");
    const look = () =>
      inFrame(page, (content) => {
        const { color, backgroundColor } = getComputedStyle(content.body);
        return [color, backgroundColor];
      });
    await expect.poll(look).toEqual(["rgb(0, 0, 0)", "rgb(255, 255, 255)"]);
    /** Pixels of the page between the bars above and below. */
    const seen = () =>
      page.evaluate(() => {
        const edge = (selector: string) => document.querySelector(selector)?.getBoundingClientRect();
        return [scrollY + (edge("nav.top")?.bottom ?? 0), scrollY + (edge(".screens")?.top ?? 0)] as const;
      });
    await page.evaluate(() => scrollTo(0, 500));
    const [, end] = await seen();
    await page.getByRole("button", { name: "Next screen" }).click();
    const [start] = await seen();
    expect(end - start).toBeGreaterThan(20);
    expect(end - start).toBeLessThan(60);
    await page.getByRole("button", { name: "Previous screen" }).click();
    expect(await page.evaluate(() => scrollY)).toBe(500);
  });

  test("a page that is gone is readable on another device, where it was never cached", async () => {
    const user = await service.newUser();
    site["/fleeting"] = site["/harbour"] ?? "";
    await user.add(urlOf("/fleeting"));
    const first = await Device.signedIn(browser, `${service.baseUrl}/app/`, user);
    await first.page.locator(".row-title").click();
    await untilShown(first.page, "opened again");
    await first.close();
    delete site["/fleeting"];
    device = await Device.signedIn(browser, `${service.baseUrl}/app/`, user);
    await device.page.locator(".row-title").click();
    await untilShown(device.page, "opened again");
  });

  test.each([
    ["a service without kept articles", { status: 404, body: "" }],
    [
      "a full quota",
      {
        status: 400,
        headers: {
          ...answer.headers,
          status: "400 Bad Request",
          "x-error-code": "quota_full",
          "x-error": "article: the quota of 1,000 MB of saved copies is used up",
        },
      },
    ],
    [
      "a page that the service does not have yet",
      {
        status: 400,
        headers: {
          ...answer.headers,
          status: "400 Bad Request",
          "x-error-code": "not_in_list",
          "x-error": "article: url is not in the list; add it first",
        },
      },
    ],
  ])("shows the text of the page with %s", async (_, refusal) => {
    device = await Device.open(browser, `${service.baseUrl}/app/`);
    const { page } = device;
    await page.route("**/v2/article", (route) => route.fulfill({ headers: answer.headers, ...refusal }));
    const user = await service.newUser();
    await user.add(urlOf("/harbour"));
    await device.signIn(user.credentials);
    await page.locator(".row-title").click();
    await untilShown(page, "opened again");
  });

  test("a password that the service refuses is not sent again for each article", async () => {
    const user = await service.newUser();
    for (const path of ["/harbour", "/notes", "/long"]) await user.add(urlOf(path));
    device = await Device.open(browser, `${service.baseUrl}/app/`);
    const { page } = device;
    let calls = 0;
    await page.route("**/v2/article", (route) => {
      calls++;
      return route.fulfill({
        status: 401,
        headers: { ...answer.headers, status: "401 Unauthorized", "x-error": "no" },
      });
    });
    await device.signIn(user.credentials);
    await device.shows("A long text", "On notes", "The harbour is open");
    await page.locator(".row-title").first().click();
    await untilShown(page, "Block 0");
    await page.keyboard.press("j");
    await untilShown(page, "The second note.");
    expect(calls).toBe(1);
  });

  test("gives a page that was added only by its address the title of its text, on all devices", async () => {
    const user = await service.newUser();
    await user.add(urlOf("/harbour"));
    device = await Device.signedIn(browser, `${service.baseUrl}/app/`, user);
    await device.shows("The harbour is open");
    const titles = async () => Object.values((await user.ok("get")).json().list).map(({ title }) => title);
    await expect.poll(titles).toEqual(["The harbour is open"]);
  });

  test("a link to a part of the article jumps there; a footnote is shown in place", async () => {
    device = await Device.open(browser, `${service.baseUrl}/app/`);
    const { page } = device;
    const note = `<p id="text-fn1">The first note. <a href="https://b.example/">Source</a> <a href="#text-up">↩</a></p>`;
    const body = `<p id="text-up">As we know.<a href="#text-fn1">1</a> <a href="#text-fn1">See below</a></p>${blocks}${note}`;
    await page.route(`${service.textUrl}/**`, (route) => route.fulfill({ ...answer, body }));
    const user = await service.newUser();
    await user.add("https://a.example/");
    await device.signIn(user.credentials);
    await page.locator(".row-title").click();
    await untilShown(page, "The first note.");
    const click = (name: string) => page.frameLocator("iframe").getByRole("link", { name, exact: true }).click();
    await click("1");
    const shown = page.getByRole("dialog", { name: "Footnote" });
    await shown.getByText("The first note.").waitFor();
    expect(await page.evaluate(() => scrollY)).toBe(0);
    expect(await shown.getByRole("link").allTextContents()).toEqual(["Source"]);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await shown.waitFor({ state: "detached" });
    await click("See below");
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(1000);
    // The link back is not a footnote.
    await click("↩");
    await expect.poll(() => page.evaluate(() => scrollY)).toBeLessThan(500);
    expect(device.context.pages()).toHaveLength(1);
  });

  test("says in its own words why a file or a missing page has no text, and where a copy may be", async () => {
    const page = await open("/file.zip");
    const note = page.getByRole("alert");
    await note.getByText("This link leads to a file").waitFor();
    const copy = note.getByRole("link", { name: "archive.org" });
    expect(await copy.getAttribute("href")).toBe(`https://web.archive.org/web/${urlOf("/file.zip")}`);
  });

  test("an archived article that was read, and its pictures, are there without a connection", async () => {
    const page = await open("/harbour");
    await untilShown(page, "opened again");
    await device.untilInstalled();
    await expect.poll(() => cachedPictures(page)).toBe(2);
    await page.keyboard.press("e");
    await device.sync();
    await disconnect(page);
    await page.reload();
    await device.show("Archive");
    await page.locator(".row-title").click();
    await untilShown(page, "opened again");
    await expect.poll(() => widthOfPicture(page)).toBe(640);
  });

  test("three articles are read with their pictures, and no other site is asked for anything", async () => {
    const user = await service.newUser();
    for (const path of ["/harbour", "/quay", "/ferry"]) await user.add(urlOf(path));
    device = await Device.open(browser, `${connection.origin}/app/`);
    const { page } = device;
    const requested: string[] = [];
    device.context.on("request", (request) => requested.push(request.url()));
    await device.signIn(user.credentials);
    for (const title of ["The ferry", "The quay", "The harbour is open"]) {
      await device.row(title).locator(".row-title").click();
      await untilShown(page, "opened again");
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
      await expect.poll(() => widthOfPicture(page)).toBe(640);
      await page.keyboard.press("Escape");
      // The picture that the page declares.
      await expect
        .poll(() =>
          device
            .row(title)
            .locator(".thumbnail img")
            .evaluate((shown) => (shown as HTMLImageElement).naturalWidth),
        )
        .toBe(320);
    }
    expect(requested.filter(isForeign)).toEqual([]);
    expect(requested.some((url) => url.startsWith(service.textUrl) && url.includes("/v2/picture?"))).toBe(true);
  });

  test("a diagram in the markup of a page is a picture with its name", async () => {
    const user = await service.newUser();
    await user.add(urlOf("/drawn"));
    device = await Device.signedIn(browser, `${connection.origin}/app/`, user);
    const { page } = device;
    await device.row("Drawn").locator(".row-title").click();
    await untilShown(page, "opened again");
    const diagram = page.frameLocator("iframe.article-frame").getByRole("img", { name: "Ships in the harbour" });
    await diagram.scrollIntoViewIfNeeded();
    // Twice its size, for dense screens.
    await expect.poll(() => diagram.evaluate((shown) => (shown as HTMLImageElement).naturalWidth)).toBe(600);
  });

  test("with pictures off, none is loaded", async () => {
    const user = await service.newUser();
    await user.add(urlOf("/harbour"));
    device = await Device.open(browser, `${connection.origin}/app/`);
    const { page } = device;
    // Firefox reports requests that a reload interrupts.
    await page.getByLabel("Username").waitFor();
    await device.untilInstalled();
    await page.evaluate(() => localStorage.setItem("reading-list.settings", JSON.stringify({ images: false })));
    await page.reload();
    const requested: string[] = [];
    device.context.on("request", (request) => requested.push(request.url()));
    await device.signIn(user.credentials);
    await device.row("The harbour is open").getByText("1 min").waitFor();
    await page.locator(".row-title").click();
    await untilShown(page, "opened again");
    await page.keyboard.press("Escape");
    await device.sync();
    expect(requested.filter((url) => isForeign(url) || url.includes("/v2/picture"))).toEqual([]);
    expect(await cachedPictures(page)).toBe(0);
  });

  test("a text that an earlier version has stored is shown without its pictures, until it is read again", async () => {
    const page = await open("/harbour");
    await untilShown(page, "opened again");
    await expect.poll(() => cachedPictures(page)).toBe(2);
    await page.keyboard.press("Escape");
    await device.row("The harbour is open").getByText("1 min").waitFor();
    // First: after a sync the reader would read such a text again.
    connection.cut();
    await page.route(`${service.textUrl}/**`, (route) => route.abort());
    await page.evaluate(async (site) => {
      const { name = "" } = (await indexedDB.databases()).find(({ name }) => name?.startsWith("texts-of-")) ?? {};
      const opening = indexedDB.open(name);
      await new Promise((resolve) => {
        opening.onsuccess = resolve;
      });
      const texts = opening.result.transaction("texts", "readwrite").objectStore("texts");
      const reading = texts.getAll();
      await new Promise((resolve) => {
        reading.onsuccess = resolve;
      });
      const [{ picturesUntil: _, ...text }] = reading.result;
      const html = text.html.replace(/ src="[^"]*"/, ` src="${site}/boats.png"`);
      texts.put({ ...text, html, imageUrl: `${site}/boats.png` });
      await new Promise((resolve) => {
        texts.transaction.oncomplete = resolve;
      });
      opening.result.close();
    }, pages.origin);
    const requested: string[] = [];
    device.context.on("request", (request) => requested.push(request.url()));
    await page.locator(".row-title").click();
    await untilShown(page, "Boats leave");
    expect(await widthOfPicture(page)).toBeUndefined();
    await page.keyboard.press("Escape");
    connection.restore();
    await page.unroute(`${service.textUrl}/**`);
    // An earlier version has stored it before the start, which is when the facts of texts are read.
    await page.reload();
    await device.sync();
    await device.row("The harbour is open").locator(".thumbnail img").waitFor();
    await page.locator(".row-title").click();
    await expect.poll(() => widthOfPicture(page)).toBe(640);
    expect(requested.filter(isForeign)).toEqual([]);
  });

  test("follows the font size of the browser", async () => {
    const large = await launchBrowser({ fontSize: 32 });
    const user = await service.newUser();
    await user.add(urlOf("/harbour"));
    device = await Device.signedIn(large, `${service.baseUrl}/app/`, user);
    await device.page.locator(".row-title").click();
    await untilShown(device.page, "opened again");
    expect(await inFrame(device.page, (content) => getComputedStyle(content.body).fontSize)).toBe("38px");
  });

  test("leads to the next and the previous article, and archives on the way", async () => {
    const user = await service.newUser();
    for (const path of ["/long", "/harbour", "/notes"]) await user.add(urlOf(path));
    device = await Device.signedIn(browser, `${service.baseUrl}/app/`, user);
    const { page } = device;
    await device.shows("On notes", "The harbour is open", "A long text");
    const arrive = async (title: string, words: string) => {
      await page.getByRole("heading", { name: title, level: 1 }).waitFor();
      await untilShown(page, words);
    };
    await page.locator(".row-title").first().click();
    await arrive("On notes", "The second note");
    await page.keyboard.press("j");
    await arrive("The harbour is open", "opened again");
    await page.keyboard.press("k");
    await arrive("On notes", "The second note");
    await page.keyboard.press("E");
    await arrive("The harbour is open", "opened again");
    await page.keyboard.press("Escape");
    await device.shows("The harbour is open", "A long text");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("The harbour is open");
  });

  test("two keys that close an article do not leave the reader", async () => {
    const page = await open("/harbour");
    await untilShown(page, "opened again");
    await page.evaluate(() => {
      for (let i = 0; i < 3; i++) dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
    });
    await page.locator("main.list").waitFor();
    await page.keyboard.press("a");
    await page.getByRole("dialog").waitFor();
  });

  test("a link to an article that is not in the list says so, and offers to add the page", async () => {
    const user = await service.newUser();
    device = await Device.signedIn(browser, `${service.baseUrl}/app/`, user);
    const { page } = device;
    await page.getByText("Nothing to read").waitFor();
    await page.goto(`${service.baseUrl}/app/#unread?article=${encodeURIComponent(urlOf("/harbour"))}`);
    await page.getByText("This page is not in your list").waitFor();
    await page.getByRole("button", { name: "Add a page" }).click();
    await untilShown(page, "opened again");
  });

  test("shows a cached text without a connection, with its style", async () => {
    const user = await service.newUser();
    await user.add(urlOf("/harbour"));
    device = await Device.signedIn(browser, `${connection.origin}/app/`, user);
    const { page } = device;
    // The list shows the reading time of texts in the cache.
    await page
      .locator(".row-facts")
      .getByText(/^\d+ min$/)
      .waitFor();
    await device.untilInstalled();
    await disconnect(page);
    await page.reload();
    await page.locator(".row-title").click();
    await untilShown(page, "opened again");
    expect(await inFrame(page, (content) => getComputedStyle(content.body).fontSize)).toBe("19px");
  });

  test("keeps how articles look: size, typeface, width, theme, images", async () => {
    const page = await open("/harbour");
    await untilShown(page, "opened again");
    const look = async () => ({
      ...(await inFrame(page, (content) => {
        const { fontSize, fontFamily, backgroundColor } = getComputedStyle(content.body);
        return { fontSize, fontFamily, backgroundColor, images: content.images.length };
      })),
      width: (await page.locator(".column").boundingBox())?.width,
    });
    const before = await look();
    expect(before).toMatchObject({ fontSize: "19px", fontFamily: expect.stringMatching(/serif$/), images: 1 });
    await page.getByRole("button", { name: "Text and colors" }).click();
    await page.getByRole("button", { name: "Make text larger" }).click();
    await page.getByLabel("Font").selectOption("Sans-serif");
    await page.getByText("Sepia", { exact: true }).click();
    await page.getByLabel("Width").fill("24");
    await page.getByLabel("Show images").uncheck();
    await expect.poll(look).toMatchObject({ fontSize: "20px", backgroundColor: "rgb(245, 237, 219)", images: 0 });
    const after = await look();
    expect(after.fontFamily).toMatch(/sans-serif$/);
    expect(after.width).toBeLessThan(before.width ?? 0);
    await page.reload();
    await expect.poll(look).toEqual(after);
  });

  test("the edges of the text can be dragged", async () => {
    const page = await open("/harbour");
    await untilShown(page, "opened again");
    const width = async () => (await page.locator(".column").boundingBox())?.width ?? 0;
    const before = await width();
    const drag = async (side: string, by: number) => {
      const edge = await page.locator(`.margin.${side}`).boundingBox();
      if (!edge) throw new Error("there is no edge");
      const x = edge.x + edge.width / 2;
      await page.mouse.move(x, 300);
      await page.mouse.down();
      await page.mouse.move(x + by / 2, 310);
      await page.mouse.move(x + by, 320);
      await page.mouse.up();
    };
    await drag("right", -100);
    await expect.poll(width).toBeLessThan(before - 150);
    await drag("left", -100);
    await expect.poll(width).toBeGreaterThan(before - 40);
    const { x = 0 } = (await page.locator(".margin.left").boundingBox()) ?? {};
    await drag("left", 10 - x);
    const wide = await width();
    expect(wide).toBeGreaterThan(before + 100);
    await page.reload();
    await untilShown(page, "opened again");
    expect(await width()).toBe(wide);
  });

  /** The paragraph at the top of the screen, below the bar. */
  const topBlock = (page: Page) =>
    page.evaluate(() => {
      const frame = document.querySelector("iframe");
      const top = frame?.getBoundingClientRect().top ?? 0;
      const blocks = [...(frame?.contentDocument?.querySelectorAll("p") ?? [])];
      return blocks.find((block) => top + block.getBoundingClientRect().bottom > 65)?.textContent?.slice(0, 9) ?? "";
    });

  test("opens an article where reading stopped, even with another text size", async () => {
    const page = await open("/long");
    await untilShown(page, "Block 20");
    await page.evaluate(() => {
      const frame = document.querySelector("iframe");
      const block = frame?.contentDocument?.querySelectorAll("p")[20];
      scrollBy(0, (frame?.getBoundingClientRect().top ?? 0) + (block?.getBoundingClientRect().top ?? 0) - 60);
    });
    await expect.poll(() => topBlock(page)).toBe("Block 20 ");
    const stored = () => page.evaluate(() => localStorage.getItem("reading-list.state.positions"));
    await expect.poll(stored).toContain("/long");
    for (let step = 0; step < 6; step++) await page.keyboard.press("+");
    await expect.poll(() => inFrame(page, (content) => getComputedStyle(content.body).fontSize)).toBe("25px");
    await expect.poll(() => topBlock(page)).toBe("Block 20 ");
    await page.keyboard.press("Escape");
    await page.locator(".row-title").click();
    await expect.poll(() => topBlock(page)).toBe("Block 20 ");
    await page.reload();
    await expect.poll(() => topBlock(page)).toBe("Block 20 ");
  });

  test("keys work while the article has the focus", async () => {
    const page = await open("/harbour");
    await untilShown(page, "opened again");
    const { x = 0, y = 0 } = (await page.locator("iframe").boundingBox()) ?? {};
    await page.mouse.click(x + 20, y + 20);
    expect(await page.evaluate(() => document.activeElement?.localName)).toBe("iframe");
    await page.keyboard.press("e");
    await page.locator("main.list").waitFor();
    await device.show("Archive");
    await expect.poll(() => device.titles()).toHaveLength(1);
  });

  // The styles of print cannot be computed in Firefox, which prints a copy of the document.
  test.skipIf(isFirefox)("prints only the article, black on white, whatever the theme", async () => {
    const page = await open("/harbour", { colorScheme: "dark" });
    await untilShown(page, "opened again");
    await page.evaluate(() =>
      addEventListener("beforeprint", () => {
        const copy = document.querySelector<HTMLElement>(".printed");
        const isShown = (selector: string) => document.querySelector(selector)?.checkVisibility() ?? false;
        Object.assign(window, {
          printed: {
            text: copy?.innerText,
            color: copy && getComputedStyle(copy).color,
            shown: ["h1", ".printed", "nav", "iframe", "footer"].filter(isShown),
          },
        });
      }),
    );
    await page.emulateMedia({ media: "print" });
    expect((await page.pdf()).subarray(0, 5).toString()).toBe("%PDF-");
    expect(await page.evaluate(() => (window as unknown as { printed: object }).printed)).toEqual({
      text: expect.stringContaining("opened again on Monday morning"),
      color: "rgb(0, 0, 0)",
      shown: ["h1", ".printed"],
    });
    await expect.poll(() => page.locator(".printed").textContent()).toBe("");
  });

  test("a text with several headings has a table of contents, which leads to them", async () => {
    const page = await open("/chapters", { viewport: { width: 320, height: 640 } });
    await untilShown(page, "opened again");
    const button = page.getByRole("button", { name: "Contents" });
    await button.click();
    const contents = page.getByRole("navigation", { name: "Contents" });
    expect(await contents.getByRole("button").allTextContents()).toEqual(
      ["Harbour", "Quay", "Ferry", "Storm"].map((name) => `The ${name}`),
    );
    expect(await unreachable(page)).toEqual([]);
    expect(await violations(page)).toEqual([]);
    await contents.getByRole("button", { name: "The Ferry" }).click();
    await contents.waitFor({ state: "hidden" });
    const place = () =>
      inFrame(page, (content) => {
        const { activeElement, defaultView } = content;
        const top = defaultView?.frameElement?.getBoundingClientRect().top ?? 0;
        return [activeElement?.textContent, Math.round(top + (activeElement?.getBoundingClientRect().top ?? 0))];
      });
    await expect.poll(place).toEqual(["The Ferry", 80]);
    // Browsers report a scroll in the next frame.
    await page.evaluate(() => new Promise(requestAnimationFrame));
    // Keys continue from there.
    await page.keyboard.press("Escape");
    await page.locator("main.list").waitFor();
    await page.locator(".row-title").click();
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(0);
  });

  test("a click on a picture shows it as large as the screen", async () => {
    const page = await open("/harbour", { viewport: { width: 700, height: 500 } });
    await untilShown(page, "opened again");
    const inArticle = page.frameLocator("iframe.article-frame").getByAltText("Boats");
    // A picture is loaded when it comes near the screen.
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await expect.poll(() => widthOfPicture(page)).toBe(640);
    await inArticle.click();
    const large = page.getByRole("dialog", { name: "Boats" });
    const picture = await large.getByRole("img").boundingBox();
    // Beside the scroll bar, where the browser has one.
    const screen = await page.evaluate(() => [document.documentElement.clientWidth, innerHeight]);
    expect([picture?.width, picture?.height]).toEqual(screen);
    expect(await large.getByRole("img").evaluate((img) => (img as HTMLImageElement).naturalWidth)).toBe(640);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await large.waitFor({ state: "detached" });
    await inArticle.click();
    await large.getByRole("button", { name: "Close" }).click();
    await large.waitFor({ state: "detached" });
    expect(await page.locator("main.reading").count()).toBe(1);
  });

  test("a picture that is clicked before it is loaded is shown once it is; one that failed is loaded again by a click", async () => {
    const user = await service.newUser();
    await user.add(urlOf("/harbour"));
    device = await Device.open(browser, `${connection.origin}/app/`, { before: holdPictures });
    const { page } = device;
    // Before the device stores the picture.
    await device.signIn(user.credentials);
    await page.locator(".row-title").click();
    await untilShown(page, "opened again");
    const inArticle = page.frameLocator("iframe.article-frame");
    await inArticle.getByAltText("Boats").click();
    const large = page.getByRole("dialog", { name: "Boats" });
    await large.getByText("Loading the picture…").waitFor();
    await page.evaluate("losePictures()");
    await large.waitFor({ state: "detached" });
    const again = inArticle.getByRole("button", { name: "Boats – Picture not loaded. Try again" });
    await again.waitFor();
    expect(await violations(page)).toEqual([]);
    await page.evaluate("holdPictures()");
    await again.click();
    await inArticle.getByAltText("Boats").click();
    await large.getByText("Loading the picture…").waitFor();
    await page.evaluate("servePictures()");
    await large.getByRole("img").waitFor();
    expect(await widthOfPicture(page)).toBe(640);
  });

  test("a short text has no table of contents", async () => {
    const page = await open("/harbour");
    await untilShown(page, "opened again");
    expect(await page.getByRole("button", { name: "Contents" }).count()).toBe(0);
  });

  test("sets a right-to-left text from right to left, even if the page does not say so", async () => {
    const page = await open("/arabic");
    await untilShown(page, "الصيادون");
    expect(await inFrame(page, (content) => getComputedStyle(content.querySelector("p") as Element).direction)).toBe(
      "rtl",
    );
    expect(await page.locator("h1").evaluate((heading) => getComputedStyle(heading).direction)).toBe("rtl");
  });

  test.each(["Light", "Sepia", "Dark"])(
    "axe finds nothing serious in an article and its settings: %s",
    async (theme) => {
      const page = await open("/harbour");
      await untilShown(page, "opened again");
      await page.getByRole("button", { name: "Text and colors" }).click();
      await page.getByText(theme, { exact: true }).click();
      // Where axe can look: the same elements, with the same styles.
      await page.evaluate(() => {
        const content = document.querySelector("iframe")?.contentDocument?.body;
        const copy = document.createElement("div");
        copy.className = "article";
        if (content) copy.append(...document.importNode(content, true).childNodes);
        document.querySelector(".column")?.append(copy);
      });
      expect(await page.locator(".article table").count()).toBe(1);
      expect(await violations(page)).toEqual([]);
    },
  );
});
