// SPDX-License-Identifier: MIT

import { parseBearerSecret } from "@reading-list/core/contract/bearer-secret.ts";
import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { hashSecret, newSecret, scopes } from "@reading-list/core/domain/sign-in.ts";
import { addSignIn } from "@reading-list/core/use-cases/accounts/sign-in-apps.ts";
import { chooseRouteScope } from "@reading-list/http/api.ts";
import { protocols } from "@reading-list/protocols/protocols.ts";
import type { Answer, Parameters, TestUser } from "@reading-list/testing/client.ts";
import { OAuthApp } from "@reading-list/testing/oauth-app.ts";
import { basic } from "@reading-list/testing/opds-reader.ts";
import { permitAt } from "@reading-list/testing/permit-at.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, test } from "vitest";

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ PUBLIC_KEY_ADDRESS_LIMIT: "100000" });
});

interface Created {
  id: string;
  password: string;
}

const create = async (user: TestUser, limits: Parameters = {}, name = "Phone"): Promise<Created> =>
  JSON.parse((await user.ok("app_passwords", { create: name, ...limits })).body);

const listOf = async (user: TestUser): Promise<Record<string, Record<string, string>>> =>
  JSON.parse((await user.ok("app_passwords")).body).list;

const codeOf = ({ status, headers }: Answer) => [status, headers.get("x-error-code")];
const failureOf = async (answer: Promise<Answer>) => {
  const { status, headers } = await answer;
  return [status, headers.get("x-error")];
};

const asJson = (parameters: Record<string, unknown>): Parameters =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );

const url = "https://example.com/articles/1";
const mark = { id: "mark-1", url, quote: "The harbour" };
/** A user with a page, its article, a highlight and a page in the trash. */
async function newReader() {
  const user = await service.newUser();
  await user.add(url);
  await user.ok("article", { url, html: articleHtml });
  await user.ok("highlights", { save: JSON.stringify([mark]) });
  await user.add("https://example.com/trash");
  await user.send({ delete: [{ url: "https://example.com/trash" }] });
  return user;
}
const articleHtml = `<article><p>${"The harbour was opened again on Monday morning, and all agreed. ".repeat(8)}</p></article>`;

/** All that a user can see to have changed. */
async function stateOf(user: TestUser) {
  const bodies = await Promise.all(
    [["trash"], ["highlights"], ["stats", { articles: 1 }], ["article", { url }]].map(
      async ([endpoint, parameters]) => (await user.ok(endpoint as string, parameters as Parameters)).body,
    ),
  );
  const list = await user.items();
  const apps = Object.values(await listOf(user)).map(({ time_used: _, ...app }) => app);
  return { list, apps, bodies: bodies.map((body) => body.replace(/"since":"\d+"/, "")) };
}

