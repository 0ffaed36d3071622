// SPDX-License-Identifier: MIT

import { inspect } from "node:util";
import { ApiError, type Change, type ClientOptions, ReadingListClient } from "@reading-list/client/main.ts";
import { newName } from "@reading-list/testing/client.ts";
import { prose } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, expect, test } from "vitest";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});

const password = "correct horse";

function clientOf(options: Partial<ClientOptions> = {}): ReadingListClient {
  const { baseUrl, textUrl, apiKey } = service;
  return new ReadingListClient({ baseUrl, textUrl, apiKey, username: newName(), password, ...options });
}

async function newClient(options: Partial<ClientOptions> = {}): Promise<ReadingListClient> {
  const username = newName();
  await clientOf({ username }).signup();
  return clientOf({ username, ...options });
}

/** A `fetch` that answers the first calls by itself, and gives the rest to the service. */
function fetchAfter(...answers: ((...request: Parameters<typeof fetch>) => Promise<Response>)[]) {
  const requests: Parameters<typeof fetch>[] = [];
  const ownFetch: typeof fetch = (...request) => {
    requests.push(request);
    return (answers.shift() ?? fetch)(...request);
  };
  return { requests, fetch: ownFetch };
}

const lostRequest = async () => {
  throw new TypeError("fetch failed");
};
const lostAnswer = async (...request: Parameters<typeof fetch>) => {
  await (await fetch(...request)).text();
  return lostRequest();
};

const failureOf = async (call: Promise<unknown>): Promise<ApiError> => {
  const error = await call.then(
    () => undefined,
    (failure) => failure,
  );
  expect(error).toBeInstanceOf(ApiError);
  return error;
};

test("kept returns which pages have saved copies, and changes", async () => {
  const client = await newClient();
  const [url, other] = ["https://example.com/kept", "https://example.com/other"];
  await client.send([url, other].map((each) => ({ kind: "add", url: each })));
  await client.article(url, { html: `<article><h1>Kept</h1>${prose}</article>` });
  const kept = await client.kept();
  expect(kept.pages).toEqual([
    {
      itemId: expect.any(String),
      url,
      state: "kept",
      error: "",
      words: expect.any(Number),
      excerpt: expect.stringContaining("the harbour"),
      imageUrl: undefined,
      updatedAt: expect.any(Date),
    },
  ]);
  expect(kept).toMatchObject({ isAuto: true, stopped: undefined, counts: { kept: 1, waiting: 0, failed: 0 } });
  expect(kept.texts.bytes).toBeGreaterThan(0);
  await client.changeKept({ isAuto: false, retries: true });
  expect(await client.kept({ since: kept.since })).toMatchObject({ isUnchanged: true, isAuto: false, pages: [] });
  await expect(clientOf({ textUrl: undefined }).kept()).rejects.toThrow("kept: create the client with textUrl");
});

test("an item has dates, a list of tags and a state in words", async () => {
  const client = await newClient();
  await client.add("https://example.com/ü", { title: "Grüße", tags: ["a", "ö"], refId: "1" });
  const list = await client.get();
  expect(list).toMatchObject({ isComplete: true, isUnchanged: false, deleted: {} });
  const now = new Date(service.clock.now());
  const item = { url: "https://example.com/ü", title: "Grüße", tags: ["a", "ö"], state: "unread" };
  expect(list.items).toEqual([{ ...item, itemId: expect.any(String), timeAdded: now, timeUpdated: now }]);
  expect(await client.stats()).toEqual({ userSince: expect.any(Date), countList: 1, countUnread: 1, countRead: 0 });
});

