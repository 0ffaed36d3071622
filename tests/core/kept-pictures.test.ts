// SPDX-License-Identifier: MIT

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import path from "node:path";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import { keepPictures } from "@reading-list/core/use-cases/articles/keep-pictures.ts";
import { Database } from "@reading-list/store-sqlite/database.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { keptSourcesIn } from "@reading-list/testing/kept-sources.ts";
import { KoboDevice } from "@reading-list/testing/kobo-device.ts";
import { type PageServer, prose, startPageServer } from "@reading-list/testing/page-server.ts";
import { bomb } from "@reading-list/testing/picture-bomb.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { unzipSync } from "fflate";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";

type Served = { type: string; body: string | Buffer } | ((response: ServerResponse) => void);

/** Answers of the page server by path; 404 without one. */
const answers = new Map<string, Served>();
const asked: { path: string; referer: string | undefined }[] = [];
let pages: PageServer;
let service: TestService;
let user: TestUser;
let number = 0;

beforeAll(async () => {
  pages = await startPageServer((request, response) => {
    asked.push({ path: request.url ?? "", referer: request.headers.referer });
    const answer = answers.get(request.url?.split("?")[0] ?? "");
    if (typeof answer === "function") answer(response);
    else if (answer) response.writeHead(200, { "content-type": answer.type }).end(answer.body);
    else response.writeHead(404).end();
  });
  service = await startTestService({ TEXT_ALLOWED_ORIGINS: pages.origin, PICTURE_QUOTA_MB: "1" });
});
afterAll(() => pages.stop());
beforeEach(async () => {
  answers.clear();
  asked.length = 0;
  user = await service.newUser();
});

const colour = { r: 200, g: 0, b: 0 };
const plain = (width: number, height: number, background = colour) =>
  sharp({ create: { width, height, channels: 3, background } });
const noises = new Map<number, Promise<Buffer>>();
/** A picture that hardly becomes smaller: some 100 KB as WebP. */
function noise(seed: number): Promise<Buffer> {
  const made = noises.get(seed) ?? makeNoise(seed);
  noises.set(seed, made);
  return made;
}
const makeNoise = (seed: number) =>
  sharp({
    create: {
      width: 500,
      height: 400,
      channels: 3,
      background: colour,
      noise: { type: "gaussian", mean: 100 + seed, sigma: 60 },
    },
  })
    .png({ compressionLevel: 0 })
    .toBuffer();

