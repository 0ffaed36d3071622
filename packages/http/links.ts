// SPDX-License-Identifier: MIT

import { isIPv4, isIPv6 } from "node:net";
import middy from "@middy/core";
import { diskIsFull, ServiceError } from "@reading-list/core/errors.ts";
import type { Dependencies } from "@reading-list/core/ports/dependencies.ts";
import {
  type AdmissionPorts,
  admitCall,
  type CalledEndpoint,
  untouchedLimits,
} from "@reading-list/core/use-cases/admission/admit-call.ts";
import type { AnyCaller, UseCase } from "@reading-list/core/use-cases/use-case.ts";
import ipaddr from "ipaddr.js";
import { finishAnswer } from "./answer.ts";
import {
  type Call,
  type ChainLink,
  calledUrl,
  type HttpAnswer,
  type HttpRequest,
  type RequestBody,
  required,
} from "./call.ts";
import { compress, measurePayload, payloadLimit } from "./compress.ts";
import { asServiceError } from "./errors.ts";
import { parseForm } from "./form.ts";
import { isForOtherHost, isFromOtherSite } from "./other-site.ts";

/** How an API writes its errors. */
export interface ErrorForm {
  answerError: (error: ServiceError, call: Pick<Call, "apiAddress" | "input" | "request" | "route">) => HttpAnswer;
  /** The message for an answer that exceeds the platform's limit. */
  tooLarge: string;
}

/** The ports of every call, whatever its use case needs. */
export type ChainPorts = AdmissionPorts &
  Pick<
    Dependencies,
    "apiKeys" | "settings" | "isDiskFull" | "untilDurable" | "ownOrigins" | "publicUrl" | "publicApiKey"
  >;

interface Chain<Ports> {
  form: ErrorForm;
  /** Bytes of the longest body. */
  maxBodyOf: (request: HttpRequest) => number;
  readBody: (request: HttpRequest) => Promise<RequestBody>;
  /** Reads the parameters and the credentials of a call. A fault is thrown by `admit`, after the call was counted. */
  readCall: (call: Call) => Promise<void>;
  endpoint: CalledEndpoint;
  useCase: UseCase<unknown, unknown, Ports, AnyCaller>;
  /** The answer with the result of the use case. */
  present: (result: unknown, call: Call) => HttpAnswer | Promise<HttpAnswer>;
}

/** No link reads Lambda's context. */
const noContext = {} as never;

/** The one chain that every call goes through, in the order of the checks. */
export function createChain<Ports extends ChainPorts>(
  deps: Ports,
  { form, maxBodyOf, readBody, readCall, endpoint, useCase, present }: Chain<Ports>,
) {
  const chain = middy<Call, HttpAnswer>()
    .use(finish(deps, form))
    .use(compress(form.tooLarge))
    .use(parseForm(async (request) => findExcess(request, maxBodyOf(request)) ?? readBody(request)))
    .before(async ({ event: call }) => {
      await readCall(call);
      // They may be long, and the call, too. Deleting them would make every later access of the object slower.
      call.body = undefined;
      call.values = undefined;
      call.content = undefined;
    })
    .use(identify(deps, endpoint))
    .use(admit(deps, endpoint, useCase))
    .handler(async (call) => {
      if (endpoint.addsData(call.input) && deps.isDiskFull?.()) throw diskIsFull();
      return present(await required(call.run, "use case")(), call);
    });
  return (call: Call): Promise<HttpAnswer> => chain(call, noContext);
}

/** The fault of a body that is longer than the route allows: the service does not read it. */
function findExcess({ body, isBodyDropped }: HttpRequest, maxBody: number): RequestBody | undefined {
  if (!isBodyDropped && body.length <= maxBody) return undefined;
  const size = maxBody < 1_000_000 ? `${Math.floor(maxBody / 1000)} kB` : `${Math.floor(maxBody / 1_000_000)} MB`;
  return {
    fault: `the body exceeds ${size}, the maximum for this call; remove unknown fields, or send less at once`,
    isTooLong: true,
  };
}

/** The error of a call that does not follow the interface. */
export const createFault = ({ content }: Pick<Call, "content">, fault: string): ServiceError =>
  new ServiceError(content?.isTooLong ? "tooLong" : "invalid", fault);

/**
 * The last step of every call: waits until all is durable that the answer rests on, even if it changed nothing, turns an
 * error into an answer, adds the headers, checks the platform's size limit.
 */
function finish({ untilDurable }: ChainPorts, { answerError, tooLarge }: ErrorForm): ChainLink {
  return {
    after: async (request) => {
      await untilDurable();
      const { limits } = request.event;
      const answer = finishAnswer(required(request.response ?? undefined, "answer"), limits);
      if (measurePayload(answer.body) > payloadLimit)
        throw new ServiceError("invalid", tooLarge, { code: "answer_too_large" });
      request.response = answer;
    },
    onError: async (request) => {
      const error = asServiceError(
        await untilDurable().then(
          () => request.error,
          (failure) => failure,
        ),
      );
      const { event: call } = request;
      call.error = error;
      request.response = finishAnswer(answerError(error, call), call.limits);
    },
  };
}

/**
 * Refuses calls during maintenance, except from administrators, who can end it. Also refuses calls without a key, and
 * with an unknown key, because they belong to no application.
 */
function identify(deps: ChainPorts, { account }: CalledEndpoint): ChainLink {
  return {
    before: async ({ event: call }) => {
      const [maintenance, application] = await Promise.all([
        account === "operator" ? undefined : deps.settings.maintenance(),
        call.apiKey === undefined ? undefined : deps.apiKeys.find(call.apiKey),
      ]);
      if (maintenance !== undefined) throw new ServiceError("maintenance", maintenance, { retryAfter: 300 });
      if (!application)
        throw call.invalid ?? new ServiceError("unauthorized", "apikey is unknown", { code: "unknown_key" });
      call.application = application;
      call.limits = untouchedLimits(deps, application);
    },
  };
}

/** Counts the call and checks the credentials. A call with invalid syntax is refused only after it was counted. */
function admit<Ports extends ChainPorts>(
  deps: Ports,
  endpoint: CalledEndpoint,
  useCase: Chain<Ports>["useCase"],
): ChainLink {
  return {
    before: async ({ event: call }) => {
      const { invalid, input, request } = call;
      const { limits, refusal, run } = await admitCall(deps, {
        endpoint,
        application: required(call.application, "application"),
        address: findAddress(request),
        calledUrl: calledUrl(request),
        isFromOtherSite:
          isFromOtherSite(request, deps.ownOrigins) ||
          (endpoint.isOfOwnHost === true && isForOtherHost(request, deps.publicUrl)),
        isGet: ["GET", "HEAD"].includes(request.method),
        ...(!invalid && { request: { useCase, input, credentials: call.credentials } }),
      });
      call.limits = limits;
      if (invalid) throw invalid;
      if (refusal) throw refusal;
      if (run) call.run = run;
    },
  };
}

/** The address of the caller: an IPv4 address, or the first 64 bits of an IPv6 address (one subscriber). */
function findAddress({ address }: HttpRequest): string {
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) return "unknown";
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(":") : parsed.toString();
}
