// SPDX-License-Identifier: MIT

import { type ApiContract, toApiFolder } from "@reading-list/core/contract/apis.ts";
import { describeBound, limitBody, shortBody } from "@reading-list/core/contract/bounded.ts";
import type { JsonBounds } from "@reading-list/core/contract/bounded-json.ts";
import { password, username } from "@reading-list/core/contract/fields.ts";
import type { Scope } from "@reading-list/core/domain/sign-in.ts";
import { ServiceError, wrongCredentials } from "@reading-list/core/errors.ts";
import type { Dependencies } from "@reading-list/core/ports/dependencies.ts";
import type { Credentials } from "@reading-list/core/use-cases/admission/admit-call.ts";
import { type CallerOf, noOperation, type UseCase } from "@reading-list/core/use-cases/use-case.ts";
import * as z from "zod";
import { finishAnswer, inert } from "./answer.ts";
import { type Call, calledUrl, type Handler, type HttpAnswer, type HttpRequest, required } from "./call.ts";
import { asServiceError, describeFault } from "./errors.ts";
import { type ChainPorts, createChain, createFault, type ErrorForm } from "./links.ts";
import { type ReadRequest, readApiBody, readRequest } from "./read-request.ts";
import { createRouter } from "./router.ts";
import { type Report, watchCalls } from "./watch/watch-calls.ts";

/** The method, such as `PATCH`, and the path below the API's prefix, such as `/api/bookmarks/{id}`. */
export type RoutePattern = `${"GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "ANY"} /${string}`;

/** The credentials of a call, and the API key of its application if the client has one. */
export interface SignIn extends Partial<Credentials> {
  apiKey?: string | undefined;
}

/** The request as the answer may need it. */
export interface ApiRequest {
  /** The address of the API as the client sees it, such as `https://host/readeck`. */
  address: string;
  /** The URL of a path with the parameters of the call's query string, some of them changed. */
  linkTo: (path: string, changes: Record<string, number>) => string;
  /** The client's own key. */
  apiKey: string | undefined;
  /** The languages that the client prefers, as its header of that name lists them. */
  acceptLanguage: string | undefined;
}

/** A request as it was sent. */
export type RawRequest = Pick<HttpRequest, "method" | "path" | "query" | "headers" | "body">;

/** The callers of a route: users, anyone, or both. With both, `signIn` may have no credentials. */
type RouteCaller = "user" | "application" | "either";

/** One route of another service's API. */
export interface ApiRoute<
  Schema extends z.ZodType = z.ZodType,
  Result = unknown,
  By extends RouteCaller = RouteCaller,
  Ports = unknown,
> {
  route: RoutePattern;
  caller: By;
  /**
   * The fields of path, query string and body together, those of the query string as `query`, the `address` of the API,
   * and of the headers `userAgent`, `authorization` and `validator` (of a conditional request); and all `headers`.
   */
  input: Schema;
  /** The scope that a sign-in needs; by default `read` for GET, `full` for other methods. */
  scope?: Scope;
  useCase: UseCase<z.output<Schema>, Result, Ports, CallerOf<By>>;
  present: (result: Result, input: z.output<Schema>, request: ApiRequest) => HttpAnswer;
  /** It counts against no limit. */
  isUncounted?: true;
  /** Bytes of the longest body, if it does not follow from the fields. */
  maxBody?: number;
  /** It passes requests on: its fields are `request` (`RawRequest`) and the parameters of the path. */
  isRaw?: true;
  /** It creates a sign-in, which requires the account's password. */
  account?: "signIns";
  /** Whether its calls add data, which a full disk refuses; by default as `addsDataByRoute`. */
  adds?: boolean | ((input: z.output<Schema>) => boolean);
  /** It refuses calls of web pages of other sites. */
  isOfOwnSite?: true;
  /** Its own form of errors; `again` is the URL of the call. */
  answerError?: (error: ServiceError, again: string, acceptLanguage: string | undefined) => HttpAnswer;
  /** For a route that takes credentials as parameters; by default, the API's `signIn` reads them. */
  signIn?: (input: z.output<Schema>, deps: Pick<Dependencies, "apiKeys">) => SignIn | Promise<SignIn>;
}

