import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { APIGatewayProxyEventV2 } from "aws-lambda";

/** Types of bodies that API Gateway passes on as text; all others are encoded as base64. */
const textTypes = /^(text\/|application\/(json|javascript|xml)\b)/i;

/** The headers by their names in lower case; values of the same name are joined by commas. */
const headersOf = ({ headersDistinct }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headersDistinct).map(([name, values]) => [name, String(values)]));

/** The facts that the gateway adds to a request. */
interface Arrival {
  body: Buffer;
  sourceIp: string;
  routeKey: string;
}

/**
 * The event that API Gateway's HTTP API passes to a Lambda function (payload format 2.0), without the parsed query string
 * and cookies, which no function reads.
 */
export function gatewayEvent(request: IncomingMessage, arrival: Arrival): APIGatewayProxyEventV2 {
  const { body, sourceIp, routeKey } = arrival;
  const [rawPath = "/", ...query] = (request.url ?? "/").split("?");
  const rawQueryString = query.join("?");
  const headers = headersOf(request);
  const now = new Date();
  const isText = textTypes.test(headers["content-type"] ?? "");
  const domainName = headers.host ?? "localhost";
  return {
    version: "2.0",
    routeKey,
    rawPath,
    rawQueryString,
    headers,
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
      time: now.toISOString(),
      timeEpoch: now.getTime(),
    },
    ...(body.length > 0 && { body: body.toString(isText ? "utf8" : "base64") }),
    isBase64Encoded: body.length > 0 && !isText,
  };
}
