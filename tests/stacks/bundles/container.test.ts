// SPDX-License-Identifier: MIT

import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { writeDataVersion } from "@reading-list/store-dynamodb/data-version.ts";
import { expectContract } from "@reading-list/testing/answer-contract.ts";
import { Authenticator } from "@reading-list/testing/authenticator.ts";
import { form, newName, ServiceClient, TestUser } from "@reading-list/testing/client.ts";
import { runProcess } from "@reading-list/testing/command-line.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { IdentityProvider, oidcClient } from "@reading-list/testing/identity-provider.ts";
import { keptSourcesIn } from "@reading-list/testing/kept-sources.ts";
import { OAuthApp } from "@reading-list/testing/oauth-app.ts";
import { articlePage, startPageServer } from "@reading-list/testing/page-server.ts";
import { ReadeckDevice, SyncingReadeckDevice } from "@reading-list/testing/readeck-device.ts";
import { SignOnBrowser } from "@reading-list/testing/sign-on-browser.ts";
import { type Started, start, untilReady } from "@reading-list/testing/started-service.ts";
import { asShown, WallabagDevice } from "@reading-list/testing/wallabag-device.ts";
import sharp from "sharp";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type Evaluation, evaluateStacks, resourcesOf } from "../evaluate.ts";
import { type AccountData, startAccountData } from "./account-data.ts";
import { callsOf, type ListState } from "./every-parameter.ts";
import { type Statement, unusedGrants } from "./policies.ts";

const apiKey = "the-key-of-an-app";
const readerApiKey = "the-key-of-the-reader";

let evaluation: Evaluation;
let policy: Statement[];
let data: AccountData;
let pages: string;
/** The variables of a process on the stage. */
let env: Record<string, string>;
const processes: Started[] = [];
/** Two processes on the stage. */
let first: ServiceClient;
let second: ServiceClient;

/** The variables that `deploy/aws/container-environment` takes from the functions of a stage. */
function variablesOf(name: string): Record<string, string> {
  const found = evaluation.resources.find((each) => each.name === `${name}Function`);
  if (!found) throw new Error(`no function ${name}`);
  return (found.inputs.environment as { variables: Record<string, string> }).variables;
}

async function startProcess(more: Record<string, string> = {}): Promise<ServiceClient> {
  const started = start({ ...env, ...more });
  processes.push(started);
  return new ServiceClient({ ...(await untilReady(started)), apiKey });
}

beforeAll(async () => {
  const variables = { WEB_API_KEY: readerApiKey, USER_LIMIT: "1000000", KEY_LIMIT: "1000000", THROTTLE_RATE: "1000" };
  evaluation = await evaluateStacks("dev-ann", variables);
  const [resource] = resourcesOf(evaluation, "iam/policy:Policy");
  policy = JSON.parse(String(resource?.inputs.policy));
  const { TABLE_NAME = "", ...others } = {
    ...variablesOf("Text"),
    ...variablesOf("Readeck"),
    ...variablesOf("Search"),
  };
  data = await startAccountData(TABLE_NAME, new Map([["container", policy]]));
  atEndOfFile(data.stop);
  const picture = await sharp({ create: { width: 400, height: 300, channels: 3, background: "#336699" } })
    .png()
    .toBuffer();
  const pictured = articlePage.replace("<article>", '<article><img src="/image.png">');
  const server = await startPageServer(({ url = "" }, response) => {
    const isPicture = url === "/image.png";
    response.writeHead(200, { "content-type": isPicture ? "image/png" : "text/html" });
    response.end(isPicture ? picture : url.startsWith("/pictured") ? pictured : articlePage);
  });
  atEndOfFile(() => server.stop());
  pages = server.origin;
  for (const [key, applicationId] of [
    [apiKey, "app"],
    [readerApiKey, "web"],
  ] as const) {
    const isPublic = applicationId === "web";
    await data.operator.createApiKey(key, { applicationId, name: "n", status: "enabled", created: 0, isPublic });
  }
  env = {
    ...others,
    TABLE_NAME,
    ...data.variables,
    STORE: "dynamodb",
    SHARING: "on",
    TEXT_ALLOWED_ORIGINS: pages,
    // The image sets HOST. No folder is used.
    HOST: "0.0.0.0",
    DATA_DIR: "/proc/nowhere",
    AWS_REGION: "eu-west-1",
    AWS_ACCESS_KEY_ID: "container",
    AWS_SECRET_ACCESS_KEY: "secret",
  };
  atEndOfFile(() => processes.forEach(({ process }) => void process.kill("SIGKILL")));
  [first, second] = await Promise.all([startProcess(), startProcess()]);
});