/** The scope that a sign-in needs for a route. */
export const chooseRouteScope = ({ route, scope }: Pick<ApiRoute, "route" | "scope">): Scope =>
  scope ?? (route.startsWith("GET ") ? "read" : "full");

/** Whether a call of a route adds data: by default, calls that change a list, except DELETE. */
export function addsDataByRoute(
  { adds, ...route }: Pick<ApiRoute, "route" | "scope" | "caller" | "account" | "adds">,
  input: unknown,
): boolean {
  if (typeof adds === "function") return adds(input);
  if (adds !== undefined || route.caller !== "user" || route.account) return adds ?? false;
  return chooseRouteScope(route) === "full" && !route.route.startsWith("DELETE ");
}

/** Infers the types of a route from its schema. */
export const defineRoute = <Schema extends z.ZodType, Result, By extends RouteCaller, Ports>(
  route: ApiRoute<Schema, Result, By, Ports>,
) => route as unknown as ApiRoute<z.ZodType, unknown, RouteCaller, Ports>;

/** Bytes of the longest body that a route takes. The fields of GET are in the URL. */
export const limitBodyOfRoute = ({ route, input, maxBody }: Pick<ApiRoute, "route" | "input" | "maxBody">): number => {
  const fromFields = limitBody(describeBound(input, route));
  return maxBody ?? (route.startsWith("GET ") ? shortBody : fromFields);
};

/** A route that answers every application alike. */
export const defineFixedRoute = (route: RoutePattern, answer: (request: ApiRequest) => HttpAnswer) =>
  defineRoute({
    route,
    caller: "application",
    input: z.object({}),
    useCase: noOperation,
    present: (_, __, request) => answer(request),
  });

/** The API of another service, served below a prefix of the main host by one function. */
export interface Api<Ports> extends ErrorForm {
  contract: ApiContract;
  routes: readonly ApiRoute<z.ZodType, unknown, RouteCaller, Ports>[];
  /** The most that JSON may hold; `fewFields` if undefined. */
  bounds?: JsonBounds;
  /** It refuses calls of web pages of other sites, also with a token, and of browsers for another host than `BASE_URL`'s. */
  isOfOwnSite?: true;
  /** The credentials in the headers or the fields of a call, such as a Bearer token; undefined without. */
  signIn: (headers: Record<string, string | undefined>, fields: Record<string, unknown>) => SignIn | undefined;
}

/**
 * Makes the handler of all routes of an API. Each has the chain of the service's own endpoints: maintenance, syntax, key,
 * limits, lockout, credentials, use case. A call without an API key has the public key of the stage. No answer runs as a
 * page of this host, unless it has a policy of its own.
 */
export function createApiHandler<Ports>(deps: ChainPorts & Ports, report: Report, api: Api<Ports>): Handler {
  const { contract, answerError } = api;
  const findRoute = createRouter(
    api.routes.map((route) => {
      const maxBody = limitBodyOfRoute(route);
      return { ...route, maxBody, chain: createRouteChain(deps, api, route, maxBody) };
    }),
  );
  const prefix = toApiFolder(contract);
  // Both gateways drop the body of an answer to HEAD.
  const findCalled = (method: string, path: string) =>
    findRoute(
      method === "HEAD" ? "GET" : method,
      path.startsWith(prefix) ? readTypedPath(path.slice(prefix.length)) : path,
    );
  const handle = async (call: Call) => {
    const { method, path } = call.request;
    call.apiAddress = `${deps.publicUrl ?? calledUrl(call.request)}${prefix}`;
    const found = findCalled(method, path);
    if (found) {
      call.pathParameters = found.parameters;
      return found.route.chain(call);
    }
    call.error = new ServiceError("notFound", "no such path or method");
    return finishAnswer(answerError(call.error, call), call.limits);
  };
  const handleInert = async (call: Call) => {
    const answer = await handle(call);
    return { ...answer, headers: { ...inert, ...answer.headers } };
  };
  const maxBodyOf: Handler["maxBodyOf"] = ({ method, path }) => {
    const found = findCalled(method, path);
    return found ? found.route.maxBody : shortBody;
  };
  return Object.assign(watchCalls(contract, deps, handleInert, report), { maxBodyOf });
}

