// SPDX-License-Identifier: MIT

import { randomBytes } from "node:crypto";
import { brotliCompressSync } from "node:zlib";
import { PutCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { MemoryStore, ReadingListClient } from "@reading-list/client/main.ts";
import { type EndpointContract, listMethods } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { edgeAddressHeader, edgeSecretHeader } from "@reading-list/core/contract/headers.ts";
import { completeExample } from "@reading-list/core/contract/openapi-examples.ts";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import { maxSignIns } from "@reading-list/core/domain/sign-in.ts";
import type { ClosedUser } from "@reading-list/core/ports/users.ts";
import { opds } from "@reading-list/protocols/opds/api.ts";
import { readeck } from "@reading-list/protocols/readeck/api.ts";
import { wallabag } from "@reading-list/protocols/wallabag/api.ts";
import { indexWalkKey } from "@reading-list/store-dynamodb/keys.ts";
import { expectContract } from "@reading-list/testing/answer-contract.ts";
import { Assistant } from "@reading-list/testing/assistant.ts";
import { Authenticator } from "@reading-list/testing/authenticator.ts";
import { form, newName, requireOk, ServiceClient, TestUser } from "@reading-list/testing/client.ts";
import { runCommand } from "@reading-list/testing/command-line.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { GoogleReader, login } from "@reading-list/testing/google-reader.ts";
import { IdentityProvider, oidcClient } from "@reading-list/testing/identity-provider.ts";
import { keptSourcesIn } from "@reading-list/testing/kept-sources.ts";
import { KoboDevice } from "@reading-list/testing/kobo-device.ts";
import { LinkdingDevice, type LinkdingPage } from "@reading-list/testing/linkding-device.ts";
import { newVerifier, OAuthApp } from "@reading-list/testing/oauth-app.ts";
import { newAppPassword, OpdsReader } from "@reading-list/testing/opds-reader.ts";
import { articlePage } from "@reading-list/testing/page-server.ts";
import { ReadeckDevice, SyncingReadeckDevice } from "@reading-list/testing/readeck-device.ts";
import { SignOnBrowser } from "@reading-list/testing/sign-on-browser.ts";
import { asShown, WallabagDevice } from "@reading-list/testing/wallabag-device.ts";
import { unzipSync } from "fflate";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { linesOf } from "../../http/watch/output.ts";
import { secretOf } from "../account.ts";
import { type DeployedFunction, type Deployment, deploy } from "./deployment.ts";
import { callsOf, type ListState } from "./every-parameter.ts";
import { toEvent } from "./gateway-event.ts";
import { isAllowed, narrowed, policiesOf, unusedGrants, widened } from "./policies.ts";

/** The stage as it is deployed: with CloudFront, a web reader, and limits that the calls of this file stay below. */
const variables = {
  SHARING: "on",
  PROBE: "on",
  EDGE: "on",
  // The secret between CloudFront and the functions has been replaced once.
  EDGE_SECRET_NUMBER: "2",
  WEB_API_KEY: "the-key-of-the-reader",
  USER_LIMIT: "1000000",
  KEY_LIMIT: "1000000",
  THROTTLE_RATE: "1000",
  PUBLIC_KEY_ADDRESS_LIMIT: "1000",
  // A user asks for it: else each run would read the pages of all tests.
  KEEP_PAGES: "opened",
  BASE_DOMAIN: "api.example.com",
  WEB_DOMAIN: "read.example.com",
  OIDC_CLIENT_ID: oidcClient.clientId,
  OIDC_CLIENT_SECRET: oidcClient.clientSecret,
};
/** Enough items for far pages, which continue by a cursor (docs/decisions/counting-calls.md). */
const longList = 1150;

let stage: Deployment;
let provider: IdentityProvider;
let client: ServiceClient;
let isPictureGone = false;
/** Runs while a function reads a web page. */
let whileReading = async () => {};

beforeAll(async () => {
  const picture = await sharp({ create: { width: 400, height: 300, channels: 3, background: "#336699" } })
    .png()
    .toBuffer();
  provider = await IdentityProvider.start(`https://${variables.BASE_DOMAIN}/app/oidc/callback`, readerUrl);
  atEndOfFile(() => provider.stop());
  stage = await deploy({ ...variables, OIDC_ISSUER: provider.issuer }, async ({ url = "" }, response) => {
    await whileReading();
    if (url.startsWith("/image")) {
      response.writeHead(isPictureGone ? 404 : 200, { "content-type": "image/png" }).end(picture);
      return;
    }
    const page = url.startsWith("/pictured")
      ? articlePage.replace("<article>", `<article><img src="/image-of${url}.png">`)
      : articlePage;
    response.writeHead(url === "/down" ? 503 : 200, { "content-type": "text/html" }).end(page);
  });
  atEndOfFile(() => stage.stop());
  client = stage.client;
  await stage.operator.createApiKey(variables.WEB_API_KEY, {
    applicationId: "web",
    name: "Web reader",
    status: "enabled",
    created: 0,
    isPublic: true,
  });
  const spent = { name: "n", status: "enabled", created: 0 } as const;
  await stage.operator.createApiKey("spent", { ...spent, applicationId: "spent", userLimit: 0 });
});

/** The web reader, which is on a host of its own. */
const readerUrl = `https://${variables.WEB_DOMAIN}/`;

/** Sends a page as the browser has it by linkding's API. */
function upload(device: LinkdingDevice, url: string) {
  const body = new FormData();
  body.set("url", url);
  body.set("file", new Blob([articlePage]), "page.html");
  return device.send("POST", "bookmarks/singlefile/", { body, headers: { authorization: `Token ${device.token}` } });
}

/** Makes the keeper forget a user. */
const removeFromKeeper = ({ credentials: { username } }: TestUser) =>
  stage.table.client.send(
    new UpdateCommand({
      TableName: stage.table.tableName,
      Key: { pk: `USER#${username}`, sk: "USER" },
      UpdateExpression: "REMOVE keepingAt",
    }),
  );

/** The addresses of the kept pictures of a page. */
const sourcesOf = async (user: TestUser, url: string) =>
  keptSourcesIn((await user.ok("article", { url, images: "kept" })).body);

const pageUrl = (name: string) => `${stage.pages}/${name}`;

async function fill(user: TestUser, size: number, urlLength = 20): Promise<void> {
  // A form of 6 MB is too long for a function.
  const atOnce = Math.min(700, Math.floor(1_000_000 / urlLength));
  for (let start = 0; start < size; start += atOnce) {
    const entries = Array.from({ length: Math.min(atOnce, size - start) }, (_, i) => ({
      url: `https://example.com/${start + i}`.padEnd(urlLength, "x"),
      title: `Page ${start + i}`,
    }));
    requireOk("send", await user.send({ new: entries, read: entries.slice(0, 200).map(({ url }) => ({ url })) }));
  }
}

/** The states of a list in which every endpoint is called. */
const states: Record<string, (user: TestUser) => Promise<Partial<ListState>>> = {
  empty: async () => ({ url: pageUrl("new"), sinces: ["0", "1500000000"] }),
  "short, with deletions and a kept article,": async (user) => {
    await fill(user, 5);
    await user.add(pageUrl("kept"));
    await user.ok("article", { url: pageUrl("kept"), html: articlePage });
    const marks = ["https://example.com/1", "https://example.com/2", "https://example.com/4"];
    const save = JSON.stringify(marks.map((url, i) => ({ id: `m${i}`, url, quote: "harbour" })));
    await user.ok("highlights", { save, delete: '["m1"]' });
    const { since } = await user.get();
    await user.add("https://example.com/later");
    await user.send({ delete: [{ url: "https://example.com/1" }, { url: "https://example.com/4" }] });
    return { url: pageUrl("kept"), sinces: [since, (await user.get()).since], count: 1 };
  },
  "of more than a thousand items": async (user) => {
    await fill(user, longList / 2);
    const { since } = await user.get({ count: 1 });
    await fill(user, longList);
    return { url: "https://example.com/7", sinces: [since], count: 520 };
  },
};

describe.each(Object.keys(states))("with a list that is %s", (name) => {
  let user: TestUser;
  let state: ListState;

  beforeAll(async () => {
    user = await client.newUser();
    state = { ...user.credentials, url: "", sinces: [], count: 2, ...(await states[name]?.(user)) };
  });
  // Else the keeper reads its pages, in each run.
  afterAll(() => user.ok("kept", { auto: 0 }));

  test.each(endpoints)("$name answers with every value of every parameter", async (endpoint: EndpointContract) => {
    const calls = await callsOf(endpoint, state, client.apiKey, name === "empty" ? 2 : undefined);
    expect(calls).not.toEqual([]);
    for (const [place, parameters] of calls.entries()) {
      if (endpoint.caller === "new-user") parameters.username = newName();
      if (endpoint.account === "deletion") {
        const leaving = await client.newUser();
        Object.assign(parameters, { ...leaving.credentials, confirm: leaving.credentials.username });
      }
      const methods = listMethods(endpoint);
      const method = String(parameters.html) === "undefined" ? methods[place % methods.length] : "POST";
      const url = client.urlOf(endpoint.name);
      const answer = await (method === "GET"
        ? client.fetch(`${url}?${form(parameters)}`, { headers: { "accept-encoding": "gzip" } })
        : client.call(endpoint.name, parameters));
      expectContract(endpoint, answer);
      // A stage has no operators, and so no links.
      const statuses = parameters.invitation ? [401] : [200, 400];
      expect(statuses, `${endpoint.name} ${JSON.stringify(parameters)}`).toContain(answer.status);
    }
  });
});

const withKey = (apikey: string, user: TestUser) =>
  new TestUser(new ServiceClient({ ...client, apiKey: apikey }), user.credentials.username, user.credentials.password);

const forUsers: EndpointContract[] = endpoints.filter(({ caller }) => caller === "user");

describe("every endpoint", () => {
  test.each(forUsers)(
    "$name accepts an app password, or says that it needs the account's password",
    async (endpoint) => {
      const user = await client.newUser();
      await user.add("https://example.com/articles/1");
      const { password } = JSON.parse((await user.ok("app_passwords", { create: "Phone" })).body);
      const answer = await client.call(endpoint.name, { ...completeExample(endpoint, user.credentials), password });
      expect(answer.status).toBe(endpoint.account ? 401 : 200);
      if (endpoint.account) expect(answer.headers.get("x-error")).toContain("password");
    },
  );

  test.each(forUsers)("$name refuses wrong credentials, and calls above a limit", async (endpoint) => {
    const { name, counted } = endpoint;
    const user = await client.newUser();
    const example = completeExample(endpoint, user.credentials);
    const nobody = completeExample(endpoint, { ...user.credentials, username: newName() });
    expect((await client.call(name, { ...example, password: "wrong" })).status).toBe(401);
    expect((await client.call(name, nobody)).status).toBe(401);
    if (counted) expect((await withKey("spent", user).call(name, example)).status).toBe(403);
  });

  test.each(endpoints)("$name refuses unknown keys, and accepts the web reader's", async (endpoint) => {
    const { name, caller } = endpoint;
    const user = await client.newUser();
    const account = caller === "new-user" ? { ...user.credentials, username: newName() } : user.credentials;
    const example = completeExample(endpoint, account);
    expect((await client.call(name, { ...example, apikey: "unknown" })).status).toBe(401);
    expect([200, 400]).toContain((await client.call(name, { ...example, apikey: variables.WEB_API_KEY })).status);
  });

  test("app_passwords revokes one", async () => {
    const user = await client.newUser();
    const { id } = JSON.parse((await user.ok("app_passwords", { create: "Phone" })).body);
    await user.ok("app_passwords", { revoke: id });
    expect(JSON.parse((await user.ok("app_passwords")).body).list).toEqual({});
  });

  test("is 503 with the administrator's text during maintenance", async () => {
    await stage.operator.beginMaintenance({ text: "Back at noon.", since: 0 });
    for (const endpoint of endpoints) {
      await stage.restart(endpoint.name, {});
      const answer = await client.call(
        endpoint.name,
        completeExample(endpoint, { username: "ann", password: "secret" }),
      );
      expect([answer.status, answer.headers.get("x-error")]).toEqual([503, "Back at noon."]);
    }
    await stage.operator.endMaintenance();
    for (const { name } of endpoints) await stage.restart(name, {});
  });
});

/** Calls every route of another service's API, with the id that `save` returns and the fields that a route needs. */
async function callEveryRoute(
  routes: readonly { route: string }[],
  call: (method: string, path: string, fields?: Record<string, unknown>) => Promise<{ status: number; body: string }>,
  save: () => Promise<string | number>,
  fieldsOf: (route: string) => object | undefined | false,
): Promise<void> {
  for (const { route } of routes) {
    const [method = "", pattern = ""] = route.split(" ");
    const path = pattern
      .replace("{id}", String(await save()))
      .replace("{tag}", "1")
      .replace("{label}", "one")
      .replace("{annotation}", "mark")
      .slice(1);
    const fields = { ...fieldsOf(route) };
    const { status, body } = await (method === "GET"
      ? call(method, `${path}?${form(fields)}`)
      : call(method, path, fields));
    expect([200, 201, 202, 204, 404], `${route}: ${body}`).toContain(status);
    expect(body).not.toContain("no such path");
  }
}

describe("apps", () => {
  test("the typed client's first sync of 2,000 items is the list", async () => {
    const user = await client.newUser();
    await fill(user, 2000);
    const { baseUrl, textUrl, apiKey } = client;
    const device = new ReadingListClient({ baseUrl, textUrl, apiKey, ...user.credentials, retries: 0 });
    const store = new MemoryStore();
    for await (const _ of device.sync(store));
    expect((await store.items()).map(({ url }) => url).sort()).toEqual(
      (await user.items()).map(({ url }) => url).sort(),
    );
    expect(await device.verify(store)).toBe("equal");
  });

  test("a list above 6 MB is sent compressed, and is 400 otherwise", async () => {
    const user = await client.newUser();
    await fill(user, 1800, 3800);
    const url = `${client.urlOf("get")}?${form({ apikey: client.apiKey, ...user.credentials })}`;
    const [plain, compressed] = [
      await client.fetch(url, { headers: { "accept-encoding": "identity" } }),
      await client.fetch(url),
    ];
    expect([plain.status, plain.headers.get("x-error")]).toEqual([400, expect.stringContaining("too large")]);
    expect([compressed.status, Object.keys(compressed.json().list).length]).toEqual([200, 1800]);
  });

  test("a page of 4 MB that the user has opened is kept", async () => {
    const user = await client.newUser();
    await user.add(pageUrl("large"));
    const body = new FormData();
    const html = articlePage.replace("</article>", `</article><!--${"x".repeat(3_900_000)}-->`);
    for (const [name, value] of Object.entries({
      apikey: client.apiKey,
      ...user.credentials,
      url: pageUrl("large"),
      html,
    }))
      body.set(name, value);
    const answer = await client.fetch(client.urlOf("article"), { method: "POST", body });
    expect([answer.status, answer.headers.get("x-error")]).toEqual([200, null]);
  });

  test("an item that is purged keeps no article, even if its page is being read", async () => {
    const user = await client.newUser();
    const articles = () => [...stage.objects.byPath.keys()].filter((path) => path.includes("/articles/"));
    const before = articles();
    await user.add(pageUrl("kept"));
    await user.ok("article", { url: pageUrl("kept") });
    await user.send({ delete: [{ url: pageUrl("kept") }] });
    expect(articles()).toHaveLength(before.length + 1);
    await user.ok("trash", { purge: JSON.stringify([pageUrl("kept")]) });
    expect(articles()).toEqual(before);
    await user.add(pageUrl("deleted"));
    whileReading = async () => {
      await user.send({ delete: [{ url: pageUrl("deleted") }] });
      await user.ok("trash", { purge: "all" });
    };
    expect((await user.call("article", { url: pageUrl("deleted") })).status).toBe(400);
    whileReading = async () => {};
    expect(articles()).toEqual(before);
  });

  test("wallabag's apps sign in, sync and call every route", async () => {
    const user = await client.newUser();
    await fill(user, 40);
    const device = await new WallabagDevice(client, user.credentials).signIn();
    await device.sync();
    expect(device.shown()).toEqual(asShown(await user.items()));
    await device.sweep();
    const refresh = { grant_type: "refresh_token", refresh_token: device.tokens?.refresh_token };
    device.tokens = await device.ok("POST", "oauth/v2/token", refresh);
    const grant = { grant_type: "password", client_id: "public", client_secret: "public", ...user.credentials };
    const save = async () => (await device.ok("POST", "api/entries", { url: pageUrl("entry"), tags: "one" })).id;
    const isOfTokens = ({ route }: { route: string }) => route.includes("token");
    const call = device.call.bind(device);
    await callEveryRoute(wallabag.routes.filter(isOfTokens), call, save, (route) => isOfTokens({ route }) && grant);
    const fields: [RegExp, object][] = [
      [/^POST .*entries(.json)?$|exists/, { url: pageUrl("entry") }],
      [/^PATCH .*{id}(.json)?$/, { archive: 1 }],
      [/^POST .*tags(.json)?$/, { tags: "two" }],
      [/^POST .*annotations/, { quote: "harbour", text: "a note" }],
      [/tag.?\/label/, { tag: "none", tags: "none" }],
      [/entries\/lists?(.json)?$/, { urls: JSON.stringify([pageUrl("bulk")]) }],
      [/entries\/tags\/lists?(.json)?$/, { list: JSON.stringify([{ url: pageUrl("bulk"), tags: "three" }]) }],
    ];
    const isClosed = ({ route }: { route: string }) => /^PUT .*user/.test(route);
    await callEveryRoute(
      wallabag.routes.filter((route) => !isOfTokens(route) && !isClosed(route)),
      call,
      save,
      (route) => fields.find(([pattern]) => pattern.test(route))?.[1],
    );
    const { id: annotation } = await device.ok("POST", `api/annotations/${await save()}`, { quote: "quay", text: "" });
    expect((await device.list())._embedded.items).toContainEqual(
      expect.objectContaining({ annotations: expect.arrayContaining([expect.objectContaining({ id: annotation })]) }),
    );
    await device.ok("PUT", `api/annotations/${annotation}`, { text: "another note" });
    await device.ok("DELETE", `api/annotations/${annotation}`);
    // Six are more than a user may have of one name: the oldest goes.
    for (let i = 0; i < 6; i++) await device.signIn({ client_id: client.apiKey });
  });

  test("a Kobo lists, changes and downloads pages; its shop needs a token", async () => {
    const user = await client.newUser();
    await user.send({ new: [1, 2, 3, 4, 5, 6].map((n) => ({ url: pageUrl(`kobo${n}`) })) });
    const call = (path: string, init: RequestInit) => client.fetch(new URL(path, client.urlOf("get")).href, init);
    const body = form({ ...user.credentials, serial: "N418123456789" });
    // Six are more than a user may have of one name: the oldest goes.
    const made = [];
    for (let i = 0; i < 6; i++) made.push(await call("/kobo/device", { method: "POST", body }));
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 200));
    const { body: known } = await user.ok("app_passwords");
    const shops = made.map(({ body }) => /api_endpoint=(.*)/.exec(JSON.parse(body).settings)?.[1] ?? "");
    const [gone, ...more] = shops.filter((shop) => !((shop.split(".").at(-2) ?? "") in JSON.parse(known).list));
    expect(more).toEqual([]);
    expect((await client.fetch(`${gone}/v1/initialization`, {})).status).toBe(404);
    const device = await KoboDevice.of(user);
    await device.sync();
    expect(device.copy.size).toBe(6);
    const [item_id = ""] = device.copy.keys();
    const added = { action: "add", url: pageUrl("added") };
    expect((await device.send([{ action: "delete", item_id }, added])).status).toBe(true);
    await device.sync();
    expect([...device.copy.values()].map(({ given_url }) => given_url).sort()).toEqual(
      (await user.items()).map(({ url }) => url).sort(),
    );
    const { article, images } = await device.download(pageUrl("added"));
    expect(article).not.toMatch(/<img|IMG_/);
    expect(images).toEqual({});
    expect((await call("/kobo/image?url=https://example.com/&expires=1&signature=x", {})).status).toBe(404);
    expect((await call("/kobo/store/wrong/v1/initialization", {})).status).toBe(404);
  });

  test("Readeck's apps sign in, sync and call every route", async () => {
    const user = await client.newUser();
    await fill(user, 40);
    const device = await ReadeckDevice.signIn(user);
    const copy = new SyncingReadeckDevice(device, Date.now);
    await copy.sync();
    // The first deletion of the user's day.
    const [bookmark] = await device.bookmarks("limit=1");
    expect((await device.call("DELETE", `bookmarks/${bookmark?.id}`)).status).toBe(204);
    await copy.sync();
    expect([...copy.copy.values()].map(({ url }) => url).sort()).toEqual(
      (await user.items()).map(({ url }) => url).sort(),
    );
    const save = async (name: string) =>
      (await device.call("POST", "bookmarks", { url: pageUrl(name) })).headers.get("bookmark-id") ?? "";
    const root = { start_selector: "section[1]", end_selector: "section[1]" };
    const annotation = { ...root, start_offset: 0, end_offset: 3, color: "red" };
    const fields: Record<string, object> = {
      "POST /api/auth": { application: "test", ...user.credentials },
      "POST /api/bookmarks": { url: pageUrl("other") },
      "POST /api/bookmarks/sync": { id: [await save("third")] },
      "PATCH /api/bookmarks/{id}": { is_archived: true },
      "PATCH /api/bookmarks/labels": { name: "two" },
      "PATCH /api/bookmarks/labels/{label}": { name: "two" },
      "POST /api/bookmarks/{id}/annotations": annotation,
      "PATCH /api/bookmarks/{id}/annotations/{annotation}": { color: "red" },
    };
    await callEveryRoute(
      readeck.routes.filter(({ route }) => / \/api\/(?!oauth)/.test(route)),
      (method, path, body) => device.call(method, path.replace(/^api\//, ""), body),
      () => save("bookmark"),
      (route) => fields[route],
    );
  });

  test("readers of catalogues and feeds call every route", async () => {
    const user = await client.newUser();
    await fill(user, 40);
    await user.add(pageUrl("book"), { title: "A book", tags: "one,starred" });
    const mark = { id: "mark", url: pageUrl("book"), quote: "harbour" };
    await user.ok("highlights", { save: JSON.stringify([mark]) });
    const reader = await OpdsReader.signIn(user);
    const call = (method: string, path: string) => reader.call(`/opds/${path}`, { method });
    const fields = (route: string) => route.endsWith("/tag") && { name: "one" };
    await callEveryRoute(opds.routes, call, async () => toItemId(pageUrl("book")), fields);
    const { pages } = await reader.walk("/opds/v2/unread");
    expect(pages.map(({ href }) => href)).toContain(pageUrl("book"));
    const [, book] = [await user.items(), await reader.call(`/opds/books/${toItemId(pageUrl("book"))}.epub`)];
    expect([book.status, book.headers.get("content-type")]).toEqual([200, "application/epub+zip"]);
    const secret = await newAppPassword(user, { scope: "feed" });
    for (const form of ["atom", "rss"]) {
      const url = reader.urlOf(`/feeds/${user.credentials.username}.${secret}.${form}?starred=1`);
      const feed = await client.fetch(url);
      expect([feed.status, feed.body]).toEqual([200, expect.stringContaining("A book")]);
      const headers = { "if-none-match": feed.headers.get("etag") ?? "" };
      expect((await client.fetch(url, { headers })).status).toBe(304);
    }
    const wrong = "a".repeat(20);
    expect((await new OpdsReader(user, wrong).call("/opds")).status).toBe(401);
    const url = reader.urlOf(`/feeds/${user.credentials.username}.${wrong}.atom`);
    expect((await client.fetch(url)).status).toBe(401);
  });

  test("assistants find the authorization server and call every tool", async () => {
    const user = await client.newUser();
    await fill(user, 40);
    const { body } = await client.fetch(`${client.baseUrl}/.well-known/oauth-protected-resource/mcp`);
    expect(JSON.parse(body).authorization_servers).toEqual([`${client.baseUrl}/readeck`]);
    const assistant = await Assistant.of(user);
    const page = pageUrl("assistant");
    const use = async (name: string, given: Record<string, unknown> = { page }) => {
      const { isError, text, json } = await assistant.use(name, given);
      expect([name, isError, text]).toEqual([name, false, text]);
      return json;
    };
    await use("save", { url: page, tags: ["one"] });
    expect(await use("list", { count: 10 })).toMatchObject({ next_cursor: "10" });
    await use("list", { count: 10, cursor: "10" });
    await use("search", { words: "one" });
    await use("read");
    await use("tag", { page, add: ["two"] });
    for (const name of ["archive", "unarchive", "star", "unstar"]) await use(name);
    await use("highlight", { page, quote: "the harbour" });
    expect(await use("highlights")).toMatchObject({ total: 1 });
    await use("delete", { page, token: (await use("delete")).token });
    await use("restore");
  });

  test("Readeck's apps sign in by OAuth, by codes and as devices, and end their sign-ins", async () => {
    const user = await client.newUser();
    const app = await OAuthApp.register(client);
    const registration = { headers: { authorization: `Bearer ${app.registered.registration_access_token}` } };
    for (const method of ["GET", "PUT", "DELETE"]) {
      const { status } = await client.fetch(app.registered.registration_client_uri ?? "", { method, ...registration });
      expect(status).toBe(method === "DELETE" ? 204 : 200);
    }
    const { body } = await client.fetch(`${client.baseUrl}/.well-known/oauth-authorization-server/readeck`);
    expect(JSON.parse(body).token_endpoint).toBe(`${client.baseUrl}/readeck/api/oauth/token`);
    expect((await client.fetch(app.authorizeUrl(newVerifier()))).status).toBe(200);
    const token = await app.signIn(user.credentials);
    const { device_code: code, verification_uri_complete: url } = JSON.parse((await app.requestDevice()).body);
    expect((await app.poll(code)).status).toBe(400);
    expect((await client.fetch(url)).status).toBe(200);
    const wrongCode = `${client.baseUrl}/readeck/device?user_code=BBBB-BBBB`;
    expect((await app.answerPage(wrongCode, {})).status).toBe(404);
    await app.answerPage(url, { ...user.credentials, decision: "allow" });
    expect((await app.poll(code)).status).toBe(200);
    // The second use of a code ends its sign-in.
    expect((await app.poll(code)).status).toBe(400);
    expect((await new ReadeckDevice(user, token).call("GET", "profile")).status).toBe(200);
    expect((await app.revoke(token)).status).toBe(200);
    expect((await new ReadeckDevice(user, token).call("GET", "profile")).status).toBe(401);
  });

  test("feed readers of Google Reader's API call every route", async () => {
    const user = await client.newUser();
    await user.add(pageUrl("harbour"), { tags: "news" });
    const reader = await GoogleReader.signIn(user);
    const reads = ["token", "user-info", "subscription/list", "tag/list", "unread-count", "stream/contents"];
    for (const path of reads) expect([path, (await reader.get(path)).status]).toEqual([path, 200]);
    const { itemRefs } = await reader.read("stream/items/ids?s=user/-/state/com.google/reading-list&n=1");
    const i: [string, string] = ["i", itemRefs[0].id];
    const s: [string, string] = ["s", "user/-/label/news"];
    const changes: [string, [string, string][]][] = [
      ["stream/items/contents", [i]],
      ["edit-tag", [i, ["a", "user/-/state/com.google/starred"]]],
      ["mark-all-as-read", [s, ["ts", "1"]]],
      ["subscription/edit", [["ac", "unsubscribe"], s]],
      ["disable-tag", [s]],
      ["rename-tag", [s, ["dest", "user/-/label/press"]]],
      ["subscription/quickadd", [["quickadd", pageUrl("book")]]],
    ];
    for (const [path, fields] of changes) expect([path, (await reader.post(path, fields)).status]).toEqual([path, 200]);
    expect((await login(user, { Passwd: "a".repeat(20) })).status).toBe(401);
  });

  test("feed readers show kept pictures of articles, which are kept for them", async () => {
    const user = await client.newUser();
    await user.send({ new: [{ url: pageUrl("pictured-reader-1") }, { url: pageUrl("pictured-reader-2") }] });
    await removeFromKeeper(user);
    const reader = await GoogleReader.signIn(user);
    const shown = async () => [...(await reader.get("stream/contents")).body.matchAll(/\/v2\/picture\?user=/g)];
    await expect.poll(shown).toHaveLength(2);
  });

  test("linkding's apps call every route", async () => {
    const user = await client.newUser();
    await fill(user, 40);
    await removeFromKeeper(user);
    const device = await LinkdingDevice.signIn(user);
    const { id, url } = await device.ok("POST", "bookmarks/", { url: pageUrl("linkding"), tag_names: ["news"] }, 201);
    await device.ok("POST", "bookmarks/?disable_scraping", { url: pageUrl("linkding-later"), notes: "a note" }, 201);
    expect(await device.ok("PUT", `bookmarks/${id}/`, { url, notes: "a note" })).toMatchObject({ notes: "a note" });
    expect(await device.ok("PATCH", `bookmarks/${id}/`, { tag_names: ["press"] })).toMatchObject({
      tag_names: ["press"],
    });
    for (const action of ["archive", "unarchive"]) await device.ok("POST", `bookmarks/${id}/${action}/`, {}, 204);
    const reads = ["bookmarks/?limit=10", "bookmarks/?limit=10&offset=10", "bookmarks/archived/", "bookmarks/shared/"];
    for (const path of [...reads, `bookmarks/${id}/`, `bookmarks/check/?url=${encodeURIComponent(pageUrl("checked"))}`])
      await device.ok("GET", path);
    for (const path of ["", "user/profile/", "bundles/", `bookmarks/${id}/assets/`]) await device.ok("GET", path);
    const { results } = await device.ok<LinkdingPage<{ id: number; name: string }>>("GET", "tags/");
    const tag = results.find(({ name }) => name === "press");
    await device.ok("GET", `tags/${tag?.id}/`);
    await device.ok("POST", "tags/", { name: "new" }, 201);
    await device.ok("DELETE", `tags/${tag?.id}/`, undefined, 204);
    expect((await upload(device, pageUrl("linkding-upload"))).status).toBe(201);
    await device.ok("DELETE", `bookmarks/${id}/`, undefined, 204);
    const wrong = `${user.credentials.username}.${"a".repeat(20)}`;
    expect((await new LinkdingDevice(user, wrong).call("GET", "tags/")).status).toBe(401);
  });

  test("Readeck's apps get 422 for one sign-in more than a user may have", async () => {
    const user = await client.newUser();
    const signIn = (app: number) => ReadeckDevice.signIn(user, user.credentials, `app ${app}`);
    for (let app = 0; app < maxSignIns; app++) await signIn(app);
    await expect(signIn(maxSignIns)).rejects.toThrow("auth: 422");
  });

  test("Readeck's apps cannot sign in with a wrong password, nor call above a limit", async () => {
    const user = new TestUser(client, newName(), "secret");
    await user.ok("signup");
    const statusOf = async (password: string, apikey: string) => {
      const device = new ReadeckDevice(user, `${user.credentials.username}.${password}.${apikey}`);
      return (await device.call("GET", "bookmarks")).status;
    };
    expect(await statusOf("wrong", client.apiKey)).toBe(401);
    expect(await statusOf("secret", "spent")).toBe(429);
    expect(await statusOf("secret", client.apiKey)).toBe(200);
  });

  test("wallabag's apps cannot sign in with a wrong password, nor call above a limit", async () => {
    const { credentials } = await client.newUser();
    const device = new WallabagDevice(client, credentials);
    await expect(new WallabagDevice(client, { ...credentials, password: "wrong" }).signIn()).rejects.toThrow("40");
    await expect(device.signIn({ client_id: "spent" })).rejects.toThrow("429");
  });
});

describe("single sign-on", () => {
  const publicUrl = `https://${variables.BASE_DOMAIN}`;
  const newBrowser = () => new SignOnBrowser(publicUrl, readerUrl, (url) => url.replace(publicUrl, client.baseUrl));
  beforeEach(() => {
    provider.person = { sub: newName(), claims: { preferred_username: newName() } };
  });

  test("leads from the reader on another host to the provider, and back to a sign-in of the device", async () => {
    const browser = newBrowser();
    const origin = new URL(readerUrl).origin;
    expect((await browser.post("", {}, { origin: "https://evil.example" })).headers.get("x-error-code")).toBe(
      "other_site",
    );
    expect((await browser.post("", {}, { origin })).status).toBe(200);
    const arrived = await browser.walk("");
    const { answer } = await browser.exchange(arrived, { seconds: "60" });
    const user = new TestUser(client, answer?.username ?? "", answer?.password ?? "");
    await user.add("https://example.com/");
    const withAnother = { ...(await browser.walk("")), verifier: "guessed" };
    expect((await browser.exchange(withAnother)).status).toBe(401);
    expect((await browser.exchange(await browser.walk(""))).answer?.username).toBe(answer?.username);
    const { answer: token } = await browser.exchange(await browser.walk("", { fresh: "1" }), { fresh: "1" });
    const fresh = new TestUser(client, answer?.username ?? "", token?.password ?? "");
    await fresh.ok("delete_account", { confirm: answer?.username ?? "" });
    const again = await newBrowser().walk("");
    expect(again.fragment.get("signin")).toContain(`${answer?.username}.`);
    expect((await user.call("auth")).status).toBe(401);
  });

  test("leads a link to /app/oidc to the reader, which begins by itself, and signs out at the provider", async () => {
    expect((await newBrowser().follow(`${publicUrl}/app/oidc`, () => true)).url).toBe(readerUrl);
    const { url } = await newBrowser().follow(`${publicUrl}/app/oidc/logout`, () => true);
    expect(url).toContain(`${provider.issuer}/session/end?`);
    expect(new URL(url).searchParams.get("post_logout_redirect_uri")).toBe(readerUrl);
  });

  test("links an account, and unlinks it", async () => {
    const user = await client.newUser();
    const browser = newBrowser();
    const link = async () => browser.link(await browser.walk("/link", { ...user.credentials }));
    expect((await link()).status).toBe(200);
    const { answer } = await browser.exchange(await browser.walk(""));
    expect(answer?.username).toBe(user.credentials.username);
    // Another identity takes the place of the first.
    browser.cookiesOf(provider.issuer).clear();
    provider.person = { sub: newName() };
    expect((await link()).status).toBe(200);
    const state = async () => (await browser.post("/state", { ...user.credentials })).json();
    expect(await state()).toEqual({ linked: true });
    expect((await browser.post("/unlink", { ...user.credentials })).status).toBe(200);
    expect(await state()).toEqual({ linked: false });
  });
});

describe("passkeys", () => {
  const { origin } = new URL(readerUrl);

  test("of the reader on another host are added, asked for beside the password, accepted once, and removed", async () => {
    const user = await client.newUser();
    const { credentials } = user;
    const post = async <T>(path: string, fields: object, from = origin) => {
      const url = `${client.baseUrl}/app/passkeys/${path}`;
      const response = await fetch(url, { method: "POST", body: form({ ...fields }), headers: { origin: from } });
      return { status: response.status, answer: (response.ok ? await response.json() : {}) as T };
    };
    const enrol = async (owner: object) => {
      const authenticator = new Authenticator(origin);
      const { answer: question } = await post<{ challenge: string }>("begin", owner);
      const answer = authenticator.create(question);
      return { authenticator, ...(await post<{ password: string }>("enrol", { ...owner, name: "Laptop", answer })) };
    };
    expect((await post("ask", {}, "https://evil.example")).status).toBe(403);
    const { authenticator, status, answer: token } = await enrol(credentials);
    expect(status).toBe(200);
    const ask = async () => (await post<{ challenge: string; rpId: string }>("ask", {})).answer;
    const signIn = (answer: string, more: object = {}) =>
      post<{ password: string }>("sign-in", { ...credentials, answer, ...more });
    expect([(await user.call("auth")).status, (await post("sign-in", credentials)).status]).toEqual([401, 401]);
    const answer = authenticator.sign(await ask());
    const first = await signIn(answer);
    expect(first.status).toBe(200);
    await new TestUser(client, credentials.username, first.answer.password).add("https://example.com/");
    // Another process has nothing in memory.
    await stage.restart("passkeys", {});
    authenticator.counts = false;
    expect((await signIn(answer)).status).toBe(401);
    // The sixth sign-in with the same name removes the oldest.
    for (let device = 0; device < 6; device++) {
      authenticator.counter += 1;
      authenticator.counts = true;
      expect((await signIn(authenticator.sign(await ask()))).status).toBe(200);
    }
    const owner = { ...credentials, password: token.password };
    const { answer: listed } = await post<{ list: unknown[] }>("list", owner);
    expect(listed.list).toHaveLength(1);
    expect((await post("remove", { ...owner, id: authenticator.id })).status).toBe(200);
    await user.ok("auth");
    const { answer: next } = await enrol(credentials);
    await new TestUser(client, credentials.username, next.password).ok("delete_account", {
      confirm: credentials.username,
    });
  });
});

describe("search", () => {
  interface SearchAnswer {
    as_of: string;
    list: { url: string; snippet: string }[];
  }
  const search = async (user: TestUser, query: string): Promise<SearchAnswer> =>
    JSON.parse((await user.ok("search", { query })).body);
  const urlsOf = async (user: TestUser, query: string) => (await search(user, query)).list.map(({ url }) => url);
  const indexOf = async (user: TestUser) => {
    const { userId = "" } = (await stage.operator.findUser(user.credentials.username)) ?? {};
    return [...stage.objects.byPath].find(([path]) => path.endsWith(`/indexes/${userId}`))?.[1];
  };
  const has = async (user: TestUser, word: string) => (await indexOf(user))?.toString("latin1").includes(word);

  test("finds the text of a page that was kept a moment before, and its index is stored by a function of its own", async () => {
    const user = await client.newUser();
    await user.add(pageUrl("one"));
    await user.ok("article", { url: pageUrl("one") });
    const { list, as_of: asOf } = await search(user, "harbour");
    expect(list).toMatchObject([{ url: pageUrl("one"), snippet: expect.stringContaining("the harbour") }]);
    expect(Number(asOf)).toBeGreaterThan(Date.now() / 1000 - 600);
    await expect.poll(async () => Number((await indexOf(user))?.length), { timeout: 60_000 }).toBeGreaterThan(0);
    await user.add(pageUrl("two"));
    await user.ok("article", { url: pageUrl("two") });
    const stored = await indexOf(user);
    // Another process reads the stored index, and continues from there.
    await stage.restart("search", {});
    expect((await urlsOf(user, "harbour")).sort()).toEqual([pageUrl("one"), pageUrl("two")]);
    await expect.poll(async () => (await indexOf(user)) !== stored, { timeout: 60_000 }).toBe(true);
  });

  test("has no word of a deleted page in a stored index after the next run of the schedule", async () => {
    const user = await client.newUser();
    for (const title of ["zyzzyva", "staying"]) await user.add(pageUrl(title), { title });
    // An article that is lost does not stop the index.
    await user.ok("article", { url: pageUrl("staying") });
    const { userId = "" } = (await stage.operator.findUser(user.credentials.username)) ?? {};
    for (const path of stage.objects.byPath.keys())
      if (path.includes(`/articles/${userId}/`)) stage.objects.put(path, undefined);
    expect(await urlsOf(user, "zyzzyva")).toEqual([pageUrl("zyzzyva")]);
    await expect.poll(() => has(user, "zyzzyva"), { timeout: 60_000 }).toBe(true);
    await user.send({ delete: [{ url: pageUrl("zyzzyva") }] });
    // The last walk began less than 12 hours ago.
    const { client: database, tableName } = stage.table;
    await database.send(new PutCommand({ TableName: tableName, Item: { ...indexWalkKey, walk: { startedAt: 0 } } }));
    await stage.runSchedules();
    await expect.poll(() => has(user, "zyzzyva"), { timeout: 120_000 }).toBe(false);
    expect([await urlsOf(user, "zyzzyva"), await urlsOf(user, "staying")]).toEqual([[], [pageUrl("staying")]]);
  });
});

describe("the synthetic user", () => {
  /** Runs it once; returns the steps that failed, and the number of good runs. */
  async function probe(): Promise<[failed: unknown[], good: unknown]> {
    const code = stage.functions.get("probe");
    if (!code) throw new Error("the stage has no synthetic user");
    const environment = { ...code.environment, BASE_URL: client.baseUrl, TEXT_HOST_URL: client.textUrl };
    const started = await stage.start({ ...code, environment });
    try {
      await started.invoke({});
      const lines = linesOf(started.output());
      return [
        lines.filter(({ level }) => level === "ERROR").map((line) => line.code),
        lines.find((line) => line.Runs)?.endpoint,
      ];
    } finally {
      await started.stop();
    }
  }

  test("signs in, saves a page of the stage, syncs, searches, and reads it with its picture; a failed step has no good run", async () => {
    // Keys are unknown for 5 s after they were asked for.
    await expect.poll(probe, { timeout: 120_000 }).toEqual([["PROBE_ARTICLE"], undefined]);
    const origins = { TEXT_ALLOWED_ORIGINS: `${stage.pages},${new URL(client.textUrl).origin}` };
    for (const name of ["extraction", "imaging"]) await stage.restart(name, origins);
    // The first reading of a new process may take longer than a step.
    await expect.poll(probe, { timeout: 120_000 }).toEqual([[], "probe"]);
    const pages = [0, 1, 2, 3, 4, 5].map((number) => `${client.textUrl}/health/page?${number}`);
    const users = new Set<string>();
    for await (const some of stage.operator.walkUsers()) {
      for (const { username } of some) if (username.startsWith("probe-")) users.add(username);
    }
    expect(users.size).toBe(1);
    for (const username of users) {
      for await (const items of stage.operator.walkItems(username)) {
        for (const { url, isDeleted } of items) expect([pages.includes(url), isDeleted]).toEqual([true, false]);
      }
    }
  });

  test("sees nothing during maintenance", async () => {
    await stage.operator.beginMaintenance({ text: "Back at noon.", since: 0 });
    expect(await probe()).toEqual([[], "probe"]);
    await stage.operator.endMaintenance();
  });
});

describe("pages that were saved", () => {
  const keptOf = async (user: TestUser) => JSON.parse((await user.ok("kept", {})).body);

  test("are kept by the schedule, and found by their words", async () => {
    const user = await client.newUser();
    await user.ok("kept", { auto: 1 });
    await user.add(pageUrl("background"));
    expect((await keptOf(user)).count_kept).toBe("0");
    await stage.runSchedules();
    expect(await keptOf(user)).toMatchObject({ auto: "1", count_kept: "1", count_waiting: "0", count_failed: "0" });
    expect(JSON.parse((await user.ok("search", { query: "harbour" })).body).list).toMatchObject([
      { url: pageUrl("background") },
    ]);
  });

  test("wait for another try if their site cannot be reached; the user is listed once, at that time", async () => {
    const user = await client.newUser();
    const gone = { pk: "KEEPING", sk: "000000000001#gone", username: user.credentials.username };
    await stage.table.client.send(new PutCommand({ TableName: stage.table.tableName, Item: gone }));
    await user.ok("kept", { auto: 1 });
    await user.add(pageUrl("first"));
    await user.add(pageUrl("down"));
    await stage.runSchedules();
    expect(await keptOf(user)).toMatchObject({ count_kept: "1", count_waiting: "1" });
    // All items of a write are surely visible 5 s later; then nothing is noted any more.
    const listed = async () => {
      await stage.runSchedules();
      const { Items = [] } = await stage.table.client.send(
        new QueryCommand({
          TableName: stage.table.tableName,
          KeyConditionExpression: "pk = :pk",
          FilterExpression: "username = :username",
          ExpressionAttributeValues: { ":pk": "KEEPING", ":username": user.credentials.username },
        }),
      );
      return Items.map(({ sk }) => Number(String(sk).split("#")[0]) > Date.now() / 1000 + 60);
    };
    await expect.poll(listed, { timeout: 60_000, interval: 3000 }).toEqual([true]);
  });

  test("that cannot be read are tried again if their user asks for it", async () => {
    const user = await client.newUser();
    await user.ok("kept", { auto: 1 });
    const url = "http://127.0.0.1:9/private";
    await user.add(url);
    await stage.runSchedules();
    expect((await keptOf(user)).list[toItemId(url)]).toMatchObject({ state: "failed" });
    await user.ok("kept", { retry: 1 });
    expect((await keptOf(user)).list[toItemId(url)]).toMatchObject({ state: "waiting" });
    await stage.runSchedules();
    expect((await keptOf(user)).list[toItemId(url)]).toMatchObject({ state: "failed" });
  });

  test("leave what is kept with their item", async () => {
    const user = await client.newUser();
    await user.add(pageUrl("leaving"));
    await user.ok("article", { url: pageUrl("leaving") });
    expect((await keptOf(user)).count_kept).toBe("1");
    await user.send({ delete: [{ url: pageUrl("leaving") }] });
    await expect
      .poll(async () => {
        await stage.runSchedules();
        return (await keptOf(user)).count_kept;
      })
      .toBe("0");
  });
});

describe("CloudFront", () => {
  const callDirectly = (headers: Record<string, string>) =>
    fetch(`${stage.apiOrigin}/v2/api?${form({ apikey: client.apiKey })}`, { headers });

  test("is the only way to the functions", async () => {
    for (const headers of [{}, { [edgeSecretHeader]: "guess", [edgeAddressHeader]: "192.0.2.1" }] as Record<
      string,
      string
    >[]) {
      expect((await callDirectly(headers)).status).toBe(403);
    }
    const forged = { headers: { [edgeSecretHeader]: "guess" } };
    expect((await client.fetch(`${client.urlOf("api")}?${form({ apikey: client.apiKey })}`, forged)).status).toBe(200);
  });

  test("reaches functions of the previous version, which have the previous secret", async () => {
    await stage.restart("api", { EDGE_SECRET: secretOf("EdgeSecret") });
    expect((await client.call("api")).status).toBe(200);
    await stage.restart("api", { EDGE_SECRET: "older" });
    expect((await client.call("api")).status).toBe(403);
    await stage.restart("api", {});
    expect((await client.call("api")).status).toBe(200);
  });

  test.each(["baseUrl", "textUrl"] as const)("passes on /health and unknown paths of %s", async (host) => {
    expect((await client.fetch(`${client[host]}/health`)).body).toBe("ok");
    expect((await client.fetch(`${client[host]}/nothing`)).status).toBe(404);
  });
});

test("an account is deleted at once, and by the schedule if the deletion was interrupted", async () => {
  const articles = () => [...stage.objects.byPath.keys()].filter((path) => path.includes("/articles/")).length;
  for (const isInterrupted of [false, true]) {
    const before = articles();
    const user = await client.newUser();
    const { username } = user.credentials;
    await fill(user, 150);
    await user.add(pageUrl("kept"));
    await user.ok("article", { url: pageUrl("kept") });
    await user.ok("app_passwords", { create: "Phone" });
    await user.call("auth", { password: "wrong" });
    expect(articles()).toBe(before + 1);
    await user.ok("search", { query: "harbour" });
    const path = `/indexes/${(await stage.operator.findUser(username))?.userId}`;
    const index = () => [...stage.objects.byPath].find(([name]) => name.endsWith(path))?.[1];
    await expect.poll(() => Number(index()?.length), { timeout: 60_000 }).toBeGreaterThan(0);
    if (isInterrupted) {
      const { userId = "" } = (await stage.operator.findUser(username)) ?? {};
      await stage.operator.beginDeletion({ username, userId }, 0);
      expect((await user.call("signup")).status).toBe(401);
      await stage.runSchedules();
    } else {
      await user.ok("delete_account", { confirm: username });
    }
    expect(articles()).toBe(before);
    expect(index()).toEqual(Buffer.alloc(0));
    await user.ok("signup");
  }
});

describe("pictures of kept pages", () => {
  const objects = () => [...stage.objects.byPath.keys()].filter((path) => path.includes("/pictures/"));
  const keptBytes = async (user: TestUser) => Number(JSON.parse((await user.ok("kept", {})).body).picture_bytes);

  test("are kept with the article, and shown when their site is gone, until the page is purged", async () => {
    const user = await client.newUser();
    const [one, two] = [pageUrl("pictured-one"), pageUrl("pictured-two")];
    await user.send({ new: [{ url: one }, { url: two }] });
    // The first call waits for a picture for some seconds only.
    await expect.poll(() => sourcesOf(user, one)).toHaveLength(1);
    const [source = ""] = await sourcesOf(user, one);
    expect(source).toMatch(new RegExp(`^${client.textUrl}/v2/picture\\?user=`));
    isPictureGone = true;
    expect(await sourcesOf(user, one)).toEqual([source]);
    expect(await sourcesOf(user, two)).toEqual([]);
    isPictureGone = false;
    expect(await sourcesOf(user, two)).toEqual([]);
    await user.ok("article", { url: two, images: "kept", refresh: 1 });
    // Both articles have the same picture, which is stored once.
    await expect.poll(() => sourcesOf(user, two)).toEqual([source]);
    const stored = await keptBytes(user);
    const shown = await fetch(source);
    const content = Buffer.from(await shown.arrayBuffer());
    expect([shown.status, shown.headers.get("content-type"), content.length]).toEqual([200, "image/webp", stored]);
    expect(await sharp(content).metadata()).toMatchObject({ format: "webp", width: 400 });
    const head = await fetch(source, { method: "HEAD" });
    expect([head.status, head.headers.get("etag")]).toEqual([200, shown.headers.get("etag")]);
    expect((await fetch(source.replace("signature=", "signature=x"))).status).toBe(403);
    for (const url of [one, two]) {
      expect((await fetch(source)).status).toBe(200);
      await user.send({ delete: [{ url }] });
      await user.ok("trash", { purge: "all" });
    }
    expect([(await fetch(source)).status, await keptBytes(user)]).toEqual([403, 0]);
  });

  test("are saved by the schedule, and replaced by the pictures of a newer reading", async () => {
    const user = await client.newUser();
    const url = pageUrl("pictured-background");
    await user.ok("kept", { auto: 1 });
    await user.add(url);
    await stage.runSchedules();
    expect(await keptBytes(user)).toBeGreaterThan(0);
    isPictureGone = true;
    expect(await sourcesOf(user, url)).toHaveLength(1);
    isPictureGone = false;
    const html = articlePage.replace("<article>", `<article><img src="${pageUrl("image-other.png")}">`);
    await user.ok("article", { url, html });
    await expect
      .poll(async () => {
        await stage.runSchedules();
        const owner = (await stage.operator.findUser(user.credentials.username)) as ClosedUser;
        return (await stage.operator.pictureStore.list(owner, toItemId(url))).map((each) => each.url);
      })
      .toEqual([pageUrl("image-other.png")]);
  });

  const bearer = (token = "") => ({ headers: { authorization: `Bearer ${token}` } });
  const books: Record<string, (user: TestUser, url: string) => Promise<Response>> = {
    article: (user, url) => {
      const fields = { apikey: client.apiKey, ...user.credentials, url, format: "epub" };
      return fetch(client.urlOf("article"), { method: "POST", body: new URLSearchParams(fields) });
    },
    opds: async (user, url) => {
      const { authorization } = await OpdsReader.signIn(user);
      return fetch(`${client.baseUrl}/opds/books/${toItemId(url)}.epub`, { headers: { authorization } });
    },
    readeck: async (user) => {
      const device = await ReadeckDevice.signIn(user);
      const [bookmark] = await device.bookmarks("limit=1");
      return fetch(`${client.baseUrl}/readeck/api/bookmarks/${bookmark?.id}/article.epub`, bearer(device.token));
    },
    wallabag: async (user) => {
      const device = await new WallabagDevice(client, user.credentials).signIn();
      const [entry] = (await device.list())._embedded.items;
      const address = `${device.address}/api/entries/${entry?.id}/export.epub`;
      return fetch(address, bearer(device.tokens?.access_token));
    },
  };

  /** A user with a page whose picture is kept, and its site gone. */
  async function keepPage(): Promise<{ user: TestUser; url: string }> {
    const user = await client.newUser();
    const url = pageUrl("pictured-page");
    await user.add(url);
    expect(await sourcesOf(user, url)).toHaveLength(1);
    isPictureGone = true;
    return { user, url };
  }

  /** Deletes the objects of a user's pictures, as nothing but an operator does. */
  async function loseObjects(user: TestUser): Promise<void> {
    const { userId } = (await stage.operator.findUser(user.credentials.username)) as ClosedUser;
    for (const path of objects()) if (path.includes(`/${userId}/`)) stage.objects.put(path, undefined);
  }

  test.each(Object.keys(books))("are in a book of %s when their site is gone; a lost one is left out", async (name) => {
    const { user, url } = await keepPage();
    const picturesInBook = async () => {
      const answer = (await books[name]?.(user, url)) as Response;
      const files = unzipSync(new Uint8Array(await answer.arrayBuffer()));
      return Object.keys(files).filter((file) => /\.jpe?g$/.test(file)).length;
    };
    expect(await picturesInBook()).toBe(1);
    await loseObjects(user);
    expect(await picturesInBook()).toBe(0);
    isPictureGone = false;
  });

  test("are shown on a Kobo when their site is gone; a lost one is not found", async () => {
    const { user, url } = await keepPage();
    const { images } = await (await KoboDevice.of(user)).download(url);
    const [image] = Object.values(images);
    const answer = await fetch(image?.src ?? "");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
    expect(await sharp(await answer.arrayBuffer()).metadata()).toMatchObject({ format: "jpeg", width: 400 });
    const [source = ""] = await sourcesOf(user, url);
    await loseObjects(user);
    expect([(await fetch(image?.src ?? "")).status, (await fetch(source)).status]).toEqual([404, 403]);
    isPictureGone = false;
  });

  /** The address without the CloudFront of the stage. */
  const local = (address: string) => client.textUrl + new URL(address).pathname;

  test("are erased with the account, even if its deletion was interrupted", async () => {
    for (const isInterrupted of [false, true]) {
      const user = await client.newUser();
      const url = pageUrl("pictured-account");
      await user.add(url, { tags: "sea" });
      await sourcesOf(user, url);
      const { username } = user.credentials;
      const { userId = "" } = (await stage.operator.findUser(username)) ?? {};
      const own = () => objects().filter((path) => path.includes(`/${userId}/`));
      expect(own()).toHaveLength(1);
      const { address } = JSON.parse((await user.ok("share", { create: '{"tag":"sea"}' })).body);
      if (isInterrupted) {
        await stage.operator.beginDeletion({ username, userId }, 0);
        await stage.runSchedules();
      } else await user.ok("delete_account", { confirm: username });
      expect([own(), await stage.operator.pictureStore.bytes({ userId })]).toEqual([[], 0]);
      expect((await client.fetch(local(address))).status).toBe(404);
    }
  });

  test("are shown with a shared article, and so is a tag after its share has moved; a revoked share is 404", async () => {
    const { user, url } = await keepPage();
    await user.send({ add_tags: [{ url, tags: "sea" }] });
    const share = async (create: object) =>
      JSON.parse((await user.ok("share", { create: JSON.stringify(create) })).body) as { id: string; address: string };
    const [article, tag] = [await share({ url }), await share({ tag: "lake" })];
    const page = await client.fetch(local(article.address));
    const [, source = ""] = /<img[^>]* src="([^"]+)"/.exec(page.body) ?? [];
    const picture = await fetch(new URL(source, local(article.address)));
    expect([page.status, picture.status, picture.headers.get("content-type")]).toEqual([200, 200, "image/webp"]);
    await user.ok("share", { move: tag.id, tag: "sea" });
    await user.ok("share", { reopen: "all" });
    expect((await client.fetch(`${local(tag.address)}.atom`)).body).toContain("<entry>");
    await loseObjects(user);
    expect((await fetch(new URL(source, local(article.address)))).status).toBe(404);
    const { userId } = (await stage.operator.findUser(user.credentials.username)) as ClosedUser;
    for (const path of stage.objects.byPath.keys()) {
      if (path.includes(`/articles/${userId}/`)) stage.objects.put(path, undefined);
    }
    expect((await client.fetch(local(article.address))).status).toBe(404);
    expect((await user.call("share", { create: JSON.stringify({ url }) })).status).toBe(400);
    await user.ok("share", { revoke: article.id });
    expect((await client.fetch(local(article.address))).status).toBe(404);
    isPictureGone = false;
  });
});

