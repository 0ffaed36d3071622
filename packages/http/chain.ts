// SPDX-License-Identifier: MIT

import { longestBody, shortBody } from "@reading-list/core/contract/bounded.ts";
import { addsData, bodyLimit, chooseScope, type EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import { appliedHeader } from "@reading-list/core/contract/headers.ts";
import type { TextView } from "@reading-list/core/domain/text-view.ts";
import type { Credentials } from "@reading-list/core/use-cases/admission/admit-call.ts";
import type { Book } from "@reading-list/core/use-cases/articles/make-book.ts";
import type { AnyCaller, Endpoint, UseCase } from "@reading-list/core/use-cases/use-case.ts";
import type { z } from "zod";
import { answerError, answerOk } from "./answer.ts";
import { type Call, type Handler, type HttpAnswer, required } from "./call.ts";
import { describeFault } from "./errors.ts";
import { answerFields } from "./fields.ts";
import { type ChainPorts, createChain, createFault } from "./links.ts";
import { readBody, readParameters } from "./parameters.ts";
import { answerBook, answerText } from "./text.ts";
import { type Report, watchCalls } from "./watch/watch-calls.ts";

/** Makes the handler of an endpoint. */
export function createHandler<C extends EndpointContract, Result, Ports extends ChainPorts>(
  deps: Ports,
  report: Report,
  endpoint: Endpoint<C, Result, Ports>,
): Handler {
  const { contract, useCase } = endpoint;
  const ofPost = bodyLimit(contract, "POST");
  const maxBodyOf = ({ method }: { method: string }) => (method === "POST" ? ofPost : shortBody);
  const chain = createChain(deps, {
    maxBodyOf,
    form: { answerError, tooLarge: tooLargeMessage(contract) },
    readBody,
    readCall: readCall(contract),
    endpoint: {
      ...contract,
      scopeOf: (input) => chooseScope(contract, Object(input)),
      addsData: (input) => addsData(contract, Object(input)),
    },
    useCase: useCase as UseCase<unknown, unknown, Ports, AnyCaller>,
    present: (result, { input }) => present(endpoint, result as Result, input as z.output<C["input"]>),
  });
  return Object.assign(watchCalls(contract, deps, chain, report), { maxBodyOf });
}

/** The answer of a call that succeeded, by the kind of answer that its contract names. */
async function present<C extends EndpointContract, Result>(
  { contract, writeFields }: Pick<Endpoint<C, Result, never>, "contract" | "writeFields">,
  result: Result,
  input: z.output<C["input"]>,
): Promise<HttpAnswer> {
  const fields = writeFields?.(result, input);
  if (fields) return answerFields(fields, (input as { format: "json" | "xml" }).format);
  if (contract.answer.kind === "status" && contract.answer.namesApplied) return answerApplied(contract, Object(input));
  if (contract.answer.kind !== "html") return answerOk();
  const view = result as TextView | Book;
  return "epub" in view ? answerBook(view) : answerText(view);
}

/** Names the parameters with applied entries, because an older service would have ignored unknown parameters. */
function answerApplied({ entries = {} }: EndpointContract, input: Record<string, unknown>): HttpAnswer {
  const applied = Object.keys(entries).filter((name) => input[name] !== undefined);
  const answer = answerOk();
  if (applied.length > 0) answer.headers[appliedHeader] = applied.join();
  return answer;
}

const tooLargeMessage = ({ name, answer }: EndpointContract) =>
  `${name}: the answer is too large for one response; ${
    answer.kind === "html"
      ? "mode=less without images is the smallest text of a page"
      : "use count and page to fetch the list in parts"
  }`;

/** Reads and validates the parameters of a call. */
function readCall(contract: EndpointContract) {
  const names = new Set(Object.keys(contract.input.shape));
  const { input } = contract;
  // Zod runs the code that it compiles for a schema only in a synchronous parse; long bodies are parsed in turns.
  const parse =
    bodyLimit(contract, "POST") === longestBody
      ? (parameters: object) => input.safeParseAsync(parameters)
      : (parameters: object) => input.safeParse(parameters);
  return async (call: Call) => {
    const { parameters, ...read } = await readParameters(call, names);
    call.apiKey = parameters.apikey;
    const { data, error } = await parse(parameters);
    const fault = read.fault ?? (error && describeFault(error));
    if (fault) call.invalid = createFault(call, `${contract.name}: ${fault}`);
    else if (contract.caller === "user") call.credentials = readCredentials(parameters);
    call.input = data;
  };
}

function readCredentials({ username, password }: Record<string, string>): Credentials {
  return { username: required(username, "username"), password: required(password, "password") };
}