const drawing = (parts: string, size = 'width="99" height="99"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${parts}</svg>`;
/** A square drawn 10 to the power of 20 times. */
const references = `<g id="g0"><path d="M0 0h9v9z"/></g>${Array.from(
  { length: 20 },
  (_, level) => `<g id="g${level + 1}">${`<use href="#g${level}"/>`.repeat(10)}</g>`,
).join("")}`;

const serve = (name: string, body: string | Buffer, type = "image/png") => answers.set(name, { type, body });

/** Adds a page with pictures to the user's list; returns its URL. */
async function addPage(pictures: readonly string[], head = ""): Promise<string> {
  const figures = pictures.map(
    (src, index) =>
      `<figure><img src="${src}" alt="Picture ${index}"><figcaption>Caption ${index}.</figcaption></figure>${prose}`,
  );
  const name = `/page-${++number}`;
  serve(
    name,
    `<html><head><title>Harbour</title>${head}</head><body><article><h1>Harbour</h1>${prose}${figures.join("")}</article></body></html>`,
    "text/html",
  );
  await user.add(pages.origin + name);
  return pages.origin + name;
}

const article = (url: string, parameters = {}) => user.ok("article", { url, images: "kept", ...parameters });

/** The addresses of the pictures of a page. */
async function sourcesOf(url: string, parameters = {}): Promise<string[]> {
  const { body } = await article(url, parameters);
  return keptSourcesIn(body);
}

/** The one picture of a page with a picture. */
async function keptOf(name: string, body: string | Buffer, type?: string): Promise<Response> {
  serve(name, body, type);
  const [source = ""] = await sourcesOf(await addPage([name]));
  return fetch(source);
}

const metadataOf = async (answer: Response) => sharp(await answer.arrayBuffer()).metadata();

const owner = async () => {
  const record = await service.operator.findUser(user.credentials.username);
  if (!record) throw new Error("the user is gone");
  return record;
};
const store = () => service.operator.pictureStore;
const isOnDynamodb = inject("isOnDynamodb");
const folder = async () =>
  path.join(service.env.DATA_DIR, isOnDynamodb ? "objects/pictures" : "pictures", (await owner()).userId);
const filesIn = async () => {
  const name = await folder();
  return existsSync(name) ? readdirSync(name) : [];
};
/** The hashes of the stored pictures; objects have another id in their names. */
const files = async () => (await filesIn()).map((name) => name.replace(/^([0-9a-f]{64})-[0-9a-f-]{36}$/, "$1"));
const bytes = async () => store().bytes(await owner());

describe("an article with images=kept", () => {
  test("has its pictures at addresses of this service, and none of another site", async () => {
    serve("/a.png", await plain(400, 300).png().toBuffer());
    serve("/b.png", await plain(300, 400).png().toBuffer());
    serve("/lead.png", await plain(64, 64).png().toBuffer());
    const url = await addPage(["/a.png", "/b.png"], `<meta property="og:image" content="${pages.origin}/lead.png">`);
    const { body, headers } = await article(url);
    const start = `${service.textUrl}/v2/picture?user=`;
    expect(
      [...body.matchAll(/<img src="([^"]+)" alt="(Picture \d)"/g)].map(([, src = "", alt]) => [
        src.startsWith(start),
        alt,
      ]),
    ).toEqual([
      [true, "Picture 0"],
      [true, "Picture 1"],
    ]);
    expect(headers.get("x-image")).toContain(start);
    expect(`${body}${headers.get("x-image")}`).not.toMatch(/srcset|poster|\.png/);
    expect((await user.ok("article", { url, images: 1 })).body).toContain(`src="${pages.origin}/a.png"`);
    expect((await user.ok("article", { url })).body).not.toContain("<img");
  });

  test("leaves a picture out that is not kept, and has its caption", async () => {
    serve("/a.png", await plain(400, 300).png().toBuffer());
    const url = await addPage(
      ["/missing.png", "/a.png"],
      `<meta property="og:image" content="${pages.origin}/missing.png">`,
    );
    const { body, headers } = await article(url);
    expect(body).toContain("Caption 0.");
    expect(body.match(/<img/g)).toHaveLength(1);
    expect(body).toContain(`<a href="${pages.origin}/missing.png" title="Picture 0"></a>`);
    expect(headers.get("x-image")).toBeNull();
  });

  test("has no link to a missing picture within another link, nor to a picture that is left out as too small", async () => {
    serve("/dot.png", await plain(8, 8).png().toBuffer());
    serve(
      "/linked",
      `<article><h1>Linked</h1>${prose}<a href="/other"><img src="/missing.png" alt="Linked"></a>${prose}<img src="/dot.png" alt="Dot">${prose}</article>`,
      "text/html",
    );
    await user.add(`${pages.origin}/linked`);
    const { body } = await article(`${pages.origin}/linked`);
    expect(body).not.toMatch(/missing|dot\.png|<img/);
  });

  test("reads as before when the site is gone", async () => {
    serve("/a.png", await plain(400, 300).png().toBuffer());
    const url = await addPage(["/a.png"]);
    const before = await article(url);
    answers.clear();
    asked.length = 0;
    const { body } = await article(url);
    expect(body).toBe(before.body);
    expect(asked).toEqual([]);
    const [source = ""] = await sourcesOf(url);
    expect((await fetch(source)).status).toBe(200);
  });

  test("has the same addresses within a week, which work for another week", async () => {
    serve("/a.png", await plain(400, 300).png().toBuffer());
    const url = await addPage(["/a.png"]);
    const week = 604_800;
    service.clock.advance(week - (service.clock.seconds() % week));
    const [first = ""] = await sourcesOf(url);
    service.clock.advance(week - 1);
    expect(await sourcesOf(url)).toEqual([first]);
    service.clock.advance(1);
    const [next = ""] = await sourcesOf(url);
    expect(next).not.toBe(first);
    service.clock.advance(week - 1);
    expect((await fetch(first)).status).toBe(200);
    service.clock.advance(1);
    expect((await fetch(first)).status).toBe(403);
    expect((await fetch(next)).status).toBe(200);
  });

  test("sends the site of the page to the picture's site", async () => {
    serve("/a.png", await plain(400, 300).png().toBuffer());
    await article(await addPage(["/a.png"]));
    expect(asked.filter(({ path: name }) => name === "/a.png")).toEqual([
      { path: "/a.png", referer: `${pages.origin}/` },
    ]);
  });

  test("asks again for a failed picture after an hour, and four times in all", async () => {
    const url = await addPage(["/late.png"]);
    const tries = () => asked.filter(({ path: name }) => name === "/late.png").length;
    expect(await sourcesOf(url)).toEqual([]);
    for (const [seconds, expected] of [
      [3599, 1],
      [1, 2],
      [21_600, 3],
      [129_600, 4],
      [1_000_000, 4],
    ] as const) {
      service.clock.advance(seconds);
      await article(url);
      expect(tries()).toBe(expected);
    }
    serve("/late.png", await plain(400, 300).png().toBuffer());
    expect(await sourcesOf(url)).toEqual([]);
    expect(await sourcesOf(url, { refresh: 1 })).toHaveLength(1);
  });

  test("asks for pictures at no private address", async () => {
    expect(await sourcesOf(await addPage(["http://169.254.169.254/latest/meta-data.png"]))).toEqual([]);
  });

  test("is answered without pictures that take too long, which come with the next", async () => {
    const slow = await startTestService(
      { TEXT_ALLOWED_ORIGINS: pages.origin },
      { pageLimits: { deadlineMs: 50_000, pictureWaitMs: 1 } },
    );
    const { promise: held, resolve } = Promise.withResolvers<ServerResponse>();
    answers.set("/a.png", resolve);
    user = await slow.newUser();
    const record = await slow.operator.findUser(user.credentials.username);
    const store = slow.operator.pictureStore;
    if (!record) throw new Error("the user is gone");
    const url = await addPage(["/a.png"]);
    expect(await sourcesOf(url)).toEqual([]);
    (await held).destroy();
    serve("/a.png", await plain(400, 300).png().toBuffer());
    await expect.poll(() => store.list(record, toItemId(url)), { timeout: 60_000 }).toHaveLength(1);
    slow.clock.advance(3600);
    await expect.poll(() => sourcesOf(url), { timeout: 60_000 }).toHaveLength(1);
  });
});