/** People type the address of an API with a slash at the end, or with its `/api`, to which apps append their paths. */
const readTypedPath = (path: string) => path.replace(/^\/+/, "/").replace(/^\/api\/+(?=(?:api|oauth\/v2)\/)/, "/");

const createRouteChain = <Ports>(
  deps: ChainPorts & Ports,
  api: Api<Ports>,
  route: Api<Ports>["routes"][number],
  maxBody: number,
) =>
  createChain(deps, {
    form: { ...api, answerError: chooseAnswerError(api, route) },
    maxBodyOf: () => maxBody,
    readBody: async (request) => (route.isRaw ? { bytes: request.body } : readApiBody(request, api.bounds)),
    readCall: readCall(deps, api, route),
    endpoint: {
      caller: route.caller === "either" ? "user" : route.caller,
      counted: !route.isUncounted,
      ...(route.account && { account: route.account }),
      ...((api.isOfOwnSite ?? route.isOfOwnSite) && { isOfOwnSite: true }),
      ...(api.isOfOwnSite && { isOfOwnHost: true }),
      api: api.contract.name,
      scopeOf: () => chooseRouteScope(route),
      addsData: (input) => addsDataByRoute(route, input),
    },
    useCase: route.useCase,
    present: (result, call) => {
      const apiKey = call.apiKey === deps.publicApiKey ? undefined : call.apiKey;
      const address = required(call.apiAddress, "address of the API");
      const linkTo: ApiRequest["linkTo"] = (path, changes) => address + path + changeQuery(call.request, changes);
      const acceptLanguage = call.request.headers["accept-language"];
      return route.present(result, call.input, { address, linkTo, apiKey, acceptLanguage });
    },
  });

const chooseAnswerError = <Ports>(
  { answerError }: Api<Ports>,
  { answerError: ownForm }: Api<Ports>["routes"][number],
): ErrorForm["answerError"] =>
  ownForm
    ? (error, { request }) => ownForm(error, `?${request.query}`, request.headers["accept-language"])
    : answerError;

/** Reads the fields and the sign-in of a call. */
function readCall<Ports>(deps: ChainPorts, api: Api<Ports>, route: Api<Ports>["routes"][number]) {
  return async (call: Call) => {
    const { headers } = call.request;
    call.route = route.route;
    const read = route.isRaw ? rawFields(call) : await readRequest(call);
    const { "user-agent": userAgent, authorization } = headers;
    const input = route.input.safeParse({
      ...read.fields,
      query: read.query ?? {},
      userAgent,
      authorization,
      headers,
      address: call.apiAddress,
      validator: headers["if-none-match"] ?? headers["if-modified-since"],
    });
    const fault = findFaultOfInput(read, input);
    if (fault) call.invalid = createFault(call, fault);
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

const rawFields = ({ request, content, pathParameters }: Call): ReadRequest => ({
  fields: { ...pathParameters, request: { ...request, body: content?.bytes ?? request.body } },
  ...(content?.fault && { fault: content.fault }),
});

const credentialFields = z.object({ username, password });

/** Throws `unauthorized` without a sign-in, or for an impossible one. */
function checkSignIn(signIn: SignIn | undefined): Credentials {
  if (!signIn) throw new ServiceError("unauthorized", "the call has no credentials; sign in");
  const { data } = credentialFields.safeParse(signIn);
  if (!data) throw wrongCredentials();
  const { isToken, needsAppPassword, passkey } = signIn;
  return {
    ...data,
    ...(isToken && { isToken }),
    ...(needsAppPassword && { needsAppPassword }),
    ...(passkey !== undefined && { passkey }),
  };
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
