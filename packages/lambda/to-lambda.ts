// SPDX-License-Identifier: MIT

import { buffer } from "node:stream/consumers";
import type { Handler, HttpAnswer, HttpRequest } from "@reading-list/http/call.ts";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";

/** The event that API Gateway passes to a function, and the result that the function returns. */
export type GatewayEvent = APIGatewayProxyEventV2;
export type GatewayResult = APIGatewayProxyStructuredResultV2;

/** The Lambda handler behind API Gateway's HTTP API (payload format 2.0). */
export const toLambda =
  (handler: Handler) =>
  async (event: GatewayEvent, context: Pick<Context, "awsRequestId">): Promise<GatewayResult> =>
    toResult(await withBody(await handler(toRequest(event, context))));

const toRequest = (
  { requestContext, rawPath, rawQueryString, headers, cookies, body = "", isBase64Encoded }: GatewayEvent,
  { awsRequestId }: Pick<Context, "awsRequestId">,
): HttpRequest => ({
  method: requestContext.http.method,
  path: rawPath,
  query: rawQueryString,
  headers: cookies ? { ...headers, cookie: cookies.join("; ") } : headers,
  body: Buffer.from(body, isBase64Encoded ? "base64" : "utf8"),
  address: requestContext.http.sourceIp,
  id: requestContext.requestId,
  invocationId: awsRequestId,
});

/** An answer of Lambda is sent as a whole. */
const withBody = async ({ stream, ...answer }: HttpAnswer): Promise<HttpAnswer> =>
  stream ? { ...answer, body: await buffer(stream()) } : answer;

const toResult = ({ status, headers: { "Set-Cookie": cookie, ...headers }, body }: HttpAnswer): GatewayResult => ({
  statusCode: status,
  headers,
  ...(cookie !== undefined && { cookies: [cookie] }),
  ...(typeof body === "string" ? { body } : { body: body.toString("base64"), isBase64Encoded: true }),
});
