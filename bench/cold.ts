/**
 * What each function weighs and how long a fresh process of it takes to its first answer, beside a handler that does
 * nothing.
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
import type { EndpointName } from "@reading-list/core/contract/endpoints.ts";
import { createGateway, type Handler } from "@reading-list/local/gateway.ts";
import { deploy } from "../tests/bundles/deployment.ts";
import type { FunctionPackage, RunningFunction } from "../tests/bundles/runtime-api.ts";
import { formOf, type Parameters } from "./client.ts";
import { rounded, type Subject, tableOf } from "./report.ts";

/** Fresh processes of each function; all take turns, so that what else the machine does spreads over all. */
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
const deployment = await deploy();
let running: RunningFunction | undefined;
let milliseconds = Number.NaN;
/** Turns requests into the events of API Gateway for the function that runs. */
const handler: Handler = async (event) => {
  if (!running) throw new Error("no function runs");
  const answered = await running.invoke(event);
  milliseconds = answered.milliseconds;
  return answered.answer as Awaited<ReturnType<Handler>>;
};
const gateway = createGateway(new Map([["$default", handler]]), Date).listen(0, "127.0.0.1");
await once(gateway, "listening");
const origin = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;

const ann = { username: "ann", password: "correct horse" };
const parametersOf: Record<EndpointName, () => Parameters> = {
  signup: () => ({ username: randomUUID().slice(0, 18), password: ann.password }),
  auth: () => ann,
  stats: () => ann,
  get: () => ({ ...ann, count: "30" }),
  add: () => ({ ...ann, url: `https://example.com/${randomUUID()}` }),
  send: () => ({ ...ann, new: JSON.stringify([{ url: `https://example.com/${randomUUID()}` }]) }),
  api: () => ({}),
  text: () => ({ url: `${deployment.pageUrl}/${randomUUID()}` }),
};

/** Calls the function that runs; gives the milliseconds that it took. Throws an error where it refuses. */
async function call(name: string, parameters: Parameters): Promise<number> {
  const body = formOf(deployment.apiKey, parameters);
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const response = await fetch(`${origin}/v2/${name}`, { method: "POST", headers, body });
  await response.arrayBuffer();
  if (response.status !== (name === "unrouted" ? 404 : 200)) {
    throw new Error(`${name}: ${response.status} ${response.headers.get("x-error")}`);
  }
  return milliseconds;
}

async function startOnce(code: FunctionPackage, nextParameters: () => Parameters): Promise<Start> {
  running = await deployment.start(code);
  try {
    const firstCallMs = await call(code.name, nextParameters());
    const warm: number[] = [];
    for (let i = 0; i < warmCalls; i++) warm.push(await call(code.name, nextParameters()));
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
/** The calls of a run are more than a user may make in an hour. */
const noLimits = { USER_LIMIT: "1000000", KEY_LIMIT: "1000000" };
const functions = [...deployment.functions.values()].map((code) => ({
  ...code,
  environment: { ...code.environment, ...noLimits },
}));
try {
  const measured = [bare, ...functions].map((code) => ({ code, starts: [] as Start[] }));
  const parametersFor = (name: string) => parametersOf[name as EndpointName] ?? (() => ({}));
  running = await deployment.start(deployment.functions.get("signup") ?? bare);
  await call("signup", ann);
  await running.stop();
  for (let i = 0; i < processes; i++) {
    for (const { code, starts } of measured) starts.push(await startOnce(code, parametersFor(code.name)));
  }
  const medianOf = (starts: readonly Start[], part: keyof Start) => median(starts.map((start) => start[part]));
  const bareStarts = measured[0]?.starts ?? [];
  /** Each process beside the bare one of its turn, so that a load that comes and goes counts for little. */
  const initBesideBare = (starts: readonly Start[]) =>
    median(starts.map(({ initMs }, turn) => initMs - (bareStarts[turn]?.initMs ?? 0)));
  const subject: Subject = {
    title: "Cold starts",
    notes: [
      `Medians of ${processes} processes on ${process.version}, through the Lambda runtime API, on the embedded database; load`,
      `of the machine before: ${loadBefore.toFixed(2)} on ${cpus().length} cores (near their number, other work slows all of this down).`,
      `Init: from the start of the process to its first request for a call, less the ${rounded(medianOf(bareStarts, "initMs"))} ms of the bare handler.`,
      "Unpacked: with argon2 where it is installed, for all its platforms. Kilobytes of 1,024 bytes.",
      "Here a process has whole cores; Lambda gives a call the share of one that goes with the memory (1,769 MB: one).",
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