const sameUserOf = (service: ServiceClient, { credentials }: TestUser) =>
  new TestUser(service, credentials.username, credentials.password);

describe("two processes with STORE=dynamodb", () => {
  test("change no API key when they start, and show none", async () => {
    const keys = await data.operator.listApiKeys();
    expect(keys.map(({ applicationId, status, replaced }) => [applicationId, status, replaced]).sort()).toEqual([
      ["app", "enabled", undefined],
      ["web", "enabled", undefined],
    ]);
    for (const { output } of processes) expect(output()).not.toContain("key");
  });

  test("have the users, lists, sign-ins and articles of the stage", async () => {
    const user = await first.newUser();
    const elsewhere = sameUserOf(second, user);
    const { password } = JSON.parse((await user.ok("app_passwords", { create: "Phone" })).body);
    await new TestUser(second, user.credentials.username, password).add(`${pages}/story`);
    const { since, list } = await user.get();
    expect(Object.values(list).map(({ url }) => url)).toEqual([`${pages}/story`]);
    expect(await elsewhere.get({ since })).toMatchObject({ status: "2", list: {} });
    const { body } = await elsewhere.ok("article", { url: `${pages}/story` });
    expect(body).toContain("Paragraph 3 of the article");
    expect((await user.ok("article", { url: `${pages}/story` })).body).toBe(body);
    expect([...data.objects.byPath.keys()].some((path) => path.startsWith(`/${env.ARTICLE_BUCKET}/articles/`))).toBe(
      true,
    );
  });

  test("show a share that one of them has made, until the other one ends it", async () => {
    const user = await first.newUser();
    await user.add("https://example.com/", { tags: "sea" });
    const { id, address } = JSON.parse((await user.ok("share", { create: '{"tag":"sea"}' })).body);
    const shared = () => second.fetch(second.textUrl + new URL(address).pathname);
    expect((await shared()).body).toContain("https://example.com/");
    await sameUserOf(second, user).ok("share", { revoke: id });
    expect((await shared()).status).toBe(404);
  });

  test("keep pictures, show them, and delete them with the last of their articles, and with the account", async () => {
    const user = await first.newUser();
    const urls = ["one", "two", "three"].map((name) => `${pages}/pictured-${name}`);
    const sources: string[] = [];
    for (const url of urls) {
      await user.add(url);
      const { body } = await user.ok("article", { url, images: "kept" });
      sources.push(...keptSourcesIn(body));
    }
    const [source = "", ...others] = sources;
    expect(others).toEqual([source, source]);
    const objects = () =>
      [...data.objects.byPath.keys()].filter((path) => path.startsWith(`/${env.PICTURE_BUCKET}/pictures/`));
    const statusOf = async () => (await fetch(source.replace(first.textUrl, second.textUrl))).status;
    expect([objects().length, await statusOf()]).toEqual([1, 200]);
    for (const url of urls.slice(0, 2)) await user.send({ delete: [{ url }] });
    await user.ok("trash", { purge: "all" });
    expect([objects().length, await statusOf()]).toEqual([1, 200]);
    data.objects.put(objects()[0] ?? "", undefined);
    expect(await statusOf()).toBe(403);
    await user.send({ delete: [{ url: urls[2] ?? "" }] });
    await user.ok("trash", { purge: "all" });
    await user.add(urls[0] ?? "");
    await user.ok("article", { url: urls[0] ?? "", images: "kept" });
    expect([objects().length, await statusOf()]).toEqual([1, 200]);
    await user.ok("delete_account", { confirm: user.credentials.username });
    expect([objects().length, await statusOf()]).toEqual([0, 403]);
  });

  test("search a list, and store its index", async () => {
    const user = await first.newUser();
    await user.add(`${pages}/story`);
    await user.ok("article", { url: `${pages}/story` });
    const found = async (service: ServiceClient) =>
      JSON.parse((await sameUserOf(service, user).ok("search", { query: "harbour" })).body).total;
    await expect.poll(() => found(first)).toBe("1");
    const { userId = "" } = (await data.operator.findUser(user.credentials.username)) ?? {};
    await expect.poll(() => data.objects.byPath.has(`/${env.SEARCH_BUCKET}/indexes/${userId}`)).toBe(true);
    await expect.poll(() => found(second)).toBe("1");
    await user.ok("delete_account", { confirm: user.credentials.username });
    expect(data.objects.byPath.get(`/${env.SEARCH_BUCKET}/indexes/${userId}`)).toEqual(Buffer.alloc(0));
  });

  test("count the wrong passwords of a user together", async () => {
    const user = await first.newUser();
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 12; attempt++) {
      const service = attempt % 2 ? first : second;
      const wrong = new TestUser(service, user.credentials.username, "wrong");
      statuses.push((await wrong.call("auth")).status);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 403, 403]);
  });

  test("refuse at once what the other one has revoked or changed", async () => {
    const user = await first.newUser();
    const elsewhere = sameUserOf(second, user);
    const { since } = await elsewhere.get();
    const { id, password } = JSON.parse((await user.ok("app_passwords", { create: "Phone" })).body);
    const phone = new TestUser(second, user.credentials.username, password);
    await phone.get({ since });
    await user.ok("app_passwords", { revoke: id });
    expect((await phone.call("get", { since })).status).toBe(401);
    await user.ok("app_passwords", { create: "Tablet" });
    await user.ok("password", { new_password: "another horse", revoke: 1 });
    expect((await elsewhere.call("get", { since })).status).toBe(401);
  });

  test("serve the web reader with its key, and /health", async () => {
    const config = await (await fetch(`${second.baseUrl}/app/config.json`)).json();
    expect(config).toMatchObject({ apiKey: readerApiKey });
    for (const url of [first.baseUrl, second.textUrl]) expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  test("sign people in at the provider of the stage, and lead them back to its reader", async () => {
    const [publicUrl, readerUrl] = ["https://api.example.com", "https://read.example.com/"];
    const provider = await IdentityProvider.start(`${publicUrl}/app/oidc/callback`, readerUrl);
    onTestFinished(() => provider.stop());
    const { clientId: OIDC_CLIENT_ID, clientSecret: OIDC_CLIENT_SECRET } = oidcClient;
    const oidc = { OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, READER_URL: readerUrl };
    const third = await startProcess({ ...oidc, BASE_URL: publicUrl });
    const newBrowser = () => new SignOnBrowser(publicUrl, readerUrl, (url) => url.replace(publicUrl, third.baseUrl));
    const user = await first.newUser();
    const browser = newBrowser();
    for (const sub of ["at work", "at home"]) {
      browser.cookiesOf(provider.issuer).clear();
      provider.person = { sub };
      const linked = await browser.link(await browser.walk("/link", { ...user.credentials }));
      expect(linked.status).toBe(200);
    }
    const { answer } = await browser.exchange(await browser.walk(""));
    const device = new TestUser(second, answer?.username ?? "", answer?.password ?? "");
    await device.add("https://example.com/");
    expect(answer?.username).toBe(user.credentials.username);
    expect((await browser.post("/unlink", { ...user.credentials })).status).toBe(200);
    expect((await browser.exchange(await browser.walk(""))).answer?.username).not.toBe(answer?.username);
    const config = await (await fetch(`${third.baseUrl}/app/config.json`)).json();
    expect(config).not.toHaveProperty("signOn");
  });

  test("check the passkeys of the stage's reader, which is on another host", async () => {
    await writeDataVersion(data.table);
    const origin = "https://read.example.com";
    const third = await startProcess({ BASE_URL: "https://api.example.com", READER_URL: `${origin}/` });
    const { credentials } = await first.newUser();
    const post = async (path: string, fields: object) => {
      const body = form({ ...credentials, ...fields });
      const response = await fetch(`${third.baseUrl}/app/passkeys/${path}`, { method: "POST", body });
      const answer = (response.ok ? await response.json() : {}) as { challenge: string };
      return { status: response.status, answer };
    };
    const authenticator = new Authenticator(origin);
    const created = authenticator.create((await post("begin", {})).answer);
    expect((await post("enrol", { name: "Laptop", answer: created })).status).toBe(200);
    expect((await new TestUser(second, credentials.username, credentials.password).call("auth")).status).toBe(401);
    const answer = authenticator.sign((await post("ask", {})).answer);
    expect((await post("sign-in", { answer })).status).toBe(200);
  });

  test("keep idle connections longer than a load balancer, which sends requests through them", async () => {
    const response = await fetch(`${first.baseUrl}/health`);
    const seconds = Number(/timeout=(\d+)/.exec(response.headers.get("keep-alive") ?? "")?.[1]);
    expect(seconds).toBeGreaterThan(60);
  });

  test("are served by the operator's commands, with the same variables", async () => {
    const user = await first.newUser();
    const { code, json } = await runProcess(["users", "show", user.credentials.username, "--json"], env);
    expect([code, json()]).toMatchObject([0, { username: user.credentials.username }]);
    expect((await runProcess(["backup", "file.db"], env)).code).toBe(2);
  });
});

