import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { cors } from "@reading-list/core/contract/headers.ts";
import type { Clock } from "@reading-list/core/ports.ts";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import { callerAddress, type TrustedProxies } from "./caller-address.ts";
import { gatewayEvent } from "./gateway-event.ts";
import { headTooLong, refuseMalformedRequests } from "./malformed-requests.ts";

export type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;

/**
 * The handlers of one host by route key, such as `GET /v2/add`, or `GET /app/{proxy+}` for all that is below a folder;
 * `$default` takes the rest.
 */
export type Routes = ReadonlyMap<string, Handler>;

/** What a local gateway does differently from API Gateway. */
export interface GatewayOptions {
  trustedProxies?: TrustedProxies;
  /** The answer to a request that API Gateway refuses by itself; by default it looks like API Gateway's. */
  refuse?: (status: number, message: string) => APIGatewayProxyStructuredResultV2;
}

const mebibyte = 1024 * 1024;
/** Limits of API Gateway and Lambda, in bytes. */
const headLimit = 10_240;
const requestLimit = 10 * mebibyte;
const payloadLimit = 6 * mebibyte;

/** Bytes that Node reads of a request line and headers, so that a request above `headLimit` gets a proper answer. */
const maxHeaderSize = mebibyte;

/** An HTTP server that emulates API Gateway's HTTP API in front of Lambda functions. */
export function createGateway(routes: Routes, clock: Clock, options: GatewayOptions = {}): Server {
  const { trustedProxies = [], refuse = gatewayMessage } = options;
  const server = createServer({ maxHeaderSize, requireHostHeader: false }, (request, response) => {
    answer(routes, clock, { trustedProxies, refuse }, request)
      .then((result) => send(response, result, request.headers.origin !== undefined))
      .catch(() => endWithError(response));
  });
  // A request that the parser rejects may have an origin.
  refuseMalformedRequests(server, (response, status, message) => send(response, refuse(status, message), true));
  return server;
}

const gatewayMessage = (statusCode: number, message: string): APIGatewayProxyStructuredResultV2 => ({
  statusCode,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ message }),
});

async function answer(
  routes: Routes,
  clock: Clock,
  { trustedProxies, refuse }: Required<GatewayOptions>,
  request: IncomingMessage,
): Promise<APIGatewayProxyStructuredResultV2> {
  const { method, headers } = request;
  if (method === "OPTIONS" && headers.origin && headers["access-control-request-method"]) return preflight;

  // Read now: a socket loses its address when the client disconnects.
  const sourceIp = callerAddress(request, trustedProxies);
  const body = await readBody(request);
  if (lengthOfHead(request) > headLimit) return refuse(431, headTooLong);
  if (headers.host === undefined && request.httpVersion === "1.1") {
    return refuse(400, "the Host header is missing; send the host and port of the URL in it");
  }
  if (!body) return refuse(413, "the body exceeds 10 MB; send it in parts");
  const path = (request.url ?? "/").split("?", 1)[0];
  const greedy = `${method} /${path?.split("/")[1]}/{proxy+}`;
  const routeKey = [`${method} ${path}`, greedy].find((key) => routes.has(key)) ?? "$default";
  const handler = routes.get(routeKey);
  if (!handler) return refuse(404, "no such path");

  const event = gatewayEvent(request, { body, sourceIp, routeKey, now: new Date(clock.now()) });
  const result = await handler(event, lambdaContext(event));
  const fits = Buffer.byteLength(JSON.stringify(result)) <= payloadLimit;
  return fits ? result : gatewayMessage(500, "Internal Server Error");
}

/** Bytes of the request line and of all header values, as API Gateway counts them. */
function lengthOfHead({ method, url, httpVersion, rawHeaders }: IncomingMessage): number {
  const values = rawHeaders.filter((_, i) => i % 2 === 1);
  return `${method} ${url} HTTP/${httpVersion}`.length + values.join("").length;
}

const crossOrigin = {
  "access-control-allow-origin": cors.origins.join(","),
  "access-control-expose-headers": cors.exposedHeaders.join(","),
};

const preflight: APIGatewayProxyStructuredResultV2 = {
  statusCode: 204,
  headers: {
    "access-control-allow-origin": cors.origins.join(","),
    "access-control-allow-methods": cors.methods.join(","),
    "access-control-allow-headers": cors.requestHeaders.join(","),
    "access-control-max-age": String(cors.maxAgeSeconds),
  },
};

/** Sends a function's result as API Gateway does, with CORS headers for a caller of another origin. */
function send(
  response: ServerResponse,
  { statusCode = 200, headers = {}, body = "", isBase64Encoded }: APIGatewayProxyStructuredResultV2,
  isCrossOrigin: boolean,
): void {
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
  const bytes = Buffer.from(body, isBase64Encoded ? "base64" : "utf8");
  response.writeHead(statusCode, {
    ...Object.fromEntries(lowerCase),
    ...(isCrossOrigin && crossOrigin),
    "content-length": bytes.length,
  });
  response.end(bytes);
}

/** The body of a request; undefined if it exceeds 10 MB. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    // Read to the end: a client that is still sending would miss the answer.
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
