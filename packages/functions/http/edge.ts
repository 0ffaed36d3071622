import { hash, timingSafeEqual } from "node:crypto";
import { edgeAddressHeader, edgeHostHeader, edgeSecretHeader } from "@reading-list/core/contract/headers.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import type { Dependencies } from "@reading-list/core/ports.ts";
import { untouchedLimits } from "@reading-list/core/use-cases/admit-call.ts";
import { answerError, finishAnswer } from "./answer.ts";
import type { CallState, EndpointHandler, HttpAnswer, HttpRequest } from "./call.ts";

/**
 * Lets only calls through that CloudFront has forwarded, and takes the caller's address and the host that it has called
 * from the headers that CloudFront sets (stacks/edge.ts); `Host` is that of API Gateway. A caller can forge
 * `X-Forwarded-For`, to which each hop appends, and which hops do so is not documented for HTTP APIs. Without a secret
 * the calls come to API Gateway itself. `refused` answers all other calls.
 *
 * While a secret is replaced, CloudFront sends the new one and the former one, with a comma between: functions of the
 * former version know only that.
 */
export function behindEdge<C>(
  secret: string | undefined,
  handler: (event: HttpRequest, context: C) => Promise<HttpAnswer>,
  refused: (event: HttpRequest, context: C) => Promise<HttpAnswer>,
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
    const isKnown = (given ?? "").split(",", 2).some((each) => timingSafeEqual(hashOf(each), expected));
    if (!isKnown) return refused(event, context);
    const { requestContext } = event;
    const http = { ...requestContext.http, sourceIp };
    return handler({ ...event, headers: { ...headers, host }, requestContext: { ...requestContext, http } }, context);
  };
}

/** The handler of calls that did not come through CloudFront. They reach no endpoint, but are logged and counted like others. */
export const createDirectCallHandler =
  (deps: Pick<Dependencies, "clock" | "defaultLimits" | "windowSeconds" | "addressLimit">): EndpointHandler =>
  async (_, context) => {
    const error = new ServiceError("bypassesEdge", "call this service at its public address");
    const call: CallState = { limits: untouchedLimits(deps), error };
    Object.assign(context, { call });
    return finishAnswer(answerError(error), call.limits);
  };

/** Hashes have the same length, which `timingSafeEqual` needs. */
const hashOf = (secret: string) => hash("sha256", secret, "buffer");