describe("the policy of the stage for such a process", () => {
  test.each(endpoints)("lets $name answer with every value of every parameter", async (endpoint: EndpointContract) => {
    const user = await first.newUser();
    const url = `${pages}/kept`;
    await user.send({ new: Array.from({ length: 5 }, (_, i) => ({ url: `https://example.com/${i}` })) });
    await user.add(url);
    await user.ok("article", { url });
    const { since } = await user.get();
    await user.send({ delete: [{ url: "https://example.com/1" }] });
    const state: ListState = { ...user.credentials, url, sinces: [since, "0"], count: 2 };
    for (const parameters of await callsOf(endpoint, state, apiKey, 2)) {
      if (endpoint.caller === "new-user") parameters.username = newName();
      const answer = await first.call(endpoint.name, parameters);
      expectContract(endpoint, answer);
      const statuses = parameters.invitation ? [401] : [200, 400, 401];
      expect(statuses, `${endpoint.name} ${JSON.stringify(parameters)}`).toContain(answer.status);
    }
  });

  test("lets the apps of other services sign in and sync", async () => {
    const user = await first.newUser();
    await user.add("https://example.com/1");
    const wallabag = await new WallabagDevice(first, user.credentials).signIn();
    await wallabag.sync();
    expect(wallabag.shown()).toEqual(asShown(await user.items()));
    const byOAuth = await (await OAuthApp.register(first)).signIn(user.credentials);
    expect((await new ReadeckDevice(user, byOAuth).call("GET", "profile")).status).toBe(200);
    const readeck = await ReadeckDevice.signIn(user);
    await new SyncingReadeckDevice(readeck, Date.now).sync();
    expect((await readeck.call("POST", "bookmarks", { url: `${pages}/saved` })).status).toBe(202);
  });

  test("denies none of these actions, and grants none that is unused", () => {
    expect(data.access.denied).toEqual(new Set());
    expect(unusedGrants(policy, [...(data.access.allowed.get("container")?.values() ?? [])])).toEqual([]);
  });
});