test("every function starts from the package that SST made, with nothing beside it, and answers a call", async () => {
  const packed = brotliCompressSync(JSON.stringify(["webp", "https://example.com", "", {}])).toString("base64");
  const eventOf = (code: DeployedFunction): unknown =>
    ({
      canary: { versions: {}, seconds: 0 },
      deletions: {},
      extraction: { packed },
      imaging: { packed },
      indexing: { username: "nobody" },
      keeping: {},
    })[code.name] ??
    toEvent({
      method: "GET",
      path: "/",
      query: "",
      headers: { [edgeSecretHeader]: code.environment.EDGE_SECRET ?? "", [edgeAddressHeader]: "192.0.2.1" },
      body: Buffer.alloc(0),
      address: "192.0.2.1",
      id: "id",
    });
  const outcomes: Record<string, unknown> = {};
  for (const [name, code] of stage.functions) {
    const AWS_LAMBDA_FUNCTION_NAME = `reading-list-dev-ann-${name}`;
    const started = await stage.start({ ...code, environment: { ...code.environment, AWS_LAMBDA_FUNCTION_NAME } });
    const { answer } = await started.invoke(eventOf(code)).finally(() => started.stop());
    outcomes[name] = (answer as { statusCode?: number } | null)?.statusCode ?? 200;
  }
  expect(Object.keys(outcomes)).toContain("oidc");
  expect(Object.entries(outcomes).filter(([, status]) => Number(status) >= 500)).toEqual([]);
});