// No database makes a difference to them.
describe.skipIf(isOnDynamodb)("a kept picture", () => {
  test.each(["png", "jpeg", "webp", "gif", "avif"] as const)(
    "in %s is WebP of at most 1,600 in width",
    async (format) => {
      const answer = await keptOf("/a", await plain(1800, 1200).toFormat(format).toBuffer(), `image/${format}`);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/webp"]);
      const { format: made, width, height } = await metadataOf(answer);
      expect([made, width, height]).toEqual(["webp", 1600, 1067]);
    },
  );

  test("is not enlarged, stands upright, and has no metadata", async () => {
    const picture = await plain(200, 100)
      .jpeg()
      .withMetadata({ orientation: 6 })
      .withExifMerge({ IFD0: { Artist: "Ann" } })
      .toBuffer();
    const { width, height, orientation, exif, icc } = await metadataOf(await keptOf("/a.jpg", picture, "image/jpeg"));
    expect([width, height, orientation, exif, icc]).toEqual([100, 200, undefined, undefined, undefined]);
  });

  test.each(["gif", "webp"] as const)("of an animation in %s is its first frame", async (format) => {
    const stripes = await sharp({ create: { width: 100, height: 300, channels: 3, background: "#00ff00" } })
      .composite([{ input: await plain(100, 100).png().toBuffer(), top: 0, left: 0 }])
      .removeAlpha()
      .raw()
      .toBuffer();
    const animation = await sharp(stripes, { raw: { width: 100, height: 300, channels: 3, pageHeight: 100 } })
      .toFormat(format, { loop: 0, delay: [100, 100, 100] })
      .toBuffer();
    expect((await sharp(animation).metadata()).pages).toBeGreaterThan(1);
    const answer = await (await keptOf("/a", animation, `image/${format}`)).arrayBuffer();
    const { width, height, pages: frames } = await sharp(answer).metadata();
    expect([width, height, frames]).toEqual([100, 100, undefined]);
    const [red, green] = (await sharp(answer).stats()).channels.map(({ mean }) => mean);
    expect(red).toBeGreaterThan(100);
    expect(green).toBeLessThan(50);
  });

  test("is a drawing at twice its size, which runs no script and loads nothing", async () => {
    serve("/other.png", await plain(400, 300).png().toBuffer());
    const file = new URL("../../packages/web/icons/512.png", import.meta.url);
    const others = [file, `${pages.origin}/other.png`].map((href) => `<image width="99" height="99" href="${href}"/>`);
    const parts = `<script>document.documentElement.remove()</script>${others.join("")}<rect x="200" width="200" height="300" fill="#c80000"/>`;
    const kept = await keptOf("/a.svg", drawing(parts, 'width="400" height="300"'), "image/svg+xml");
    const image = sharp(await kept.arrayBuffer());
    expect(await image.metadata()).toMatchObject({ format: "webp", width: 800, height: 600 });
    const half = async (left: number) =>
      (await sharp(await image.clone().extract({ left, top: 0, width: 400, height: 600 }).toBuffer()).stats()).channels;
    expect((await half(0)).map(({ max }) => max)).toEqual([0, 0, 0, 0]);
    expect((await half(400)).at(0)?.mean).toBeGreaterThan(190);
    expect(asked.map(({ path: name }) => name)).not.toContain("/other.png");
  });

  test("is a drawing in the markup of the page, which is kept without a request", async () => {
    const svg =
      '<svg width="300" height="200" aria-label="A chart of ships"><rect width="150" height="200" fill="#c80000"/><text y="99">Ships</text></svg>';
    serve(
      "/drawn",
      `<title>Drawn</title><article><h1>Drawn</h1>${prose}<div>${svg}</div>${prose}</article>`,
      "text/html",
    );
    const url = `${pages.origin}/drawn`;
    await user.add(url);
    const sources = await sourcesOf(url);
    expect(sources).toHaveLength(1);
    const image = sharp(await (await fetch(sources[0] ?? "")).arrayBuffer());
    expect(await image.metadata()).toMatchObject({ format: "webp", width: 600, height: 400 });
    expect((await image.stats()).channels[0]?.max).toBeGreaterThan(190);
    expect(asked.map(({ path: name }) => name)).toEqual(["/drawn"]);
    // A view that has images as links has the texts of the drawing, because it names only http(s) URLs.
    const { body } = await article(url, { images: 1 });
    expect(body).toContain("<figure><figcaption>A chart of ships</figcaption></figure>");
    const view = await service.fetch(
      `${service.textUrl}/v2/text?apikey=${service.apiKey}&images=1&url=${encodeURIComponent(url)}`,
    );
    expect(view.body).toContain("<figure><figcaption>A chart of ships</figcaption></figure>");
    asked.length = 0;
    // The same picture after the next reading.
    await sourcesOf(url, { refresh: 1 });
    expect(await files()).toHaveLength(1);
  });

  test.each([
    ["a pixel that counts readers", "image/gif", () => plain(1, 1).gif().toBuffer()],
    ["an icon", "image/png", () => plain(24, 24).png().toBuffer()],
    ["a line", "image/png", () => plain(600, 2).png().toBuffer()],
    ["an icon that is drawn", "image/svg+xml", async () => drawing("", 'viewBox="0 0 24 24"')],
    ["a drawing of more than 1 MB", "image/svg+xml", async () => drawing(`<path d="${"M0 0".repeat(250_000)}"/>`)],
    ["a drawing of references to references", "image/svg+xml", async () => drawing(references)],
    ["a page", "text/html", async () => "<script>alert(1)</script>"],
    ["a broken image", "image/png", async () => Buffer.from("89504e470d0a1a0a0000", "hex")],
    ["an image of 10 gigapixels in 100 KB", "image/png", async () => bomb(100_000, 100_000)],
  ])("is not %s, which is asked for once", async (_, type, body) => {
    serve("/a", await body(), type);
    serve("/b.png", await plain(400, 300).png().toBuffer());
    const url = await addPage(["/a", "/b.png"]);
    expect(await sourcesOf(url)).toHaveLength(1);
    service.clock.advance(1_000_000);
    await article(url);
    expect(asked.filter(({ path: name }) => name === "/a")).toHaveLength(1);
  });

  test("has at most 8 MB at its site", async () => {
    serve("/a.png", Buffer.alloc(8_000_001, 1));
    expect(await sourcesOf(await addPage(["/a.png"]))).toEqual([]);
  });

  test("cannot run anything, is cached only by the browser, and counts against no limit", async () => {
    const answer = await keptOf("/a.png", await plain(400, 300).png().toBuffer());
    const [hash = ""] = await files();
    const seconds = Number(new URL(answer.url).searchParams.get("expires")) - service.clock.seconds();
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      "access-control-allow-origin": "*",
      "cache-control": `private, max-age=${seconds}`,
      etag: `"${hash}"`,
      status: "200 OK",
      "x-limit-user-remaining": answer.headers.get("x-limit-user-limit"),
    });
    const head = await fetch(answer.url, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, answer.headers.get("content-length")]);
    for (const known of [`"${hash}"`, `W/"${hash}"`, `"x", "${hash}"`]) {
      const again = await fetch(answer.url, { headers: { "if-none-match": known } });
      expect([again.status, await again.text()]).toEqual([304, ""]);
    }
    expect((await fetch(answer.url, { method: "POST" })).status).toBe(404);
  });

  test("is the same below /text of the main host", async () => {
    const { url } = await keptOf("/a.png", await plain(400, 300).png().toBuffer());
    const answer = await fetch(url.replace(service.textUrl, `${service.baseUrl}/text`));
    expect([answer.status, answer.headers.get("content-security-policy")]).toEqual([
      200,
      "default-src 'none'; sandbox",
    ]);
    const request = {
      username: user.credentials.username,
      password: user.credentials.password,
      apikey: service.apiKey,
    };
    const page = `${pages.origin}/page-${number}`;
    const { body } = await service.fetch(`${service.baseUrl}/text/v2/article`, {
      method: "POST",
      body: new URLSearchParams({ ...request, url: page, images: "kept" }),
    });
    expect(body).toContain(`src="${service.baseUrl}/text/v2/picture?`);
  });

  test("is 403 for an address that this service has not signed", async () => {
    const { url } = await keptOf("/a.png", await plain(400, 300).png().toBuffer());
    const changed = async (name: string, value: string) => {
      const other = new URL(url);
      other.searchParams.set(name, value);
      const answer = await fetch(other);
      return [answer.status, answer.headers.get("x-error-code")];
    };
    const refused = [403, "expired"];
    expect(await changed("user", "someone-else")).toEqual(refused);
    expect(await changed("picture", "../../secret")).toEqual(refused);
    expect(await changed("expires", "99999999999")).toEqual(refused);
    expect(await changed("signature", "")).toEqual(refused);
    expect((await fetch(`${service.textUrl}/v2/picture`)).status).toBe(403);
  });

  test("is 503 in maintenance mode", async () => {
    const { url } = await keptOf("/a.png", await plain(400, 300).png().toBuffer());
    await service.operator.beginMaintenance({ text: "Back at noon." });
    service.clock.advance(60);
    const answer = await fetch(url);
    await service.operator.endMaintenance();
    service.clock.advance(60);
    expect([answer.status, answer.headers.get("x-error")]).toEqual([503, "Back at noon."]);
    expect((await fetch(url)).status).toBe(200);
  });
});

