import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { methods } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { createOpenApiDocument } from "@reading-list/core/contract/openapi.ts";
import {
  disabledKey,
  type Example,
  examplePage,
  examples,
  exampleTime,
  maintenanceText,
  nameOf,
} from "@reading-list/core/contract/openapi-examples.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import { page } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const described = createOpenApiDocument().components as {
  responses: Record<string, { content: object; headers: object }>;
  headers: Record<string, { required: boolean }>;
};
/** Headers of HTTP itself, and those that depend on what the client accepts. */
const transport = ["connection", "content-encoding", "content-length", "content-type", "date", "keep-alive", "vary"];

test("every endpoint has an example of each status of the service, and of each format", () => {
  for (const { name, answer } of endpoints) {
    const successes = answer.kind === "fields" ? ["200-json", "200-xml"] : ["200"];
    expect(examples[name].map(nameOf)).toEqual([...successes, "400", "401", "403", "404", "503"]);
  }
});

const pages = createServer(page(examplePage));
let pagesAt: string;
beforeAll(async () => {
  await once(pages.listen(0, "127.0.0.1"), "listening");
  pagesAt = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
});
afterAll(() => pages.close());

describe.each(methods)("by %s", (method) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ TEXT_ALLOWED_ORIGINS: pagesAt }, { clock: new FakeClock(exampleTime) });
    const application = { applicationId: "old", name: "Old app", status: "disabled", created: exampleTime } as const;
    await service.operator.createApiKey(disabledKey, application);
  });

  async function call(name: string, { status, parameters }: Example): Promise<Response> {
    const form = new URLSearchParams();
    for (const [parameter, value] of Object.entries(parameters)) {
      const isPage = name === "text" && parameter === "url";
      const text = typeof value === "string" ? value : JSON.stringify(value);
      form.set(parameter, isPage ? `${pagesAt}/` : text);
    }
    const isOnText = (name === "text") !== (status === 404);
    const url = `${isOnText ? service.textUrl : service.baseUrl}/v2/${name}`;
    return method === "GET" ? fetch(`${url}?${form}`) : fetch(url, { method, body: form });
  }

  // In the order of the statuses, because maintenance ends everything else.
  const cases = Object.entries(examples)
    .flatMap(([name, each]) => each.map((example) => ({ name, example, label: `${name}-${nameOf(example)}` })))
    .sort((a, b) => a.example.status - b.example.status);

  test.each(cases)("the service answers as in the example $label", async ({ name, example }) => {
    if (example.status === 503) {
      await service.operator.beginMaintenance({ text: maintenanceText });
      service.clock.advance(10);
    }
    const response = await call(name, example);
    const body = await response.text();
    expect(example.format === "json" ? JSON.parse(body) : body).toEqual(example.body);
    expect(response.status).toBe(example.status);

    const { content, headers } = described.responses[`${name}-${example.status}`] ?? { content: {}, headers: {} };
    expect(Object.keys(content)).toContain(response.headers.get("content-type")?.split(";")[0]);
    const names = Object.keys(headers);
    const sent = [...response.headers.keys()].filter((header) => !transport.includes(header));
    expect(names.map((header) => header.toLowerCase())).toEqual(expect.arrayContaining(sent));
    const required = names.filter((header) => described.headers[header]?.required);
    expect(required.filter((header) => !response.headers.has(header))).toEqual([]);
  });
});

test("a body that is too large is 413 and a URL that is too long is 431, as described", async () => {
  const service = await startTestService();
  const url = `${service.baseUrl}/v2/api`;
  const answers = [
    await fetch(url, { method: "POST", body: new Uint8Array(10 * 1024 ** 2 + 1) }),
    await fetch(`${url}?apikey=${"x".repeat(10_240)}`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([413, 431]);
  for (const { status, headers } of answers) {
    const { content } = described.responses[status] ?? { content: {} };
    expect(Object.keys(content)).toContain(headers.get("content-type")?.split(";")[0]);
  }
});
