// SPDX-License-Identifier: MIT

import type { Readable } from "node:stream";
import type { MiddlewareObj } from "@middy/core";
import type { ServiceError } from "@reading-list/core/errors.ts";
import type { Application } from "@reading-list/core/ports/applications.ts";
import type { CallLimits, Credentials } from "@reading-list/core/use-cases/admission/admit-call.ts";
import type { Part } from "./multipart.ts";

/** The body of a request before its form is parsed, or its fault. */
export interface RequestBody {
  form?: Buffer;
  parts?: Part[];
  json?: Record<string, unknown>;
  /** The body as it was sent, of a route that passes it on. */
  bytes?: Buffer;
  fault?: string;
  /** The fault is that the body is longer than any that the route takes. */
  isTooLong?: true;
}

/** A request, whichever server has received it. */
export interface HttpRequest {
  /** Such as `POST`. */
  method: string;
  /** As sent, percent-encoded. */
  path: string;
  /** The folder of the host that `path` is below, such as `/text`. */
  folder?: string;
  /** The query string as sent, without the question mark. */
  query: string;
  /** By names in lower case; values of the same name are joined by commas. */
  headers: Record<string, string | undefined>;
  body: Buffer;
  /** Whether the server has dropped the body while it arrived, because it is longer than `maxBodyOf` allows. */
  isBodyDropped?: boolean;
  /** The network address of the caller. */
  address: string;
  /** The id of the request in the logs of the server that has received it. */
  id: string;
  /** The id of the invocation of a Lambda function. */
  invocationId?: string | undefined;
}

export interface HttpAnswer {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
  /** A stream that replaces `body`; its length is a header. It is sent while it is read. */
  stream?: () => Readable;
  /** The body of a list, in parts that are written while they are read; the chain makes it `body`. */
  parts?: AsyncIterable<string> | undefined;
  /** Entries that the parts have at least. */
  entries?: number | undefined;
}

export interface Handler {
  (request: HttpRequest): Promise<HttpAnswer>;
  /** Bytes of the longest body of a call of this method and path: a server may drop a longer one while it arrives. */
  maxBodyOf?: (request: Pick<HttpRequest, "method" | "path">) => number;
}

/** A call in the chain; each link adds its part. */
export interface Call {
  request: HttpRequest;
  limits: CallLimits;
  /** The address of the called API of another service, as the client sees it. */
  apiAddress?: string;
  /** The route of that API, and the parameters of its path, percent-encoded. */
  route?: string;
  pathParameters?: Record<string, string>;
  /** The form of the body as text, then as fields, with numbers of `values` (`parseForm`). Present until the parameters are read. */
  body?: unknown;
  values?: Buffer[] | undefined;
  /** The parts, JSON or fault of a body other than a form. Present until the parameters are read. */
  content?: Omit<RequestBody, "form"> | undefined;
  /** As sent; absent if it could not be read. */
  apiKey?: string | undefined;
  /** As sent. Present if the call's syntax is valid and its caller is an existing user. */
  credentials?: Credentials | undefined;
  /** Why the call does not follow the interface. `admit` throws it after counting the call against its key. */
  invalid?: ServiceError;
  input?: unknown;
  application?: Application;
  /** The rest of the use case; set once the call is admitted. */
  run?: () => Promise<unknown>;
  /** The error that the call ended with. */
  error?: ServiceError;
}

/** A link of the chain. Middy calls the object that passes it the event. */
export type ChainLink = MiddlewareObj<Call, HttpAnswer>;

/** The address that the client has called. A proxy in front of the service keeps `Host`, and names the scheme. */
export function calledUrl({ headers, folder = "" }: Pick<HttpRequest, "headers" | "folder">): string {
  const [scheme = ""] = headers["x-forwarded-proto"]?.split(",", 1) ?? [];
  return `${scheme === "https" ? scheme : "http"}://${headers.host ?? "localhost"}${folder}`;
}

/** A part of the state that an earlier middleware must have set; throws if it has not, which is a bug. */
export function required<T>(value: T | undefined, part: string): T {
  if (value === undefined) throw new Error(`the chain has not set the ${part} of this call`);
  return value;
}
