// SPDX-License-Identifier: MIT

import { toApiFolder } from "@reading-list/core/contract/apis.ts";
import { type Bound, describeBound } from "@reading-list/core/contract/bounded.ts";
import {
  bodyLimit,
  chooseScope,
  type EndpointContract,
  listMethods,
  toPath,
} from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { operatorEndpoints } from "@reading-list/core/contract/operator.ts";
import { type Api, chooseRouteScope, limitBodyOfRoute } from "@reading-list/http/api.ts";
import { mail } from "./mail/api.ts";
import { tools } from "./mcp/tools.ts";
import { createOidc } from "./oidc/api.ts";
import { passkeys } from "./passkeys/api.ts";
import { protocols } from "./protocols.ts";

/** A route with the maximum of each field, as its schema has them. */
export interface BoundedRoute {
  /** `v2`, or the name of the API of another service or of the web reader. */
  api: string;
  host: "main" | "text";
  /** `ANY` stands for every method. */
  method: string;
  /** With the parameters of the path in braces, such as `/readeck/api/bookmarks/{id}`; `{path+}` is the rest of it. */
  path: string;
  /** `user`, `new-user`, `application` for anyone, `either`. */
  caller: string;
  /** It only reads, in a call with its required parameters. */
  isReading: boolean;
  /** Bytes of the longest body. */
  maxBody: number;
  /** Fields of path, query string and body together. */
  fields: Record<string, Bound>;
  /** The schema of the entries of a field with JSON, by the name of the field. */
  entries: Record<string, Bound>;
  /** The arguments of the tools of MCP, by the name of the tool. */
  tools: Record<string, Record<string, Bound>>;
}

/** Fields that the service itself adds to a request take no bytes in the body. */
const isSent = (bound: Bound) => bound.kind !== "bytes" || bound.max > 0;

function boundsByField(schema: Parameters<typeof describeBound>[0], name: string): Record<string, Bound> {
  const bound = describeBound(schema, name);
  if (bound.kind !== "fields") throw new Error(`${name} has no fields`);
  return Object.fromEntries(Object.entries(bound.fields).filter(([, field]) => isSent(field)));
}

const listEndpointRoutes = (endpoint: EndpointContract): BoundedRoute[] =>
  listMethods(endpoint).map((method) => ({
    api: "v2",
    host: endpoint.host,
    method,
    path: toPath(endpoint),
    caller: endpoint.caller,
    isReading: endpoint.answer.kind !== "status" && chooseScope(endpoint, {}) === "read",
    maxBody: bodyLimit(endpoint, method),
    fields: boundsByField(endpoint.input, endpoint.name),
    entries: Object.fromEntries(
      Object.entries(endpoint.entries ?? {}).map(([name, entry]) => [name, describeBound(entry, name)]),
    ),
    tools: {},
  }));

const toolFields = () =>
  Object.fromEntries(tools.map(({ name, input }) => [name, boundsByField(input, name)] as const));

const listApiRoutes = ({ contract, routes }: Pick<Api<never>, "contract" | "routes">): BoundedRoute[] =>
  routes.map((route) => {
    const [method = "", path = ""] = route.route.split(" ");
    const isRoot = path === "/";
    return {
      api: contract.name,
      host: contract.host,
      method,
      caller: route.caller,
      isReading: chooseRouteScope(route) === "read",
      path: path.startsWith("/.well-known/") ? path : toApiFolder(contract) + (isRoot ? "" : path),
      maxBody: limitBodyOfRoute(route),
      fields: boundsByField(route.input, route.route),
      entries: {},
      tools: contract.name === "mcp" && method === "POST" ? toolFields() : {},
    };
  });

/** All routes that the service can have, with the fields of each and their maxima. */
export const listAllRoutes = (): BoundedRoute[] => [
  ...[...endpoints, ...operatorEndpoints].flatMap((endpoint) => listEndpointRoutes(endpoint)),
  ...[...protocols, createOidc(""), passkeys, mail].flatMap((api) => listApiRoutes(api)),
];
