import type { MiddlewareObj } from "@middy/core";
import type { ServiceError } from "@reading-list/core/errors.ts";
import type { Application, User } from "@reading-list/core/ports.ts";
import type { CallLimits } from "@reading-list/core/use-cases/admit-call.ts";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";

/** What the chain learns of a call on its way in; each middleware adds its part. */
export interface CallState {
  limits: CallLimits;
  /** The parameters as sent, where they could be read. */
  parameters: Record<string, string>;
  /** Why the call does not follow the interface; it still counts against its key before it is refused. */
  invalid?: Error;
  input?: unknown;
  application?: Application;
  user?: User | undefined;
  ahead?: unknown;
  /** What the call was refused or has failed with. */
  error?: ServiceError;
}

export type HttpRequest = APIGatewayProxyEventV2;
export type HttpAnswer = APIGatewayProxyStructuredResultV2 & { headers: Record<string, string> };
export type CallContext = Context & { call: CallState };
export type EndpointHandler = (event: HttpRequest, context: Context) => Promise<HttpAnswer>;
export type ChainLink = MiddlewareObj<HttpRequest, HttpAnswer, Error, CallContext>;

/** A part of a call that an earlier link has set; a missing one is a bug. */
export function settled<T>(value: T | undefined, part: string): T {
  if (value === undefined) throw new Error(`the chain has not settled the ${part} of this call`);
  return value;
}
