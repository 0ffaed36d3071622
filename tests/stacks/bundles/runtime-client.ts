// SPDX-License-Identifier: MIT

/** Runs a function as Lambda's runtime does: loads its handler, then polls the runtime API for calls. */
import { Agent, type IncomingHttpHeaders, request } from "node:http";
import path from "node:path";
import { pathToFileURL } from "node:url";

const { AWS_LAMBDA_RUNTIME_API: api, LAMBDA_TASK_ROOT: root = "", _HANDLER: wanted = "" } = process.env;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

function send(method: "GET" | "POST", where: string, message?: unknown) {
  return new Promise<{ headers: IncomingHttpHeaders; body: string }>((resolve, reject) => {
    const call = request(`http://${api}/2018-06-01/runtime/${where}`, { method, agent }, async (response) => {
      resolve({ headers: response.headers, body: Buffer.concat(await response.toArray()).toString() });
    });
    call.on("error", reject).end(message === undefined ? undefined : JSON.stringify(message));
  });
}

function describe(error: unknown) {
  const { name, message, stack = "" } = error instanceof Error ? error : new Error(String(error));
  return { errorType: name, errorMessage: message, stackTrace: stack.split("\n").slice(1) };
}

async function loadHandler() {
  const [file, name = ""] = wanted.split(".");
  try {
    return (await import(pathToFileURL(path.join(root, `${file}.mjs`)).href))[name];
  } catch (error) {
    await send("POST", "init/error", describe(error));
    process.exit(1);
  }
}

const handler = await loadHandler();
for (;;) {
  const { headers, body } = await send("GET", "invocation/next");
  const id = String(headers["lambda-runtime-aws-request-id"]);
  const context = {
    awsRequestId: id,
    functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: process.env.AWS_LAMBDA_FUNCTION_VERSION,
    memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    invokedFunctionArn: headers["lambda-runtime-invoked-function-arn"],
    getRemainingTimeInMillis: () => Number(headers["lambda-runtime-deadline-ms"]) - Date.now(),
  };
  try {
    await send("POST", `invocation/${id}/response`, (await handler(JSON.parse(body), context)) ?? null);
  } catch (error) {
    await send("POST", `invocation/${id}/error`, describe(error));
  }
}
