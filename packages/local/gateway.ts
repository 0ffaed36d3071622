import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from "node:http";
import { cors } from "@reading-list/core/contract/headers.ts";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import { BodyBudget } from "./body-budget.ts";
import { callerAddress, type TrustedProxies } from "./caller-address.ts";
import { gatewayEvent } from "./gateway-event.ts";
import { headTooLong, refuseMalformedRequests } from "./malformed-requests.ts";

/** Of the context of a Lambda function the handlers read the id of the request alone. */
export type Handler = (
  event: APIGatewayProxyEventV2,
  context: Pick<Context, "awsRequestId">,
) => Promise<APIGatewayProxyStructuredResultV2>;

/**
 * The handlers of one host by route key, such as `GET /v2/add`, or `GET /app/{proxy+}` for all that is below a folder;
 * `ANY` stands for every method, and `$default` takes the rest.
 */
export type Routes = ReadonlyMap<string, Handler>;

/** The answer to a request that API Gateway refuses by itself. */
export type Refuse = (status: number, message: string) => APIGatewayProxyStructuredResultV2;

const mebibyte = 1024 * 1024;
/** Limits of API Gateway, in bytes. */
const headLimit = 10_240;
const requestLimit = 10 * mebibyte;

/** Bytes of all bodies at once: six of the longest. */
const bodiesLimit = 64 * mebibyte;
/** Milliseconds for a request to arrive; a body of 10 MB does at 1.4 Mbit/s. */
const requestTimeout = 60_000;

/** Bytes that Node reads of a request line and headers, so that a request above `headLimit` gets a proper answer. */
const maxHeaderSize = mebibyte;

/** An HTTP server that emulates API Gateway's HTTP API in front of Lambda functions. */
export function createGateway(routes: Routes, refuse: Refuse, trustedProxies: TrustedProxies = []): Server {
  const bodies = new BodyBudget(requestLimit, bodiesLimit);
  const server = createServer({ maxHeaderSize, requireHostHeader: false, requestTimeout }, (request, response) => {
    answer(routes, { trustedProxies, refuse, bodies }, request)
      .then((result) => send(response, result, request.headers.origin !== undefined))
      .catch(() => endWithError(response));
  });
  refuseMalformedRequests(server, refuse);
  return server;
}

async function answer(
  routes: Routes,
  { trustedProxies, refuse, bodies }: { trustedProxies: TrustedProxies; refuse: Refuse; bodies: BodyBudget },
  request: IncomingMessage,
): Promise<APIGatewayProxyStructuredResultV2> {
  const { method, headers } = request;
  if (method === "OPTIONS" && headers.origin && headers["access-control-request-method"]) return preflight;

  // Read now: a socket loses its address when the client disconnects.
  const sourceIp = callerAddress(request, trustedProxies);
  return bodies.hold(request, async (body, refusal) => {
    if (lengthOfHead(request) > headLimit) return refuse(431, headTooLong);
    if (headers.host === undefined && request.httpVersion === "1.1") {
      return refuse(400, "the Host header is missing; send the host and port of the URL in it");
    }
    if (refusal === "too long") return refuse(413, "the body exceeds 10 MB; send it in parts");
    if (refusal === "busy") return busy(refuse);
    const path = (request.url ?? "/").split("?", 1)[0];
    const greedy = `/${path?.split("/")[1]}/{proxy+}`;
    const keys = [`${method} ${path}`, `ANY ${path}`, `${method} ${greedy}`, `ANY ${greedy}`];
    const routeKey = keys.find((key) => routes.has(key)) ?? "$default";
    const handler = routes.get(routeKey);
    if (!handler) return refuse(404, "no such path");

    const event = gatewayEvent(request, { body, sourceIp, routeKey });
    return handler(event, { awsRequestId: event.requestContext.requestId });
  });
}

function busy(refuse: Refuse): APIGatewayProxyStructuredResultV2 {
  const answer = refuse(503, "the service is receiving too many long requests; send it again");
  return { ...answer, headers: { ...answer.headers, "retry-after": "10" } };
}

/** Bytes of the request line and of all header values, as API Gateway counts them. */
function lengthOfHead({ method, url, httpVersion, rawHeaders }: IncomingMessage): number {
  let length = `${method} ${url} HTTP/${httpVersion}`.length;
  for (let i = 1; i < rawHeaders.length; i += 2) length += rawHeaders[i]?.length ?? 0;
  return length;
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

/** The header of files that pages of other origins must not read. */
export const sameOriginOnly = { "Cross-Origin-Resource-Policy": "same-origin" };

/** Sends a function's result as API Gateway does, with CORS headers for a caller of another origin. */
function send(
  response: ServerResponse,
  { statusCode = 200, headers = {}, body = "", isBase64Encoded }: APIGatewayProxyStructuredResultV2,
  isCrossOrigin: boolean,
): void {
  const content = isBase64Encoded ? Buffer.from(body, "base64") : body;
  const length = Buffer.byteLength(content);
  const named: OutgoingHttpHeaders = { "content-length": length };
  for (const [name, value] of Object.entries(headers)) named[name.toLowerCase()] = String(value);
  if (isCrossOrigin && !("cross-origin-resource-policy" in named)) Object.assign(named, crossOrigin);
  response.writeHead(statusCode, named);
  // An answer in ASCII, as JSON is, is written without a conversion.
  response.end(content, length === content.length ? "latin1" : "utf8");
}

function endWithError(response: ServerResponse): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(500, { "content-type": "application/json" }).end('{"message":"Internal Server Error"}');
}
