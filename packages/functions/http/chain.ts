import middy from "@middy/core";
import httpUrlencodeBodyParser from "@middy/http-urlencode-body-parser";
import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import type { Dependencies, TextAnswer } from "@reading-list/core/ports.ts";
import { admitCall, untouchedLimits } from "@reading-list/core/use-cases/admit-call.ts";
import type { Endpoint, UseCase } from "@reading-list/core/use-cases/use-case.ts";
import ipaddr from "ipaddr.js";
import type { z } from "zod";
import { type Report, watchCalls } from "../watch/watch-calls.ts";
import { answerError, answerOk, finishAnswer } from "./answer.ts";
import {
  type CallContext,
  type CallState,
  type ChainLink,
  type ChainRequest,
  type EndpointHandler,
  type HttpAnswer,
  required,
} from "./call.ts";
import { compress } from "./compress.ts";
import { asServiceError } from "./errors.ts";
import { answerFields } from "./fields.ts";
import { decodeParameters, gatherForm } from "./parameters.ts";
import { answerText } from "./text.ts";
import { validate } from "./validate.ts";

/** Bytes of an answer as JSON: Lambda's limit is 6 MB, of which 10,000 bytes are left for the envelope. */
const payloadLimit = 6 * 1024 * 1024 - 10_000;

/** JSON takes at most 6 bytes for a UTF-16 unit, so a shorter body fits, with its headers, and is not measured. */
const unmeasuredLength = payloadLimit / 8;

/** Makes the handler of an endpoint: the one chain that every call goes through, in the order of the checks. */
export function createHandler<C extends EndpointContract, Result>(
  deps: Dependencies,
  report: Report,
  endpoint: Endpoint<C, Result>,
): EndpointHandler {
  const { contract, useCase } = endpoint;
  const chain = middy<ChainRequest, HttpAnswer, Error, CallContext>()
    .use(finish(contract))
    .use(compress)
    .use(gatherParameters(contract))
    .use(httpUrlencodeBodyParser({ disableContentTypeCheck: true }) as ChainLink)
    .use(readParameters(contract))
    .use(identify(deps))
    .use(admit(deps, contract, useCase as UseCase<unknown, unknown>))
    .handler(async (_event, { call }) => {
      const result = await required(call.run, "use case")();
      return present(endpoint, result as Result, call.input as z.output<C["input"]>);
    });
  const handler: EndpointHandler = (event, context) => {
    const call: CallState = { limits: untouchedLimits(deps), parameters: {} };
    return chain(event, Object.assign(context, { call }));
  };
  return watchCalls(contract, handler, report);
}

/** The answer of a call that succeeded, by the kind of answer that its contract names. */
function present<C extends EndpointContract, Result>(
  { contract, fieldsOf }: Endpoint<C, Result>,
  result: Result,
  input: z.output<C["input"]>,
): HttpAnswer {
  if (fieldsOf) return answerFields(fieldsOf(result, input), (input as { format: "json" | "xml" }).format);
  return contract.answer.kind === "html" ? answerText(result as TextAnswer) : answerOk();
}

/** The last step of every call: turns an error into an answer, adds the headers, checks the platform's size limit. */
function finish(contract: EndpointContract): ChainLink {
  return {
    after: (request) => {
      const { limits } = request.context.call;
      const answer = finishAnswer(required(request.response ?? undefined, "answer"), limits);
      const fits =
        (answer.body?.length ?? 0) < unmeasuredLength || Buffer.byteLength(JSON.stringify(answer)) < payloadLimit;
      const remedy =
        contract.answer.kind === "html"
          ? "mode=less without images is the smallest text of a page"
          : "use count and page to fetch the list in parts";
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

const namesOf = (contract: EndpointContract): ReadonlySet<string> => new Set(Object.keys(contract.input.shape));

/** Makes the query string and the body of any type one form, for the form parser. */
function gatherParameters(contract: EndpointContract): ChainLink {
  const names = namesOf(contract);
  return {
    before: async ({ event, context: { call } }) => {
      const { form, fault } = await gatherForm(event, names);
      Object.assign(event, { body: form, isBase64Encoded: false });
      keepFault(call, contract, fault);
    },
  };
}

/** Decodes and validates the parsed form. */
function readParameters(contract: EndpointContract): ChainLink {
  const names = namesOf(contract);
  return {
    before: ({ event, context: { call } }) => {
      if (typeof event.body !== "object") throw new Error("the chain has not parsed the form of this call");
      const { parameters, fault } = decodeParameters(event.body, names);
      call.parameters = parameters;
      keepFault(call, contract, fault);
      if (call.invalid) return;
      const validated = validate(contract, parameters);
      call.input = validated.input;
      keepFault(call, contract, validated.fault);
    },
  };
}

/** Stores the first fault of a call's syntax, for `admit` to throw. */
function keepFault(call: CallState, contract: EndpointContract, fault: string | undefined): void {
  if (fault) call.invalid ??= new ServiceError("invalid", `${contract.name}: ${fault}`);
}

/** Refuses calls in maintenance, without a key and with an unknown key. No application is known for them. */
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

/** Counts the call and checks the credentials. A call with invalid syntax is refused only after it was counted. */
function admit(deps: Dependencies, contract: EndpointContract, useCase: UseCase<unknown, unknown>): ChainLink {
  return {
    before: async ({ event, context: { call } }) => {
      const { invalid, input } = call;
      const credentials = () => (contract.caller === "user" ? credentialsOf(call) : undefined);
      const { limits, refusal, run } = await admitCall(deps, {
        endpoint: contract,
        application: required(call.application, "application"),
        source: sourceOf(event),
        ...(!invalid && { request: { useCase, input, credentials: credentials() } }),
      });
      call.limits = limits;
      if (invalid) throw invalid;
      if (refusal) throw refusal;
      if (run) call.run = run;
    },
  };
}

function credentialsOf({ parameters }: CallState): { username: string; password: string } {
  return { username: required(parameters.username, "username"), password: required(parameters.password, "password") };
}

/** The source that a lockout applies to: an IPv4 address, or the first 64 bits of an IPv6 address (one subscriber). */
function sourceOf(event: ChainRequest): string {
  const { sourceIp } = event.requestContext.http;
  if (!ipaddr.isValid(sourceIp)) return "unknown";
  const address = ipaddr.process(sourceIp);
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(":") : address.toString();
}