test("a release moves all functions to their new versions", async () => {
  const moved = [...stage.releases.aliases.keys()].filter((name) => !name.endsWith("-canary"));
  await stage.runCanary({ versions: Object.fromEntries(moved.map((name) => [name, "8"])) });
  expect(moved.map((name) => stage.releases.aliases.get(name)?.FunctionVersion)).toEqual(moved.map(() => "8"));
  await client.ok("api");
});

test("a restore brings back table, kept articles and pictures of one time, without accounts that were deleted later", async () => {
  const { objects, operator, account, evaluation } = stage;
  const tableName = evaluation.outputs.tableName ?? "";
  const [user, leaving] = [await client.newUser(), await client.newUser()];
  for (const each of [user, leaving]) {
    await each.add(pageUrl("kept"));
    await each.ok("article", { url: pageUrl("kept") });
  }
  const before = await user.ok("article", { url: pageUrl("kept") });
  await user.add(pageUrl("pictured-then"));
  // The first call waits for a picture for some seconds only.
  await expect.poll(() => sourcesOf(user, pageUrl("pictured-then"))).toHaveLength(1);
  const sources = await sourcesOf(user, pageUrl("pictured-then"));
  const time = Math.ceil(Date.now() / 1000);
  const at = new Date(time * 1000).toISOString().replace(".000", "");
  await account.database.remember(tableName, time);
  await user.ok("search", { query: "harbour" });
  const namesIn = (folder: string) => [...objects.byPath.keys()].filter((path) => path.includes(`/${folder}/`));
  const articlesThen = namesIn("articles").length;

  objects.clock = () => (time + 60) * 1000;
  await user.send({ delete: [{ url: pageUrl("kept") }, { url: pageUrl("pictured-then") }] });
  await user.ok("trash", { purge: "all" });
  expect((await fetch(sources[0] ?? "")).status).toBe(403);
  await leaving.ok("delete_account", { confirm: leaving.credentials.username });
  const registered = await client.newUser();
  await operator.beginMaintenance({ text: "Back at noon.", since: 0 });
  const credentials = { AWS_REGION: "eu-west-1", AWS_ACCESS_KEY_ID: "operator", AWS_SECRET_ACCESS_KEY: "secret" };
  for (const [name, value] of Object.entries({ ...account.variables, ...credentials })) vi.stubEnv(name, value);
  const { code, err, json } = await runCommand(
    ["restore", "--at", at, "--stage", "dev-ann", "--table", tableName, "--yes", "--json"],
    {},
  );
  expect(code, err).toBe(0);
  expect(json()).toMatchObject({ leftOut: 1, articles: { restored: 2, removed: 0 }, pictures: { restored: 1 } });
  const { table = "" } = json() as { table?: string };
  expect((await runCommand(["maintenance", "off", "--stage", "dev-ann", "--table", table], {})).code).toBe(0);
  expect(namesIn("indexes")).toEqual([]);
  const used = ["get", "article", "picture", "auth", "signup", "search", "indexing"];
  for (const name of used) await stage.restart(name, { TABLE_NAME: table });

  let reads = 0;
  whileReading = async () => void reads++;
  expect((await user.items()).map(({ url }) => url).sort()).toEqual([pageUrl("kept"), pageUrl("pictured-then")]);
  expect(await sourcesOf(user, pageUrl("pictured-then"))).toEqual(sources);
  expect((await fetch(sources[0] ?? "")).status).toBe(200);
  const after = await user.ok("article", { url: pageUrl("kept") });
  expect([after.body, after.headers.get("x-kept"), reads]).toEqual([before.body, before.headers.get("x-kept"), 0]);
  expect((await leaving.call("auth")).status).toBe(401);
  await leaving.ok("signup");
  expect((await registered.call("auth")).status).toBe(401);
  // The articles of all others are as they were, and those of the deleted account are gone.
  expect(articlesThen - namesIn("articles").length).toBe(1);
  const found = JSON.parse((await user.ok("search", { query: "harbour" })).body);
  const urlsFound = found.list.map(({ url }: { url: string }) => url);
  expect(urlsFound.sort()).toEqual([pageUrl("kept"), pageUrl("pictured-then")]);

  whileReading = async () => {};
  objects.clock = Date.now;
  vi.unstubAllEnvs();
  await operator.endMaintenance();
  for (const name of used) await stage.restart(name, {});
});

