// SPDX-License-Identifier: MIT

import type { Scope } from "../domain/sign-in.ts";
import type * as z from "./bounded.ts";
import { describeBound, limitBody, shortBody } from "./bounded.ts";
import { apiKey, password, username } from "./fields.ts";

/**
 * Describes one endpoint. Validation, routes, OpenAPI document and tests derive from it.
 */
export interface EndpointContract {
  name: string;
  /** Its section in docs/api.md. */
  section: string;
  /** A few words for the OpenAPI document. */
  summary: string;
  /** A description in Markdown, for the OpenAPI document. */
  description: string;
  /** The group of the endpoint in the OpenAPI document. */
  tag: "list" | "account" | "text" | "limits";
  /** `main` is {base_url}, `text` is {text_url}. */
  host: "main" | "text";
  /** Caller of an endpoint: only the application, a user whose password is verified, or a user to be created. */
  caller: "application" | "user" | "new-user";
  /** Its use of the user's account, which app passwords cannot manage; it decides the permissions of its function. */
  account?: "signIns" | "password" | "deletion" | "operator";
  /** New endpoints accept only POST, because browsers, proxies and logs store a password in a URL. */
  methods?: readonly ["POST"];
  /**
   * Whether its calls change the list or the account: all, none, or the calls with one of some parameters. Saving a
   * copy by reading an article is not a change.
   */
  changes: boolean | readonly string[];
  /**
   * Whether its calls add data, which a full disk refuses: all, none, or the calls with one of some parameters.
   * Sign-ins do not add data. Reading an article does not either: on a full disk it is returned, but not saved.
   */
  adds: boolean | readonly string[];
  /** Its use of the user's list, which decides the permissions of its function; `change` may delete. */
  list?:
    | "read"
    | "readWhole"
    | "add"
    | "change"
    | "readAndChange"
    | "trash"
    | "highlights"
    | "search"
    | "kept"
    | "share";
  /** Its use of kept articles, which decides the permissions of its function. */
  articles?: "read" | "keep" | "delete" | "deleteAll";
  /**
   * Its use of the pictures of kept articles, which decides the permissions of its function; an endpoint that deletes
   * articles also deletes their pictures. `address` saves pictures and shows their addresses, like `keep`, but does not
   * read pictures.
   */
  pictures?: "keep" | "address" | "show" | "count" | "delete" | "deleteAll";
  /** Its use of the highlights of an item, which decides the permissions of its function. */
  highlights?: "read";
  /** Whether a call counts against the rate limits. */
  counted: boolean;
  /**
   * Body of a success: the status line (`200 OK`), fields as JSON or XML (with `orStatus` for some calls the status
   * line), a fragment of HTML, or a book. `namesApplied`: `X-Applied` names the parameters with entries that were applied.
   */
  answer:
    | { kind: "status"; namesApplied?: true }
    | { kind: "fields"; fields: z.ZodObject; orStatus?: boolean }
    | { kind: "html"; book?: true };
  input: z.ZodObject;
  /** The schema of an entry in the JSON of a parameter, by the name of the parameter. */
  entries?: Record<string, z.ZodType>;
  example: EndpointExample;
}

/**
 * A call that succeeds, and a mistake: the OpenAPI document shows them, and tests and benches of all endpoints make
 * them. The list of the user has the pages of the examples of `add` and `send`.
 */
export interface EndpointExample {
  /** Without the key and the credentials. A value other than a string is sent as JSON. */
  parameters: Record<string, unknown>;
  /** Changes of `parameters` that make the call invalid, and its `X-Error`. */
  mistake: { change: Record<string, unknown>; error: string };
  /** The answer of kind `fields` as JSON, and as XML. */
  json?: unknown;
  xml?: string;
  /** The answer of kind `html`. */
  html?: string;
}

/** Methods of the published endpoints (docs/api.md 1.1). */
export const methods = ["GET", "POST"] as const;

/** The methods of an endpoint. */
export const listMethods = (endpoint: {
  name: string;
  methods?: EndpointContract["methods"];
}): readonly (typeof methods)[number][] => endpoint.methods ?? methods;

/** The scope that a sign-in needs for a call of an endpoint (docs/api.md 5.2). */
export const chooseScope = ({ changes }: Pick<EndpointContract, "changes">, input: object): Scope =>
  includesCall(changes, input, [undefined]) ? "full" : "read";

/** Whether a call of an endpoint adds data (docs/api.md 7.3). */
export const addsData = ({ adds }: Pick<EndpointContract, "adds">, input: object): boolean =>
  includesCall(adds, input, [undefined, false]);

const includesCall = (calls: boolean | readonly string[], input: object, absent: readonly unknown[]): boolean =>
  typeof calls === "boolean" ? calls : calls.some((name) => !absent.includes(Object(input)[name]));

/** Bytes of the longest body of a call of an endpoint. With GET its fields are in the URL. */
export const bodyLimit = ({ name, input }: Pick<EndpointContract, "name" | "input">, method: string): number =>
  method === "POST" ? limitBody(describeBound(input, name)) : shortBody;

/** Every path begins with the version (docs/api.md 10). */
export const toPath = (endpoint: { name: string }) => `/v2/${endpoint.name}`;

/** Parameters of every call by an application without a user. */
export const applicationFields = { apikey: apiKey };

/** Parameters of every call by a user. */
export const userFields = { apikey: apiKey, username, password };
