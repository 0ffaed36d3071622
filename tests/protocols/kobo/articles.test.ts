// SPDX-License-Identifier: MIT

import type { ServerResponse } from "node:http";
import type { CallRecord } from "@reading-list/http/watch/watch-calls.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { KoboDevice } from "@reading-list/testing/kobo-device.ts";
import { type PageServer, prose, startPageServer } from "@reading-list/testing/page-server.ts";
import { bomb } from "@reading-list/testing/picture-bomb.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

/** Answers of the page server by path. */
const answers = new Map<string, { type: string; body: string | Buffer } | ((response: ServerResponse) => void)>();
let pages: PageServer;
let service: TestService;
let user: TestUser;
let device: KoboDevice;
const records: CallRecord[] = [];

beforeAll(async () => {
  pages = await startPageServer((request, response) => {
    const answer = answers.get(request.url ?? "");
    if (typeof answer === "function") answer(response);
    else if (answer) response.writeHead(200, { "content-type": answer.type }).end(answer.body);
    else response.writeHead(404).end();
  });
  const env = { TEXT_ALLOWED_ORIGINS: pages.origin, PUBLIC_KEY_ADDRESS_LIMIT: "100000" };
  service = await startTestService(env, { report: (record) => records.push(record) });
});
afterAll(() => pages.stop());
beforeEach(async () => {
  answers.clear();
  records.length = 0;
  user = await service.newUser();
  device = await KoboDevice.of(user);
});

const create = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: { r: 200, g: 0, b: 0, alpha: 0.5 } } });

/** A page with an article, and a picture at `/picture`. */
function serveArticle(type: string, picture: string | Buffer): string {
  const html = `<title>Harbour</title><article><h1>Harbour</h1>${prose}<figure><img src="/picture?a=1&amp;b=2" alt="A quay"><figcaption>The quay.</figcaption></figure>${prose}</article>`;
  answers.set("/page", { type: "text/html", body: html });
  answers.set("/picture?a=1&b=2", { type, body: picture });
  return `${pages.origin}/page`;
}

/** The answer to the address of the picture of an article. */
async function loadPicture(type: string, picture: string | Buffer): Promise<Response> {
  const url = serveArticle(type, picture);
  await user.add(url);
  const { images } = await device.download(url);
  return fetch(images[0]?.src ?? "");
}

describe("a download", () => {
  test("has the article with a comment instead of each image, and the images as addresses of this service", async () => {
    const url = serveArticle("image/png", await create(20, 10).png().toBuffer());
    await user.add(url);
    const { article, images } = await device.download(url);
    expect(article).toContain("Paragraph 3 of the article");
    expect(article).toMatch(/<figure>\s*<!--IMG_0-->\s*<figcaption>The quay.<\/figcaption>/);
    expect(article).not.toContain("<img");
    const src = expect.stringMatching(`^${service.baseUrl}/kobo/image\\?url=.+&expires=\\d+&signature=[\\w-]+$`);
    expect(images).toEqual({ "0": { image_id: "0", item_id: "0", src } });
  });

  test("by a form is the same", async () => {
    const url = serveArticle("image/png", "");
    await user.add(url);
    const { body } = await device.callByForm("api/kobo/download", { url, images: "1", refresh: "0", output: "json" });
    expect(JSON.parse(body).article).toContain("<!--IMG_0-->");
  });

  test("without images has their captions", async () => {
    const url = serveArticle("image/png", "");
    await user.add(url);
    const { body } = await device.call("api/kobo/download", { url, images: 0 });
    expect(JSON.parse(body)).toEqual({ article: expect.stringContaining("The quay."), images: {} });
    expect(body).not.toMatch(/<img|IMG_/);
  });

  test("is the user's saved copy, even with refresh", async () => {
    const url = serveArticle("image/png", "");
    await user.add(url);
    await user.ok("article", { url, html: `<title>T</title><article>${prose}<p>Seen behind a login.</p></article>` });
    const { body } = await device.call("api/kobo/download", { url, refresh: 1 });
    expect(JSON.parse(body).article).toContain("Seen behind a login.");
  });

  test("of a page that is not in the list, or cannot be read, is 404", async () => {
    await user.add(`${pages.origin}/gone`);
    for (const url of [`${pages.origin}/gone`, `${pages.origin}/other`]) {
      expect((await device.call("api/kobo/download", { url })).status).toBe(404);
    }
  });
});