describe("a process with STORE=dynamodb does not start, and names the variable,", () => {
  const startWith = async (changed: Record<string, string>) => {
    const { ended, output, process } = start({ ...env, ...changed });
    onTestFinished(() => void process.kill("SIGKILL"));
    return [await ended, output()];
  };

  test.each(["TABLE_NAME", "ARTICLE_BUCKET", "PICTURE_BUCKET", "TEXT_BUCKET", "SEARCH_BUCKET", "PROOF_SECRET"])(
    "if %s is not set",
    async (name) => {
      expect(await startWith({ [name]: "" })).toEqual([
        78,
        `${name}: must be the value of the stage, because STORE is dynamodb\n`,
      ]);
    },
  );

  test.each(["TABLE_NAME", "ARTICLE_BUCKET", "PICTURE_BUCKET", "TEXT_BUCKET", "SEARCH_BUCKET"])(
    "if %s is another one",
    async (name) => {
      const [code, output] = await startWith({ [name]: "another" });
      expect([code, output]).toEqual([1, expect.stringMatching(`^${name}: .*another.*\n$`)]);
    },
  );
});

test("a process with STORE=dynamodb stops cleanly, and one that is killed loses nothing that it has answered", async () => {
  const user = await first.newUser();
  await user.add("https://example.com/before");
  const [stopped, killed] = processes as [Started, Started];
  killed.process.kill("SIGKILL");
  expect(Object.keys((await user.get()).list)).toHaveLength(1);
  stopped.process.kill("SIGTERM");
  expect(await stopped.ended).toBe(0);
  second = await startProcess();
  expect(Object.keys((await sameUserOf(second, user).get()).list)).toHaveLength(1);
});
