// SPDX-License-Identifier: MIT

import type { ApiContract } from "@reading-list/core/contract/apis.ts";
import { password, username } from "@reading-list/core/contract/fields.ts";
import { ServiceError, wrongCredentials } from "@reading-list/core/errors.ts";
import type { Dependencies } from "@reading-list/core/ports.ts";
import type { Credentials } from "@reading-list/core/use-cases/admission/admit-call.ts";
import type { GrantedPorts } from "@reading-list/core/use-cases/granted-ports.ts";
import { type CallerOf, noOperation, type UseCase } from "@reading-list/core/use-cases/use-case.ts";
import * as z from "zod";
import { finishAnswer } from "./answer.ts";
import type { Call, Handler, HttpAnswer, HttpRequest } from "./call.ts";
import { asServiceError } from "./errors.ts";
import { type ChainPorts, createChain, type ErrorForm } from "./links.ts";
import { type ReadRequest, readApiBody, readRequest } from "./read-request.ts";
import { createRouter } from "./router.ts";
import { describeFault } from "./validate.ts";
import { type Report, watchCalls } from "./watch/watch-calls.ts";

/** The method, such as `PATCH`, and the path below the API's prefix, such as `/api/bookmarks/{id}`. */
export type RoutePattern = `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} /${string}`;

/** The credentials of a call, and the API key of its application if the client has one. */
export interface SignIn extends Partial<Credentials> {
  apiKey?: string | undefined;
}

/** The request as the answer may need it. */
export interface ApiRequest {
  /** The address of the API as the client knows it, such as `https://host/readeck`. */
  address: string;
  /** The URL of a path with the parameters of the call's query string, some of them changed. */
  linkTo: (path: string, changes: Record<string, number>) => string;
  /** The key that the client has of its own. */
  apiKey: string | undefined;
}

/** The ports of the use cases of an API. */
export type ApiPorts = GrantedPorts<ApiContract>;

/** Who may call a route: a user, anybody, or both: then `signIn` has credentials or not. */
type RouteCaller = "user" | "application" | "either";

/** One route of another service's API. */
export interface ApiRoute<
  Schema extends z.ZodType = z.ZodType,
  Result = unknown,
  By extends RouteCaller = RouteCaller,
> {
  route: RoutePattern;
  caller: By;
  /** The fields of path, query string and body together, those of the query string as `query`, and `userAgent`. */
  input: Schema;
  useCase: UseCase<z.output<Schema>, Result, ApiPorts, CallerOf<By>>;
  present: (result: Result, input: z.output<Schema>, request: ApiRequest) => HttpAnswer;
  /** For a route that takes credentials as parameters; by default they are those of the API's `signIn`. */
  signIn?: (input: z.output<Schema>, deps: Pick<Dependencies, "apiKeys">) => SignIn | Promise<SignIn>;
}

/** Infers the types of a route from its schema. */
export const defineRoute = <Schema extends z.ZodType, Result, By extends RouteCaller>(
  route: ApiRoute<Schema, Result, By>,
): ApiRoute => route as ApiRoute;

/** A route that answers every application alike. */
export const defineFixedRoute = (route: RoutePattern, answer: () => HttpAnswer): ApiRoute =>
  defineRoute({ route, caller: "application", input: z.object({}), useCase: noOperation, present: answer });

/** The API of another service, served below a prefix of the main host by one function. */
export interface Api extends ErrorForm {
  contract: ApiContract;
  routes: readonly ApiRoute[];
  /** The credentials in the headers or the fields of a call, such as a Bearer token; undefined without. */
  signIn: (headers: Record<string, string | undefined>, fields: Record<string, unknown>) => SignIn | undefined;
}

/**
 * Makes the handler of all routes of an API. Each has the chain of the service's own endpoints: maintenance, syntax, key,
 * limits, lockout, credentials, use case. A call without an API key has the public key of the stage.
 */
export function createApiHandler(deps: ChainPorts & ApiPorts, report: Report, api: Api): Handler {
  const { contract, answerError } = api;
  const findRoute = createRouter(api.routes.map((route) => ({ ...route, chain: chainOf(deps, api, route) })));
  const handle = async (call: Call) => {
    const { method, path } = call.request;
    const found = findRoute(method, path.slice(contract.name.length + 1));
    if (found) {
      call.pathParameters = found.parameters;
      return found.route.chain(call);
    }
    call.error = new ServiceError("notFound", "no such path or method");
    return finishAnswer(answerError(call.error), call.limits);
  };
  return watchCalls(contract, deps, handle, report);
}

const chainOf = (deps: ChainPorts & ApiPorts, api: Api, route: ApiRoute) =>
  createChain(deps, {
    form: api,
    readBody: readApiBody,
    readCall: readCall(deps, api, route),
    endpoint: { caller: route.caller === "either" ? "user" : route.caller, counted: true },
    useCase: route.useCase,
    present: (result, call) => {
      const apiKey = call.apiKey === deps.publicApiKey ? undefined : call.apiKey;
      const address = `${deps.publicUrl ?? calledUrl(call.request)}/${api.contract.name}`;
      const linkTo: ApiRequest["linkTo"] = (path, changes) => address + path + changeQuery(call.request, changes);
      return route.present(result, call.input, { address, linkTo, apiKey });
    },
  });

/** Reads the fields and the sign-in of a call. */
function readCall(deps: ChainPorts, api: Api, route: ApiRoute) {
  return async (call: Call) => {
    const { headers } = call.request;
    call.route = route.route;
    const read = readRequest(call);
    const input = route.input.safeParse({ ...read.fields, query: read.query ?? {}, userAgent: headers["user-agent"] });
    const fault = findFaultOfInput(read, input);
    if (fault) call.invalid = new ServiceError("invalid", fault);
    call.input = input.data;
    call.apiKey = deps.publicApiKey;
    try {
      const signIn = route.signIn && !fault ? await route.signIn(input.data, deps) : api.signIn(headers, read.fields);
      call.apiKey = signIn?.apiKey ?? deps.publicApiKey;
      const isUser = route.caller === "either" ? signIn?.username !== undefined : route.caller === "user";
      if (isUser) call.credentials = checkSignIn(signIn);
    } catch (error) {
      call.invalid ??= asServiceError(error);
    }
  };
}

const credentialFields = z.object({ username, password });

/** Throws `unauthorized` without a sign-in, or for one that no user can have. */
function checkSignIn(signIn: SignIn | undefined): Credentials {
  if (!signIn) throw new ServiceError("unauthorized", "the call has no credentials; sign in first");
  const { data } = credentialFields.safeParse(signIn);
  if (!data) throw wrongCredentials();
  return { ...data, ...(signIn.isToken && { isToken: true }) };
}

const findFaultOfInput = ({ fault }: ReadRequest, { error }: z.ZodSafeParseResult<unknown>) =>
  fault ?? (error && describeFault(error));

function changeQuery({ query: called }: HttpRequest, changes: Record<string, number>): string {
  const query = new URLSearchParams(called);
  // Links are stored and logged where tokens must not be.
  query.delete("access_token");
  for (const [name, value] of Object.entries(changes)) query.set(name, String(value));
  // As clients write lists of tags.
  return `?${String(query).replaceAll("%2C", ",")}`;
}

/** The address that the client has called. A proxy in front of the service keeps `Host`, and names the scheme. */
function calledUrl({ headers }: HttpRequest): string {
  const [scheme = ""] = headers["x-forwarded-proto"]?.split(",", 1) ?? [];
  return `${scheme === "https" ? scheme : "http"}://${headers.host ?? "localhost"}`;
}
