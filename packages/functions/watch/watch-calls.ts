import { emptyTally, runCall, type Tally } from "@reading-list/core/call-scope.ts";
import type { ServiceError } from "@reading-list/core/errors.ts";
import type { CallContext, EndpointHandler } from "../http/call.ts";

/** The log line of a call. It contains the address of the caller, and nothing that the caller sent. */
export interface CallRecord {
  /** The gateway's, as in its access log. */
  requestId: string;
  /** Lambda's, as in the lines `START`, `REPORT` and `Task timed out` of the function's log. */
  awsRequestId: string;
  /** The caller's address: with CloudFront in front, the access log has only that of CloudFront. */
  source: string | undefined;
  endpoint: string;
  /** The route of an API of another service, such as `GET /api/bookmarks/{id}`. */
  route: string | undefined;
  /** Undefined if the API key is unknown. */
  applicationId: string | undefined;
  status: number;
  milliseconds: number;
  tally: Tally;
  /** Why the call was not answered with 200. */
  error: ServiceError | undefined;
}

/** Reports a finished call. Synchronous, so that reports of concurrent calls do not mix. */
export type Report = (record: CallRecord) => void;

/** The same handler, with a report of each call. */
export function watchCalls(contract: { name: string }, handler: EndpointHandler, report: Report): EndpointHandler {
  return async (event, context) => {
    const tally = emptyTally();
    const start = performance.now();
    const answer = await runCall(tally, () => handler(event, context));
    const { application, error, route } = (context as CallContext).call;
    report({
      requestId: event.requestContext.requestId,
      awsRequestId: context.awsRequestId,
      // A faulty event is reported, too.
      source: event.requestContext.http?.sourceIp,
      endpoint: contract.name,
      route,
      applicationId: application?.id,
      status: answer.statusCode,
      milliseconds: Math.round((performance.now() - start) * 10) / 10,
      tally,
      error,
    });
    return answer;
  };
}
