// SPDX-License-Identifier: MIT

import { type EndpointContract, listMethods, methods } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { createOpenApiDocument } from "@reading-list/core/contract/openapi.ts";
import {
  asSent,
  disabledKey,
  type Example,
  exampleName,
  examples,
  exampleTime,
  maintenanceText,
} from "@reading-list/core/contract/openapi-examples.ts";
import { examplePage } from "@reading-list/core/contract/text.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import { page, startPageServer } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, test } from "vitest";

const described = createOpenApiDocument().components as {
  responses: Record<string, { content: object; headers: object }>;
  headers: Record<string, { required: boolean }>;
};
/** Headers of HTTP itself, and headers that depend on what the client accepts. */
const transport = ["connection", "content-encoding", "content-length", "content-type", "date", "keep-alive", "vary"];

test("every endpoint has an example of each status of the service, and of each format", () => {
  for (const { name, answer } of endpoints) {
    const successes = answer.kind === "fields" ? ["200-json", "200-xml"] : ["200"];
    expect(examples[name].map(exampleName)).toEqual([...successes, "400", "401", "403", "404", "503"]);
  }
});

let pagesAt: string;
beforeAll(async () => {
  const pages = await startPageServer(page(examplePage));
  atEndOfFile(pages.stop);
  pagesAt = pages.origin;
});

/** The examples by which the list of the other examples was made. */
const history = ["signup", "add", "send"] as const;

describe.each(methods)("by %s", (method) => {
  async function call(service: TestService, { name, host, caller }: EndpointContract, { status, parameters }: Example) {
    const form = new URLSearchParams(asSent(parameters));
    if (caller === "application" && form.has("url")) form.set("url", `${pagesAt}/`);
    const isOnText = (host === "text") !== (status === 404);
    const url = `${isOnText ? service.textUrl : service.baseUrl}/v2/${name}`;
    return method === "GET" ? fetch(`${url}?${form}`) : fetch(url, { method, body: form });
  }

  test.each(endpoints.filter((each) => listMethods(each).includes(method)))(
    "the service answers as in the examples of $name",
    async (endpoint) => {
      const service = await startTestService({ TEXT_ALLOWED_ORIGINS: pagesAt }, { clock: new FakeClock(exampleTime) });
      await service.newApiKey({ status: "disabled" }, disabledKey);
      for (const name of history.slice(0, history.indexOf(endpoint.name as "add") >>> 0)) {
        const earlier = endpoints.find((each) => each.name === name) as EndpointContract;
        expect((await call(service, earlier, examples[name][0] as Example)).status).toBe(200);
      }
      for (const example of examples[endpoint.name]) {
        const label = exampleName(example);
        if (example.status === 503) {
          await service.operator.beginMaintenance({ text: maintenanceText });
          service.clock.advance(10);
        }
        const response = await call(service, endpoint, example);
        const body = await response.text();
        expect(example.format === "json" ? JSON.parse(body) : body, label).toEqual(example.body);
        expect(response.status).toBe(example.status);

        const shown = described.responses[`${endpoint.name}-${example.status}`] ?? { content: {}, headers: {} };
        const { content, headers } = shown;
        expect(Object.keys(content), label).toContain(response.headers.get("content-type")?.split(";")[0]);
        const names = Object.keys(headers);
        const sent = [...response.headers.keys()].filter((header) => !transport.includes(header));
        expect(
          names.map((header) => header.toLowerCase()),
          label,
        ).toEqual(expect.arrayContaining(sent));
        const required = names.filter((header) => described.headers[header]?.required);
        expect(
          required.filter((header) => !response.headers.has(header)),
          label,
        ).toEqual([]);
      }
    },
  );
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