/** Gives an article two pictures, and shares one of them with another article. */
async function givePictures(user: TestUser, itemId: string): Promise<void> {
  const { articles, pictureStore } = stage.operator;
  const owner = (await stage.operator.findUser(user.credentials.username)) as ClosedUser;
  const other = toItemId("https://example.com/other");
  const text = { less: "text", more: "", title: "", resolvedUrl: "https://example.com/other", nextUrl: undefined };
  await articles.keep(owner, other, { ...text, loginFound: false, keptAt: 0, timeAdded: 0 }, 1e9);
  for (const [id, size] of [[itemId, 100] as const, [itemId, 200] as const, [other, 200] as const]) {
    const picture = { url: `https://example.com/${size}.png`, content: Buffer.alloc(size) };
    await pictureStore.keep(owner, id, picture, 1e9);
  }
}

const pictureBytes = async (user: TestUser) =>
  stage.operator.pictureStore.bytes((await stage.operator.findUser(user.credentials.username)) as ClosedUser);

test("the schedule erases pages that have been in the trash for 30 days", async () => {
  // A table without another time would find the clock implausible.
  await stage.runSchedules();
  const user = await client.newUser();
  const { username } = user.credentials;
  const url = pageUrl("trashed");
  const itemId = toItemId(url);
  const old = Math.floor(Date.now() / 1000) - 40 * 86_400;
  const { operator } = stage;
  const listOf = async () => {
    const list = await operator.users.find(username);
    if (!list) throw new Error("there is no such user");
    return list;
  };
  const content = { itemId, url, title: "Old", tags: "", state: "0", applicationId: "app", refId: undefined } as const;
  await operator.items.write(await listOf(), [{ before: undefined, after: { ...content, isDeleted: false } }], old);
  await user.ok("article", { url, html: articlePage });
  const highlight = { id: "old", itemId, quote: "harbour", prefix: "", suffix: "", position: undefined, note: "" };
  const marked = { ...highlight, color: "yellow", timeCreated: old, isDeleted: false } as const;
  await operator.highlights.write(await listOf(), [{ before: undefined, after: marked, isFirstOfItem: true }], old);
  const before = (await operator.items.find(username, [itemId])).get(itemId);
  const after = { ...content, hasHighlights: true, isDeleted: true, trashedState: "0" } as const;
  await operator.items.write(await listOf(), [{ before, after }], old);
  await givePictures(user, itemId);
  expect(await pictureBytes(user)).toBe(300);
  const isKept = () => [...stage.objects.byPath.keys()].some((path) => path.endsWith(`/${itemId}`));
  expect(isKept()).toBe(true);
  await stage.runSchedules();
  expect(isKept()).toBe(false);
  expect(await pictureBytes(user)).toBe(200);
  expect((await operator.findUser(username))?.highlights).toBe(0);
  expect((await operator.items.find(username, [itemId])).get(itemId)).toMatchObject({ title: url, isDeleted: true });
});

