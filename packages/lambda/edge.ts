// SPDX-License-Identifier: MIT

import { hash, timingSafeEqual } from "node:crypto";
import { edgeAddressHeader, edgeHostHeader, edgeSecretHeader } from "@reading-list/core/contract/headers.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { untouchedLimits } from "@reading-list/core/use-cases/admission/admit-call.ts";
import { answerError, finishAnswer } from "@reading-list/http/answer.ts";
import type { Call, Handler, HttpAnswer } from "@reading-list/http/call.ts";

/**
 * Accepts only calls that CloudFront has forwarded, and takes the caller's address and the called host from the headers
 * that CloudFront sets (stacks/edge.ts); `Host` is API Gateway's. A caller can forge `X-Forwarded-For`, to which each
 * hop appends, and which hops do so is not documented for HTTP APIs. Without a secret the calls come to API Gateway
 * itself. `refused` answers all other calls.
 *
 * While a secret is replaced, CloudFront sends the new one and the previous one, with a comma between: functions of the
 * previous version accept only that one.
 */
export function behindEdge(secret: string | undefined, handler: Handler, refused: Handler): Handler {
  if (secret === undefined) return handler;
  const expected = hashSecret(secret);
  return async (request) => {
    const {
      [edgeSecretHeader]: given,
      [edgeAddressHeader]: address = "",
      [edgeHostHeader]: host,
      ...headers
    } = request.headers;
    const isKnown = (given ?? "").split(",", 2).some((each) => timingSafeEqual(hashSecret(each), expected));
    if (!isKnown) return refused(request);
    return handler({ ...request, headers: { ...headers, host }, address });
  };
}

/** Refuses a call that did not come through CloudFront: it reaches no endpoint, but is logged and counted like others. */
export async function refuseDirectCall(call: Call): Promise<HttpAnswer> {
  call.error = new ServiceError("bypassesEdge", "call the service at its public address");
  return finishAnswer(answerError(call.error), call.limits);
}

/** The same for a function that logs no calls. */
export const createDirectCallHandler =
  (deps: Parameters<typeof untouchedLimits>[0]): Handler =>
  (request) =>
    refuseDirectCall({ request, limits: untouchedLimits(deps) });

/** Hashes have the same length, which `timingSafeEqual` needs. */
const hashSecret = (secret: string) => hash("sha256", secret, "buffer");
