import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { apis } from "@reading-list/core/contract/apis.ts";
import { type EndpointContract, methodsOf, pathOf } from "@reading-list/core/contract/endpoint.ts";
import { type EndpointName, endpoints } from "@reading-list/core/contract/endpoints.ts";
import { itemIdOf } from "@reading-list/core/domain/item-id.ts";
import { createGateway, type Handler } from "@reading-list/local/gateway.ts";
import { form, type ListAnswer, type Parameters } from "@reading-list/testing/client.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { strFromU8, unzipSync } from "fflate";
import { beforeAll, describe, expect, test } from "vitest";
import { linesOf } from "../../functions/watch/output.ts";
import { type DeployedFunction, type Deployment, deploy } from "./deployment.ts";
import type { RunningFunction } from "./runtime-api.ts";

let deployment: Deployment;
let gateway: Server;
let origin: string;
const running: RunningFunction[] = [];
const names = [...endpoints, ...apis].map(({ name }): string => name).concat("unrouted", "health");

beforeAll(async () => {
  deployment = await deploy();
  atEndOfFile(() => deployment.stop());
  const handlers = new Map(await Promise.all(names.map(async (name) => [name, await startHandler(name)] as const)));
  const handlerOf = (name: string) => handlers.get(name) as Handler;
  const routes = endpoints.flatMap((endpoint) =>
    methodsOf(endpoint).map((method) => [`${method} ${pathOf(endpoint)}`, handlerOf(endpoint.name)] as const),
  );
  const apiRoutes = apis.map(({ name }) => [`ANY /${name}/{proxy+}`, handlerOf(name)] as const);
  gateway = createGateway(
    new Map([...routes, ...apiRoutes, ["GET /health", handlerOf("health")], ["$default", handlerOf("unrouted")]]),
    (statusCode) => ({ statusCode }),
  ).listen(0, "127.0.0.1");
  atEndOfFile(async () => {
    gateway.close();
    await Promise.all(running.map((each) => each.stop()));
  });
  await new Promise((resolve) => gateway.once("listening", resolve));
  origin = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
});

/** Starts a function; the gateway calls it through the runtime API. */
async function startHandler(name: string): Promise<Handler> {
  const started = await deployment.start(functionOf(name));
  running.push(started);
  return async (event) => (await started.invoke(event)).answer as Awaited<ReturnType<Handler>>;
}

function functionOf(name: string): DeployedFunction {
  const code = deployment.functions.get(name);
  if (!code) throw new Error(`the stacks have no function ${name}`);
  return code;
}

/** Calls an endpoint as a client does, with the API key. */
function call(endpoint: EndpointName, parameters: Parameters) {
  const body = form({ apikey: deployment.apiKey, ...parameters });
  return fetch(`${origin}/v2/${endpoint}`, { method: "POST", body });
}

/** The source files in a function's bundle. */
const sourcesOf = ({ metafile }: DeployedFunction) =>
  Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));

/** The packages in a function's bundle. */
function packagesIn(code: DeployedFunction): Set<string> {
  const found = sourcesOf(code).map((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]);
  return new Set(found.filter((name) => name !== undefined));
}