const keeping: Record<string, (user: TestUser, url: string) => Promise<unknown>> = {
  article: (user, url) => user.ok("article", { url }),
  kobo: async (user, url) => (await KoboDevice.of(user)).download(url),
  greader: async (user, url) => (await GoogleReader.signIn(user)).post("subscription/quickadd", [["quickadd", url]]),
  opds: async (user, url) => {
    const book = await (await OpdsReader.signIn(user)).call(`/opds/books/${toItemId(url)}.epub`);
    expect(book.status).toBe(200);
  },
  linkding: async (user, url) => upload(await LinkdingDevice.signIn(user), url),
  mcp: async (user, url) => (await Assistant.of(user)).use("save", { url }),
  readeck: async (user, url) => (await ReadeckDevice.signIn(user)).call("POST", "bookmarks", { url }),
  wallabag: async (user, url) =>
    (await new WallabagDevice(client, user.credentials).signIn()).ok("POST", "api/entries", { url }),
};

test.each(Object.keys(keeping))("a full quota of articles drops those of the trash: %s", async (name) => {
  const user = await client.newUser();
  const url = pageUrl("large");
  await user.send({ new: [{ url }, { url: pageUrl(name) }] });
  const owner = await stage.operator.findUser(user.credentials.username);
  const text = { less: randomBytes(1_100_000).toString("base64"), more: "", title: "", resolvedUrl: url };
  const article = { ...text, nextUrl: undefined, loginFound: false, keptAt: 0, timeAdded: 0 };
  await stage.operator.articles.keep(owner as ClosedUser, toItemId(url), article, 1e9);
  await givePictures(user, toItemId(url));
  await user.send({ delete: [{ url }] });
  await stage.restart(name, { ARTICLE_QUOTA_MB: "1" });
  await removeFromKeeper(user);
  await keeping[name]?.(user, pageUrl(name));
  const bytes = async () => (await stage.operator.findUser(user.credentials.username))?.articleBytes;
  await expect.poll(bytes).toBeLessThan(10_000);
  expect((await stage.operator.findUser(user.credentials.username))?.articles).toBe(2);
  expect(await pictureBytes(user)).toBe(200);
  await stage.restart(name, {});
});

