import { writeFileSync } from "node:fs";
import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import { methods, pathOf } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { errorHeader, limitHeaders, statusHeader, textHeaders } from "@reading-list/core/contract/headers.ts";
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from "zod-openapi";

const text = (description: string) => ({ schema: { type: "string" as const }, description });
const number = (description: string) => ({ schema: { type: "integer" as const }, description });

/** Headers of every response (spec section 7). */
const commonHeaders = {
  [statusHeader]: text("The status in words, such as `200 OK`."),
  ...Object.fromEntries(
    (["user", "key"] as const).flatMap((whose) => [
      [limitHeaders[whose].limit, number(`Calls allowed in a window, per ${whose}.`)],
      [limitHeaders[whose].remaining, number(`Calls left in this window, per ${whose}.`)],
      [limitHeaders[whose].reset, number("Seconds until the window ends.")],
    ]),
  ),
};
const errorHeaders = { [errorHeader]: text("What is wrong, in a line to show to a person.") };
const textViewHeaders = {
  [textHeaders.title]: text("Title of the page; percent-encoded UTF-8 where it is more than plain ASCII."),
  [textHeaders.resolved]: text("URL of the page after redirects."),
  [textHeaders.next]: text("URL of the next page of a multi-page article."),
  [textHeaders.cache]: text("`hit` where the text was kept from before, `miss` where the page was read anew."),
  [textHeaders.loginFound]: text("`1` where the page appears to contain a login form."),
};

/** The two hosts, where `npm start` serves them. */
const servers = {
  main: { url: "{base_url}", variables: { base_url: { default: "http://127.0.0.1:3000" } } },
  text: { url: "{text_url}", variables: { text_url: { default: "http://127.0.0.1:3001" } } },
};

const errors = {
  "400": "The call does not follow the interface; nothing was applied.",
  "401": "Wrong username, password or API key, or a username that is taken.",
  "403": "A rate limit, or a disabled API key.",
  "503": "Maintenance, or a failure of the service.",
};
const words = { "text/plain": { schema: { type: "string" as const } } };
const references = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` as const }]));

const everyHeader = references(Object.keys(commonHeaders));

function successOf({ answer }: EndpointContract) {
  switch (answer.kind) {
    case "words":
      return { headers: everyHeader, content: words };
    case "fields":
      return {
        headers: everyHeader,
        content: {
          "application/json": { schema: answer.fields },
          "application/xml": { schema: { type: "string" as const, description: "The same fields as elements." } },
        },
      };
    case "html":
      return {
        headers: { ...everyHeader, ...references(Object.keys(textViewHeaders)) },
        content: { "text/html": { schema: { type: "string" as const } } },
      };
  }
}

function operationOf(endpoint: EndpointContract, method: (typeof methods)[number]): ZodOpenApiOperationObject {
  const form = { schema: endpoint.input };
  return {
    operationId: method === "GET" ? endpoint.name : `${endpoint.name}ByPost`,
    summary: endpoint.summary,
    ...(method === "GET"
      ? { requestParams: { query: endpoint.input } }
      : { requestBody: { content: { "application/x-www-form-urlencoded": form, "multipart/form-data": form } } }),
    responses: {
      "200": { description: "Done.", ...successOf(endpoint) },
      ...Object.fromEntries(
        Object.keys(errors).map((status) => [status, { $ref: `#/components/responses/${status}` }]),
      ),
    },
  };
}

/** The OpenAPI document of both hosts, derived from the endpoints' contracts. */
export function createOpenApiDocument() {
  const paths: ZodOpenApiPathsObject = {};
  for (const endpoint of endpoints) {
    paths[pathOf(endpoint)] = {
      servers: [servers[endpoint.host]],
      ...Object.fromEntries(methods.map((method) => [method.toLowerCase(), operationOf(endpoint, method)])),
    };
  }
  const headers = { ...everyHeader, ...references([errorHeader]) };
  const responses = Object.fromEntries(
    Object.entries(errors).map(([status, description]) => [status, { description, headers, content: words }]),
  );
  const components = { headers: { ...commonHeaders, ...errorHeaders, ...textViewHeaders }, responses };
  return createDocument({ openapi: "3.1.0", info: { title: "Reading list", version: "2" }, paths, components });
}

/** The document as it is kept in `docs/openapi.json`. */
export const openApiText = () => `${JSON.stringify(createOpenApiDocument(), null, 2)}\n`;

if (import.meta.main) writeFileSync(new URL("openapi.json", import.meta.url), openApiText());