describe("a picture", () => {
  test.each(["png", "jpeg", "webp", "gif", "avif"] as const)(
    "in %s is a JPEG of the size of a screen at most",
    async (format) => {
      const answer = await loadPicture(`image/${format}`, await create(1200, 800).toFormat(format).toBuffer());
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
      const { format: made, width, height } = await sharp(await answer.arrayBuffer()).metadata();
      expect([made, width, height]).toEqual(["jpeg", 1072, 715]);
    },
  );

  test("is not enlarged, stands upright, and has white where it is transparent", async () => {
    const picture = await create(20, 10).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const upright = await sharp(await (await loadPicture("image/jpeg", picture)).arrayBuffer()).metadata();
    expect([upright.width, upright.height]).toEqual([10, 20]);
    const clear = await sharp({ create: { width: 8, height: 8, channels: 4, background: "#00000000" } })
      .png()
      .toBuffer();
    const answer = await loadPicture("image/png", clear);
    const { dominant } = await sharp(await answer.arrayBuffer()).stats();
    expect(Math.min(dominant.r, dominant.g, dominant.b)).toBeGreaterThan(240);
  });

  test("of an animation is its first one", async () => {
    const frames = await sharp({ create: { width: 10, height: 30, channels: 3, background: "#ff0000" } })
      .raw()
      .toBuffer();
    const animation = await sharp(frames, { raw: { width: 10, height: 30, channels: 3, pageHeight: 10 } })
      .gif({ loop: 0, delay: [100, 100, 100] })
      .toBuffer();
    const answer = await loadPicture("image/gif", animation);
    const { width, height } = await sharp(await answer.arrayBuffer()).metadata();
    expect([width, height]).toEqual([10, 10]);
  });

  test.each([
    ["a page", "text/html", "<script>alert(1)</script>"],
    ["a broken image", "image/png", Buffer.from("89504e470d0a1a0a0000", "hex")],
    ["an image of 10 gigapixels in 100 KB", "image/png", bomb(100_000, 100_000)],
    ["a file of more than 2 MB", "image/png", Buffer.alloc(2_000_001, 1)],
    ["nothing", "image/png", ""],
  ])("that is %s is 404, and the next one is there", async (_, type, body) => {
    const refused = await loadPicture(type, body);
    expect(refused.status).toBe(404);
    expect(refused.headers.get("content-security-policy")).toContain("sandbox");
    user = await service.newUser();
    device = await KoboDevice.of(user);
    expect((await loadPicture("image/png", await create(20, 10).png().toBuffer())).status).toBe(200);
  });

  test("cannot run anything, is cached only by the device, and counts against no limit", async () => {
    const answer = await loadPicture("image/png", await create(20, 10).png().toBuffer());
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-security-policy": "sandbox; default-src 'none'",
      "x-content-type-options": "nosniff",
      "cache-control": "private, max-age=86400",
      "x-limit-user-remaining": answer.headers.get("x-limit-user-limit"),
    });
    const remaining = answer.headers.get("x-limit-key-remaining");
    expect((await fetch(answer.url)).headers.get("x-limit-key-remaining")).toBe(remaining);
    expect((await fetch(answer.url, { method: "HEAD" })).status).toBe(200);
  });

  test("is returned only with a signature of this service, for a day", async () => {
    const { url } = await loadPicture("image/png", await create(20, 10).png().toBuffer());
    const changed = (name: string, value: string) => {
      const other = new URL(url);
      other.searchParams.set(name, value);
      return fetch(other);
    };
    expect((await changed("url", `${pages.origin}/other`)).status).toBe(404);
    expect((await changed("expires", String(service.clock.seconds() + 1_000_000))).status).toBe(404);
    expect((await changed("signature", "x".repeat(43))).status).toBe(404);
    expect((await changed("signature", "")).status).toBe(404);
    service.clock.advance(86_399);
    expect((await fetch(url)).status).toBe(200);
    service.clock.advance(1);
    expect((await fetch(url)).status).toBe(404);
  });

  test("is at no private address", async () => {
    const url = `${pages.origin}/private`;
    const html = `<article>${prose}<img src="http://169.254.169.254/latest/meta-data" alt="">${prose}</article>`;
    answers.set("/private", { type: "text/html", body: html });
    await user.add(url);
    const { images } = await device.download(url);
    expect((await fetch(images[0]?.src ?? "")).status).toBe(404);
  });

  test("beyond 24 at once is 503 with Retry-After", async () => {
    const url = serveArticle("image/png", "");
    const held: ServerResponse[] = [];
    const { promise: full, resolve } = Promise.withResolvers<void>();
    answers.set("/picture?a=1&b=2", (response) => {
      if (held.push(response) === 24) resolve();
    });
    await user.add(url);
    const src = (await device.download(url)).images[0]?.src ?? "";
    const waiting = Array.from({ length: 24 }, () => fetch(src));
    await full;
    const refused = await fetch(src);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
    for (const response of held) response.end();
    await Promise.all(waiting);
  });
});
