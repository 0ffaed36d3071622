import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { APIGatewayProxyEventV2 } from "aws-lambda";

/** Types of bodies that API Gateway passes on as text; all others are encoded as base64. */
const textTypes = /^(text\/|application\/(json|javascript|xml)\b)/i;

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The time of a request in the format of access logs: `21/Nov/2026:04:12:41 +0000`. */
function logTime(time: Date): string {
  const [day, clock] = [time.toISOString().slice(8, 10), time.toISOString().slice(11, 19)];
  return `${day}/${months[time.getUTCMonth()]}/${time.getUTCFullYear()}:${clock} +0000`;
}

/** The facts that the gateway adds to a request. */
export interface Arrival {
  body: Buffer;
  sourceIp: string;
  routeKey: string;
  now: Date;
}

/** The event that API Gateway's HTTP API passes to a Lambda function (payload format 2.0). */
export function gatewayEvent(request: IncomingMessage, arrival: Arrival): APIGatewayProxyEventV2 {
  const { body, sourceIp, routeKey, now } = arrival;
  const [rawPath = "/", ...query] = (request.url ?? "/").split("?");
  const rawQueryString = query.join("?");
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(rawQueryString)) {
    const earlier = parameters.get(name);
    parameters.set(name, earlier === undefined ? value : `${earlier},${value}`);
  }
  const headers = Object.fromEntries(
    Object.entries(request.headersDistinct).map(([name, values]) => [name, values?.join(",") ?? ""]),
  );
  const { cookie, ...otherHeaders } = headers;
  const isText = textTypes.test(headers["content-type"] ?? "");
  const domainName = headers.host ?? "localhost";
  return {
    version: "2.0",
    routeKey,
    rawPath,
    rawQueryString,
    ...(cookie && { cookies: cookie.split(/; ?/) }),
    headers: otherHeaders,
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
