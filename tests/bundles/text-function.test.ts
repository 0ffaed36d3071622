import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { ensureTable, startEmbeddedDatabase } from "@reading-list/local/embedded-database.ts";
import { seedApiKey } from "@reading-list/store/api-keys.ts";
import { createDocumentClient } from "@reading-list/store/client.ts";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { articlePage } from "../reader/page-server.ts";
import { form } from "../service.ts";
import { bundleFunction } from "./bundle.ts";

type TextFunction = (
  event: object,
  context: object,
) => Promise<{ statusCode: number; headers: Record<string, string>; body: string }>;

const folder = mkdtempSync(path.join(tmpdir(), "text-function-"));
const servers: Server[] = [];
const objects = new Map<string, Buffer>();
let isBucketDown = false;
let handler: TextFunction;
let pages: string;

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** As much of S3 as keeps and finds an object. */
const bucket: RequestListener = async (request, response) => {
  const key = request.url?.split("?")[0] ?? "";
  if (isBucketDown) {
    response.writeHead(500).end();
    return;
  }
  if (request.method === "PUT") {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    objects.set(key, Buffer.concat(chunks));
    response.end();
    return;
  }
  const object = objects.get(key);
  if (object) response.end(object);
  else response.writeHead(404, { "content-type": "application/xml" }).end("<Error><Code>NoSuchKey</Code></Error>");
};

beforeAll(async () => {
  const database = await startEmbeddedDatabase(":memory:");
  afterAll(database.stop);
  const table = { client: createDocumentClient(database.endpoint), tableName: "bundle" };
  await ensureTable(table);
  await seedApiKey(table, "a key", { applicationId: "app", name: "n", status: "enabled", created: 0 });
  pages = await serve((_request, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end(articlePage),
  );
  const environment = {
    DYNAMODB_ENDPOINT: database.endpoint,
    TABLE_NAME: "bundle",
    TEXT_BUCKET: "texts",
    TEXT_ALLOWED_ORIGINS: pages,
    AWS_ENDPOINT_URL_S3: await serve(bucket),
    AWS_REGION: "eu-west-1",
    AWS_ACCESS_KEY_ID: "key",
    AWS_SECRET_ACCESS_KEY: "secret",
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const bundle = path.join(folder, "text.mjs");
  await bundleFunction("text", bundle);
  ({ handler } = await import(pathToFileURL(bundle).href));
});
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

/** Calls the function as API Gateway does. */
async function read(url: string) {
  const http = { method: "GET", path: "/v2/text", protocol: "HTTP/1.1", sourceIp: "192.0.2.1", userAgent: "" };
  const rawQueryString = form({ apikey: "a key", url }).toString();
  const context = { awsRequestId: "1", getRemainingTimeInMillis: () => 29_000 };
  return handler({ rawQueryString, headers: {}, requestContext: { http }, isBase64Encoded: false }, context);
}

test("the text function's bundle, one file, reads a page in a worker that is the same file, and keeps it in the bucket", async () => {
  const first = await read(`${pages}/story`);
  expect(first.statusCode).toBe(200);
  expect(first.body).toContain("Paragraph 3 of the article");
  expect(first.headers["X-Cache"]).toBe("miss");
  expect([...objects.keys()]).toEqual([expect.stringMatching(/^\/texts\/[\da-f]{64}$/)]);
  const second = await read(`${pages}/story`);
  expect(second.headers["X-Cache"]).toBe("hit");
  expect(second.body).toBe(first.body);
});

test("a bucket that fails is no reason not to read a page", async () => {
  isBucketDown = true;
  const answer = await read(`${pages}/other`);
  expect(answer.statusCode).toBe(200);
  expect(answer.body).toContain("Paragraph 3 of the article");
});
