import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import type { Handler, HttpAnswer, HttpRequest } from "../http/call.ts";

/** The Lambda handler behind API Gateway's HTTP API (payload format 2.0). */
export const toLambda =
  (handler: Handler) =>
  async (
    event: APIGatewayProxyEventV2,
    context: Pick<Context, "awsRequestId">,
  ): Promise<APIGatewayProxyStructuredResultV2> =>
    toResult(await handler(toRequest(event, context)));

const toRequest = (
  { requestContext, rawPath, rawQueryString, headers, body = "", isBase64Encoded }: APIGatewayProxyEventV2,
  { awsRequestId }: Pick<Context, "awsRequestId">,
): HttpRequest => ({
  method: requestContext.http.method,
  path: rawPath,
  query: rawQueryString,
  headers,
  body: Buffer.from(body, isBase64Encoded ? "base64" : "utf8"),
  address: requestContext.http.sourceIp,
  id: requestContext.requestId,
  invocationId: awsRequestId,
});

const toResult = ({ status, headers, body }: HttpAnswer): APIGatewayProxyStructuredResultV2 => ({
  statusCode: status,
  headers,
  ...(typeof body === "string" ? { body } : { body: body.toString("base64"), isBase64Encoded: true }),
});
