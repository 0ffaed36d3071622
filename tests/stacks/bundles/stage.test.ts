// SPDX-License-Identifier: MIT

import { randomBytes } from "node:crypto";
import { MemoryStore, ReadingListClient } from "@reading-list/client/main.ts";
import { type EndpointContract, methodsOf } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { edgeAddressHeader, edgeSecretHeader } from "@reading-list/core/contract/headers.ts";
import { exampleOf } from "@reading-list/core/contract/openapi-examples.ts";
import { itemIdOf } from "@reading-list/core/domain/item-id.ts";
import { maxSignIns } from "@reading-list/core/domain/sign-in.ts";
import type { ClosedUser } from "@reading-list/core/ports.ts";
import { readeck } from "@reading-list/readeck/api.ts";
import { expectContract } from "@reading-list/testing/answer-contract.ts";
import { form, newName, requireOk, ServiceClient, TestUser } from "@reading-list/testing/client.ts";
import { runCommand } from "@reading-list/testing/command-line.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { articlePage } from "@reading-list/testing/page-server.ts";
import { ReadeckDevice, SyncingReadeckDevice } from "@reading-list/testing/readeck-device.ts";
import { asShown, WallabagDevice } from "@reading-list/testing/wallabag-device.ts";
import { wallabag } from "@reading-list/wallabag/api.ts";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { secretOf } from "../account.ts";
import { type Deployment, deploy } from "./deployment.ts";
import { callsOf, type ListState } from "./every-parameter.ts";
import { isAllowed, narrowed, policiesOf, unusedGrants, widened } from "./policies.ts";

/** The stage as it is deployed: with CloudFront, a web reader, and limits that the calls of this file stay below. */
const variables = {
  EDGE: "on",
  // The secret between CloudFront and the functions has been replaced once.
  EDGE_SECRET_NUMBER: "2",
  WEB_API_KEY: "the-key-of-the-reader",
  USER_LIMIT: "1000000",
  KEY_LIMIT: "1000000",
  THROTTLE_RATE: "1000",
  PUBLIC_KEY_ADDRESS_LIMIT: "1000",
};
/** Enough items for far pages, which continue by a cursor (docs/decisions/counting-calls.md). */
const longList = 1150;

let stage: Deployment;
let client: ServiceClient;
/** Runs while a function reads a web page. */
let whileReading = async () => {};

beforeAll(async () => {
  stage = await deploy(variables, async (_request, response) => {
    await whileReading();
    response.writeHead(200, { "content-type": "text/html" }).end(articlePage);
  });
  atEndOfFile(() => stage.stop());
  client = stage.client;
  await stage.operator.createApiKey(variables.WEB_API_KEY, {
    ...{ applicationId: "web", name: "Web reader", status: "enabled", created: 0, isPublic: true },
  });
  const spent = { name: "n", status: "enabled", created: 0 } as const;
  await stage.operator.createApiKey("spent", { ...spent, applicationId: "spent", userLimit: 0 });
});

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

  test.each(endpoints)("$name answers with every value of every parameter", async (endpoint: EndpointContract) => {
    const calls = await callsOf(endpoint, state, client.apiKey);
    expect(calls).not.toEqual([]);
    for (const [place, parameters] of calls.entries()) {
      if (endpoint.caller === "new-user") parameters.username = newName();
      if (endpoint.account === "deletion") {
        const leaving = await client.newUser();
        Object.assign(parameters, { ...leaving.credentials, confirm: leaving.credentials.username });
      }
      const methods = methodsOf(endpoint);
      const method = String(parameters.html) === "undefined" ? methods[place % methods.length] : "POST";
      const url = client.urlOf(endpoint.name);
      const answer = await (method === "GET"
        ? client.fetch(`${url}?${form(parameters)}`, { headers: { "accept-encoding": "gzip" } })
        : client.call(endpoint.name, parameters));
      expectContract(endpoint, answer);
      expect([200, 400], `${endpoint.name} ${JSON.stringify(parameters)}`).toContain(answer.status);
    }
  });
});

const withKey = (apikey: string, user: TestUser) =>
  new TestUser(new ServiceClient({ ...client, apiKey: apikey }), user.credentials.username, user.credentials.password);

const forUsers: EndpointContract[] = endpoints.filter(({ caller }) => caller === "user");

