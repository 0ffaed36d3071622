import { hash, timingSafeEqual } from "node:crypto";
import { edgeAddressHeader, edgeHostHeader, edgeSecretHeader } from "@reading-list/core/contract/headers.ts";
import type { HttpAnswer, HttpRequest } from "./call.ts";

/**
 * Lets only calls through that CloudFront has forwarded, and takes the caller's address and the host that it has called
 * from the headers that CloudFront sets (stacks/edge.ts); `Host` is that of API Gateway. A caller can forge
 * `X-Forwarded-For`, to which each hop appends, and which hops do so is not documented for HTTP APIs. Without a secret
 * the calls come to API Gateway itself.
 */
export function behindEdge<C>(
  secret: string | undefined,
  handler: (event: HttpRequest, context: C) => Promise<HttpAnswer>,
  refuse: (status: number, message: string) => HttpAnswer,
): (event: HttpRequest, context: C) => Promise<HttpAnswer> {
  if (secret === undefined) return handler;
  const expected = hashOf(secret);
  return async (event, context) => {
    const {
      [edgeSecretHeader]: given,
      [edgeAddressHeader]: sourceIp = "",
      [edgeHostHeader]: host,
      ...headers
    } = event.headers;
    if (!timingSafeEqual(hashOf(given ?? ""), expected)) return refuse(403, "call this service at its public address");
    const { requestContext } = event;
    const http = { ...requestContext.http, sourceIp };
    return handler({ ...event, headers: { ...headers, host }, requestContext: { ...requestContext, http } }, context);
  };
}

/** Hashes have the same length, which `timingSafeEqual` needs. */
const hashOf = (secret: string) => hash("sha256", secret, "buffer");
