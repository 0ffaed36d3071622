// SPDX-License-Identifier: MIT

import { writeFileSync } from "node:fs";
import * as z from "zod";
import {
  createDocument,
  type ZodOpenApiContentObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from "zod-openapi";
import { errorCodes } from "../errors.ts";
import type { EndpointContract } from "./endpoint.ts";
import { listMethods, type methods, toPath } from "./endpoint.ts";
import { type EndpointName, endpoints } from "./endpoints.ts";
import { appliedHeader, errorCodeHeader, errorHeader, limitHeaders, statusHeader, textHeaders } from "./headers.ts";
import { type Example, exampleName, examples } from "./openapi-examples.ts";

type Endpoint = EndpointContract & { name: EndpointName };

const header = (description: string, schema: object, required = true) => ({ description, required, schema });
const text = { type: "string" } as const;
const number = { type: "integer", minimum: 0 } as const;

/** Headers of every response of an endpoint (docs/api.md 3.1). */
const commonHeaders = {
  [statusHeader]: header("The status line without the protocol, such as `200 OK`.", text),
  ...Object.fromEntries(
    (["user", "key"] as const).flatMap((whose) => [
      [limitHeaders[whose].limit, header(`Calls allowed in a window, per ${whose}.`, number)],
      [limitHeaders[whose].remaining, header(`Calls left in this window, per ${whose}.`, number)],
      [limitHeaders[whose].reset, header(`Seconds until the window ends, per ${whose}.`, number)],
    ]),
  ),
  "Cache-Control": header("`no-store`.", { const: "no-store", type: "string" }),
};
const errorHeaders = {
  [errorHeader]: header("What is wrong and what to do, in one line of ASCII. The body repeats it.", text),
  [errorCodeHeader]: header("A code for the error, for programs.", { type: "string", enum: [...errorCodes] }),
};
const retryHeaders = { "Retry-After": header("Seconds to wait before you try again.", number) };
const appliedHeaders = {
  [appliedHeader]: header(
    "Comma-separated names of the request's parameters whose entries were applied; absent if none were. Older services do not send it.",
    text,
    false,
  ),
};
const textViewHeaders = {
  [textHeaders.title]: header(
    "Title of the page. Percent-encoded UTF-8 if it contains a `%`, or anything other than printable ASCII.",
    text,
  ),
  [textHeaders.resolved]: header("URL of the page after redirects.", text, false),
  [textHeaders.next]: header("URL of the next page of a multi-page article.", text, false),
  [textHeaders.loginFound]: header("`1` if the page appears to contain a login form; otherwise absent.", text, false),
  [textHeaders.image]: header("URL of the page's preview image.", text, false),
  [textHeaders.author]: header("Authors of the page, separated by commas; encoded like `X-Title`.", text, false),
  [textHeaders.date]: header("Time of publication in ISO 8601: a date, or a date and time in UTC.", text, false),
  [textHeaders.kept]: header("Unix time at which the copy was saved; only from `article`.", number, false),
  [textHeaders.notice]: header(
    "A sentence for the user: why text is missing, which part of a search was ignored, or that pages may be missing.",
    text,
    false,
  ),
  "Content-Disposition": header("File name of a book; only from `article` with `format=epub`.", text, false),
  "Content-Security-Policy": header("Prevents a browser from running scripts in the answer.", text),
  "X-Content-Type-Options": header("`nosniff`.", text),
};

const searchHeaders = { [textHeaders.notice]: textViewHeaders[textHeaders.notice] };

/** The two hosts, where `npm start` serves them. */
const servers = {
  main: {
    url: "{base_url}",
    description: "The main host",
    variables: { base_url: { default: "http://127.0.0.1:3000", description: "The address of the main host" } },
  },
  text: {
    url: "{text_url}",
    description: "The text host",
    variables: { text_url: { default: "http://127.0.0.1:3001", description: "The address of the text host" } },
  },
};

const tags: { name: EndpointContract["tag"]; description: string }[] = [
  { name: "list", description: "The reading list of a user." },
  { name: "account", description: "Users and their credentials." },
  { name: "text", description: "The text of a page, on the text host." },
  { name: "limits", description: "The rate limits of an API key." },
];

/** The meaning of an error, and the headers that it has in addition to the common ones (docs/api.md 7). */
const errors = {
  "400": { description: "A parameter is missing or wrong; nothing was applied.", headers: errorHeaders },
  "401": {
    description:
      "The username, the password or the API key is wrong, the call does not accept an app password, or the username is taken (`signup`).",
    headers: errorHeaders,
  },
  "403": {
    description:
      "A rate limit, a disabled API key, the lockout after wrong passwords, or closed sign-up. The call was not counted.",
    headers: { ...errorHeaders, ...retryHeaders },
  },
  "404": { description: "The path is on the other host.", headers: errorHeaders },
  "503": {
    description: "Maintenance, or a failure of the service. You can safely repeat the call later.",
    headers: { ...errorHeaders, ...retryHeaders },
  },
};

/** Responses of the gateway, which lack the headers of the service when deployed (docs/api.md 7.4). */
const gatewayErrors = {
  "413": "The request body is too large.",
  "429": "All callers together exceed the rate limit of the stage.",
  "431": "The request line and the headers are too large: send parameters in the body of a POST, not in the URL.",
};
const gatewayMessage = z.object({ message: z.string() }).meta({ id: "GatewayMessage" });

const textView = z.string().meta({ id: "TextView", description: "A fragment of clean HTML." });
const statusText = z.string().meta({ id: "StatusText", description: "The status line: `200 OK`." });
const errorText = z
  .string()
  .meta({ id: "ErrorText", description: "Two lines: the status line, and the text of `X-Error`." });

/** Fields as XML writes them: lists are sequences of `<item>`. */
const time = z.string().meta({ description: "Unix time of the deletion." });
const deletion = z
  .object({ item_id: z.string(), time })
  .meta({ id: "DeletionXml", description: "A deleted page.", xml: { name: "item" } });
const highlightDeletion = z
  .object({ id: z.string(), time })
  .meta({ id: "HighlightDeletionXml", description: "A deleted highlight.", xml: { name: "item" } });
function asXmlField(endpoint: EndpointName, name: string, schema: z.ZodType): z.ZodType {
  const record = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (!(record instanceof z.ZodRecord)) return schema;
  const isTime = record.valueType instanceof z.ZodString;
  const deleted = endpoint === "highlights" && name === "deleted" ? highlightDeletion : deletion;
  const list = z.array(isTime ? deleted : record.valueType);
  const described = { description: schema.meta()?.description, xml: { wrapped: true } };
  return (record === schema ? list : list.optional()).meta(described);
}

const responseNames: Partial<Record<EndpointName, string>> = {
  get: "List",
  stats: "Stats",
  app_passwords: "AppPasswords",
};

/** The media types of a success, each with its schema. */
function successContent({ name, answer }: Endpoint): ZodOpenApiContentObject {
  switch (answer.kind) {
    case "status":
      return { "text/plain": { schema: statusText } };
    case "fields": {
      const id = responseNames[name] ?? name;
      const asXml = Object.entries(answer.fields.shape).map(([field, schema]) => [
        field,
        asXmlField(name, field, schema),
      ]);
      return {
        "application/json": { schema: answer.fields.meta({ id }) },
        "application/xml": {
          schema: z.object(Object.fromEntries(asXml)).meta({ id: `${id}Xml`, xml: { name: "response" } }),
        },
        ...(answer.orStatus && { "text/plain": { schema: statusText } }),
      };
    }
    case "html":
      return {
        "text/html": { schema: textView },
        ...(answer.book && { "application/epub+zip": { schema: z.string().meta({ format: "binary" }) } }),
      };
  }
}

const refer = (kind: "headers" | "responses", names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/${kind}/${name}` }]));
const referHeaders = (headers: object) => refer("headers", Object.keys(headers));

/** Content with the examples of its media type. */
function withExamples(content: ZodOpenApiContentObject, shown: readonly Example[]): ZodOpenApiContentObject {
  return Object.fromEntries(
    Object.entries(content).map(([type, media]) => {
      const fitting = shown.filter(({ format }) =>
        format === undefined ? type !== "application/epub+zip" : type === `application/${format}`,
      );
      return [type, { ...media, examples: namedExamples(fitting, ({ body }) => body) }];
    }),
  );
}

const namedExamples = (shown: readonly Example[], contentOf: (example: Example) => unknown) =>
  Object.fromEntries(
    shown.map((example) => [exampleName(example), { summary: example.summary, value: contentOf(example) }]),
  );

/** The headers of a 200 that not every endpoint has. */
function chooseExtraHeaders({ answer, list }: Endpoint) {
  if (answer.kind === "html") return textViewHeaders;
  if (list === "search") return searchHeaders;
  return answer.kind === "status" && answer.namesApplied ? appliedHeaders : {};
}

/** The responses of an endpoint by status, with their examples; both methods have them. */
function writeResponses(endpoint: Endpoint): Record<string, ZodOpenApiResponseObject> {
  const listExamples = (status: string) => examples[endpoint.name].filter((each) => String(each.status) === status);
  const extra = chooseExtraHeaders(endpoint);
  return {
    "200": {
      description: "Done.",
      headers: referHeaders({ ...commonHeaders, ...extra }),
      content: withExamples(successContent(endpoint), listExamples("200")),
    },
    ...Object.fromEntries(
      Object.entries(errors).map(([status, { description, headers }]) => [
        status,
        {
          description,
          headers: referHeaders({ ...commonHeaders, ...headers }),
          content: withExamples({ "text/plain": { schema: errorText } }, listExamples(status)),
        },
      ]),
    ),
  };
}

/**
 * The parameters of an endpoint, each with the value that the reference page fills in. For entries, the value is the
 * content of a parameter's JSON text, not the text.
 */
function writeParameters({ name: endpoint, input, ...contract }: Endpoint): z.ZodObject {
  const entries = entriesIn(contract);
  const shown = examples[endpoint][0]?.parameters;
  const fields = Object.entries(input.shape).map(([name, field]) => {
    const { id, ...meta } = field.meta() ?? {};
    if (id !== undefined) return [name, field];
    const entry = entries[name];
    if (!entry) return [name, field.meta({ ...meta, examples: [shown?.[name] ?? ""] })];
    const documented = z.union([z.record(z.string(), entry), z.array(entry), z.null()]).optional();
    return [name, documented.meta({ description: meta.description, examples: [shown?.[name]] })];
  });
  return z.object(Object.fromEntries(fields));
}

const entriesIn = (endpoint: object): NonNullable<EndpointContract["entries"]> =>
  (endpoint as Partial<EndpointContract>).entries ?? {};
const capitalised = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

function describeBody(endpoint: Endpoint): NonNullable<ZodOpenApiOperationObject["requestBody"]> {
  const encoded = Object.keys(entriesIn(endpoint));
  const form = {
    schema: writeParameters(endpoint).meta({ id: `${capitalised(endpoint.name)}Form` }),
    ...(encoded.length > 0 && {
      encoding: Object.fromEntries(encoded.map((name) => [name, { contentType: "application/json" }])),
    }),
  };
  const shown = namedExamples(examples[endpoint.name], ({ parameters }) => parameters);
  return {
    required: true,
    content: { "application/x-www-form-urlencoded": { ...form, examples: shown }, "multipart/form-data": form },
  };
}

/** The description of GET: its purpose and its disadvantages. */
const byGet = (endpoint: Endpoint) =>
  `For old clients; puts the ${endpoint.caller === "application" ? "API key" : "password"} in the URL. ` +
  "The request line and headers can have at most 10,240 bytes.";

function writeOperation(endpoint: Endpoint, method: (typeof methods)[number]): ZodOpenApiOperationObject {
  const { name, tag, summary, description } = endpoint;
  const responseRefs = Object.keys(writeResponses(endpoint)).map((status) => [
    status,
    { $ref: `#/components/responses/${name}-${status}` },
  ]);
  const fromGateway = Object.keys(gatewayErrors).filter((status) => method === "POST" || status !== "413");
  return {
    operationId: method === "POST" ? name : `${name}ByGet`,
    tags: [tag],
    summary: method === "POST" ? summary : `${summary} (GET)`,
    description: method === "POST" ? description : `${byGet(endpoint)} Use \`${name}\` by POST instead.`,
    ...(method === "POST"
      ? { requestBody: describeBody(endpoint) }
      : { requestParams: { query: writeParameters(endpoint) } }),
    responses: { ...Object.fromEntries(responseRefs), ...refer("responses", fromGateway) },
  };
}

