// SPDX-License-Identifier: MIT

import { longestBody } from "@reading-list/core/contract/bounded.ts";
import { createApiHandler } from "@reading-list/http/api.ts";
import { createHandlers } from "@reading-list/http/compose/handlers.ts";
import { listAllRoutes } from "@reading-list/protocols/all-routes.ts";
import { protocols } from "@reading-list/protocols/protocols.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { countTurns, makeStepsLong } from "@reading-list/testing/count-turns.ts";
import { type HostileField, listHostileFields, shapes, urlOfPage } from "@reading-list/testing/hostile-calls.ts";
import { HostileUser } from "@reading-list/testing/hostile-user.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, expect, test } from "vitest";

/** The shape with the longest turns in `npm run bench -- bounds`: a form has three bytes for each, JSON two. */
const { tabs: worst = "" } = shapes;
/** Bytes of an answer: API Gateway takes no more. */
const longestAnswer = 6_291_556;

let service: TestService;
let user: TestUser;
let hostile: HostileUser;

beforeAll(async () => {
  service = await startTestService({ PUBLIC_KEY_ADDRESS_LIMIT: "100000" });
  user = await service.newUser();
  const pages = Array.from({ length: 30 }, (_, n) => ({ url: urlOfPage(n), title: `Page ${n}`, tags: `tag${n}` }));
  await user.send({ new: pages });
  await user.ok("highlights", { save: JSON.stringify([{ id: "mark-0", url: urlOfPage(0), quote: "a quotation" }]) });
  hostile = await HostileUser.signIn(service, user.credentials);
});

/** The fault of the answer to the largest value of a field; undefined without one. */
async function findFault(field: HostileField): Promise<string | undefined> {
  const { method, path, headers, body } = hostile.createCall(field, worst);
  const { route } = field;
  const called = `${route.method} ${route.path} ${field.name}`;
  if (Buffer.byteLength(body ?? "") > route.maxBody) return `${called}: the largest value does not fit into the body`;
  const url = (route.host === "text" ? service.textUrl : service.baseUrl) + path;
  const init = { method, headers, redirect: "manual", ...(body !== undefined && { body }) } as const;
  const response = await fetch(url, init).catch(() => undefined);
  if (!response) return `${called}: the connection was lost`;
  const bytes = (await response.arrayBuffer()).byteLength;
  if (response.status === 401 && !(await hostile.isSignedIn()))
    hostile = await HostileUser.signIn(service, user.credentials);
  if (response.status >= 500 || response.status === 413) return `${called}: ${response.status}`;
  return bytes > longestAnswer ? `${called}: an answer of ${bytes} bytes` : undefined;
}

test("the largest value of each field of each route fits into its body, and is answered", async () => {
  const fields = listAllRoutes().flatMap(listHostileFields);
  expect(fields.length).toBeGreaterThan(300);
  const faults: string[] = [];
  for (const field of fields) {
    const fault = await findFault(field);
    if (fault) faults.push(fault);
  }
  expect(faults).toEqual([]);
});

/** Bytes that are decoded or parsed in one step at most. */
const bytesOfStep = 1_050_000;

test("a long body is read in steps, between which others are answered", async () => {
  makeStepsLong();
  const deps = {
    clock: Date,
    windowSeconds: 3600,
    defaultLimits: { user: 320, key: 10_000 },
    addressLimit: 2000,
    settings: { maintenance: async () => undefined },
    apiKeys: { find: async () => undefined },
    untilDurable: async () => {},
    ownOrigins: [],
  } as never;
  const endpoints = await createHandlers(deps, () => {});
  const apis = new Map(protocols.map((api) => [api.contract.name as string, createApiHandler(deps, () => {}, api)]));
  const long = listAllRoutes().filter(({ maxBody, method }) => maxBody === longestBody && method !== "DELETE");
  const fields = long.flatMap(listHostileFields);
  const faults: string[] = [];
  for (const field of fields) {
    const { api, path } = field.route;
    const handler = endpoints.get(path.replace("/v2/", "") as never) ?? apis.get(api);
    const call = hostile.createCall(field, worst);
    const body = Buffer.from(call.body ?? "");
    const request = { ...call, query: "", body, address: "192.0.2.1", id: "1" };
    const { turns } = await countTurns(async () => handler?.(request));
    if (turns < Math.floor(body.length / bytesOfStep))
      faults.push(`${path} ${field.name}: ${turns} turns for ${body.length} bytes`);
  }
  expect(fields.length).toBeGreaterThan(10);
  expect(faults).toEqual([]);
});
