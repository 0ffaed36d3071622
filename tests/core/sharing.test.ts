// SPDX-License-Identifier: MIT

import { maxShares } from "@reading-list/core/domain/share.ts";
import { clockAfterRestore } from "@reading-list/core/domain/user-clock.ts";
import type { UserRecord } from "@reading-list/core/ports/operator.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { type PageServer, prose, startPageServer } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

let pages: PageServer;
let service: TestService;
let user: TestUser;
let url: string;

beforeAll(async () => {
  const picture = await sharp({ create: { width: 300, height: 200, channels: 3, background: "red" } })
    .png()
    .toBuffer();
  const body = `<title>The harbour</title><meta name="author" content="Ann Miller"><article><h1>The harbour</h1>${prose}<p>See <a href="https://example.org/x">this</a>.</p><img src="/picture.png" alt="A quay">${prose}</article>`;
  pages = await startPageServer(({ url = "" }, response) => {
    if (url.startsWith("/picture")) response.writeHead(200, { "content-type": "image/png" }).end(picture);
    else response.writeHead(200, { "content-type": "text/html" }).end(body);
  });
  service = await startTestService({
    TEXT_ALLOWED_ORIGINS: pages.origin,
    SHARING: "on",
    PUBLIC_KEY_ADDRESS_LIMIT: "5000",
  });
});
afterAll(() => pages.stop());
beforeEach(async () => {
  user = await service.newUser();
  url = `${pages.origin}/article`;
  await user.add(url, { title: "A title", tags: "harbour,private" });
  await user.ok("article", { url, images: "kept" });
});

const share = async (create: object) =>
  JSON.parse((await user.ok("share", { create: JSON.stringify(create) })).body) as { id: string; address: string };
const listed = async () => Object.values(JSON.parse((await user.ok("share")).body).list) as Record<string, string>[];
const open = (address: string, init: RequestInit = {}) => service.fetch(address, init);
const refusal = async (fields: Record<string, string>) => {
  const { status, headers } = await user.call("share", fields);
  return [status, headers.get("x-error")];
};

describe("a shared article", () => {
  test("is shown to everybody with its title, site, author, pictures and the original address, and nothing else", async () => {
    const { address } = await share({ url });
    expect(address).toMatch(new RegExp(`^${service.textUrl}/s/[\\w-]{22}$`));
    const { status, headers, body } = await open(address);
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    for (const part of ["A title", "127.0.0.1", "Ann Miller", `href="${url}"`]) expect(body).toContain(part);
    for (const secret of [user.credentials.username, "private", "supplied"]) expect(body).not.toContain(secret);
    expect(body).toContain('<a rel="nofollow ugc" href="https://example.org/x"');
    expect(headers.get("content-security-policy")).toMatch(
      /^sandbox; default-src 'none'; img-src 'self'; style-src 'sha256-/,
    );
    expect(body).not.toMatch(/<script|<link/);
    expect(headers.get("x-robots-tag")).toBe("noindex");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cache-control")).toBe("public, max-age=300");
    const [, source = ""] = /<img[^>]* src="([^"]+)"/.exec(body) ?? [];
    const picture = await open(new URL(source, address).href);
    expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/webp"]);
    expect((await open(address, { method: "HEAD" })).status).toBe(200);
  });

  test("is also below /text of the main host", async () => {
    const { address } = await share({ url });
    const { status, body } = await open(address.replace(service.textUrl, `${service.baseUrl}/text`));
    expect([status, body.includes("A title")]).toEqual([200, true]);
  });

  test("says that a user supplied a copy that was not read from the site", async () => {
    await user.ok("article", { url, html: `<article><h1>Mine</h1>${prose}</article>` });
    expect((await open((await share({ url })).address)).body).toContain("supplied this copy");
  });

  test("is 404 like an unknown share after it is revoked, expires, or moves to the trash; a restoration shows it again", async () => {
    const unknown = await open(`${service.textUrl}/s/${"x".repeat(22)}`);
    const gone = async (address: string) => {
      const { status, body } = await open(address);
      expect([status, body]).toEqual([404, unknown.body]);
    };
    const { id, address } = await share({ url });
    const { body } = await open(address);
    const [, source = ""] = /<img[^>]* src="([^"]+)"/.exec(body) ?? [];
    await user.send({ delete: [{ url }] });
    await gone(address);
    await gone(new URL(source, address).href);
    expect(await listed()).toMatchObject([{ id, state: "unavailable" }]);
    await user.send({ restore: [{ url }] });
    expect((await open(address)).status).toBe(200);
    await user.ok("share", { revoke: id });
    await gone(address);
    expect(await listed()).toEqual([]);
    const expires = service.clock.seconds() + 60;
    const brief = await share({ url, expires });
    expect((await open(brief.address)).status).toBe(200);
    service.clock.advance(60);
    await gone(brief.address);
    expect(await listed()).toMatchObject([{ id: brief.id, state: "expired", expires: String(expires) }]);
  });

  test("ends with a purge, even if the page is saved again", async () => {
    const { address } = await share({ url });
    await user.send({ delete: [{ url }] });
    await user.ok("trash", { purge: "all" });
    service.clock.advance(1);
    await user.add(url);
    await user.ok("article", { url });
    expect((await open(address)).status).toBe(404);
    expect(await listed()).toEqual([]);
  });

  test("ends with its account, also for a later user with the same name", async () => {
    const { address } = await share({ url });
    await user.ok("delete_account", { confirm: user.credentials.username });
    expect((await open(address)).status).toBe(404);
    await user.ok("signup");
    await user.add(url);
    await user.ok("article", { url });
    expect([(await open(address)).status, await listed()]).toEqual([404, []]);
  });
});

