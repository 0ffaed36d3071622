// SPDX-License-Identifier: MIT

import { emptyTally, findFailure, runCall, type Tally } from "@reading-list/core/call-scope.ts";
import { textHeaders } from "@reading-list/core/contract/headers.ts";
import type { ServiceError } from "@reading-list/core/errors.ts";
import { untouchedLimits } from "@reading-list/core/use-cases/admission/admit-call.ts";
import type { Call, Handler, HttpAnswer } from "../call.ts";

/** The log line of a call. It contains the address of the caller, and nothing that the caller sent. */
export interface CallRecord {
  /** The gateway's, as in its access log. */
  requestId: string;
  /** Lambda's, as in the lines `START`, `REPORT` and `Task timed out` of the function's log. */
  awsRequestId: string | undefined;
  /** The caller's address: with CloudFront in front, the access log has only CloudFront's address. */
  source: string;
  endpoint: string;
  /** The route of an API of another service, such as `GET /api/bookmarks/{id}`. */
  route: string | undefined;
  /** Undefined if the API key is unknown. */
  applicationId: string | undefined;
  status: number;
  milliseconds: number;
  tally: Tally;
  /** A notice for the caller beside the result (`X-Notice`). */
  notice: string | undefined;
  /** Why the call was not answered with 200. */
  error: ServiceError | undefined;
  /** A failure that the answer hides, such as a picture's. */
  failure: unknown;
}

/** Reports a finished call. Synchronous, so that reports of concurrent calls do not mix. */
export type Report = (record: CallRecord) => void;

/** The handler that takes calls through a chain, and reports each. */
export function watchCalls(
  contract: { name: string },
  deps: Parameters<typeof untouchedLimits>[0],
  chain: (call: Call) => Promise<HttpAnswer>,
  report: Report,
): Handler {
  return async (request) => {
    const call: Call = { request, limits: untouchedLimits(deps) };
    const tally = emptyTally();
    const start = performance.now();
    const [answer, failure] = await runCall(
      tally,
      async () => [await chain(call), findFailure()] as const,
      undefined,
      request.id,
    );
    report({
      requestId: request.id,
      awsRequestId: request.invocationId,
      source: request.address,
      endpoint: contract.name,
      route: call.route,
      applicationId: call.application?.id,
      status: answer.status,
      milliseconds: Math.round((performance.now() - start) * 10) / 10,
      tally,
      notice: answer.headers[textHeaders.notice],
      error: call.error,
      failure,
    });
    return answer;
  };
}
