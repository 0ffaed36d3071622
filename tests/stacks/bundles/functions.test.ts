// SPDX-License-Identifier: MIT

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { workerArgument } from "@reading-list/article/processes/extraction-pool.ts";
import { apis } from "@reading-list/core/contract/apis.ts";
import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { form } from "@reading-list/testing/client.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { articlePage, page } from "@reading-list/testing/page-server.ts";
import { writePdf } from "@reading-list/testing/write-pdf.ts";
import sharp from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import { packageSharp } from "../../../stacks/sharp.ts";
import { linesOf } from "../../http/watch/output.ts";
import { type DeployedFunction, type Deployment, deploy } from "./deployment.ts";
import { policiesOf } from "./policies.ts";

let deployment: Deployment;
const pdf = writePdf([
  [
    { text: "The text of a PDF.", y: 700 },
    { text: "\x93\xfa\x96\x7b\x8c\xea", y: 600, font: "F3" },
  ],
]);
const names = [...endpoints, ...apis]
  .map(({ name }): string => name)
  .concat(
    "picture",
    "extraction",
    "imaging",
    "indexing",
    "canary",
    "MainApiUnrouted",
    "TextApiUnrouted",
    "MainApiHealth",
    "TextApiHealth",
  );

beforeAll(async () => {
  const picture = await sharp({ create: { width: 400, height: 300, channels: 3, background: "#336699" } })
    .png()
    .toBuffer();
  const bodies: Record<string, [type: string, body: string | Buffer]> = {
    "/a.pdf": ["application/pdf", pdf],
    "/image.png": ["image/png", picture],
    "/pictured": ["text/html", articlePage.replace("<article>", '<article><img src="/image.png">')],
  };
  deployment = await deploy({}, (request, response) => {
    const [type, body] = bodies[request.url ?? ""] ?? ["text/html", articlePage];
    page(body, { "content-type": type })(request, response);
  });
  atEndOfFile(() => deployment.stop());
});

function functionOf(name: string): DeployedFunction {
  const code = deployment.functions.get(name);
  if (!code) throw new Error(`the stacks have no function ${name}`);
  return code;
}