describe("a shared tag", () => {
  test("shows its newest pages, including pages that get it later, and its feed", async () => {
    const { address } = await share({ tag: "harbour" });
    service.clock.advance(1);
    await user.add("https://example.com/b?x=1&y=2", { title: "Second <b>", tags: "other" });
    expect((await open(address)).body).not.toContain("Second");
    await user.send({ add_tags: [{ url: "https://example.com/b?x=1&y=2", tags: "harbour" }] });
    const { status, body } = await open(address);
    expect(status).toBe(200);
    expect(body.indexOf("Second &lt;b&gt;")).toBeLessThan(body.indexOf("A title"));
    for (const secret of [user.credentials.username, "private", "other"]) expect(body).not.toContain(secret);
    const feed = await open(`${address}.atom`);
    expect([feed.status, feed.headers.get("content-type")]).toEqual([200, "application/atom+xml; charset=utf-8"]);
    expect(feed.body).toContain(`<id>${address}.atom</id>`);
    expect(feed.body.match(/<entry>/g)).toHaveLength(2);
    for (const secret of [user.credentials.username, "private", "other"]) expect(feed.body).not.toContain(secret);
  });

  test("can move to another tag at the same address", async () => {
    const { id, address } = await share({ tag: "old" });
    await user.ok("share", { move: id, tag: "harbour" });
    expect((await open(address)).body).toContain("A title");
    const article = await share({ url });
    expect(await refusal({ move: article.id, tag: "x" })).toEqual([400, expect.stringContaining("id of a shared tag")]);
  });
});

test("a repeated call answers the same share, and at most 200 are open", async () => {
  const first = await share({ tag: "t" });
  expect(await share({ tag: "t" })).toEqual(first);
  for (let i = 1; i < maxShares; i++) await share({ tag: `t${i}` });
  expect(await refusal({ create: '{"tag":"more"}' })).toEqual([400, expect.stringContaining("at most 200")]);
  await user.ok("share", { revoke: first.id });
  await share({ tag: "more" });
});

test("after a restore of a backup shares are off until their user confirms them", async () => {
  const [one, other] = [await share({ url }), await share({ tag: "harbour" })];
  const record = (await service.operator.findUser(user.credentials.username)) as UserRecord;
  const restored = { ...record, ...clockAfterRestore(record, service.clock.seconds()), newestHighlights: 0 };
  expect(await service.operator.replaceUser(record, restored)).toBe(true);
  const statuses = async () => [(await open(one.address)).status, (await open(other.address)).status];
  expect(await statuses()).toEqual([404, 404]);
  expect((await listed()).map(({ state }) => state)).toEqual(["unconfirmed", "unconfirmed"]);
  await user.ok("share", { reopen: one.id });
  expect(await statuses()).toEqual([200, 404]);
  await user.ok("share", { reopen: "all" });
  expect(await statuses()).toEqual([200, 200]);
});

test.each([
  [{ create: "{}" }, "create needs url or tag"],
  [{ create: '{"url":"https://example.com/","tag":"x"}' }, "create must contain url or tag, not both"],
  [{ create: "x" }, "create is not valid JSON"],
  [{ create: '{"tag":"a,b"}' }, "create.tag must be one tag, without a comma"],
  [{ create: '{"url":"https://example.com/none"}' }, "share: create.url is not in the list; add it first"],
  [{ create: '{"tag":"x","expires":1}' }, "share: create.expires must be in the future, in Unix seconds"],
  [{ revoke: "0123456789ab" }, "share: revoke must be the id of one of the user's shares"],
  [{ reopen: "0123456789ab" }, "share: reopen must be the id of one of the user's shares"],
  [{ move: "0123456789ab" }, "move and tag must be sent together"],
  [{ revoke: "0123456789ab", reopen: "all" }, "create, revoke, reopen and move cannot be sent together"],
])("%o is refused: %s", async (fields, message) => {
  expect(await refusal(fields)).toEqual([400, expect.stringContaining(message)]);
});

test("a page without a saved copy is not shared", async () => {
  await user.add("https://example.invalid/");
  const [status, message] = await refusal({ create: '{"url":"https://example.invalid/"}' });
  expect([status, message]).toEqual([400, expect.stringContaining("has no saved copy")]);
});

test("a read-only sign-in cannot share, and another user cannot end a share", async () => {
  const { id } = await share({ url });
  const { body } = await user.ok("app_passwords", { create: "Reader", scope: "read" });
  expect((await user.call("share", { password: JSON.parse(body).password })).status).toBe(401);
  const other = await service.newUser();
  expect((await other.call("share", { revoke: id })).status).toBe(400);
  expect(await listed()).toHaveLength(1);
});

test("readings count against their address", async () => {
  const limited = await startTestService({ SHARING: "on", PUBLIC_KEY_ADDRESS_LIMIT: "3" });
  const reader = await limited.newUser();
  const { body } = await reader.ok("share", { create: '{"tag":"t"}' });
  const { address } = JSON.parse(body);
  const statuses = [];
  for (let i = 0; i < 4; i++) statuses.push((await limited.fetch(address)).status);
  expect(statuses).toEqual([200, 200, 200, 403]);
});

test("without SHARING=on the call is 403, and the addresses are 404", async () => {
  const closed = await startTestService({ SHARING: "off" });
  const someone = await closed.newUser();
  const { status, headers } = await someone.call("share", { create: '{"tag":"t"}' });
  expect([status, headers.get("x-error-code")]).toEqual([403, "sharing_off"]);
  expect((await closed.fetch(`${closed.textUrl}/s/${"x".repeat(22)}`)).status).toBe(404);
});