/** In the query string, entries are JSON text, which `content` says and `schema` does not. */
function asJsonParameters(paths: ReturnType<typeof createDocument>["paths"]): void {
  for (const endpoint of endpoints) {
    for (const parameter of paths?.[toPath(endpoint)]?.get?.parameters ?? []) {
      if (!("name" in parameter) || !(parameter.name in entriesIn(endpoint))) continue;
      const { schema } = parameter;
      delete parameter.schema;
      Object.assign(parameter, { content: { "application/json": { schema } } });
    }
  }
}

/** The OpenAPI document of both hosts, derived from the endpoints' contracts. */
export function createOpenApiDocument() {
  const paths: ZodOpenApiPathsObject = {};
  const responses: Record<string, ZodOpenApiResponseObject> = Object.fromEntries(
    Object.entries(gatewayErrors).map(([status, description]) => [
      status,
      // The first is API Gateway's, the second is `npm start`'s.
      {
        description,
        content: { "application/json": { schema: gatewayMessage }, "text/plain": { schema: errorText } },
      },
    ]),
  );
  for (const endpoint of endpoints) {
    for (const [status, response] of Object.entries(writeResponses(endpoint))) {
      responses[`${endpoint.name}-${status}`] = response;
    }
    paths[toPath(endpoint)] = {
      ...(endpoint.host === "text" && { servers: [servers.text] }),
      post: writeOperation(endpoint, "POST"),
      ...(listMethods(endpoint).includes("GET") && { get: writeOperation(endpoint, "GET") }),
    };
  }
  const document = createDocument(
    {
      openapi: "3.1.0",
      info: {
        title: "Reading list",
        version: "2",
        description:
          "A list of saved pages for each user, and a text view of any page. Every endpoint accepts POST; most also accept GET.",
        license: { name: "MIT", identifier: "MIT" },
      },
      servers: [servers.main],
      tags,
      // The API key and the credentials are parameters of each call.
      security: [],
      paths,
      components: {
        headers: { ...commonHeaders, ...errorHeaders, ...retryHeaders, ...appliedHeaders, ...textViewHeaders },
        responses,
      },
    },
    {
      override: ({ jsonSchema, zodSchema }) => {
        // zod drops examples of values that it transforms.
        const shown = z.globalRegistry.get(zodSchema)?.examples;
        if (Array.isArray(shown)) jsonSchema.examples = shown;
        // Client generators treat a property with a default as required.
        delete jsonSchema.default;
        // Later versions of the service add fields.
        if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      },
    },
  );
  asJsonParameters(document.paths);
  return document;
}

/** The document as it is kept in `docs/openapi.json`. */
export const openApiText = () => `${JSON.stringify(createOpenApiDocument(), null, 2)}\n`;

if (import.meta.main) writeFileSync(new URL("../../../docs/openapi.json", import.meta.url), openApiText());