test("get passes its query, and returns deletions, and a list without changes", async () => {
  const client = await newClient();
  await client.send([1, 2, 3].map((n): Change => ({ kind: "add", url: `https://example.com/${n}` })));
  await client.send([{ kind: "read", url: "https://example.com/2" }]);
  const titlesOf = async (query: object) => (await client.get(query)).items.map(({ url }) => url.at(-1));
  expect(await titlesOf({ state: "unread" })).toEqual(["3", "1"]);
  expect(await titlesOf({ state: "read", myAppOnly: true })).toEqual(["2"]);
  expect(await titlesOf({ count: 1, page: 3 })).toEqual(["1"]);
  const { since, items } = await client.get();
  expect(await client.get({ since })).toMatchObject({ isUnchanged: true, items: [] });
  await client.delete("https://example.com/2");
  const deletedId = items.find(({ state }) => state === "read")?.itemId ?? "";
  expect((await client.get({ since })).deleted).toEqual({ [deletedId]: expect.any(Date) });
});

test("api and every other call report the limits", async () => {
  const client = await newClient();
  expect(client.limits).toBeUndefined();
  expect((await client.api())?.key.limit).toBe(1_000_000);
  await client.auth();
  const { user } = client.limits ?? {};
  expect(user).toEqual({ limit: 100_000, remaining: expect.any(Number), resetSeconds: expect.any(Number) });
  expect(user?.remaining).toBeLessThan(100_000);
});

test("text throws the reason for a page that cannot be fetched", async () => {
  const error = await failureOf(clientOf().text("http://10.0.0.1/"));
  expect(error).toMatchObject({ status: 400, kind: "invalid" });
});

test("article returns the saved copy of a page, and sends a long page unchanged", async () => {
  const client = await newClient();
  const url = "https://example.com/page";
  await client.add(url);
  const html = `<article>${prose}</article><!--${"<é>".repeat(400_000)}-->`;
  const kept = await client.article(url, { html });
  expect(kept).toMatchObject({ html: expect.stringContaining("Paragraph 5"), keptAt: expect.any(Date) });
  expect(await client.article(url)).toEqual(kept);
  const { articles } = await client.stats({ articles: true });
  expect(articles).toEqual({ count: 1, bytes: expect.any(Number), quota: 1_000_000_000 });
  expect(articles?.bytes).toBeGreaterThan(0);
});

test("changes of one page are applied in their order, whatever order the service has for one request", async () => {
  const client = await newClient();
  const url = "https://example.com/page";
  await client.send([
    { kind: "add", url, title: "first" },
    { kind: "delete", url: "https://www.example.com/page/" },
    { kind: "add", url },
    { kind: "read", url },
    { kind: "add", url },
    { kind: "title", url, title: "last" },
  ]);
  expect((await client.get()).items).toMatchObject([{ title: "last", state: "unread" }]);
});

test("send splits 2,500 changes, and continues after the last request that succeeded", async () => {
  const failing: (typeof fetch)[] = [fetch, fetch, lostRequest];
  const { requests, fetch: ownFetch } = fetchAfter(...failing);
  const client = await newClient({ fetch: ownFetch, retries: 0 });
  const changes = Array.from({ length: 2500 }, (_, i): Change => ({ kind: "add", url: `https://example.com/${i}` }));
  let sent = 0;
  const onSent = (count: number) => {
    sent = count;
  };
  expect((await failureOf(client.send(changes, { onSent }))).kind).toBe("noResponse");
  expect(sent).toBe(2000);
  await client.send(changes.slice(sent));
  expect(requests).toHaveLength(4);
  expect(await client.stats()).toMatchObject({ countList: 2500 });
});

test("send splits by size, so that no form exceeds 4 MB", async () => {
  const { requests, fetch: ownFetch } = fetchAfter();
  const client = await newClient({ fetch: ownFetch });
  const title = "漢".repeat(1000);
  const changes = Array.from(
    { length: 600 },
    (_, i): Change => ({ kind: "add", url: `https://example.com/${i}`, title }),
  );
  await client.send(changes);
  const sizes = requests.map(([, init]) => String(init?.body).length);
  expect(sizes).toHaveLength(2);
  expect(Math.max(...sizes)).toBeLessThan(4_001_000);
  expect(Math.max(...sizes)).toBeGreaterThan(3_900_000);
});