describe("for clients that show no WebP, a kept picture is JPEG when the site is gone", () => {
  test("in a book", async () => {
    serve("/a.png", await plain(3000, 2000).png().toBuffer());
    const url = await addPage(["/a.png"]);
    await article(url);
    answers.clear();
    const body = service.formOf({ ...user.credentials, url, format: "epub" });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const answer = await fetch(service.urlOf("article"), { method: "POST", headers, body });
    const files = unzipSync(new Uint8Array(await answer.arrayBuffer()));
    const { format, width } = await sharp(files["book/image-1.jpg"]).metadata();
    expect([format, width]).toEqual(["jpeg", 1072]);
  });

  test("on a Kobo", async () => {
    serve("/a.png", await plain(3000, 2000).png().toBuffer());
    const url = await addPage(["/a.png", "/other.png"]);
    await article(url);
    answers.clear();
    const { images } = await (await KoboDevice.of(user)).download(url);
    const kept = await fetch(images[0]?.src ?? "");
    expect([kept.status, kept.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
    expect((await metadataOf(kept)).width).toBe(1072);
    expect((await fetch(images[1]?.src ?? "")).status).toBe(404);
    const changed = new URL(images[0]?.src ?? "");
    changed.searchParams.set("user", "someone-else");
    expect((await fetch(changed)).status).toBe(404);
    await user.send({ delete: [{ url }] });
    await user.ok("trash", { purge: "all" });
    expect((await fetch(images[0]?.src ?? "")).status).toBe(404);
  });
});

describe("the pictures of a user", () => {
  test("are stored once if two articles share one, and go with the last of them", async () => {
    serve("/a.png", await plain(400, 300).png().toBuffer());
    serve("/copy.png", await plain(400, 300).png().toBuffer());
    const [one, two] = [await addPage(["/a.png"]), await addPage(["/copy.png"])];
    const [source = ""] = await sourcesOf(one);
    expect(await sourcesOf(two)).toEqual([source]);
    const stored = (await metadataOf(await fetch(source))).size;
    expect([(await files()).length, await bytes()]).toEqual([1, stored]);

    await user.send({ delete: [{ url: one }] });
    await user.ok("trash", { purge: JSON.stringify([one]) });
    expect([(await fetch(source)).status, await bytes()]).toEqual([200, stored]);
    await user.send({ delete: [{ url: two }] });
    expect((await fetch(source)).status).toBe(200);
    await user.ok("trash", { purge: "all" });
    expect([(await fetch(source)).status, await files(), await bytes()]).toEqual([403, [], 0]);
  });

  test("come back with a restored page, and stay with a page that is added again", async () => {
    serve("/a.png", await plain(400, 300).png().toBuffer());
    const url = await addPage(["/a.png"]);
    const sources = await sourcesOf(url);
    asked.length = 0;
    await user.send({ delete: [{ url }] });
    await user.send({ restore: [{ url }] });
    expect(await sourcesOf(url)).toEqual(sources);
    await user.send({ delete: [{ url }] });
    await user.add(url);
    expect(await sourcesOf(url)).toEqual(sources);
    expect(asked).toEqual([]);
  });

  test("are erased with the account", async () => {
    const source = (await keptOf("/of-a-former-user.png", await plain(400, 300).png().toBuffer())).url;
    const name = await folder();
    expect(existsSync(name)).toBe(true);
    await user.ok("delete_account", { confirm: user.credentials.username });
    expect([existsSync(name), (await fetch(source)).status]).toEqual([false, 403]);
    expect(JSON.stringify(await service.records())).not.toContain("of-a-former-user.png");
  });

  test("come from the newest reading of the page", async () => {
    serve("/a.png", await plain(400, 300).png().toBuffer());
    serve("/b.png", await plain(300, 400).png().toBuffer());
    const url = await addPage(["/a.png"]);
    await article(url);
    const [before] = await files();
    serve(new URL(url).pathname, `<article>${prose}<img src="/b.png">${prose}</article>`, "text/html");
    expect(await sourcesOf(url, { refresh: 1 })).toHaveLength(1);
    const after = await files();
    expect(after).toHaveLength(1);
    expect(after[0]).not.toBe(before);
  });

  test("stay if a later reading of them fails", async () => {
    serve("/a.png", await plain(400, 300).png().toBuffer());
    const url = await addPage(["/a.png"]);
    const sources = await sourcesOf(url);
    answers.delete("/a.png");
    expect(await sourcesOf(url, { refresh: 1 })).toEqual(sources);
    serve("/a.png", "no picture any more");
    expect(await sourcesOf(url, { refresh: 1 })).toEqual(sources);
    expect((await fetch(sources[0] ?? "")).status).toBe(200);
  });

  test("belong to nobody else", async () => {
    serve("/a.png", await plain(400, 300).png().toBuffer());
    const url = await addPage(["/a.png"]);
    const [source] = await sourcesOf(url);
    user = await service.newUser();
    await user.add(url);
    expect(await sourcesOf(url)).not.toContain(source);
    expect(await files()).toHaveLength(1);
  });

  test("are left out beyond their quota, and the text is still saved", async () => {
    for (let each = 0; each < 15; each++) serve(`/${each}.png`, await noise(each));
    const url = await addPage(Array.from({ length: 15 }, (_, each) => `/${each}.png`));
    const sources = await sourcesOf(url);
    expect(sources.length).toBeGreaterThan(2);
    expect(sources.length).toBeLessThan(15);
    expect(await bytes()).toBeLessThanOrEqual(1_000_000);
    const { body } = await article(url);
    expect(body).toContain("Caption 14.");
    const other = await addPage(["/0.png"]);
    expect((await article(other)).body).toContain("Paragraph 5 of the article");
  });

  test("replace pictures in the trash if their quota is full", async () => {
    for (let each = 0; each < 30; each++) serve(`/${each}.png`, await noise(each));
    const old = await addPage(Array.from({ length: 15 }, (_, each) => `/${each}.png`));
    await article(old);
    await user.send({ delete: [{ url: old }] });
    const url = await addPage(Array.from({ length: 5 }, (_, each) => `/${each + 15}.png`));
    expect(await sourcesOf(url)).toHaveLength(5);
    expect(await store().list(await owner(), toItemId(old))).toEqual([]);
    await user.send({ restore: [{ url: old }] });
    expect((await user.ok("article", { url: old })).body).toContain("Caption 14.");
  });

  test("replace as many pictures in the trash as several concurrent saves need", async () => {
    const who = await owner();
    const old = await Promise.all(Array.from({ length: 3 }, () => addPage([])));
    for (const [index, url] of old.entries()) {
      await article(url);
      const content = Buffer.alloc(300_000, index);
      expect(await store().keep(who, toItemId(url), { url, content }, 1e6)).toBe(0);
    }
    await user.send({ delete: old.map((url) => ({ url })) });
    const url = await addPage([]);
    await article(url);
    const picture = async (seed: string | Uint8Array) => Buffer.alloc(240_000, seed);
    const sources = [1, 2, 3, 4].map((each) => `${pages.origin}/${each}.png`);
    const less = sources.map((src) => `<img src="${src}">`).join("");
    const { hashes, isFull } = await keepPictures(
      {
        clock: service.clock,
        pictures: { jpeg: picture, toJpeg: picture, webp: picture, toWebp: picture },
        pictureStore: store(),
        pictureQuota: 1e6,
        trash: service.operator.trash,
      },
      who,
      { itemId: toItemId(url), url },
      { less, more: "", imageUrl: undefined },
      { call: { address: "", user: who.userId } },
    );
    expect([new Set(hashes.keys()), isFull]).toEqual([new Set(sources), false]);
  });

  test("are 100 of an article at most", async () => {
    serve("/a.png", await plain(400, 300).png().toBuffer());
    const url = await addPage(Array.from({ length: 120 }, (_, each) => `/a.png?${each}`));
    expect(asked).toEqual([]);
    await article(url);
    expect(await store().list(await owner(), toItemId(url))).toHaveLength(100);
    expect(await files()).toHaveLength(1);
  });

  test("are saved only for an existing article: a picture that arrives after its deletion is not stored", async () => {
    const { promise: held, resolve } = Promise.withResolvers<ServerResponse>();
    answers.set("/a.png", resolve);
    const url = await addPage(["/a.png"]);
    const reading = user.call("article", { url, images: "kept" });
    const response = await held;
    await user.send({ delete: [{ url }] });
    await user.ok("trash", { purge: "all" });
    response.writeHead(200, { "content-type": "image/png" }).end(await plain(400, 300).png().toBuffer());
    expect((await reading).status).toBe(200);
    expect([await files(), await bytes()]).toEqual([[], 0]);
  });

  test.skipIf(isOnDynamodb)("are counted by changes: one of 10,000 is saved and deleted", async () => {
    const { userId } = await owner();
    const database = Database.open(service.env.DATA_DIR);
    await database.save(() => {
      const numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)";
      const hash = "printf('%064x', i)";
      database.run(`${numbers} INSERT INTO pictures SELECT :userId, ${hash}, 10 FROM n`, { userId });
      database.run(
        `${numbers} INSERT INTO article_pictures SELECT :userId, i / 100, 'http://a/' || i, ${hash}, 0, NULL FROM n`,
        { userId },
      );
      database.run("UPDATE users SET picture_bytes = 100000 WHERE user_id = :userId", { userId });
    });
    await database.close();
    const url = (await keptOf("/a.png", await plain(400, 300).png().toBuffer())).url;
    const stored = Number((await fetch(url, { method: "HEAD" })).headers.get("content-length"));
    expect(await bytes()).toBe(100_000 + stored);
    const sizes = await store().sizes(await owner(), ["1", "2", "9999"]);
    expect(sizes).toEqual(
      new Map([
        ["1", 1000],
        ["2", 1000],
      ]),
    );
    await store().delete(await owner(), ["1"]);
    expect(await bytes()).toBe(99_000 + stored);
    await user.ok("delete_account", { confirm: user.credentials.username });
    expect((await fetch(url)).status).toBe(403);
    expect((await service.records()).filter((record) => Object(record).user === userId)).toEqual([]);
  });

  test("have exact counts after concurrent calls that save, replace and delete shared pictures", async () => {
    const who = await owner();
    const text = { less: "<p>Text</p>", more: "", title: "", resolvedUrl: "https://example.com", nextUrl: undefined };
    const kept = { ...text, loginFound: false, keptAt: 0, timeAdded: 0 };
    const itemIds = ["1", "2", "3", "4"];
    for (const itemId of itemIds) await service.operator.articles.keep(who, itemId, kept, 1e9);
    const contents = [1, 2, 3].map((size) => Buffer.alloc(1000 * size, size));
    for (let round = 0; round < 6; round++) {
      await Promise.all(
        itemIds.flatMap((itemId, place) => {
          const content = contents[(place + round) % contents.length] as Buffer;
          const other = contents[round % contents.length] as Buffer;
          return [
            store().keep(who, itemId, { url: "https://example.com/a", content }, 1e9),
            store().keep(who, itemId, { url: "https://example.com/b", content: other }, 1e9),
            (place + round) % 2 === 0
              ? store().forget(who, itemId, ["https://example.com/a"])
              : store().delete(who, [itemId]),
          ];
        }),
      );
      const lists = await Promise.all(itemIds.map((itemId) => store().list(who, itemId)));
      const hashes = [...new Set(lists.flat().flatMap(({ hash }) => hash ?? []))].sort();
      expect((await files()).sort()).toEqual(hashes);
      const found = await Promise.all(hashes.map((hash) => store().find(who.userId, hash)));
      expect(await bytes()).toBe(found.reduce((sum, each) => sum + Number(each?.bytes), 0));
    }
  });

  test("have file names that say what they are", async () => {
    await keptOf("/a.png", await plain(400, 300).png().toBuffer());
    const [[name = ""], [hash]] = [await filesIn(), await files()];
    const content = readFileSync(path.join(await folder(), name));
    expect(createHash("sha256").update(content).digest("hex")).toBe(hash);
  });
});