describe("every endpoint", () => {
  test.each(forUsers)("$name accepts an app password, or says that it needs that of the account", async (endpoint) => {
    const user = await client.newUser();
    await user.add("https://example.com/articles/1");
    const { password } = JSON.parse((await user.ok("app_passwords", { create: "Phone" })).body);
    const answer = await client.call(endpoint.name, { ...exampleOf(endpoint, user.credentials), password });
    expect(answer.status).toBe(endpoint.account ? 401 : 200);
    if (endpoint.account) expect(answer.headers.get("x-error")).toContain("password");
  });

  test.each(forUsers)("$name refuses wrong credentials, and calls above a limit", async (endpoint) => {
    const { name, counted } = endpoint;
    const user = await client.newUser();
    const example = exampleOf(endpoint, user.credentials);
    const nobody = exampleOf(endpoint, { ...user.credentials, username: newName() });
    expect((await client.call(name, { ...example, password: "wrong" })).status).toBe(401);
    expect((await client.call(name, nobody)).status).toBe(401);
    if (counted) expect((await withKey("spent", user).call(name, example)).status).toBe(403);
  });

  test.each(endpoints)("$name refuses unknown keys, and takes that of the web reader", async (endpoint) => {
    const { name, caller } = endpoint;
    const user = await client.newUser();
    const account = caller === "new-user" ? { ...user.credentials, username: newName() } : user.credentials;
    const example = exampleOf(endpoint, account);
    expect((await client.call(name, { ...example, apikey: "unknown" })).status).toBe(401);
    expect([200, 400]).toContain((await client.call(name, { ...example, apikey: variables.WEB_API_KEY })).status);
  });

  test("app_passwords revokes one", async () => {
    const user = await client.newUser();
    const { id } = JSON.parse((await user.ok("app_passwords", { create: "Phone" })).body);
    await user.ok("app_passwords", { revoke: id });
    expect(JSON.parse((await user.ok("app_passwords")).body).list).toEqual({});
  });

  test("is 503 with the operator's words during maintenance", async () => {
    await stage.operator.beginMaintenance({ text: "Back at noon.", since: 0 });
    for (const endpoint of endpoints) {
      await stage.restart(endpoint.name, {});
      const answer = await client.call(endpoint.name, exampleOf(endpoint, { username: "ann", password: "secret" }));
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

  test("an item that is purged keeps no article, also if its page is being read", async () => {
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
      [/tag.?\/label/, { tag: "none", tags: "none" }],
      [/entries\/lists?(.json)?$/, { urls: JSON.stringify([pageUrl("bulk")]) }],
      [/entries\/tags\/lists?(.json)?$/, { list: JSON.stringify([{ url: pageUrl("bulk"), tags: "three" }]) }],
    ];
    await callEveryRoute(
      wallabag.routes.filter((route) => !isOfTokens(route)),
      call,
      save,
      (route) => fields.find(([pattern]) => pattern.test(route))?.[1],
    );
    // Six are more than a user may have of one name: the oldest goes.
    for (let i = 0; i < 6; i++) await device.signIn({ client_id: client.apiKey });
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
      readeck.routes,
      (method, path, body) => device.call(method, path.replace(/^api\//, ""), body),
      () => save("bookmark"),
      (route) => fields[route],
    );
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

  test("reaches functions of the former version, which have the former secret", async () => {
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
    if (isInterrupted) {
      const { userId = "" } = (await stage.operator.findUser(username)) ?? {};
      await stage.operator.beginDeletion({ username, userId }, 0);
      expect((await user.call("signup")).status).toBe(401);
      await stage.runSchedules();
    } else {
      await user.ok("delete_account", { confirm: username });
    }
    expect(articles()).toBe(before);
    await user.ok("signup");
  }
});

test("a release moves all functions to their new versions", async () => {
  const moved = [...stage.releases.aliases.keys()].filter((name) => !name.endsWith("-canary"));
  await stage.runCanary({ versions: Object.fromEntries(moved.map((name) => [name, "8"])) });
  expect(moved.map((name) => stage.releases.aliases.get(name)?.FunctionVersion)).toEqual(moved.map(() => "8"));
  await client.ok("api");
});

test("a restore brings back table and kept articles of one time, without accounts that were deleted later", async () => {
  const { objects, operator, account, evaluation } = stage;
  const tableName = evaluation.outputs.tableName ?? "";
  const [user, leaving] = [await client.newUser(), await client.newUser()];
  for (const each of [user, leaving]) {
    await each.add(pageUrl("kept"));
    await each.ok("article", { url: pageUrl("kept") });
  }
  const before = await user.ok("article", { url: pageUrl("kept") });
  const time = Math.ceil(Date.now() / 1000);
  const at = new Date(time * 1000).toISOString().replace(".000", "");
  await account.database.remember(tableName, time);
  const articlesThen = new Map(objects.byPath);

  objects.clock = () => (time + 60) * 1000;
  await user.send({ delete: [{ url: pageUrl("kept") }] });
  await user.ok("trash", { purge: "all" });
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
  expect(json()).toMatchObject({ leftOut: 1, articles: { restored: 1, removed: 0 } });
  const { table = "" } = json() as { table?: string };
  expect((await runCommand(["maintenance", "off", "--stage", "dev-ann", "--table", table], {})).code).toBe(0);
  const used = ["get", "article", "auth", "signup"];
  for (const name of used) await stage.restart(name, { TABLE_NAME: table });

  let reads = 0;
  whileReading = async () => void reads++;
  expect((await user.items()).map(({ url }) => url)).toEqual([pageUrl("kept")]);
  const after = await user.ok("article", { url: pageUrl("kept") });
  expect([after.body, after.headers.get("x-kept"), reads]).toEqual([before.body, before.headers.get("x-kept"), 0]);
  expect((await leaving.call("auth")).status).toBe(401);
  await leaving.ok("signup");
  expect((await registered.call("auth")).status).toBe(401);
  // The articles of all others are as they were, and those of the deleted account are gone.
  expect(articlesThen.size - objects.byPath.size).toBe(1);

  whileReading = async () => {};
  objects.clock = Date.now;
  vi.unstubAllEnvs();
  await operator.endMaintenance();
  for (const name of used) await stage.restart(name, {});
});

test("what has been in the trash for 30 days is erased by the schedule", async () => {
  const user = await client.newUser();
  const { username } = user.credentials;
  const url = pageUrl("trashed");
  const itemId = itemIdOf(url);
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
  const isKept = () => [...stage.objects.byPath.keys()].some((path) => path.endsWith(`/${itemId}`));
  expect(isKept()).toBe(true);
  await stage.runSchedules();
  expect(isKept()).toBe(false);
  expect((await operator.findUser(username))?.highlights).toBe(0);
  expect((await operator.items.find(username, [itemId])).get(itemId)).toMatchObject({ title: url, isDeleted: true });
});

const keeping: Record<string, (user: TestUser, url: string) => Promise<unknown>> = {
  article: (user, url) => user.ok("article", { url }),
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
  await stage.operator.articles.keep(owner as ClosedUser, itemIdOf(url), article, 1e9);
  await user.send({ delete: [{ url }] });
  await stage.restart(name, { ARTICLE_QUOTA_MB: "1" });
  await keeping[name]?.(user, pageUrl(name));
  const bytes = async () => (await stage.operator.findUser(user.credentials.username))?.articleBytes;
  await expect.poll(bytes).toBeLessThan(10_000);
  expect((await stage.operator.findUser(user.credentials.username))?.articles).toBe(1);
  await stage.restart(name, {});
});

test("signup is closed by a setting", async () => {
  await stage.restart("signup", { SIGNUP: "closed" });
  const answer = await client.call("signup", { username: newName(), password: "secret" });
  expect([answer.status, answer.headers.get("x-error")]).toEqual([403, expect.stringContaining("closed")]);
});

describe("the policies of the functions", () => {
  test("allow what the previous version does, which runs beside this one during a deployment", () => {
    const { evaluation, access } = stage;
    const table = `arn:aws:dynamodb:eu-west-1:123456789012:table/${evaluation.outputs.tableName}`;
    const [article = ""] = [...stage.objects.byPath.keys()].filter((path) => path.includes("/articles/"));
    expect(
      access.admit("Send", [
        { action: "dynamodb:DeleteItem", resource: table, leadingKeys: ["USER#ann"] },
        { action: "s3:DeleteObject", resource: `arn:aws:s3:::${article.slice(1)}`, leadingKeys: [] },
      ]),
    ).toBe(true);
  });

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
