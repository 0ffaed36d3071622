// SPDX-License-Identifier: MIT

/**
 * Size of each function, and time of a new process to its first answer, compared with a handler that does nothing.
 *
 *   npm run bench:cold [-- --json]
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { cpus, loadavg, tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { completeExample } from "@reading-list/core/contract/openapi-examples.ts";
import type { Handler } from "@reading-list/http/call.ts";
import type { GatewayResult } from "@reading-list/lambda/to-lambda.ts";
import { createGateway } from "@reading-list/local/gateway.ts";
import { type Account, form, type Parameters } from "@reading-list/testing/client.ts";
import { articlePage, page } from "@reading-list/testing/page-server.ts";
import { plainAnswer } from "@reading-list/testing/request.ts";
import { rounded, type Subject, tableOf } from "@reading-list/testing/table-text.ts";
import { deploy } from "../../tests/stacks/bundles/deployment.ts";
import { toAnswer, toEvent } from "../../tests/stacks/bundles/gateway-event.ts";
import type { FunctionPackage, RunningFunction } from "../../tests/stacks/bundles/runtime-api.ts";

/** New processes of each function. They take turns, so that other load on the machine affects all alike. */
const processes = 15;
/** Calls of each process after its first. */
const warmCalls = 5;

const { json } = parseArgs({ options: { json: { type: "boolean", default: false } } }).values;

interface Start {
  initMs: number;
  firstCallMs: number;
  warmCallMs: number;
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const [loadBefore = 0] = loadavg();
const deployment = await deploy({}, page(articlePage));
let running: RunningFunction | undefined;
let milliseconds = Number.NaN;
/** Converts requests to events of API Gateway for the running function. */
const handler: Handler = async (request) => {
  if (!running) throw new Error("no function runs");
  const answered = await running.invoke(toEvent(request));
  milliseconds = answered.milliseconds;
  return toAnswer(answered.answer as GatewayResult);
};
const gateway = createGateway(new Map([["$default", handler]]), plainAnswer).listen(0, "127.0.0.1");
await once(gateway, "listening");
const origin = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;

/** A user for each function. */
const users = new Map<string, Account>();

const nobody: Account = { username: "nobody", password: "nothing" };

/** The call of an endpoint's example, with a page that is not cached. */
function parametersFor(name: string): Parameters {
  const endpoint: EndpointContract | undefined = endpoints.find((each) => each.name === name);
  if (!endpoint) return {};
  return {
    ...completeExample(endpoint, users.get(name) ?? nobody),
    ...(endpoint.caller === "new-user" && { username: randomUUID().slice(0, 18) }),
    ...(endpoint.host === "text" &&
      endpoint.caller === "application" && { url: `${deployment.pages}/${randomUUID()}` }),
  };
}

/** Calls the running function; returns the milliseconds. Throws an error unless the status is 200. */
async function call(name: string): Promise<number> {
  const post = async () => {
    const body = form({ apikey: deployment.client.apiKey, ...parametersFor(name) });
    const response = await fetch(`${origin}/v2/${name}`, { method: "POST", body });
    await response.arrayBuffer();
    return response;
  };
  let response = await post();
  if (response.status === 401) {
    // The call before changed the user's credentials.
    users.set(name, (await deployment.client.newUser()).credentials);
    response = await post();
  }
  if (response.status !== 200 && endpoints.some((endpoint) => endpoint.name === name)) {
    throw new Error(`${name}: ${response.status} ${response.headers.get("x-error")}`);
  }
  return milliseconds;
}

async function startOnce(code: FunctionPackage): Promise<Start> {
  running = await deployment.start(code);
  try {
    const firstCallMs = await call(code.name);
    const warm: number[] = [];
    for (let i = 0; i < warmCalls; i++) warm.push(await call(code.name));
    return { initMs: running.initMs, firstCallMs, warmCallMs: median(warm) };
  } finally {
    await running.stop();
  }
}

function packageBareHandler(): FunctionPackage {
  const folder = mkdtempSync(path.join(tmpdir(), "bare-"));
  writeFileSync(path.join(folder, "bundle.mjs"), "export const handler = async () => ({ statusCode: 200 });\n");
  return { name: "bare handler", folder, memoryMegabytes: 128, timeoutSeconds: 5, environment: {} };
}

const kilobytes = (bytes: number) => rounded(bytes / 1024);

function unpackedBytes(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  return files.reduce((sum, file) => sum + statSync(file).size, 0);
}

const bare = packageBareHandler();
/** A run makes more calls than the default limit. */
const noLimits = { USER_LIMIT: "1000000", KEY_LIMIT: "1000000" };
const functions = [...deployment.functions.values()]
  // Nobody waits for the start of the canary.
  .filter(({ name }) => name !== "canary")
  .map((code) => ({ ...code, environment: { ...code.environment, ...noLimits } }));
try {
  const measured = [bare, ...functions].map((code) => ({ code, starts: [] as Start[] }));
  // The examples expect the page of the example of `add` in the list.
  running = await deployment.start(deployment.functions.get("add") ?? bare);
  for (const { name } of functions) {
    users.set("add", (await deployment.client.newUser()).credentials);
    users.set(name, users.get("add") as Account);
    await call("add");
  }
  await running.stop();
  for (let i = 0; i < processes; i++) {
    for (const { code, starts } of measured) starts.push(await startOnce(code));
  }
  const medianOf = (starts: readonly Start[], part: keyof Start) => median(starts.map((start) => start[part]));
  const bareStarts = measured[0]?.starts ?? [];
  /** Compares each process with the bare one of its turn, so that changing load has little effect. */
  const initBesideBare = (starts: readonly Start[]) =>
    median(starts.map(({ initMs }, turn) => initMs - (bareStarts[turn]?.initMs ?? 0)));
  const subject: Subject = {
    title: "Cold starts",
    notes: [
      `Medians of ${processes} processes on ${process.version}, through the Lambda runtime API, on the embedded database; load`,
      `of the machine before: ${loadBefore.toFixed(2)} on ${cpus().length} cores (if near the number of cores, other work slows down all measurements).`,
      `Init: from the start of the process to its first request for a call, less the ${rounded(medianOf(bareStarts, "initMs"))} ms of the bare handler.`,
      "Unpacked: includes argon2 for arm64 if the function needs it. Kilobytes of 1,024 bytes.",
      "Here a process has whole cores; Lambda assigns a share of a core by memory (1,769 MB: one core).",
    ],
    rows: measured.map(({ code, starts }) => ({
      function: code.name,
      "memory MB": code.memoryMegabytes,
      "bundle KB": kilobytes(statSync(path.join(code.folder, "bundle.mjs")).size),
      "unpacked KB": kilobytes(unpackedBytes(code.folder)),
      "init ms": rounded(initBesideBare(starts)),
      "first call ms": rounded(medianOf(starts, "firstCallMs")),
      "warm call ms": rounded(medianOf(starts, "warmCallMs")),
    })),
  };
  console.log(json ? JSON.stringify(subject, undefined, 2) : tableOf(subject));
} finally {
  gateway.close();
  rmSync(bare.folder, { recursive: true });
  await deployment.stop();
}
