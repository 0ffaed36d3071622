// SPDX-License-Identifier: MIT

import { createHash } from "node:crypto";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { type EndpointContract, listMethods } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { asSent } from "@reading-list/core/contract/openapi-examples.ts";
import { createCallLog } from "@reading-list/http/watch/call-log.ts";
import { form } from "@reading-list/testing/client.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { interceptCommands } from "@reading-list/testing/intercept-commands.ts";
import { articlePage, page, startPageServer } from "@reading-list/testing/page-server.ts";
import { type Started, start, untilReady } from "@reading-list/testing/started-service.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { captureOutput, linesOf } from "./output.ts";

/** Everything that a caller sends contains this word, to find it in logs. */
const mark = "planted";
const username = `${mark}_ann`;
const credentials = { username, password: `${mark}-password` };
const pageUrl = `http://${mark}.example/${mark}?token=${mark}`;
const apiKey = `${mark}-api-key`;

/** The parameters of an endpoint's example, with the mark in every text in which its contract allows it. */
async function markedParameters(endpoint: EndpointContract): Promise<Record<string, string>> {
  const url = endpoint.host === "text" ? `${pages}/${mark}?token=${mark}` : pageUrl;
  let parameters: Record<string, unknown> = { apikey: apiKey, ...credentials, ...endpoint.example.parameters };
  const texts = new Set<string>();
  JSON.stringify(endpoint.example.parameters, (_, value) => {
    if (typeof value === "string") texts.add(value);
    return value;
  });
  for (const text of texts) {
    for (const marked of [url, `${mark}-password`, mark, username]) {
      const tried = JSON.parse(JSON.stringify(parameters).replaceAll(JSON.stringify(text), JSON.stringify(marked)));
      if (!(await endpoint.input.safeParseAsync(asSent(tried))).success) continue;
      parameters = tried;
      break;
    }
  }
  return asSent({ ...parameters, ...(endpoint.caller === "new-user" && { username: `${mark}_new` }) });
}

/** Calls that succeed, and calls that fail in every way that depends on the request. */
function requestsTo(url: string, right: Record<string, string>, takesGet: boolean): [string, RequestInit][] {
  const post = (
    body: NonNullable<RequestInit["body"]>,
    headers: Record<string, string> = {},
  ): [string, RequestInit] => [url, { method: "POST", body, headers }];
  const json = `{"${mark}":\n    at ${mark} (${mark}:1:1)`;
  const multipart = new FormData();
  for (const [name, value] of Object.entries(right)) multipart.set(name, value);
  return [
    post(form(right)),
    takesGet
      ? [`${url}?${form(right)}`, { headers: { "user-agent": mark, referer: pageUrl, cookie: `${mark}=${mark}` } }]
      : post(form({ ...right, revoke: mark, create: json })),
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

/** The last one, which no endpoint answers. */
const unroutedRequests = 3;

/** The message of the database's errors: its whole input, in lines that look like stack frames. */
let isDatabaseDown = false;
function withFailures(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
  return interceptCommands(client, (command, send) => {
    if (!isDatabaseDown) return send(command);
    const error = new Error(
      `${JSON.stringify((command as { input: unknown }).input)}\n    at ${mark} (${pageUrl}:1:1)`,
    );
    return Promise.reject(Object.assign(error, { item: mark, code: mark }));
  });
}

const written = captureOutput();
let service: TestService;
let pages: string;

beforeAll(async () => {
  const server = await startPageServer(page(articlePage.replace("<title>", `<title>${mark} `)));
  atEndOfFile(server.stop);
  pages = server.origin;
  service = await startTestService(
    { LOCAL_API_KEY: apiKey, TEXT_ALLOWED_ORIGINS: pages },
    { wrapClient: withFailures, report: createCallLog({ namespace: "test", callsPerOwnLine: 1 }) },
  );
});

/** Sends every request to an endpoint, one after the other; returns their statuses. */
async function callAll(url: string, endpoint: EndpointContract): Promise<number[]> {
  const statuses: number[] = [];
  const requests = requestsTo(url, await markedParameters(endpoint), listMethods(endpoint).includes("GET"));
  for (const [each, init] of requests) {
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

describe.each(endpoints)("calls of $name", (endpoint) => {
  const { name } = endpoint;
  test.each([
    ["that succeed or are refused", false],
    ["that fail", true],
  ])("%s leave a line each in the log, with the address of the caller and nothing that was sent", async (_, isDown) => {
    // After a minute no function holds a lease with which it could serve calls without the database.
    service.clock.advance(60);
    await service.call("signup", credentials);
    isDatabaseDown = isDown;
    const statuses = await callAll(service.urlOf(name), endpoint);
    isDatabaseDown = false;
    const calls = linesOf(written()).slice(1);
    expect(calls.map(({ status }) => status)).toEqual(statuses.slice(0, -unroutedRequests));
    expect(new Set(statuses)).toContain(isDown ? 503 : 200);
    for (const call of calls) {
      expect(call).toMatchObject({
        level: call.status === 503 ? "ERROR" : "INFO",
        requestId: expect.stringMatching(/^[\da-f-]{36}$/),
        endpoint: name,
        source: "127.0.0.1",
        Calls: 1,
        Latency: expect.any(Number),
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

  /** Its output from readiness to its end. */
  async function outputOfCalls(env: Record<string, string>): Promise<string> {
    started = start({ DATA_DIR: ":memory:", LOCAL_API_KEY: apiKey, TEXT_ALLOWED_ORIGINS: pages, ...env });
    const { baseUrl, textUrl } = await untilReady(started);
    // It goes to standard error, and may arrive after the line on standard output that says that the service is ready.
    await vi.waitFor(() => expect(started?.output()).toContain("No administrator yet"), { timeout: 60_000 });
    const banner = started.output();
    await fetch(`${baseUrl}/v2/signup`, { method: "POST", body: form({ apikey: apiKey, ...credentials }) });
    for (const endpoint of endpoints) {
      const { name, host } = endpoint;
      await callAll(`${host === "text" ? textUrl : baseUrl}/v2/${name}`, endpoint);
    }
    started.process.kill("SIGTERM");
    await started.ended;
    return started.output().slice(banner.length);
  }

  test("logs no call that it did not fail", async () => {
    expect(await outputOfCalls({})).toBe("");
  });

  test("logs a line for each call with LOG_LEVEL=INFO, without anything that was sent", async () => {
    const output = await outputOfCalls({ LOG_LEVEL: "INFO" });
    expect(new Set(linesOf(output).map(({ endpoint }) => endpoint))).toEqual(
      new Set(endpoints.map(({ name }) => name)),
    );
    expectSecrecy(output);
  });
});
