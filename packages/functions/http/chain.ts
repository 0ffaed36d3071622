import { setImmediate as nextTurn } from "node:timers/promises";
import middy from "@middy/core";
import httpUrlencodeBodyParser from "@middy/http-urlencode-body-parser";
import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import type { TextView } from "@reading-list/core/domain/text-view.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import type { Dependencies } from "@reading-list/core/ports.ts";
import { type Credentials, untouchedLimits } from "@reading-list/core/use-cases/admit-call.ts";
import type { Book } from "@reading-list/core/use-cases/make-book.ts";
import type { Endpoint, UseCase } from "@reading-list/core/use-cases/use-case.ts";
import type { z } from "zod";
import { type Report, watchCalls } from "../watch/watch-calls.ts";
import { answerError, answerOk } from "./answer.ts";
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
import { answerFields } from "./fields.ts";
import { admit, finish, identify } from "./links.ts";
import { decodeParameters, gatherForm } from "./parameters.ts";
import { answerBook, answerText } from "./text.ts";
import { validate } from "./validate.ts";

/** Makes the handler of an endpoint: the one chain that every call goes through, in the order of the checks. */
export function createHandler<C extends EndpointContract, Result>(
  deps: Dependencies,
  report: Report,
  endpoint: Endpoint<C, Result>,
): EndpointHandler {
  const { contract, useCase } = endpoint;
  const chain = middy<ChainRequest, HttpAnswer, Error, CallContext>()
    .use(finish({ answerError, tooLarge: tooLargeMessage(contract) }))
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
    const call: CallState = { limits: untouchedLimits(deps) };
    return chain(event, Object.assign(context, { call }));
  };
  return watchCalls(contract, handler, report);
}

/** The answer of a call that succeeded, by the kind of answer that its contract names. */
async function present<C extends EndpointContract, Result>(
  { contract, fieldsOf }: Endpoint<C, Result>,
  result: Result,
  input: z.output<C["input"]>,
): Promise<HttpAnswer> {
  const fields = fieldsOf?.(result, input);
  if (fields) return answerFields(fields, (input as { format: "json" | "xml" }).format);
  if (contract.answer.kind !== "html") return answerOk();
  const view = result as TextView | Book;
  return "epub" in view ? answerBook(view) : answerText(view);
}

const tooLargeMessage = ({ name, answer }: EndpointContract) =>
  `${name}: the answer is too large for one response; ${
    answer.kind === "html"
      ? "mode=less without images is the smallest text of a page"
      : "use count and page to fetch the list in parts"
  }`;

const namesOf = (contract: EndpointContract): ReadonlySet<string> => new Set(Object.keys(contract.input.shape));

/** Characters of a long form, such as that of a `send` of 1,000 entries: other calls are answered before it is parsed. */
const longForm = 250_000;

/** Makes the query string and the body of any type one form, for the form parser. */
function gatherParameters(contract: EndpointContract): ChainLink {
  const names = namesOf(contract);
  return {
    before: async ({ event, context: { call } }) => {
      const { form, fault } = await gatherForm(event, names);
      Object.assign(event, { body: form, isBase64Encoded: false });
      keepFault(call, contract, fault);
      if (form.length > longForm) await nextTurn();
    },
  };
}

/** Decodes and validates the parsed form. */
function readParameters(contract: EndpointContract): ChainLink {
  const names = namesOf(contract);
  return {
    before: async ({ event, context: { call } }) => {
      if (typeof event.body !== "object") throw new Error("the chain has not parsed the form of this call");
      const { parameters, fault } = decodeParameters(event.body, names);
      call.apiKey = parameters.apikey;
      keepFault(call, contract, fault);
      if (call.invalid) return;
      const validated = await validate(contract, parameters);
      call.input = validated.input;
      keepFault(call, contract, validated.fault);
      if (contract.caller === "user" && !call.invalid) call.credentials = credentialsOf(parameters);
    },
  };
}

/** Stores the first fault of a call's syntax, for `admit` to throw. */
function keepFault(call: CallState, contract: EndpointContract, fault: string | undefined): void {
  if (fault) call.invalid ??= new ServiceError("invalid", `${contract.name}: ${fault}`);
}

function credentialsOf({ username, password }: Record<string, string>): Credentials {
  return { username: required(username, "username"), password: required(password, "password") };
}
