import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import type { ServiceError } from "@reading-list/core/errors.ts";
import { emptyTally, type Tally, tallyCall } from "@reading-list/core/tally.ts";
import type { CallContext, EndpointHandler } from "../http/call.ts";

/** What there is to say of a call that has ended. It holds nothing that the caller sent. */
export interface CallRecord {
  /** The gateway's, as in its access log. */
  requestId: string;
  endpoint: string;
  /** Undefined where the call has no key that is known. */
  applicationId: string | undefined;
  status: number;
  milliseconds: number;
  tally: Tally;
  /** Why the call was not answered with 200. */
  error: ServiceError | undefined;
}

/** Takes note of a call that has ended, at once: calls that run beside it must not mix with it. */
export type Report = (record: CallRecord) => void;

/** The same handler, with a report of each call. */
export function watchCalls(contract: EndpointContract, handler: EndpointHandler, report: Report): EndpointHandler {
  return async (event, context) => {
    const tally = emptyTally();
    const start = performance.now();
    const answer = await tallyCall(tally, () => handler(event, context));
    const { application, error } = (context as CallContext).call;
    report({
      requestId: event.requestContext.requestId,
      endpoint: contract.name,
      applicationId: application?.id,
      status: answer.statusCode ?? 200,
      milliseconds: Math.round((performance.now() - start) * 10) / 10,
      tally,
      error,
    });
    return answer;
  };
}