describe("the bundles, each started by the Lambda runtime API in a bare process,", () => {
  const ann = { username: "ann", password: "correct horse" };
  const url = "https://example.com/café";

  test("register a user and verify the password", async () => {
    expect(await (await call("signup", ann)).text()).toBe("200 OK");
    expect(await (await call("auth", ann)).text()).toBe("200 OK");
    expect((await call("auth", { ...ann, password: "wrong" })).status).toBe(401);
  });

  test("save pages, list and count them", async () => {
    expect((await call("add", { ...ann, url, title: "Café ☕" })).status).toBe(200);
    const changes = { new: '[{"url":"https://example.com/two"}]', read: '[{"url":"https://example.com/two"}]' };
    expect((await call("send", { ...ann, ...changes })).status).toBe(200);
    const answer = await call("get", { ...ann, state: "unread" });
    expect(answer.headers.get("x-limit-user-limit")).toBe("320");
    const { list } = (await answer.json()) as ListAnswer;
    expect(Object.values(list)).toEqual([expect.objectContaining({ url, title: "Café ☕" })]);
    expect(await (await call("stats", ann)).json()).toMatchObject({ count_list: "2", count_unread: "1" });
  });

  test("serve Readeck's API", async () => {
    await call("signup", { username: "bob", password: "secret" });
    const headers = { authorization: `Bearer bob.secret.${deployment.apiKey}` };
    const bookmarks = `${origin}/readeck/api/bookmarks`;
    await fetch(bookmarks, { method: "POST", headers, body: new URLSearchParams({ url, title: "Café ☕" }) });
    expect(await (await fetch(bookmarks, { headers })).json()).toMatchObject([{ url, title: "Café ☕" }]);
  });

  test("report the limits of a key", async () => {
    const answer = await call("api", {});
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-limit-key-limit")).toBe("10000");
  });

  test("answer 404 to unknown paths", async () => {
    const answer = await fetch(`${origin}/v2/nothing`);
    expect(answer.status).toBe(404);
    expect(answer.headers.get("x-error")).toContain("no such path");
  });

  test("read a page in a worker from the same file, and cache its text in the bucket", async () => {
    const first = await call("text", { url: deployment.pageUrl });
    expect(first.status).toBe(200);
    const text = await first.text();
    expect(text).toContain("Paragraph 3 of the article");
    const bucket = functionOf("text").environment.TEXT_BUCKET;
    const [[key, object] = ["", ""], ...others] = deployment.objects;
    expect([key, others]).toEqual([expect.stringMatching(`^/${bucket}/[\\da-f]{64}$`), []]);
    deployment.objects.set(key, Buffer.from(object.toString().replaceAll("Paragraph 3", "Cached paragraph")));
    const second = await call("text", { url: deployment.pageUrl });
    expect(await second.text()).toBe(text.replaceAll("Paragraph 3", "Cached paragraph"));
  });

  test("keep an article in the bucket, and delete it with its item", async () => {
    const bucket = functionOf("article").environment.ARTICLE_BUCKET;
    const kept = () => [...deployment.objects.keys()].filter((key) => key.startsWith(`/${bucket}/`));
    await call("add", { ...ann, url: deployment.pageUrl });
    const first = await call("article", { ...ann, url: deployment.pageUrl });
    expect([first.status, await first.text()]).toEqual([200, expect.stringContaining("Paragraph 3 of the article")]);
    const userId = "[\\da-f-]{36}";
    expect(kept()).toEqual([expect.stringMatching(`^/${bucket}/articles/${userId}/${itemIdOf(deployment.pageUrl)}$`)]);
    const second = await call("article", { ...ann, url: deployment.pageUrl });
    expect(second.headers.get("x-kept")).toBe(first.headers.get("x-kept"));
    await call("send", { ...ann, delete: JSON.stringify([{ url: deployment.pageUrl }]) });
    expect(kept()).toEqual([]);
  });

  test("delete an account, also one whose deletion was interrupted", async () => {
    const articlesOf = () => [...deployment.objects.keys()].filter((key) => key.includes("/articles/"));
    const carl = { username: "carl", password: "secret" };
    const deletions = await deployment.start(functionOf("deletions"));
    running.push(deletions);
    for (const isInterrupted of [false, true]) {
      await call("signup", carl);
      await call("add", { ...carl, url: deployment.pageUrl });
      await call("article", { ...carl, url: deployment.pageUrl });
      expect(articlesOf()).toHaveLength(1);
      if (isInterrupted) {
        await deployment.closeAccount("carl");
        expect((await call("signup", carl)).status).toBe(401);
        await deletions.invoke({});
      } else {
        expect((await call("delete_account", { ...carl, confirm: "carl" })).status).toBe(200);
      }
      expect(articlesOf()).toEqual([]);
    }
    expect((await call("signup", carl)).status).toBe(200);
  });

  test("serve wallabag's API, with a kept article as a book", async () => {
    const credentials = { username: "dora", password: "secret" };
    await call("signup", credentials);
    const api = `${origin}/wallabag`;
    const grant = { grant_type: "password", client_id: deployment.apiKey, client_secret: "x", ...credentials };
    const token = await fetch(`${api}/oauth/v2/token`, { method: "POST", body: new URLSearchParams(grant) });
    const { access_token } = (await token.json()) as { access_token: string };
    const headers = { authorization: `Bearer ${access_token}` };
    const body = new URLSearchParams({ url: deployment.pageUrl });
    const saved = await fetch(`${api}/api/entries.json`, { method: "POST", headers, body });
    const { id, content } = (await saved.json()) as { id: number; content: string };
    expect(content).toContain("Paragraph 3 of the article");
    const book = await fetch(`${api}/api/entries/${id}/export.epub`, { headers });
    expect([book.status, book.headers.get("content-type")]).toEqual([200, "application/epub+zip"]);
    const files = unzipSync(new Uint8Array(await book.arrayBuffer()));
    const texts = Object.values(files).map((file) => strFromU8(file));
    expect(texts.some((text) => text.includes("Paragraph 3 of the article"))).toBe(true);
  });

  test("read a page if the bucket fails", async () => {
    deployment.breakBucket();
    const answer = await call("text", { url: `${deployment.pageUrl}/other` });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("Paragraph 3 of the article");
  });

  test("exit at the start if a setting is invalid, with an error that names it", async () => {
    const code = functionOf("stats");
    const faulty = { ...code, environment: { ...code.environment, KEY_LIMIT: "many" } };
    await expect(deployment.start(faulty)).rejects.toThrow("stats: SetupError: KEY_LIMIT");
  });
});