test("a lost request, a lost answer, a 503 and the page of a captive portal are retried", async () => {
  const unavailable = async () => new Response("", { status: 503 });
  const portal = async () => new Response("<h1>Welcome</h1>");
  const { requests, fetch: ownFetch } = fetchAfter(lostRequest, lostAnswer, unavailable, portal);
  const client = await newClient({ fetch: ownFetch });
  await client.add("https://example.com/");
  expect(requests).toHaveLength(5);
  expect(await client.stats()).toMatchObject({ countList: 1 });
});

test("signup whose answer was lost succeeds, and a name that is taken is unauthorized", async () => {
  const username = newName();
  await clientOf({ username, fetch: fetchAfter(lostAnswer).fetch }).signup();
  expect(await failureOf(clientOf({ username }).signup())).toMatchObject({ status: 401, kind: "unauthorized" });
  const another = clientOf({ username, password: "another", fetch: fetchAfter(lostAnswer).fetch });
  expect((await failureOf(another.signup())).message).toContain("taken");
});

test("wrong credentials, a wrong address and a lasting error have different kinds, and are not retried for long", async () => {
  const wrong = fetchAfter();
  expect(await failureOf(clientOf({ fetch: wrong.fetch }).auth())).toMatchObject({ status: 401, kind: "unauthorized" });
  expect(wrong.requests).toHaveLength(1);
  expect((await failureOf(clientOf({ baseUrl: `${service.baseUrl}/other/` }).auth())).kind).toBe("notFound");
  const closed = clientOf({ baseUrl: "http://127.0.0.1:9", retries: 1 });
  expect(await failureOf(closed.auth())).toMatchObject({ status: 0, kind: "noResponse" });
  const maintenance = async () =>
    new Response("", { status: 503, headers: { "x-error": "Back at noon", "retry-after": "300" } });
  const down = clientOf({ fetch: fetchAfter(maintenance).fetch });
  const error = await failureOf(down.auth());
  expect(error).toMatchObject({ kind: "unavailable", message: "Back at noon", retryAfter: 300 });
});

test("with wait, a call above the limit continues when the window has ended", async () => {
  const limited = await startTestService({ USER_LIMIT: "2", LIMIT_WINDOW_SECONDS: "2" });
  const { baseUrl, apiKey } = limited;
  const options = { baseUrl, apiKey, username: newName(), password };
  await new ReadingListClient(options).signup();
  const eager = new ReadingListClient(options);
  await eager.auth();
  await eager.auth();
  const error = await failureOf(eager.auth());
  expect(error).toMatchObject({ status: 403, kind: "limited", limits: { user: { remaining: 0 } } });
  expect(error.retryAfter).toBeGreaterThan(0);
  const statuses: number[] = [];
  const ownFetch: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    statuses.push(response.status);
    limited.clock.advance(2);
    return response;
  };
  await new ReadingListClient({ ...options, fetch: ownFetch, wait: true }).auth();
  expect(statuses).toEqual([403, 200]);
});

test("closed registration is limited, with the service's text", async () => {
  const { baseUrl, apiKey } = await startTestService({ SIGNUP: "closed" });
  const error = await failureOf(clientOf({ baseUrl, apiKey }).signup());
  expect(error).toMatchObject({ status: 403, kind: "limited", message: expect.stringContaining("sign-up is closed") });
  expect(error.retryAfter).toBeGreaterThan(0);
});

