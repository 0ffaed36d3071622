// SPDX-License-Identifier: MIT

import { type EndpointContract, listMethods, toPath } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import type { Dependencies } from "@reading-list/core/ports/dependencies.ts";
import { untouchedLimits } from "@reading-list/core/use-cases/admission/admit-call.ts";
import { answerFailure, finishAnswer } from "./answer.ts";
import type { HttpAnswer, HttpRequest } from "./call.ts";

type Host = EndpointContract["host"];
type Served = Pick<EndpointContract, "name" | "host" | "methods">;
type LimitSettings = Pick<Dependencies, "clock" | "defaultLimits" | "windowSeconds" | "addressLimit">;

/** Makes the answers to requests that reach no endpoint, with the headers of every other answer. */
export function createRefusal(deps: LimitSettings) {
  return (status: number, message: string): HttpAnswer =>
    finishAnswer(answerFailure(status, message, status === 404 ? "not_found" : "invalid"), untouchedLimits(deps));
}

/**
 * Answers calls of paths and methods that no endpoint of a host has: 404. A preflight that the gateway forwards is answered with
 * 204, to which the gateway adds its CORS headers.
 */
export function createUnroutedHandler(deps: LimitSettings, host: Host, served: readonly Served[] = endpoints) {
  const refuse = createRefusal(deps);
  return async ({ headers, path, method }: HttpRequest): Promise<HttpAnswer> => {
    if (method === "OPTIONS" && headers["access-control-request-method"]) {
      return { status: 204, headers: {}, body: "" };
    }
    return refuse(404, adviseOn(host, path, served));
  };
}

const hosts: Record<Host, string> = { main: "the main host ({base_url})", text: "the text host ({text_url})" };

/** The address to call instead. Never repeats the path: it contains the password if a client encodes the question mark. */
function adviseOn(host: Host, calledPath: string, served: readonly Served[]): string {
  const lastSegment = calledPath.toLowerCase().split("/").findLast(Boolean);
  const endpoint = served.find(({ name }) => name === lastSegment);
  if (!endpoint) {
    const paths = served.filter((each) => each.host === host).map(toPath);
    return `no such path; ${hosts[host]} has ${paths.join(", ")}`;
  }
  const path = toPath(endpoint);
  if (endpoint.host !== host) return `${path} is on ${hosts[endpoint.host]}, not on ${hosts[host]}`;
  if (calledPath === `${path}/`) return `no such path; call ${path}, without a slash at the end`;
  if (calledPath !== path) return `no such path; call ${path}`;
  return `${path} accepts only ${listMethods(endpoint).join(" and ")}`;
}