describe("the log of a failed call", () => {
  /** An event of API Gateway. */
  const event = (requestContext: object) => ({
    version: "2.0",
    rawQueryString: String(form({ apikey: deployment.apiKey, username: "ann", password: "correct horse" })),
    headers: {},
    requestContext: { requestId: "id-of-gateway", ...requestContext },
    isBase64Encoded: false,
  });
  const http = { method: "GET", path: "/v2/stats", sourceIp: "192.0.2.1" };

  /** Lets `stats` fail with an event; returns the line that it logs. */
  async function failureOf(event: object, environment: Record<string, string> = {}) {
    const code = functionOf("stats");
    const started = await deployment.start({ ...code, environment: { ...code.environment, ...environment } });
    try {
      const { answer } = await started.invoke(event);
      expect(answer).toMatchObject({ statusCode: 503 });
      return linesOf(started.output()).find(({ level }) => level === "ERROR");
    } finally {
      await started.stop();
    }
  }

  test("names the system's error code and Lambda's id of the call", async () => {
    const failure = await failureOf(event({ http }), { AWS_ENDPOINT_URL_DYNAMODB: "http://127.0.0.1:1" });
    expect(failure).toMatchObject({
      code: "ECONNREFUSED",
      requestId: "id-of-gateway",
      awsRequestId: expect.stringMatching(/^[\da-f]{8}-[\da-f-]{27}$/),
    });
  });

  test("names file and line of our code, although the bundle is one minified file", async () => {
    const { places } = (await failureOf(event({}))) as { places: string[] };
    expect(places).toContainEqual(expect.stringMatching(/^ {4}at .*packages\/functions\/http\/[\w-]+\.ts:\d+:\d+\)?$/));
  });
});

describe("the package", () => {
  const needsPasswords = [...endpoints, ...apis]
    .filter(({ caller }) => caller !== "application")
    .map(({ name }) => name as string);

  test.each(names)("of %s contains argon2 only if a password is verified or set, and each file once", (name) => {
    const { files } = functionOf(name);
    expect(packagesIn(functionOf(name)).has("argon2")).toBe(needsPasswords.includes(name));
    expect(files.some((file) => file.endsWith(".node"))).toBe(needsPasswords.includes(name));
    expect(new Set(files).size).toBe(files.length);
  });

  test("has argon2's binary for Lambda: AArch64, and glibc 2.34 or older", () => {
    expect(functionOf("auth").files).toContain(`prebuilds/linux-arm64/argon2.armv8.glibc.node`);
    const binary = readFileSync("node_modules/argon2/prebuilds/linux-arm64/argon2.armv8.glibc.node");
    const aarch64 = 183;
    expect([binary.toString("latin1", 1, 4), binary.readUInt16LE(18)]).toEqual(["ELF", aarch64]);
    const versions = [...binary.toString("latin1").matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor));
    expect(Math.max(...versions)).toBeLessThanOrEqual(34);
  });

  test.each(names)("of %s contains page parsers only if it reads pages, and S3's client only if it uses S3", (name) => {
    const parsers = ["linkedom", "parse5", "@mozilla/readability", "sanitize-html", "undici"];
    const contracts: Pick<EndpointContract, "name" | "host" | "articles">[] = [...endpoints, ...apis];
    const { host, articles } = contracts.find((each) => each.name === name) ?? {};
    const found = packagesIn(functionOf(name));
    const readsPages = host === "text" || articles === "keep";
    expect(parsers.filter((parser) => found.has(parser))).toEqual(readsPages ? parsers : []);
    expect(found.has("@aws-sdk/client-s3")).toBe(host === "text" || articles !== undefined);
  });

  test.each(names)("of %s contains no development code and no messages in other languages", (name) => {
    const sources = sourcesOf(functionOf(name));
    expect(sources).not.toEqual([]);
    expect(sources.filter((file) => /^(tests|tools|packages\/local)\//.test(file))).toEqual([]);
    expect(sources.filter((file) => /zod\/v4\/locales\/(?!en\b)/.test(file))).toEqual([]);
  });
});

test("/health is 200 while the database can be read, without a key", async () => {
  const answer = await fetch(`${origin}/health`);
  expect([answer.status, await answer.text()]).toEqual([200, "ok"]);
});
