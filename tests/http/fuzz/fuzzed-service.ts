// SPDX-License-Identifier: MIT

import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { completeExample } from "@reading-list/core/contract/openapi-examples.ts";
import { lockoutSeconds } from "@reading-list/core/domain/limits.ts";
import { expectContract } from "@reading-list/testing/answer-contract.ts";
import { newName, TestUser } from "@reading-list/testing/client.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { articlePage, startPageServer } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import fc from "fast-check";
import { expect } from "vitest";
import type { Given } from "./requests.ts";
import { plantedValue, secret, type Values } from "./values.ts";
import { exchange, type WireAnswer, type WireRequest, writeRequest } from "./wire.ts";

const apiKey = `${secret}-key`;
const password = `${secret} pw`;

/** A service, and a page server, the only origin that `text` may fetch from. */
export class FuzzedService {
  readonly service: TestService;
  readonly pages: string;

  constructor(service: TestService, pages: string) {
    this.service = service;
    this.pages = pages;
  }

  async newUser(): Promise<TestUser> {
    const user = new TestUser(this.service, newName(), password);
    await user.ok("signup");
    return user;
  }

  /** Values with which an endpoint succeeds for a user, mixed with a few wrong credentials. */
  rightValues(contract: EndpointContract, { credentials }: TestUser): Record<string, Values> {
    const { pages } = this;
    const known = Object.keys(contract.input.shape);
    const mostly = (right: string, ...wrong: string[]) =>
      fc.oneof({ weight: 20, arbitrary: fc.constant(right) }, { weight: 1, arbitrary: fc.constantFrom(...wrong) });
    const values: Record<string, Values> = {
      apikey: mostly(apiKey, `${secret} of nobody`),
      password: mostly(password, `${secret}!`, `${secret}-${secret}`),
      username:
        contract.caller === "new-user"
          ? fc.stringMatching(/^[a-z0-9_-]{16,20}$/)
          : mostly(credentials.username, "nobody", `${credentials.username}-and-much-more`),
      ...(contract.name === "text" && {
        url: fc.constantFrom(
          `${pages}/`,
          `${pages}/?a=1&b=ü#/c`,
          `${pages}/missing`,
          `${pages}/picture`,
          `${pages}/nothing`,
          `${pages}/again`,

          "http://10.0.0.1/",
          "http://[::1]/",
          "http://127.0.0.1:1/",
          "http://user:pass@169.254.169.254/",
          "http://0x7f.1/",

          "ftp://127.0.0.1/",
          "javascript:0",
          "http://",
          "//127.0.0.1/",
          "http://[::ffff:127.0.0.1]/",
          "https://localhost/",
        ),
      }),
    };
    return Object.fromEntries(Object.entries(values).filter(([name]) => known.includes(name)));
  }

  /** The parameters of a call for a user; they include those of an application's call. */
  givensOf({ credentials }: TestUser, parameters: Record<string, string> = {}): Given[] {
    return Object.entries({ apikey: apiKey, ...credentials, ...parameters }).map(([name, value]) => ({ name, value }));
  }

  /** The parameter that names a page which `text` can fetch. */
  pageGivens(): Given[] {
    return [{ name: "url", value: `${this.pages}/` }];
  }

  /** Sends bytes to an endpoint's host; after too many wrong passwords the next may be heard again. */
  async write(host: EndpointContract["host"], bytes: string): Promise<WireAnswer | undefined> {
    const { textUrl, baseUrl } = this.service;
    const answer = await exchange(host === "text" ? textUrl : baseUrl, bytes);
    if (answer?.status === 403) this.service.clock.advance(lockoutSeconds);
    return answer;
  }

  /** Sends a well-formed request to an endpoint and checks that its answer follows docs/api.md. */
  async call(contract: EndpointContract, request: WireRequest): Promise<WireAnswer> {
    const answer = await this.write(contract.host, writeRequest(request));
    if (!answer) throw new Error("the connection was closed without an answer");
    expectContract(contract, answer);
    expect(answer.status).not.toBe(503);
    expect(answer.raw.toLowerCase()).not.toContain(secret);
    expect(answer.headers.get("x-error") ?? "").not.toContain(plantedValue);
    expect(answer.headers.has("x-injected")).toBe(false);
    return answer;
  }

  /** A plain call of every endpoint is answered normally after failed sign-ins have expired. */
  async expectAlive(user: TestUser): Promise<void> {
    this.service.clock.advance(lockoutSeconds);
    for (const endpoint of endpoints) {
      const { name } = endpoint;
      const caller = "account" in endpoint ? await this.newUser() : user;
      const fresh = name === "signup" && { username: newName() };
      const example = "account" in endpoint && completeExample(endpoint, caller.credentials);
      const answer = await caller.call(name, { url: `${this.pages}/`, query: "word", ...fresh, ...example });
      expect([name, answer.status]).toEqual([name, 200]);
    }
  }
}

/** Starts both for the tests of one file. */
export async function startFuzzedService(): Promise<FuzzedService> {
  const server = await startPageServer((request, response) => {
    const path = request.url?.split("?")[0];
    if (path === "/missing") return response.writeHead(404).end();
    if (path === "/again") return response.writeHead(302, { location: "/" }).end();
    if (path === "/picture") return response.writeHead(200, { "content-type": "image/png" }).end("\x89PNG");
    return response.writeHead(200, { "content-type": "text/html" }).end(path === "/nothing" ? "" : articlePage);
  });
  atEndOfFile(server.stop);
  const pages = server.origin;
  return new FuzzedService(await startTestService({ LOCAL_API_KEY: apiKey, TEXT_ALLOWED_ORIGINS: pages }), pages);
}
