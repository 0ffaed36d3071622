// SPDX-License-Identifier: MIT

import { randomUUID } from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from "node:http";
import { pipeline } from "node:stream";
import { longestBody } from "@reading-list/core/contract/bounded.ts";
import { cors } from "@reading-list/core/contract/headers.ts";
import type { Handler, HttpAnswer, HttpRequest } from "@reading-list/http/call.ts";
import { BodyBudget } from "./body-budget.ts";
import { findCallerAddress, findUntrustedProxy, type TrustedProxies } from "./caller-address.ts";
import { headTooLong, type Refuse, refuseMalformedRequests } from "./malformed-requests.ts";

/**
 * The handlers of one host by route key, such as `GET /v2/add`, or `GET /app/{proxy+}` for all that is below a folder, of
 * one or two names; `ANY` stands for every method, and `$default` takes the rest.
 */
export type Routes = ReadonlyMap<string, Handler>;

/** The routes of a page, which answer HEAD like GET. */
export const getAndHead = (path: string, handler: Handler): [string, Handler][] => [
  [`GET ${path}`, handler],
  [`HEAD ${path}`, handler],
];

const mebibyte = 1024 * 1024;
/** API Gateway's limit of the request line and the headers, in bytes. */
const headLimit = 10_240;

/** Bytes of all bodies at once: six of the longest. */
const bodiesLimit = 64 * mebibyte;
/** Milliseconds for a request to arrive; a body of 10 MB does at 1.4 Mbit/s. */
const requestTimeout = 60_000;

/** Bytes that Node reads of a request line and headers, so that a request above `headLimit` gets a proper answer. */
const maxHeaderSize = mebibyte;

/**
 * An HTTP server with the limits of API Gateway's HTTP API, so that a client meets the same limits everywhere. It calls `warn` with
 * the address of each caller that forwards for others and is not trusted. Routes are also found below `folder`, such as
 * `/reading`.
 */
export function createGateway(
  routes: Routes,
  refuse: Refuse,
  trustedProxies: TrustedProxies = [],
  defaultBody = longestBody,
  warn: (proxy: string) => void = () => {},
  folder = "",
): Server {
  const bodies = new BodyBudget(bodiesLimit);
  const server = createServer({ maxHeaderSize, requireHostHeader: false, requestTimeout }, (request, response) => {
    const proxy = findUntrustedProxy(request, trustedProxies);
    if (proxy !== undefined) warn(proxy);
    answer(routes, { trustedProxies, refuse, bodies, defaultBody, folder }, request)
      .then((result) => send(response, result, request.headers.origin !== undefined))
      .catch(() => endWithError(response));
  });
  refuseMalformedRequests(server, refuse);
  return server;
}

interface Gateway {
  trustedProxies: TrustedProxies;
  refuse: Refuse;
  bodies: BodyBudget;
  /** Bytes of the body of a call whose handler names no limit. */
  defaultBody: number;
  folder: string;
}

async function answer(
  routes: Routes,
  { trustedProxies, refuse, bodies, defaultBody, folder }: Gateway,
  request: IncomingMessage,
): Promise<HttpAnswer> {
  const { method, headers } = request;
  if (method === "OPTIONS" && headers.origin && headers["access-control-request-method"]) return preflight;

  // Read now: a socket loses its address when the client disconnects.
  const address = findCallerAddress(request, trustedProxies);
  const [called = "/", ...query] = (request.url ?? "/").split("?");
  const path = pathOfRoute(called, folder);
  const handler = findHandler(routes, method, path);
  const longest = handler?.maxBodyOf?.({ method: method ?? "GET", path }) ?? defaultBody;
  return bodies.hold(request, longest, async (body, { refusal, received }) => {
    if (measureHead(request) > headLimit) return refuse(431, headTooLong);
    if (headers.host === undefined && request.httpVersion === "1.1") {
      return refuse(400, "the Host header is missing; set it to the host and port of the URL");
    }
    if (received > longestBody) return refuse(413, "the body exceeds 10 MB; send it in parts");
    if (refusal === "busy") return busy(refuse);
    if (!handler) return refuse(404, "no such path");
    const isBodyDropped = refusal === "too long";
    if (isBodyDropped && !handler.maxBodyOf) return refuse(413, "the body is too long for this path; send no body");

    return handler({
      method: method ?? "GET",
      path,
      query: query.join("?"),
      headers: joinHeaders(request),
      body,
      isBodyDropped,
      address,
      id: randomUUID(),
    });
  });
}

