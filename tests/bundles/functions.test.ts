import { existsSync, readdirSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { methods, pathOf } from "@reading-list/core/contract/endpoint.ts";
import { type EndpointName, endpoints } from "@reading-list/core/contract/endpoints.ts";
import { createGateway, type Handler } from "@reading-list/local/gateway.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { form, type ListAnswer, type Parameters } from "../service.ts";
import { type DeployedFunction, type Deployment, deploy } from "./deployment.ts";
import type { RunningFunction } from "./runtime-api.ts";

let deployment: Deployment;
let gateway: Server;
let origin: string;
const running: RunningFunction[] = [];
const names = [...endpoints.map(({ name }) => name), "unrouted"];

beforeAll(async () => {
  deployment = await deploy();
  afterAll(() => deployment.stop());
  const handlers = new Map(await Promise.all(names.map(async (name) => [name, await startHandler(name)] as const)));
  const handlerOf = (name: string) => handlers.get(name) as Handler;
  const routes = endpoints.flatMap((endpoint) =>
    methods.map((method) => [`${method} ${pathOf(endpoint)}`, handlerOf(endpoint.name)] as const),
  );
  gateway = createGateway(new Map([...routes, ["$default", handlerOf("unrouted")]]), Date).listen(0, "127.0.0.1");
  afterAll(async () => {
    gateway.close();
    await Promise.all(running.map((each) => each.stop()));
  });
  await new Promise((resolve) => gateway.once("listening", resolve));
  origin = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
});

/** Starts a function; what the gateway then asks of it goes through the runtime API. */
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

/** The packages of which something is in a bundle. */
function packagesIn({ metafile }: DeployedFunction): Set<string> {
  const [bundle] = Object.values(metafile.outputs);
  const found = Object.keys(bundle?.inputs ?? {}).map((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]);
  return new Set(found.filter((name) => name !== undefined));
}

describe("the bundles, each started by the Lambda runtime API in a bare process,", () => {
  const ann = { username: "ann", password: "correct horse" };
  const url = "https://example.com/café";

  test("register a user and know the password again", async () => {
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

  test("report the limits of a key", async () => {
    const answer = await call("api", {});
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-limit-key-limit")).toBe("10000");
  });

  test("answer 404 where no endpoint is", async () => {
    const answer = await fetch(`${origin}/v2/nothing`);
    expect(answer.status).toBe(404);
    expect(answer.headers.get("x-error")).toContain("no such path");
  });

  test("read a page in a worker that is the same file, and keep its text in the bucket", async () => {
    const first = await call("text", { url: deployment.pageUrl });
    expect(first.status).toBe(200);
    expect(first.headers.get("x-cache")).toBe("miss");
    const text = await first.text();
    expect(text).toContain("Paragraph 3 of the article");
    const bucket = functionOf("text").environment.TEXT_BUCKET;
    expect([...deployment.objects.keys()]).toEqual([expect.stringMatching(`^/${bucket}/[\\da-f]{64}$`)]);
    const second = await call("text", { url: deployment.pageUrl });
    expect(second.headers.get("x-cache")).toBe("hit");
    expect(await second.text()).toBe(text);
  });

  test("read a page although the bucket fails", async () => {
    deployment.breakBucket();
    const answer = await call("text", { url: `${deployment.pageUrl}/other` });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("Paragraph 3 of the article");
  });

  test("end at the start where a setting makes no sense, with an error that names it", async () => {
    const code = functionOf("stats");
    const faulty = { ...code, environment: { ...code.environment, KEY_LIMIT: "many" } };
    await expect(deployment.start(faulty)).rejects.toThrow("stats: SetupError: KEY_LIMIT");
  });
});

describe("what is uploaded", () => {
  const needsPasswords = endpoints.filter(({ caller }) => caller !== "application").map(({ name }) => name as string);

  test.each(names)(
    "of %s: argon2 where a password is checked or set, beside the bundle, for Lambda's processor",
    (name) => {
      const code = functionOf(name);
      const imported = Object.values(code.metafile.outputs).flatMap(({ imports }) => imports.map((each) => each.path));
      expect(packagesIn(code)).not.toContain("argon2");
      expect(imported.includes("argon2")).toBe(needsPasswords.includes(name));
      const prebuilds = path.join(code.folder, "node_modules/argon2/prebuilds/linux-arm64");
      expect(existsSync(prebuilds) && readdirSync(prebuilds)).toEqual(
        needsPasswords.includes(name) && expect.arrayContaining([expect.stringContaining("glibc")]),
      );
    },
  );

  test.each(names)("of %s: page parsers in text alone", (name) => {
    const parsers = ["linkedom", "parse5", "@mozilla/readability", "sanitize-html", "undici", "@aws-sdk/client-s3"];
    const found = packagesIn(functionOf(name));
    expect(parsers.filter((parser) => found.has(parser))).toEqual(name === "text" ? parsers : []);
  });

  test.each(names)("of %s: nothing that only a developer uses, no other language's messages", (name) => {
    const [bundle] = Object.values(functionOf(name).metafile.outputs);
    const inputs = Object.keys(bundle?.inputs ?? {});
    expect(inputs.filter((file) => /^(tests|bench|packages\/local)\//.test(file))).toEqual([]);
    expect(inputs.filter((file) => /zod\/v4\/locales\/(?!en\b)/.test(file))).toEqual([]);
  });
});