describe("an app password with a scope and an expiry", () => {
  test("is listed with both; without them it is full and never ends", async () => {
    const user = await service.newUser();
    const expires = service.clock.seconds() + 3600;
    const [plain, limited] = [await create(user), await create(user, { scope: "read", expires }, "Reader")];
    const list = await listOf(user);
    expect(list[plain.id]).toMatchObject({ name: "Phone", scope: "full", expires: "0" });
    expect(list[limited.id]).toMatchObject({ name: "Reader", scope: "read", expires: String(expires) });
    const { body } = await user.ok("app_passwords", { format: "xml" });
    expect(body).toContain(`<scope>read</scope><expires>${expires}</expires>`);
  });

  test.each<[string, (now: number) => Parameters, string]>([
    ["another scope", () => ({ create: "x", scope: "write" }), "scope must be feed or read or full"],
    ["an end in the past", (now) => ({ create: "x", expires: now - 1 }), "expires must be in the future"],
    ["an end at once", (now) => ({ create: "x", expires: now }), "expires must be in the future"],
    ["an end in words", () => ({ create: "x", expires: "soon" }), "expires must be a Unix time"],
    [
      "an end in milliseconds",
      (now) => ({ create: "x", expires: now * 1000 + 9 }),
      "expires must be a Unix time in seconds",
    ],
    ["a scope without create", () => ({ scope: "read" }), "scope needs create"],
    ["an end without create", (now) => ({ expires: now + 9 }), "expires needs create"],
  ])("is 400 with %s, and none is made", async (_, parametersAt, error) => {
    const user = await service.newUser();
    const answer = await failureOf(user.call("app_passwords", parametersAt(service.clock.seconds())));
    expect(answer).toEqual([400, expect.stringContaining(`app_passwords: ${error}`)]);
    expect(await listOf(user)).toEqual({});
  });

  test.each(scopes)(
    "of scope %s is refused after its expiry, which does not count as a wrong password",
    async (scope) => {
      const user = await service.newUser();
      const { password, id } = await create(user, { scope, expires: service.clock.seconds() + 60 });
      const isOpen = scope !== "feed";
      service.clock.advance(59);
      expect((await user.call("auth", { password })).status).toBe(isOpen ? 200 : 401);
      service.clock.advance(1);
      for (let call = 0; call < 12; call++) {
        expect(codeOf(await user.call("auth", { password }))).toEqual([401, "app_password_expired"]);
      }
      expect(await failureOf(user.call("get", { password, since: service.clock.seconds() }))).toEqual([
        401,
        expect.stringContaining("has expired"),
      ]);
      expect((await user.call("auth")).status).toBe(200);
      expect(Object.keys(await listOf(user))).toEqual([id]);
    },
  );

  test("outside its scope does not count as a wrong password, nor against the user", async () => {
    const user = await service.newUser();
    const { password } = await create(user, { scope: "read" });
    const remaining = async () => (await user.ok("auth")).headers.get("x-limit-user-remaining");
    const before = Number(await remaining());
    for (let call = 0; call < 12; call++) {
      expect(codeOf(await user.call("add", { password, url }))).toEqual([401, "out_of_scope"]);
    }
    expect(Number(await remaining())).toBe(before - 1);
    expect(await user.items()).toEqual([]);
  });

  test("shows the day of its last use, and is refused after it is revoked", async () => {
    const user = await service.newUser();
    const { password, id } = await create(user, { scope: "read" });
    await user.ok("get", { password });
    const day = service.clock.seconds() - (service.clock.seconds() % 86_400);
    expect((await listOf(user))[id]).toMatchObject({ time_used: String(day) });
    await user.ok("get", { password, since: service.clock.seconds() });
    await user.ok("app_passwords", { revoke: id });
    expect(codeOf(await user.call("get", { password }))).toEqual([401, "unauthorized"]);
    expect(await listOf(user)).toEqual({});
  });

  test("ends with a new password that revokes all, and with the account", async () => {
    const user = await service.newUser();
    const { username } = user.credentials;
    const { password } = await create(user, { scope: "read" });
    await user.ok("password", { new_password: "another horse" });
    await user.ok("auth", { password });
    await user.ok("password", { password: "another horse", new_password: "correct horse", revoke: 1 });
    expect(codeOf(await user.call("auth", { password }))).toEqual([401, "unauthorized"]);
    const { password: second } = await create(user, { scope: "read" });
    await user.ok("delete_account", { confirm: username });
    await expect.poll(async () => (await user.call("signup")).status).toBe(200);
    expect(codeOf(await user.call("auth", { password: second }))).toEqual([401, "unauthorized"]);
    expect(await listOf(user)).toEqual({});
  });

  test("counts towards the 50 of a user; an expired one makes room", async () => {
    const user = await service.newUser();
    const [first] = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        create(user, {
          scope: scopes[index % 3] ?? "full",
          ...(index === 0 && { expires: service.clock.seconds() + 60 }),
        }),
      ),
    );
    await expect(create(user)).rejects.toThrow("you have 50 app passwords");
    await expect(create(user, { scope: "read" })).rejects.toThrow("you have 50 app passwords");
    service.clock.advance(60);
    await create(user, { scope: "read" });
    const list = await listOf(user);
    expect(Object.keys(list)).toHaveLength(50);
    expect(Object.keys(list)).not.toContain(first?.id);
  });
});