test("a setting closes sign-up", async () => {
  await stage.restart("signup", { SIGNUP: "closed" });
  const answer = await client.call("signup", { username: newName(), password: "secret" });
  expect([answer.status, answer.headers.get("x-error")]).toEqual([403, expect.stringContaining("closed")]);
});

describe("the policies of the functions", () => {
  const names = () => [...policiesOf(stage.evaluation)].filter(([, statements]) => statements.length > 0);
  const requestsOf = (name: string) => [...(stage.access.allowed.get(name)?.values() ?? [])];

  test("grant everything that the calls of this file need", () => {
    expect([...stage.access.denied]).toEqual([]);
  });

  test("grant nothing that no call needs", () => {
    expect(names().map(([name, statements]) => [name, unusedGrants(statements, requestsOf(name))])).toEqual(
      names().map(([name]) => [name, []]),
    );
  });

  test("cannot be narrowed or widened without a failure of the two tests above", () => {
    let mutations = 0;
    for (const [name, statements] of names()) {
      for (const fewer of narrowed(statements)) {
        mutations += 1;
        expect(
          requestsOf(name).every((request) => isAllowed(fewer, request)),
          `${name} ${JSON.stringify(fewer)}`,
        ).toBe(false);
      }
      for (const more of widened(statements)) {
        mutations += 1;
        expect(unusedGrants(more, requestsOf(name)), `${name} ${JSON.stringify(more)}`).not.toEqual([]);
      }
    }
    console.info(`${mutations} mutations of the policies of ${names().length} functions were seen`);
  });
});
