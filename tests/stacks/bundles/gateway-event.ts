// SPDX-License-Identifier: MIT

import type { HttpAnswer, HttpRequest } from "@reading-list/http/call.ts";
import type { GatewayEvent, GatewayResult } from "@reading-list/lambda/to-lambda.ts";

/** Types of bodies that API Gateway passes on as text; all others are encoded as base64. */
const textTypes = /^(text\/|application\/(json|javascript|xml)\b)/i;

/**
 * The event that API Gateway's HTTP API passes to a Lambda function (payload format 2.0), without the parsed query string,
 * which no function reads.
 */
export function toEvent({ method, path, query, headers: sent, body, address, id }: HttpRequest): GatewayEvent {
  const { cookie, ...headers } = sent;
  const isText = textTypes.test(headers["content-type"] ?? "");
  const domainName = headers.host ?? "localhost";
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath: path,
    rawQueryString: query,
    headers: headers as Record<string, string>,
    ...(cookie && { cookies: cookie.split(/; */) }),
    requestContext: {
      accountId: "local",
      apiId: "local",
      domainName,
      domainPrefix: domainName.split(".", 1)[0] ?? "",
      http: { method, path, protocol: "HTTP/1.1", sourceIp: address, userAgent: headers["user-agent"] ?? "" },
      requestId: id,
      routeKey: "$default",
      stage: "$default",
      time: new Date().toISOString(),
      timeEpoch: Date.now(),
    },
    ...(body.length > 0 && { body: body.toString(isText ? "utf8" : "base64") }),
    isBase64Encoded: body.length > 0 && !isText,
  };
}

/** The answer that API Gateway sends for the result of a function. */
export const toAnswer = ({
  statusCode = 200,
  headers = {},
  cookies = [],
  body = "",
  isBase64Encoded,
}: GatewayResult): HttpAnswer => ({
  status: statusCode,
  headers: {
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    ...(cookies[0] !== undefined && { "Set-Cookie": cookies[0] }),
  },
  body: isBase64Encoded ? Buffer.from(body, "base64") : body,
});
