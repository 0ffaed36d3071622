import { edgeSecretHeader } from "@reading-list/core/contract/headers.ts";
import type { HttpAnswer, HttpRequest } from "./call.ts";

/**
 * Lets only calls through that CloudFront has forwarded, and takes the caller's address from `X-Forwarded-For`:
 * CloudFront appends the address of its caller, and API Gateway that of CloudFront. Without a secret the calls come to
 * API Gateway itself.
 */
export function behindEdge<C>(
  secret: string | undefined,
  handler: (event: HttpRequest, context: C) => Promise<HttpAnswer>,
  refuse: (status: number, message: string) => HttpAnswer,
): (event: HttpRequest, context: C) => Promise<HttpAnswer> {
  if (secret === undefined) return handler;
  return async (event, context) => {
    const { [edgeSecretHeader]: given, ...headers } = event.headers;
    if (given !== secret) return refuse(403, "call this service at its public address");
    const sourceIp = headers["x-forwarded-for"]?.split(",").at(-2)?.trim() ?? "";
    const { requestContext } = event;
    const http = { ...requestContext.http, sourceIp };
    return handler({ ...event, headers, requestContext: { ...requestContext, http } }, context);
  };
}
