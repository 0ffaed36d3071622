import { constants } from "node:zlib";
import middy from "@middy/core";
import httpContentEncoding from "@middy/http-content-encoding";
import httpContentNegotiation from "@middy/http-content-negotiation";
import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { withDeadline } from "@reading-list/core/patience.ts";
import type { Dependencies } from "@reading-list/core/ports.ts";
import { admitCall, untouchedLimits } from "@reading-list/core/use-cases/admit-call.ts";
import type { UseCase } from "@reading-list/core/use-cases/use-case.ts";
import ipaddr from "ipaddr.js";
import type { z } from "zod";
import { type Report, watchCalls } from "../watch/watch-calls.ts";
import { answerError, finishAnswer } from "./answer.ts";
import {
  type CallContext,
  type CallState,
  type ChainLink,
  type EndpointHandler,
  type HttpAnswer,
  type HttpRequest,
  settled,
} from "./call.ts";
import { asServiceError } from "./errors.ts";
import { readParameters } from "./parameters.ts";
import { validate } from "./validate.ts";

/** One endpoint: its contract, what it does, and how its result is shown. */
export interface Endpoint<C extends EndpointContract, Result, Ahead> {
  contract: C;
  useCase: UseCase<z.output<C["input"]>, Result, Ahead>;
  present: (result: Result, input: z.output<C["input"]>) => HttpAnswer;
}

/** Lets a definition's types follow from its contract. */
export const defineEndpoint = <C extends EndpointContract, Result, Ahead>(endpoint: Endpoint<C, Result, Ahead>) =>
  endpoint;

/** What a Lambda function hands back may have at most this many bytes, as JSON; some are left for the envelope. */
const payloadLimit = 6 * 1024 * 1024 - 10_000;

/** Makes the handler of an endpoint: the one chain that every call goes through, in the contract's order of checks. */
export function createHandler<C extends EndpointContract, Result, Ahead>(
  deps: Dependencies,
  report: Report,
  { contract, useCase, present }: Endpoint<C, Result, Ahead>,
): EndpointHandler {
  const chain = middy<HttpRequest, HttpAnswer, Error, CallContext>()
    .use(finish(deps, contract))
    .use(httpContentEncoding({ br: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }, gzip: {} }))
    .use(httpContentNegotiation({ availableEncodings: ["br", "gzip", "identity"], failOnMismatch: false }))
    .use(readCall(contract))
    .use(identify(deps))
    .use(admit(deps, contract, useCase as UseCase<unknown, unknown, unknown>))
    .handler(async (_event, { call }) => {
      const { application, input, user, ahead } = call;
      const result = await useCase.run(deps, {
        input: input as z.output<C["input"]>,
        application: settled(application, "application"),
        // An endpoint without a user has a use-case that asks for none.
        user: user as NonNullable<typeof user>,
        ahead: ahead as Ahead,
      });
      return present(result, input as z.output<C["input"]>);
    });
  // Its type asks for a third argument, which it makes itself.
  const handler = chain as unknown as EndpointHandler;
  return watchCalls(contract, (event, context) => withDeadline(() => handler(event, context)), report);
}

/** Last on every way out: errors become answers, and every answer gets its headers and fits the platform. */
function finish(deps: Dependencies, contract: EndpointContract): ChainLink {
  return {
    before: ({ context }) => {
      context.call = { limits: untouchedLimits(deps), parameters: {} };
    },
    after: (request) => {
      const { limits } = request.context.call;
      const answer = finishAnswer(settled(request.response ?? undefined, "answer"), limits);
      const fits =
        (answer.body?.length ?? 0) < payloadLimit / 8 || Buffer.byteLength(JSON.stringify(answer)) < payloadLimit;
      const remedy =
        contract.answer.kind === "fields" ? "use count and page to fetch the list in parts" : "ask for less";
      const tooLarge = `${contract.name}: the answer is too large for one response; ${remedy}`;
      if (!fits) throw new ServiceError("invalid", tooLarge);
      request.response = answer;
    },
    onError: (request) => {
      const error = asServiceError(request.error);
      request.context.call.error = error;
      request.response = finishAnswer(answerError(error), request.context.call.limits);
    },
  };
}

/** Reads and checks what the call asks for. A fault is kept until the call was counted against its key. */
function readCall(contract: EndpointContract): ChainLink {
  const names = new Set(Object.keys(contract.input.shape));
  return {
    before: async ({ event, context: { call } }) => {
      const { parameters, fault } = await readParameters(event, names);
      call.parameters = parameters;
      try {
        if (fault) throw fault;
        call.input = validate(contract, parameters);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        call.invalid = new ServiceError(error.kind, `${contract.name}: ${error.message}`);
      }
    },
  };
}

/** Refuses what no application may do: any call in maintenance, one without a key, one with an unknown key. */
function identify(deps: Dependencies): ChainLink {
  return {
    before: async ({ context: { call } }) => {
      const { apikey } = call.parameters;
      const [maintenance, application] = await Promise.all([
        deps.settings.maintenance(),
        apikey === undefined ? undefined : deps.apiKeys.find(apikey),
      ]);
      if (maintenance !== undefined) throw new ServiceError("maintenance", maintenance, { retryAfter: 300 });
      if (!application) throw call.invalid ?? new ServiceError("unauthorized", "apikey is not known");
      call.application = application;
      call.limits = untouchedLimits(deps, application);
    },
  };
}

/** Counts the call, checks whose it is, and meanwhile lets the use-case read what it will need. */
function admit(deps: Dependencies, contract: EndpointContract, useCase: UseCase<unknown, unknown, unknown>): ChainLink {
  return {
    before: async ({ event, context: { call } }) => {
      const application = settled(call.application, "application");
      const { invalid, input } = call;
      const credentials = contract.caller === "user" && !invalid ? credentialsOf(call) : undefined;
      const source = sourceOf(event);
      // A call that may be refused reads nothing of the user that it names.
      const isTrusted =
        credentials && deps.verifiedPasswords.recall(credentials.username, source, credentials.password) !== undefined;
      const early = isTrusted ? useCase.readAhead?.(deps, input) : undefined;
      // Where the call is refused, what was read ahead of it is nobody's concern, not even its failure.
      early?.catch(() => {});
      const admission = await admitCall(deps, {
        endpoint: contract,
        application,
        source,
        ...(credentials && { credentials, sync: useCase.sync?.(input, application) }),
      });
      call.limits = admission.limits;
      if (invalid) throw invalid;
      if (admission.refusal) throw admission.refusal;
      call.user = admission.user;
      call.ahead = await (early ?? useCase.readAhead?.(deps, input));
    },
  };
}

function credentialsOf({ parameters }: CallState): { username: string; password: string } {
  return { username: settled(parameters.username, "username"), password: settled(parameters.password, "password") };
}

/** The network a call comes from: the address, or the 64 bits that a subscriber is given of an IPv6 address. */
function sourceOf(event: HttpRequest): string {
  const { sourceIp } = event.requestContext.http;
  if (!ipaddr.isValid(sourceIp)) return "unknown";
  const address = ipaddr.process(sourceIp);
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(":") : address.toString();
}
