// SPDX-License-Identifier: MIT

import type { EndpointContract } from "./endpoint.ts";
import { type EndpointName, endpoints } from "./endpoints.ts";

/**
 * A call and the body of its response. Tests make each call, so the bodies are real answers of the service at the time
 * `exampleTime`.
 */
export interface Example {
  status: number;
  /** Format of a successful answer that has several. */
  format?: "json" | "xml";
  summary: string;
  parameters: Record<string, unknown>;
  body: unknown;
}

/** Unix time at which the examples happen. */
export const exampleTime = 1_700_000_000;

/** Identifies an example of its endpoint; a request and its response have the same name. */
export const exampleName = ({ status, format }: Example) =>
  format === undefined ? `${status}` : `${status}-${format}`;

/** Parameters that get a call refused, whatever the endpoint. */
const unknownKey = "unknown-key";
export const disabledKey = "disabled-key";
export const maintenanceText = "Back at 14:00 UTC.";

const key = { apikey: "local-dev-key" };
const user = { ...key, username: "ann", password: "secret" };

/** Parameters as clients send them; values other than strings are JSON. */
export const asSent = (parameters: Example["parameters"]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );

/** The parameters of an endpoint's example as a user sends them, without the key. */
export const completeExample = (
  { example }: Pick<EndpointContract, "example">,
  account: { username: string; password: string },
) => ({
  ...account,
  ...asSent(
    Object.fromEntries(
      Object.entries(example.parameters).map(([name, value]) => [
        name,
        value === user.username ? account.username : value,
      ]),
    ),
  ),
});

const defined = (parameters: Example["parameters"]) =>
  Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined));

/** A call with credentials, or a key, that are refused. */
const refused = {
  application: { change: { apikey: unknownKey }, error: "apikey is unknown" },
  user: { change: { password: "wrong" }, error: "username or password is incorrect" },
  "new-user": { change: {}, error: "username is already taken; choose another" },
};

function writeSuccesses({ answer, example: { json, xml, html } }: EndpointContract, parameters: Example["parameters"]) {
  if (answer.kind === "html") return [{ status: 200, summary: "The article of a page", parameters, body: html }];
  if (answer.kind === "status") return [{ status: 200, summary: "Done", parameters, body: "200 OK" }];
  return [
    { status: 200, format: "json" as const, summary: "As JSON", parameters, body: json },
    { status: 200, format: "xml" as const, summary: "As XML", parameters: { ...parameters, format: "xml" }, body: xml },
  ];
}

function writeExamples(endpoint: EndpointContract): Example[] {
  const { name, caller, host, example } = endpoint;
  const parameters = { ...(caller === "application" ? key : user), ...example.parameters };
  const error = (status: number, statusText: string, summary: string, change: Example["parameters"], text: string) => ({
    status,
    summary,
    parameters: defined({ ...parameters, ...change }),
    body: `${status} ${statusText}\n${text}`,
  });
  const { mistake } = example;
  const [here, there] = host === "text" ? ["text", "main"] : ["main", "text"];
  const urlOf = { main: "{base_url}", text: "{text_url}" } as Record<string, string>;
  const wrongHost = `/v2/${name} is on the ${here} host (${urlOf[here]}), not on the ${there} host (${urlOf[there]})`;
  return [
    ...writeSuccesses(endpoint, parameters),
    error(400, "Bad Request", "A mistake in a parameter", mistake.change, `${name}: ${mistake.error}`),
    error(401, "Unauthorized", "Wrong credentials", refused[caller].change, refused[caller].error),
    error(403, "Forbidden", "A disabled API key", { apikey: disabledKey }, "apikey was disabled"),
    error(404, "Not Found", "A call of the wrong host", {}, wrongHost),
    error(503, "Service Unavailable", "Maintenance", {}, maintenanceText),
  ];
}

/** The examples of each endpoint: a success in each format, and each error. */
export const examples = Object.fromEntries(
  endpoints.map((endpoint) => [endpoint.name, writeExamples(endpoint)]),
) as Record<EndpointName, Example[]>;