/** The command line of a process; none if it has ended. */
function commandOf(processId: string): string[] {
  try {
    return readFileSync(`/proc/${processId}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}

/** The processes that parse files of strangers for a function. */
const workersIn = (folder: string) =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((id) => ({ id, command: commandOf(id) }))
    .filter(({ command }) => command.includes(workerArgument) && command.some((part) => part.startsWith(folder)));

/** The packages in a function's bundle. */
function packagesIn(code: DeployedFunction): Set<string> {
  const found = code.sources.map((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]);
  return new Set(found.filter((name) => name !== undefined));
}

test("a function reads a page in a worker from its own bundle, and caches the text in the bucket", async () => {
  const { client, objects, pages } = deployment;
  const url = `${pages}/story`;
  const { body: text } = await client.ok("text", { url });
  expect(text).toContain("Paragraph 3 of the article");
  const bucket = functionOf("text").environment.TEXT_BUCKET;
  const [[key, object] = ["", ""], ...others] = objects.byPath;
  expect([key, others]).toEqual([expect.stringMatching(`^/${bucket}/[\\da-f]{64}$`), []]);
  objects.put(key, Buffer.from(object.toString().replaceAll("Paragraph 3", "Cached paragraph")));
  expect((await client.ok("text", { url })).body).toBe(text.replaceAll("Paragraph 3", "Cached paragraph"));
  objects.isBroken = true;
  expect((await client.ok("text", { url: `${url}/other` })).body).toContain("Paragraph 3 of the article");
  objects.isBroken = false;
});

describe("a page that a user keeps", () => {
  test("is parsed for every API by a function without secrets and without permissions", async () => {
    const { client, pages, evaluation, access } = deployment;
    const user = await client.newUser();
    await user.add(`${pages}/kept`);
    expect((await user.ok("article", { url: `${pages}/kept` })).body).toContain("Paragraph 3 of the article");
    // Not even on the cached texts, which `text` shows to others.
    expect([policiesOf(evaluation).get("Extraction"), access.allowed.get("Extraction")]).toEqual([[], undefined]);
    const names = Object.keys(functionOf("extraction").environment).filter((name) =>
      /SECRET|KEY|TABLE|BUCKET/.test(name),
    );
    // Numbers, and the function's own identity.
    expect(names.sort()).toEqual(["AWS_ACCESS_KEY_ID", "KEY_LIMIT", "PUBLIC_KEY_ADDRESS_LIMIT"]);
  });

  test.runIf(process.platform === "linux")(
    "is parsed in a process that has no environment and can read only its program",
    () => {
      const { folder } = functionOf("extraction");
      const workers = workersIn(folder);
      expect(workers.length).toBeGreaterThan(0);
      for (const { id, command } of workers) {
        expect(
          readFileSync(`/proc/${id}/environ`, "utf8")
            .split("\0")
            .filter((part) => !/^(NODE_CHANNEL_|$)/.test(part)),
        ).toEqual([]);
        expect(command).toContain("--permission");
        expect(command.filter((part) => part.startsWith("--allow"))).toEqual([
          "--allow-worker",
          `--allow-fs-read=${folder}/`,
        ]);
      }
    },
  );

  test("that is 4 MB long as the browser shows it, and its text of that size, fit into the events and answers of Lambda", async () => {
    const { client } = deployment;
    const user = await client.newUser();
    const url = "https://example.com/long";
    await user.add(url);
    // Long words, because each word costs time; and hashes, because they hardly compress.
    const words = Array.from({ length: 90_000 }, (_, i) => createHash("sha256").update(`${i}`).digest("base64url"));
    const paragraphs = words.map((word, i) => (i % 50 === 0 ? `<p>${word}` : word)).join(" ");
    const html = `<title>Long</title><article>${paragraphs}</article>`;
    expect(html.length).toBeGreaterThan(3_900_000);
    const keep = () => client.call("article", { ...user.credentials, url, html });
    // A busy machine may need more time for the page than a call has.
    await expect.poll(async () => (await keep()).status, { interval: 1000, timeout: 400_000 }).toBe(200);
    expect((await user.ok("article", { url })).body.length).toBeGreaterThan(3_800_000);
  });
});

test("a picture is fetched and decoded by a function without permissions and secrets, in a process without either", async () => {
  const { folder, environment } = functionOf("imaging");
  const user = await deployment.client.newUser();
  const url = `${deployment.pages}/pictured`;
  await user.add(url);
  expect((await user.ok("article", { url, images: "kept" })).body).toContain("/v2/picture?");
  expect(policiesOf(deployment.evaluation).get("Imaging")).toEqual([]);
  const names = Object.keys(environment).filter((name) => /SECRET|KEY|TABLE|BUCKET|FUNCTION$/.test(name));
  // Numbers, and the function's own identity.
  expect(names.sort()).toEqual(["AWS_ACCESS_KEY_ID", "KEY_LIMIT", "PUBLIC_KEY_ADDRESS_LIMIT"]);
  const workers = workersIn(folder);
  expect(workers.length).toBeGreaterThan(0);
  for (const { command } of workers)
    expect(command.filter((part) => part.startsWith("--allow"))).toEqual([
      "--allow-worker",
      "--allow-addons",
      `--allow-fs-read=${folder}/`,
    ]);
});

test("a user whose pictures cannot be saved gets the text and a notice", async () => {
  const user = await deployment.client.newUser();
  const url = `${deployment.pages}/pictured`;
  await user.add(url);
  await expect(deployment.restart("imaging", { KEY_LIMIT: "many" })).rejects.toThrow("KEY_LIMIT");
  const { body, headers } = await user.ok("article", { url, images: "kept" });
  await deployment.restart("imaging", {});
  expect(body).toContain("Paragraph 3 of the article");
  expect(headers.get("x-notice")).toBe("Some pictures could not be saved. Open the page again later.");
});

test("a function reads a PDF, also with the tables of encodings beside its bundle", async () => {
  const { client, pages } = deployment;
  const text = "<p>The text of a PDF.</p>\n<p>日本語</p>";
  expect((await client.ok("text", { url: `${pages}/a.pdf` })).body).toBe(text);
  const user = await client.newUser();
  await user.add(`${pages}/a.pdf`);
  const keep = () => user.call("article", { url: `${pages}/a.pdf`, refresh: "1" });
  // A busy machine may still read a page of the test before.
  await expect.poll(async () => (await keep()).body, { interval: 1000, timeout: 400_000 }).toBe(text);
});

test("a function exits at its start if a setting is invalid, with an error that names it", async () => {
  const code = functionOf("stats");
  const faulty = { ...code, environment: { ...code.environment, KEY_LIMIT: "many" } };
  await expect(deployment.start(faulty)).rejects.toThrow("stats: SetupError: KEY_LIMIT");
});

describe("the log of a failed call", () => {
  /** An event of API Gateway. */
  const event = (requestContext: object) => ({
    version: "2.0",
    rawQueryString: String(form({ apikey: deployment.client.apiKey, username: "ann", password: "correct horse" })),
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
    const faulty = { ...event({ http: { ...http, method: "POST" } }), headers: null };
    const { places } = (await failureOf(faulty)) as { places: string[] };
    expect(places).toContainEqual(expect.stringMatching(/^ {4}at .*packages\/http\/[\w-]+\.ts:\d+:\d+\)?$/));
  });
});

describe("the package", () => {
  const needsPasswords = [...endpoints, ...apis]
    .filter(({ caller }) => caller !== "application")
    .map(({ name }) => name as string);

  test.each(names)("of %s contains argon2 only if a password is verified or set, and each file once", (name) => {
    const { files } = functionOf(name);
    expect(packagesIn(functionOf(name)).has("argon2")).toBe(needsPasswords.includes(name));
    expect(files.some((file) => file.startsWith("prebuilds/"))).toBe(needsPasswords.includes(name));
    expect(new Set(files).size).toBe(files.length);
  });

  test("has argon2's binary for Lambda: AArch64, and glibc 2.34 or older", () => {
    expect(functionOf("auth").files).toContain(`prebuilds/linux-arm64/argon2.armv8.glibc.node`);
    expectForLambda(readFileSync("node_modules/argon2/prebuilds/linux-arm64/argon2.armv8.glibc.node"));
  });

  function expectForLambda(binary: Buffer): void {
    const aarch64 = 183;
    expect([binary.toString("latin1", 1, 4), binary.readUInt16LE(18)]).toEqual(["ELF", aarch64]);
    const versions = [...binary.toString("latin1").matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor));
    expect(Math.max(...versions)).toBeLessThanOrEqual(34);
  }

  test("has the packages that SST keeps out of a bundle, and that it imports", () => {
    const keptOut = [
      "sharp",
      ...deployment.evaluation.builds.flatMap((each) => each.properties.esbuild?.external ?? []),
    ];
    const imported = [...deployment.functions.values()].flatMap(({ name, folder, files }) => {
      const bundle = readFileSync(`${folder}/bundle.mjs`, "utf8");
      return [...new Set(keptOut)]
        .filter((each) => new RegExp(`(from|import\\(|require\\()"${each}["/]`).test(bundle))
        .map((each) => [name, each, files.some((file) => file.startsWith(`node_modules/${each}/`))]);
    });
    expect(imported.sort()).toEqual([
      ["extraction", "pdfjs-dist", true],
      ["imaging", "sharp", true],
      ["text", "pdfjs-dist", true],
    ]);
  });

  test("of imaging has sharp's binaries for Lambda: AArch64, and glibc 2.34 or older", () => {
    const { from } = packageSharp(process.cwd(), "arm64");
    const binaries = functionOf("imaging").files.filter((file) => /\.(node|so)\b/.test(file));
    expect(binaries.map((file) => file.replace(/[\d.]+(\.node)?$/, "$1"))).toEqual([
      "node_modules/@img/sharp-libvips-linux-arm64/lib/libvips-cpp.so",
      "node_modules/@img/sharp-linux-arm64/lib/sharp-linux-arm64-.node",
    ]);
    for (const file of binaries) expectForLambda(readFileSync(file.replace("node_modules", from)));
  });

  test.each(names)("of %s contains page parsers only if it reads pages, and S3's client only if it uses S3", (name) => {
    const parsers = ["linkedom", "parse5", "@mozilla/readability", "sanitize-html", "undici"];
    const contracts: Pick<EndpointContract, "name" | "host" | "articles" | "pictures">[] = [...endpoints, ...apis];
    const { articles, pictures } = contracts.find((each) => each.name === name) ?? {};
    const found = packagesIn(functionOf(name));
    const readsPages = ["text", "extraction"].includes(name);
    const fetches = name === "imaging" ? ["undici"] : [];
    expect(parsers.filter((parser) => found.has(parser))).toEqual(readsPages ? parsers : fetches);
    const usesObjects = (articles ?? pictures) !== undefined || ["indexing", "picture"].includes(name);
    expect(found.has("@aws-sdk/client-s3")).toBe(readsPages || usesObjects);
    const callsFunctions = articles === "keep" || ["canary", "search"].includes(name);
    expect(found.has("@aws-sdk/client-lambda")).toBe(callsFunctions);
  });

  test.each(names)("of %s contains pdf.js beside its bundle only if it reads pages", (name) => {
    const readsPages = packagesIn(functionOf(name)).has("parse5");
    expect(packagesIn(functionOf(name)).has("pdfjs-dist")).toBe(false);
    expect(functionOf(name).files.some((file) => file.includes("pdfjs-dist/legacy"))).toBe(readsPages);
  });

  test.each(names)("of %s contains no development code and no messages in other languages", (name) => {
    const { sources } = functionOf(name);
    expect(sources).not.toEqual([]);
    expect(sources.filter((file) => /^(tests|tools|packages\/local)\//.test(file))).toEqual([]);
    expect(sources.filter((file) => /zod\/v4\/locales\/(?!en\b|index\b)/.test(file))).toEqual([]);
  });
});
