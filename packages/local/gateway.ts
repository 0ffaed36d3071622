import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { cors } from "@reading-list/core/contract/headers.ts";
import type { Clock } from "@reading-list/core/ports.ts";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import { gatewayEvent } from "./gateway-event.ts";

export type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;

/** The handlers of one host by route key, such as `GET /v2/add`; `$default` takes the rest. */
export type Routes = ReadonlyMap<string, Handler>;

const mebibyte = 1024 * 1024;
/** API Gateway's and Lambda's own limits, in bytes. */
const requestLimit = 10 * mebibyte;
const payloadLimit = 6 * mebibyte;

/** An HTTP server that does what API Gateway's HTTP API does in front of Lambda functions. */
export function createGateway(routes: Routes, clock: Clock): Server {
  return createServer((request, response) => {
    answer(routes, clock, request)
      .then(({ status, headers, body }) => {
        response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
      })
      .catch(() => endWithError(response));
  });
}

interface GatewayAnswer {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
}

const gatewayMessage = (status: number, message: string): GatewayAnswer => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ message }),
});

async function answer(routes: Routes, clock: Clock, request: IncomingMessage): Promise<GatewayAnswer> {
  const { method, headers } = request;
  if (method === "OPTIONS" && headers.origin && headers["access-control-request-method"]) return preflight;

  // A client that goes away takes its address along.
  const sourceIp = (request.socket.remoteAddress ?? "").replace(/^::ffff:/, "");
  const body = await readBody(request);
  if (!body) return gatewayMessage(413, "Request Entity Too Large");
  const path = (request.url ?? "/").split("?", 1)[0];
  const matched = `${method} ${path}`;
  const routeKey = routes.has(matched) ? matched : "$default";
  const handler = routes.get(routeKey);
  if (!handler) return gatewayMessage(404, "Not Found");

  const event = gatewayEvent(request, { body, sourceIp, routeKey, now: new Date(clock.now()) });
  const result = await handler(event, lambdaContext(event));
  if (Buffer.byteLength(JSON.stringify(result)) > payloadLimit) return gatewayMessage(500, "Internal Server Error");
  const resultHeaders = Object.entries(result.headers ?? {}).map(([name, value]) => [
    name.toLowerCase(),
    String(value),
  ]);
  return {
    status: result.statusCode ?? 200,
    headers: { ...Object.fromEntries(resultHeaders), ...(headers.origin && crossOrigin) },
    body: Buffer.from(result.body ?? "", result.isBase64Encoded ? "base64" : "utf8"),
  };
}

const crossOrigin = {
  "access-control-allow-origin": cors.origins.join(","),
  "access-control-expose-headers": cors.exposedHeaders.join(","),
};

const preflight: GatewayAnswer = {
  status: 204,
  body: "",
  headers: {
    "access-control-allow-origin": cors.origins.join(","),
    "access-control-allow-methods": cors.methods.join(","),
    "access-control-allow-headers": cors.requestHeaders.join(","),
    "access-control-max-age": String(cors.maxAgeSeconds),
  },
};

/** The body of a request; undefined where it is larger than the gateway takes. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    // Read on to the end all the same, so that the client is there to hear the answer.
    if (length <= requestLimit) chunks.push(chunk);
  }
  return length <= requestLimit ? Buffer.concat(chunks) : undefined;
}

function lambdaContext(event: APIGatewayProxyEventV2): Context {
  const end = Date.now() + 30_000;
  return {
    awsRequestId: event.requestContext.requestId,
    functionName: event.routeKey,
    functionVersion: "$LATEST",
    invokedFunctionArn: "",
    memoryLimitInMB: "1024",
    logGroupName: "",
    logStreamName: "",
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => end - Date.now(),
    done: () => {},
    fail: () => {},
    succeed: () => {},
  };
}

function endWithError(response: ServerResponse): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(500, { "content-type": "application/json" }).end('{"message":"Internal Server Error"}');
}
