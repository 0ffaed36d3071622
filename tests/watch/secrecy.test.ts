import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { type EndpointName, endpoints } from "@reading-list/core/contract/endpoints.ts";
import { createLiveReport } from "@reading-list/functions/compose/live-report.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { interceptCommands } from "../intercept-commands.ts";
import { type Started, start, untilReady } from "../local/started.ts";
import { articlePage } from "../reader/page-server.ts";
import { form, startTestService, type TestService } from "../service.ts";
import { captureOutput, linesOf } from "./output.ts";

/** Everything that a caller sends holds this word, so that nothing that was sent can hide in a log. */
const mark = "planted";
const username = `${mark}_ann`;
const credentials = { username, password: `${mark}-password` };
const pageUrl = `http://${mark}.example/${mark}?token=${mark}`;
const apiKey = `${mark}-api-key`;

/** The parameters with which an endpoint succeeds, save for those that every endpoint takes. */
const parametersOf = (pages: string): Record<EndpointName, Record<string, string>> => ({
  add: { url: pageUrl, title: mark, ref_id: mark },
  send: {
    new: JSON.stringify([{ url: pageUrl, title: mark, tags: mark }]),
    update_tags: JSON.stringify([{ url: pageUrl, tags: mark }]),
  },
  stats: { format: "xml" },
  get: { tags: "1", format: "xml" },
  auth: {},
  signup: { username: `${mark}_bob` },
  text: { url: `${pages}/${mark}?token=${mark}`, mode: "more" },
  api: {},
});

/** Calls that go right and wrong in every way that depends on what is sent. */
function requestsTo(url: string, parameters: Record<string, string>): [string, RequestInit][] {
  const right = { apikey: apiKey, ...credentials, ...parameters };
  const post = (
    body: NonNullable<RequestInit["body"]>,
    headers: Record<string, string> = {},
  ): [string, RequestInit] => [url, { method: "POST", body, headers }];
  const json = `{"${mark}":\n    at ${mark} (${mark}:1:1)`;
  const multipart = new FormData();
  for (const [name, value] of Object.entries(right)) multipart.set(name, value);
  return [
    post(form(right)),
    [`${url}?${form(right)}`, { headers: { "user-agent": mark, referer: pageUrl, cookie: `${mark}=${mark}` } }],
    post(multipart),
    post(form({ ...right, password: `${mark}-wrong` })),
    post(form({ ...right, username: `${mark}-Unfit` })),
    post(form({ ...right, apikey: `${mark}-unknown` })),
    post(form({ ...right, new: json, url: `${mark}://${mark}`, count: mark, since: mark, format: mark, mode: mark })),
    post(form({ ...right, url: `http://${mark}.invalid/${mark}?token=${mark}` })),
    post(`${form(right)}&title=${mark}%ff`),
    post(json, { "content-type": "application/json" }),
    post(`--${mark}\r\n${mark}`, { "content-type": "multipart/form-data; boundary=x" }),
    [`${url}/${mark}?${form(right)}`, {}],
    [`${url}%3F${form(right)}`, {}],
    [url, { method: "DELETE", body: form(right) }],
  ];
}

/** The last of them, which no endpoint answers. */
const unroutedRequests = 3;

/** What the database's errors say: all that it was asked, in lines that look like places in the code. */
let isDatabaseDown = false;
function withFailures(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
  return interceptCommands(client, (command, send) => {
    if (!isDatabaseDown) return send(command);
    const error = new Error(
      `${JSON.stringify((command as { input: unknown }).input)}\n    at ${mark} (${pageUrl}:1:1)`,
    );
    return Promise.reject(Object.assign(error, { item: mark }));
  });
}

const written = captureOutput();
let service: TestService;
let pages: string;