/**
 * The path of a route. Proxies keep the folder of `BASE_URL` or remove it. Apps append their paths to an address that was
 * typed with a slash at the end. Metadata of OAuth have the folder after their name (RFC 8414, 3.1; RFC 9728, 3.1).
 */
function pathOfRoute(called: string, folder: string): string {
  const path = called.startsWith("//") ? called.replace(/^\/+/, "/") : called;
  if (folder === "") return path;
  const [name = ""] = /^\/\.well-known\/[^/]+/.exec(path) ?? [];
  if (!`${path}/`.startsWith(`${name}${folder}/`)) return path;
  return name + path.slice(name.length + folder.length).replace(/^\/*/, "/");
}

/** The handler of a path among the routes of a host. */
export function findHandler(routes: Routes, method: string | undefined, path: string): Handler | undefined {
  const exact = routes.get(`${method} ${path}`);
  if (exact) return exact;
  const [, folder, subfolder] = path.split("/", 3);
  const patterns = [path, `/${folder}/${subfolder}/{proxy+}`, `/${folder}/{proxy+}`];
  const keys = patterns.flatMap((pattern) => [`${method} ${pattern}`, `ANY ${pattern}`]);
  return routes.get(keys.find((key) => routes.has(key)) ?? "$default");
}

/** The headers by their names in lower case; values of the same name are joined by commas. */
function joinHeaders({ rawHeaders }: IncomingMessage): HttpRequest["headers"] {
  // Without a prototype, so that no header's name finds a property of all objects.
  const joined: HttpRequest["headers"] = Object.create(null);
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = String(rawHeaders[i]).toLowerCase();
    const before = joined[name];
    joined[name] = before === undefined ? rawHeaders[i + 1] : `${before},${rawHeaders[i + 1]}`;
  }
  return joined;
}

function busy(refuse: Refuse): HttpAnswer {
  const answer = refuse(503, "the service is receiving too many long requests; try again");
  return { ...answer, headers: { ...answer.headers, "retry-after": "10" } };
}

/** Bytes of the request line and of all header values, as API Gateway counts them. */
function measureHead({ method, url, httpVersion, rawHeaders }: IncomingMessage): number {
  let length = `${method} ${url} HTTP/${httpVersion}`.length;
  for (let i = 1; i < rawHeaders.length; i += 2) length += rawHeaders[i]?.length ?? 0;
  return length;
}

const crossOrigin = {
  "access-control-allow-origin": cors.origins.join(","),
  "access-control-expose-headers": cors.exposedHeaders.join(","),
};

const preflight: HttpAnswer = {
  status: 204,
  headers: {
    "access-control-allow-origin": cors.origins.join(","),
    "access-control-allow-methods": cors.methods.join(","),
    "access-control-allow-headers": cors.requestHeaders.join(","),
    "access-control-max-age": String(cors.maxAgeSeconds),
  },
  body: "",
};

/** The header of files that pages of other origins must not read. */
export const sameOriginOnly = { "Cross-Origin-Resource-Policy": "same-origin" };

/** Sends an answer with CORS headers for a caller of another origin, as API Gateway does. */
function send(response: ServerResponse, { status, headers, body, stream }: HttpAnswer, isCrossOrigin: boolean): void {
  const length = Buffer.byteLength(body);
  const named: OutgoingHttpHeaders = status === 304 ? {} : { "content-length": length };
  for (const name in headers) named[name.toLowerCase()] = headers[name];
  if (isCrossOrigin && !("cross-origin-resource-policy" in named)) Object.assign(named, crossOrigin);
  response.writeHead(status, named);
  // If the file or the connection breaks, the connection is closed before the length is reached.
  if (stream) pipeline(stream(), response, () => {});
  // An answer in ASCII, as JSON is, is written without a conversion.
  else response.end(body, length === body.length ? "latin1" : "utf8");
}

function endWithError(response: ServerResponse): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(500, { "content-type": "application/json" }).end('{"message":"Internal Server Error"}');
}