describe("the previous version", () => {
  /** Whether it finds the secret: by its hash in the user's record, or in the column of secrets. */
  async function isFoundByIt(user: TestUser, password: string) {
    const { username } = user.credentials;
    const hash = hashSecret(password);
    const records = (await service.records()) as Record<string, unknown>[];
    return records.some(
      (record) =>
        record.secret_hash === hash || (record.username === username && Object.hasOwn(Object(record.signIns), hash)),
    );
  }

  test.each<[string, boolean, (now: number) => Parameters]>([
    ["a full one", true, () => ({})],
    ["one that can only read", false, () => ({ scope: "read" })],
    ["one for feeds", false, () => ({ scope: "feed" })],
    ["a full one with an end", false, (now) => ({ expires: now + 60 })],
  ])("finds of app passwords %s: %s", async (_, isFound, limitsAt) => {
    const user = await service.newUser();
    const { password } = await create(user, limitsAt(service.clock.seconds()));
    expect(await isFoundByIt(user, password)).toBe(isFound);
  });

  test("does not find the token of an app, which opens one API", async () => {
    const user = await service.newUser();
    const app = await OAuthApp.register(service);
    const [, secret = ""] = (await app.signIn(user.credentials)).split(".");
    expect(await isFoundByIt(user, secret)).toBe(false);
  });

  test("finds an OAuth sign-in by neither token, if it can only read", async () => {
    const user = await service.newUser();
    const found = await service.operator.users.find(user.credentials.username);
    if (!found) throw new Error("no such user");
    const caller = { user: found, signInId: undefined };
    const erasePermit = async () => permitAt(service.clock.seconds());
    const ports = { clock: service.clock, signIns: service.operator.signIns, erasePermit };
    const at = service.clock.seconds() + 3600;
    const tokens = () => ({ secret: newSecret(), refresh: newSecret() });
    const secretsOf = ({ secret, refresh }: ReturnType<typeof tokens>) => ({
      secretHash: hashSecret(secret),
      expiresAt: at,
      refresh: { hash: hashSecret(refresh), expiresAt: at + 3600 },
    });
    const [first, second] = [tokens(), tokens()];
    const given = { name: "Reader", scope: "read" as const, ...secretsOf(first) };
    const { id } = await addSignIn(ports, caller, given);
    const renew = (hash: string) =>
      service.operator.signIns.renew(user.credentials.username, id, hash, secretsOf(second), service.clock.seconds());
    const find = async () => JSON.stringify(await service.records());
    expect(await find()).not.toContain(`"${hashSecret(first.refresh)}"`);
    await user.ok("auth", { password: first.secret });
    expect(await renew(hashSecret(newSecret()))).toBe(false);
    expect(await renew(hashSecret(first.refresh))).toBe(true);
    expect(codeOf(await user.call("auth", { password: first.secret }))).toEqual([401, "unauthorized"]);
    await user.ok("auth", { password: second.secret });
    expect(codeOf(await user.call("add", { password: second.secret, url }))).toEqual([401, "out_of_scope"]);
    expect(await isFoundByIt(user, second.secret)).toBe(false);
    expect(await find()).not.toContain(`"${hashSecret(second.refresh)}"`);
    expect((await listOf(user))[id]).toMatchObject({ scope: "read", expires: "0" });
  });
});