beforeAll(async () => {
  const server = createServer((_request, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end(articlePage.replace("<title>", `<title>${mark} `)),
  ).listen(0, "127.0.0.1");
  afterAll(() => {
    server.close();
  });
  await once(server, "listening");
  pages = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  vi.stubEnv("POWERTOOLS_LOG_LEVEL", "INFO");
  vi.stubEnv("POWERTOOLS_METRICS_DISABLED", "false");
  vi.stubEnv("POWERTOOLS_METRICS_NAMESPACE", "test");
  service = await startTestService(
    { LOCAL_API_KEY: apiKey, TEXT_ALLOWED_ORIGINS: pages },
    { wrapClient: withFailures, report: createLiveReport() },
  );
  await service.call("signup", credentials);
});

/** Sends every request to an endpoint, one after the other; gives the statuses of their answers. */
async function callAll(url: string, endpoint: EndpointName): Promise<number[]> {
  const statuses: number[] = [];
  for (const [each, init] of requestsTo(url, parametersOf(pages)[endpoint])) {
    statuses.push((await fetch(each, init)).status);
  }
  return statuses;
}

function expectSecrecy(output: string): void {
  expect(output).not.toMatch(new RegExp(mark, "i"));
  expect(output).not.toContain("$argon2");
  expect(output).not.toContain(createHash("sha256").update(apiKey).digest("hex"));
  expect(output).not.toContain(pages);
}

describe.each(endpoints)("calls of $name", ({ name }) => {
  test.each([
    ["right and wrong", false],
    ["that fail", true],
  ])("%s leave a line each in the log, with nothing that was sent", async (_, isDown) => {
    isDatabaseDown = isDown;
    const statuses = await callAll(service.urlOf(name), name);
    isDatabaseDown = false;
    const lines = linesOf(written());
    const calls = lines.filter((line) => "message" in line);
    expect(calls.map(({ status }) => status)).toEqual(statuses.slice(0, -unroutedRequests));
    expect(new Set(statuses)).toContain(isDown ? 503 : 200);
    expect(lines).toHaveLength(2 * calls.length);
    for (const call of calls) {
      expect(call).toMatchObject({
        level: call.status === 503 ? "ERROR" : "INFO",
        requestId: expect.stringMatching(/^[\da-f-]{36}$/),
        endpoint: name,
        milliseconds: expect.any(Number),
        databaseCalls: expect.any(Number),
        conflictsRetried: 0,
      });
      if (call.status === 200) expect(call.applicationId).toBe("local");
      if (call.status === 503) expect(call).toMatchObject({ reason: "Error", error: "unavailable" });
    }
    expectSecrecy(written());
  });
});

describe("npm start", () => {
  let started: Started | undefined;
  afterEach(() => {
    started?.process.kill("SIGKILL");
  });

  /** All that it writes once it is ready, until it has ended. */
  async function outputOfCalls(env: Record<string, string>): Promise<string> {
    started = start({ DATA_DIR: ":memory:", LOCAL_API_KEY: apiKey, TEXT_ALLOWED_ORIGINS: pages, ...env });
    const { baseUrl, textUrl } = await untilReady(started);
    const banner = started.output();
    await fetch(`${baseUrl}/v2/signup`, { method: "POST", body: form({ apikey: apiKey, ...credentials }) });
    for (const { name, host } of endpoints) await callAll(`${host === "text" ? textUrl : baseUrl}/v2/${name}`, name);
    started.process.kill("SIGTERM");
    await started.ended;
    return started.output().slice(banner.length);
  }

  test("writes nothing of calls that it did not fail", async () => {
    expect(await outputOfCalls({})).toBe("");
  });

  test("writes a line for each call where POWERTOOLS_LOG_LEVEL is INFO, with nothing that was sent", async () => {
    const output = await outputOfCalls({ POWERTOOLS_LOG_LEVEL: "INFO" });
    expect(new Set(linesOf(output).map(({ endpoint }) => endpoint))).toEqual(
      new Set(endpoints.map(({ name }) => name)),
    );
    expectSecrecy(output);
  });
});