test("a signal ends a call, a wait and a sync with its reason", async () => {
  const limited = async () => new Response("", { status: 403, headers: { "retry-after": "600" } });
  const waiting = clientOf({ wait: true, fetch: fetchAfter(limited).fetch });
  await expect(waiting.auth({ signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ name: "TimeoutError" });
  const reason = new Error("enough");
  await expect(clientOf().auth({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

test("credentials appear in no URL, no error and no text of a client", async () => {
  const { requests, fetch: ownFetch } = fetchAfter(lostRequest);
  const [username, apiKey] = ["some-user", "secret-key"];
  const client = clientOf({ username, apiKey, fetch: ownFetch, retries: 0 });
  const errors = [await failureOf(client.get()), await failureOf(client.get()), await failureOf(client.signup())];
  for (const [url, init] of requests) {
    expect(String(url)).toMatch(/\/v2\/(get|signup)$/);
    expect(init?.method).toBe("POST");
  }
  const shown = [client, ...errors].map(
    (value) => inspect(value, { depth: 9, showHidden: true }) + JSON.stringify(value),
  );
  for (const secret of [username, password, apiKey, "correct+horse"]) expect(shown.join()).not.toContain(secret);
  expect(() => clientOf({ baseUrl: `http://${username}:${apiKey}@127.0.0.1` })).toThrow(/^baseUrl must not contain/);
  expect(() => clientOf({ textUrl: `${apiKey} 127.0.0.1` })).toThrow("textUrl is not an http(s) URL");
});

test("app passwords, a new password and the deletion of the account", async () => {
  const { baseUrl, apiKey } = service;
  const { credentials } = await service.newUser();
  const client = clientOf({ baseUrl, apiKey, ...credentials });
  const { id, password: appPassword } = await client.createAppPassword("Phone");
  const phone = clientOf({ baseUrl, apiKey, ...credentials, password: appPassword });
  expect(await client.appPasswords()).toEqual([
    { id, name: "Phone", scope: "full", expiresAt: undefined, createdAt: expect.any(Date), usedAt: undefined },
  ]);
  const expiresAt = new Date("2100-01-01");
  const limited = await client.createAppPassword("Reader", { scope: "read", expiresAt });
  const [reader] = (await client.appPasswords()).filter((each) => each.id === limited.id);
  expect(reader).toMatchObject({ name: "Reader", scope: "read", expiresAt });
  await client.revokeAppPassword(limited.id);
  await phone.add("https://example.com/");
  expect((await client.appPasswords())[0]?.usedAt).toBeInstanceOf(Date);
  expect(await failureOf(phone.appPasswords())).toMatchObject({ kind: "unauthorized" });
  await client.revokeAppPassword(id);
  expect(await failureOf(phone.auth())).toMatchObject({ kind: "unauthorized" });
  await client.changePassword("another", { revokes: true });
  const renewed = clientOf({ baseUrl, apiKey, ...credentials, password: "another" });
  await renewed.deleteAccount(credentials.username);
  expect(await failureOf(renewed.auth())).toMatchObject({ kind: "unauthorized" });
});

test("a new password whose answer was lost is not an error", async () => {
  const { baseUrl, apiKey } = service;
  const { credentials } = await service.newUser();
  const client = clientOf({ baseUrl, apiKey, ...credentials, fetch: fetchAfter(lostAnswer).fetch });
  await client.changePassword("another");
  await clientOf({ baseUrl, apiKey, ...credentials, password: "another" }).auth();
});

test("a search returns pages with a snippet and the positions of the words in it", async () => {
  const client = await newClient();
  await client.send([
    { kind: "add", url: "https://example.com/1", title: "The harbour", tags: ["a"] },
    { kind: "add", url: "https://example.com/2", title: "Harbours of the north" },
    { kind: "add", url: "https://example.com/3", title: "Owls" },
  ]);
  const titlesOf = async (...search: Parameters<ReadingListClient["search"]>) =>
    (await client.search(...search)).items.map(({ title }) => title);
  const found = await client.search("harb", { prefix: true, sort: "newest", count: 1 });
  expect(found).toMatchObject({ total: 2, items: [{ title: "Harbours of the north", snippet: "", marks: [] }] });
  expect([+found.asOf > 0, found.isPartial]).toEqual([true, false]);
  expect(await titlesOf("harb", { prefix: true, sort: "newest", count: 1, page: 2 })).toEqual(["The harbour"]);
  expect(await titlesOf("tag:a")).toEqual(["The harbour"]);
  expect(await failureOf(client.search("is:old"))).toMatchObject({ kind: "invalid" });
});