describe("of the endpoints of a user", () => {
  const ofUsers = endpoints.filter(({ caller }) => caller === "user") as readonly EndpointContract[];
  /** Values of the parameters with which a call changes something. */
  const changing: Record<string, unknown> = {
    purge: "all",
    save: [{ ...mark, id: "mark-2" }],
    delete: ["mark-1"],
    html: articleHtml,
    auto: "1",
    retry: "1",
  };
  const isIn = (names: readonly string[]) => (name: string) => names.includes(name);

  /** `confirm` of delete_account is the username. */
  const callOf = (user: TestUser, name: string, parameters: Record<string, unknown>, password: string) =>
    user.call(name, { ...asJson({ ...parameters, confirm: user.credentials.username }), password });

  /** Calls of all endpoints, and the scope that each needs; `account` for the account's password. */
  const calls = ofUsers.flatMap(({ name, account, changes, example }) => {
    const named = typeof changes === "boolean" ? [] : changes;
    const rest = Object.entries(example.parameters).filter(([each]) => !isIn(named)(each));
    const parameters = Object.fromEntries(rest);
    const needed = account ? "account" : changes === true ? "full" : "read";
    return [
      { title: name, name, parameters, needed },
      ...named.map((each) => ({
        title: `${name} with ${each}`,
        name,
        needed: "full",
        parameters: { ...parameters, [each]: changing[each] },
      })),
    ];
  });
  const refusals: Record<string, Record<(typeof scopes)[number], string | undefined>> = {
    account: { full: "app_password", read: "app_password", feed: "app_password" },
    full: { full: undefined, read: "out_of_scope", feed: "out_of_scope" },
    read: { full: undefined, read: undefined, feed: "out_of_scope" },
  };

  test.each(["read", "feed"] as const)("%s allows the calls in its scope, and changes nothing", async (scope) => {
    const user = await newReader();
    const { password } = await create(user, { scope });
    const before = await stateOf(user);
    for (const { title, name, parameters, needed } of calls) {
      const answer = await callOf(user, name, parameters, password);
      const refusal = refusals[needed]?.[scope];
      expect([title, ...codeOf(answer)]).toEqual([title, refusal ? 401 : 200, refusal ?? null]);
    }
    expect(await stateOf(user)).toEqual(before);
  });

  test("full opens all except the endpoints of the account", async () => {
    for (const { title, name, parameters, needed } of calls) {
      const user = await newReader();
      const { password } = await create(user);
      const answer = await callOf(user, name, parameters, password);
      const refusal = refusals[needed]?.full;
      expect([title, ...codeOf(answer)]).toEqual([title, refusal ? 401 : 200, refusal ?? null]);
    }
  });

  test("each that may write the list or the account declares its changes by names of its parameters", () => {
    for (const { name, list, account, changes, input } of ofUsers) {
      const writes = account !== undefined || (list !== undefined && list !== "read" && list !== "search");
      if (writes) expect([name, changes]).not.toEqual([name, false]);
      if (typeof changes !== "boolean") expect(Object.keys(input.shape)).toEqual(expect.arrayContaining([...changes]));
    }
  });
});

/** A feed has its secret in its path (tests/protocols/feeds/secret.test.ts), MCP its tools in one route (mcp/tools.test.ts). */
const apis = protocols.filter(({ contract }) => !["feeds", "mcp"].includes(contract.name));

