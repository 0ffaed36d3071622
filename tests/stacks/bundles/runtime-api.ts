// SPDX-License-Identifier: MIT

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

/** A function as it is deployed. */
export interface FunctionPackage {
  name: string;
  /** The folder with its bundle and the packages installed there. */
  folder: string;
  memoryMegabytes: number;
  timeoutSeconds: number;
  environment: Record<string, string>;
}

/** How the process of a function is run. */
export interface Runtime {
  /** Arguments of Node. */
  args: string[];
  /** Lambda's variables that the process does not get. */
  withheld: string[];
}

/** The process of a function. */
export interface RunningFunction {
  /** Milliseconds from the start of the process to its first request for a call. */
  initMs: number;
  /** Calls the function. Rejects with the error that it reports. */
  invoke(event: unknown): Promise<Answered>;
  /** Its log output. */
  output(): string;
  stop(): Promise<void>;
}

/** A function's answer, and the milliseconds from the delivery of the call. */
interface Answered {
  answer: unknown;
  milliseconds: number;
}

interface Invocation {
  id: string;
  event: unknown;
  handedOutAt: number;
  settle: PromiseWithResolvers<Answered>;
}

/** The variables that Lambda adds to the environment of a function. */
function lambdaEnvironment({ name, folder, memoryMegabytes }: FunctionPackage, runtimeApi: string) {
  return {
    AWS_LAMBDA_RUNTIME_API: runtimeApi,
    LAMBDA_TASK_ROOT: folder,
    _HANDLER: "bundle.handler",
    AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMegabytes),
    AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
    AWS_LAMBDA_INITIALIZATION_TYPE: "on-demand",
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: "2026/11/21/[$LATEST]0",
    AWS_REGION: "eu-west-1",
    AWS_DEFAULT_REGION: "eu-west-1",
    AWS_ACCESS_KEY_ID: "ASIAEXAMPLE",
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_SESSION_TOKEN: "token",
    LANG: "en_US.UTF-8",
    TZ: ":UTC",
  };
}

/**
 * Starts a function in a bare process; this process is its Lambda runtime API. Rejects with the error that the function
 * reports while it loads, or with its output if it exits.
 */
export async function startFunction(code: FunctionPackage, { args, withheld }: Runtime): Promise<RunningFunction> {
  const waiting: Invocation[] = [];
  const underWay = new Map<string, Invocation>();
  const ready = Promise.withResolvers<number>();
  let idle: ServerResponse | undefined;

  const handOut = () => {
    const invocation = idle && waiting.shift();
    if (!idle || !invocation) return;
    underWay.set(invocation.id, invocation);
    idle.setHeader("Lambda-Runtime-Aws-Request-Id", invocation.id);
    idle.setHeader("Lambda-Runtime-Deadline-Ms", Date.now() + 1000 * code.timeoutSeconds);
    idle.setHeader(
      "Lambda-Runtime-Invoked-Function-Arn",
      `arn:aws:lambda:eu-west-1:123456789012:function:${code.name}`,
    );
    invocation.handedOutAt = performance.now();
    idle.end(JSON.stringify(invocation.event));
    idle = undefined;
  };
  const reported = (body: string) => {
    const { errorType, errorMessage } = JSON.parse(body);
    return new Error(`${code.name}: ${errorType}: ${errorMessage}`);
  };
  const server = createServer(async (request, response) => {
    const receivedAt = performance.now();
    const [, what, id = ""] =
      /^\/2018-06-01\/runtime\/(?:invocation\/)?((?:(\S+)\/)?\w+)$/.exec(request.url ?? "") ?? [];
    const body = Buffer.concat(await request.toArray()).toString();
    if (what === "next") {
      ready.resolve(receivedAt - startedAt);
      idle = response;
      handOut();
      return;
    }
    response.writeHead(202).end();
    if (what === "init/error") ready.reject(reported(body));
    const invocation = underWay.get(id);
    underWay.delete(id);
    if (what?.endsWith("/error")) invocation?.settle.reject(reported(body));
    // The runtime of `sst dev` sends an empty body for a function that answers nothing.
    else {
      const answer = JSON.parse(body || "null");
      invocation?.settle.resolve({ answer, milliseconds: receivedAt - invocation.handedOutAt });
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");

  const runtimeApi = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const startedAt = performance.now();
  // Each environment of a function has a /tmp of its own.
  const TMPDIR = mkdtempSync(path.join(tmpdir(), "function-"));
  const environment = Object.entries(lambdaEnvironment(code, runtimeApi)).filter(([name]) => !withheld.includes(name));
  const child = spawn(process.execPath, args, {
    cwd: code.folder,
    env: { ...Object.fromEntries(environment), ...code.environment, TMPDIR },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  let failure: Error | undefined;
  const ended = once(child, "close").then(() => {
    server.closeAllConnections();
    server.close();
    rmSync(TMPDIR, { recursive: true, force: true });
    failure = new Error(`${code.name} ended: ${output}`);
    ready.reject(failure);
    for (const { settle } of [...waiting, ...underWay.values()]) settle.reject(failure);
  });
  return {
    initMs: await ready.promise,
    invoke: async (event) => {
      if (failure) throw failure;
      const invocation = { id: randomUUID(), event, handedOutAt: 0, settle: Promise.withResolvers<Answered>() };
      waiting.push(invocation);
      handOut();
      return invocation.settle.promise;
    },
    output: () => output,
    stop: () => {
      child.kill();
      return ended;
    },
  };
}
