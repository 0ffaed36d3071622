import type { MiddlewareObj } from "@middy/core";
import type { ServiceError } from "@reading-list/core/errors.ts";
import type { Application } from "@reading-list/core/ports.ts";
import type { CallLimits, Credentials } from "@reading-list/core/use-cases/admit-call.ts";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import type { Part } from "./multipart.ts";

/** The body of a request before its form is parsed, or what is wrong with it. */
export interface RequestBody {
  form?: Buffer;
  parts?: Part[];
  json?: Record<string, unknown>;
  fault?: string;
}

/** State of a call in the chain; each link adds its part. */
export interface CallState {
  limits: CallLimits;
  /** The route of an API of another service that was called. */
  route?: string;
  /** Present until the parameters are read. */
  body?: Omit<RequestBody, "form">;
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

export type HttpRequest = APIGatewayProxyEventV2;
export type HttpAnswer = APIGatewayProxyStructuredResultV2 & {
  statusCode: number;
  headers: Record<string, string>;
  /** The body of a list, in parts that are written while they are read; the chain makes it `body`. */
  parts?: AsyncIterable<string>;
  /** Entries that the parts have at least. */
  entries?: number;
};
/** Of Lambda's context it reads the id of the request alone. */
export type EndpointHandler = (event: HttpRequest, context: Pick<Context, "awsRequestId">) => Promise<HttpAnswer>;

export type CallContext = Context & { call: CallState };
export type ChainLink = MiddlewareObj<HttpRequest, HttpAnswer, Error, CallContext>;

/** A part of the state that an earlier middleware must have set; throws if it has not, which is a bug. */
export function required<T>(value: T | undefined, part: string): T {
  if (value === undefined) throw new Error(`the chain has not set the ${part} of this call`);
  return value;
}