describe.each(apis.map((api) => [api.contract.name, api] as const))("of the routes of %s", (name, { routes }) => {
  /** Fields that any route takes; JSON, because forms have no lists. */
  const fields = {
    url,
    urls: [url],
    title: "A title",
    labels: ["a"],
    tags: "a",
    label: "a",
    name: "b",
    list: [{ url, tags: "a" }],
    id: ["x"],
    tag: "a",
    is_archived: true,
    archive: 1,
    read_progress: 10,
    color: "yellow",
    color_name: "yellow",
    text: "harbour",
    actions: [],
    serial: "N418123456789",
    i: "1",
    a: "user/-/label/a",
    s: "user/-/label/a",
    dest: "user/-/label/b",
    ts: "1",
    quickadd: url,
    start_selector: "p",
    start_offset: 0,
    end_selector: "p",
    end_offset: 5,
  };
  const users = routes.filter(({ caller }) => caller === "user");
  const readings = [
    "POST /api/bookmarks/sync",
    "POST /api/kobo/get",
    "POST /api/kobo/download",
    "POST /reader/api/0/stream/items/contents",
  ];
  const signIns = ["POST /api/auth", "POST /accounts/ClientLogin"];
  const callsOf = (username: string, password: string) =>
    users.map(async (route) => {
      const [method = "", path = ""] = route.route.split(" ");
      const isRead = method === "GET";
      const pathOf =
        path.replace("{stream+}", "feed/https://example.com/").replaceAll(/\{\w+\}/g, "1") +
        (isRead ? `?url=${encodeURIComponent(url)}&name=a&term=a&s=user/-/state/com.google/read` : "");
      const authorization =
        { opds: basic(username, password), greader: `GoogleLogin auth=${username}.${password}` }[name] ??
        `Bearer ${username}.${password}`;
      const headers = { authorization, "content-type": "application/json" };
      // Some APIs take the credentials in the body.
      const credentials = {
        access_token: `${username}.${password}`,
        username,
        password,
        Email: username,
        Passwd: password,
      };
      const answer = await service.fetch(`${service.baseUrl}/${name}${pathOf}`, {
        method,
        headers,
        ...(!isRead && { body: JSON.stringify({ ...fields, ...credentials }) }),
      });
      return { route, answer };
    });

  test("read allows routes that only read: GET, and routes that declare it", async () => {
    const user = await newReader();
    const { username } = user.credentials;
    const [reader, feed] = [await create(user, { scope: "read" }), await create(user, { scope: "feed" })];
    const before = await stateOf(user);
    for (const { route, answer } of await Promise.all(callsOf(username, reader.password))) {
      const isReading = route.route.startsWith("GET ") || readings.includes(route.route);
      const isSignIn = signIns.includes(route.route);
      const needed = route.route === "GET /api/profile" ? "profile" : isReading || isSignIn ? "read" : "full";
      expect([route.route, chooseRouteScope(route)]).toEqual([route.route, needed]);
      if (isReading) expect([200, 404], route.route).toContain(answer.status);
      else if (!isSignIn) {
        expect([route.route, answer.status, answer.body]).toEqual([
          route.route,
          401,
          // A device is signed in with the account's password.
          expect.stringMatching(
            route.route === "POST /device" ? /an app password cannot manage/ : /the scope of this app password/,
          ),
        ]);
      }
    }
    for (const { route, answer } of await Promise.all(callsOf(username, feed.password))) {
      if (!signIns.includes(route.route) || name === "greader")
        expect([route.route, answer.status]).toEqual([route.route, 401]);
    }
    expect(await stateOf(user)).toEqual(before);
  });
});

test("Readeck's profile names the permissions of the token", async () => {
  const user = await service.newUser();
  for (const [scope, permissions] of [
    ["full", ["api:bookmarks:read", "api:bookmarks:write", "api:profile:read"]],
    ["read", ["api:bookmarks:read", "api:profile:read"]],
  ] as const) {
    const { password } = await create(user, { scope });
    const headers = { authorization: `Bearer ${user.credentials.username}.${password}` };
    const { body } = await service.fetch(`${service.baseUrl}/readeck/api/profile`, { headers });
    expect(JSON.parse(body).provider.permissions).toEqual(permissions);
  }
});

test("a `read` app password is its own token in wallabag's and Readeck's sign-in, and makes none", async () => {
  const user = await service.newUser();
  const { username } = user.credentials;
  const { password } = await create(user, { scope: "read" });
  const post = (path: string, body: object) => {
    const headers = { "content-type": "application/json" };
    return service.fetch(`${service.baseUrl}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  };
  const wallabag = await post("/wallabag/oauth/v2/token", { grant_type: "password", username, password });
  expect(JSON.parse(wallabag.body)).toMatchObject({ access_token: `${username}.${password}` });
  const readeck = await post("/readeck/api/auth", { application: "x", username, password });
  expect(JSON.parse(readeck.body)).toMatchObject({ token: `${username}.${password}` });
  expect(Object.keys(await listOf(user))).toHaveLength(1);
});

describe("a bearer secret", () => {
  const secret = "abcdefghijklmnopq234";

  test("is a username and the secret of a sign-in", () => {
    expect(parseBearerSecret(`ann_b-2.${secret}`)).toEqual({ username: "ann_b-2", password: secret, isToken: true });
  });

  test.each([
    "",
    secret,
    `.${secret}`,
    `Ann.${secret}`,
    `${"a".repeat(21)}.${secret}`,
    "ann.correct horse",
    `ann.${secret}a`,
    `ann.${secret}.key`,
    `ann.${secret}\n`,
    `ann\n.${secret}`,
    "a.".repeat(1_000_000),
  ])("is nothing else (%#)", (text) => {
    expect(parseBearerSecret(text)).toBeUndefined();
  });
});
