import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { APIGatewayProxyEventV2 } from "aws-lambda";

/** Types of bodies that API Gateway passes on as text; all others are encoded as base64. */
const textTypes = /^(text\/|application\/(json|javascript|xml)\b)/i;

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The time of a request in the format of access logs: `21/Nov/2026:04:12:41 +0000`. */
function logTime(time: Date): string {
  const iso = time.toISOString();
  return `${iso.slice(8, 10)}/${months[time.getUTCMonth()]}/${iso.slice(0, 4)}:${iso.slice(11, 19)} +0000`;
}

/** The facts that the gateway adds to a request. */
export interface Arrival {
  body: Buffer;
  sourceIp: string;
  routeKey: string;
  now: Date;
}

function* headersOf({ rawHeaders }: IncomingMessage): Generator<[name: string, value: string]> {
  for (let i = 0; i + 1 < rawHeaders.length; i += 2)
    yield [String(rawHeaders[i]).toLowerCase(), String(rawHeaders[i + 1])];
}

/** The values of each name, joined by commas. */
function joinValues(entries: Iterable<[name: string, value: string]>): Map<string, string> {
  const joined = new Map<string, string>();
  for (const [name, value] of entries) {
    const earlier = joined.get(name);
    joined.set(name, earlier === undefined ? value : `${earlier},${value}`);
  }
  return joined;
}

/** The event that API Gateway's HTTP API passes to a Lambda function (payload format 2.0). */
export function gatewayEvent(request: IncomingMessage, arrival: Arrival): APIGatewayProxyEventV2 {
  const { body, sourceIp, routeKey, now } = arrival;
  const [rawPath = "/", ...query] = (request.url ?? "/").split("?");
  const rawQueryString = query.join("?");
  const parameters = joinValues(new URLSearchParams(rawQueryString));
  const { cookie, ...headers } = Object.fromEntries(joinValues(headersOf(request)));
  const isText = textTypes.test(headers["content-type"] ?? "");
  const domainName = headers.host ?? "localhost";
  return {
    version: "2.0",
    routeKey,
    rawPath,
    rawQueryString,
    ...(cookie && { cookies: cookie.split(/; ?/) }),
    headers,
    ...(parameters.size > 0 && { queryStringParameters: Object.fromEntries(parameters) }),
    requestContext: {
      accountId: "local",
      apiId: "local",
      domainName,
      domainPrefix: domainName.split(".", 1)[0] ?? "",
      http: {
        method: request.method ?? "GET",
        path: rawPath,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp,
        userAgent: headers["user-agent"] ?? "",
      },
      requestId: randomUUID(),
      routeKey,
      stage: "$default",
      time: logTime(now),
      timeEpoch: now.getTime(),
    },
    ...(body.length > 0 && { body: body.toString(isText ? "utf8" : "base64") }),
    isBase64Encoded: body.length > 0 && !isText,
  };
}
