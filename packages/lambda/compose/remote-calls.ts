// SPDX-License-Identifier: MIT

import { promisify } from "node:util";
import { brotliCompress, brotliDecompress, constants } from "node:zlib";
import { InvokeCommand, LambdaClient, TooManyRequestsException } from "@aws-sdk/client-lambda";
import { emptyTally, findRequestId, runCall } from "@reading-list/core/call-scope.ts";
import { type ErrorCode, type ErrorKind, ServiceError } from "@reading-list/core/errors.ts";
import { asServiceError } from "@reading-list/http/errors.ts";
import { logFailure, logWork } from "@reading-list/http/watch/call-log.ts";
import type { InnerFunction } from "@reading-list/http/watch/metric-names.ts";
import { liveSettings } from "./live.ts";

/** A port in another function: its methods are called with values that JSON has, bytes, and maps. */
type Methods<Port> = { [Name in keyof Port]: (...args: never[]) => Promise<unknown> };
type Arguments<Port extends Methods<Port>, Name extends keyof Port> = Parameters<Port[Name]>;
type Result<Port extends Methods<Port>, Name extends keyof Port> = Awaited<ReturnType<Port[Name]>>;

/** The event of such a function: a method and its arguments. */
type RemoteCall<Port extends Methods<Port>> = {
  [Name in keyof Port]: [method: Name, ...args: Arguments<Port, Name>];
}[keyof Port];

/** The result of a call, or the error to throw. */
type RemoteAnswer =
  | { value: unknown }
  | { error: { kind: ErrorKind; message: string; code?: ErrorCode; retryAfter?: number; isTemporary?: boolean } };

/** A value in an event or an answer of Lambda, which have 6 MB each: 4 MB of HTML as JSON may be longer. */
interface Packed {
  packed: string;
  /** The id of the call for which the function works. */
  requestId?: string | undefined;
}

/** The longest reading of a page, and a book, end in 25 s; the answer of this call must come within 29 s. */
const timeoutMs = 28_000;

const [compress, decompress] = [promisify(brotliCompress), promisify(brotliDecompress)];
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
/** Bytes of a value: more than the longest articles of a book. */
const maxLength = 100_000_000;

/** Writes bytes and maps, which JSON has not. `this` has a buffer that has not been written as JSON yet. */
function replace(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const given = this[key];
  if (given instanceof Uint8Array) return { $bytes: Buffer.from(given).toString("base64") };
  if (given instanceof Map) return { $entries: [...given] };
  return value;
}

function revive(_: string, value: unknown): unknown {
  const { $bytes, $entries } = (value ?? {}) as { $bytes?: string; $entries?: [unknown, unknown][] };
  if ($bytes !== undefined) return Buffer.from($bytes, "base64");
  return $entries === undefined ? value : new Map($entries);
}

const pack = async (value: unknown): Promise<Packed> => ({
  packed: (await compress(JSON.stringify(value, replace), brotliOptions)).toString("base64"),
});

/** Throws if the value is damaged or exceeds 100 MB. */
const unpack = async <Value>({ packed }: Packed): Promise<Value> =>
  JSON.parse(String(await decompress(Buffer.from(packed, "base64"), { maxOutputLength: maxLength })), revive);

/**
 * Calls the methods of a port in another function of the stage, of this ARN. `busy` makes the error of a call for which
 * Lambda has no execution free.
 */
export function createRemoteCalls<Port extends Methods<Port>>(
  functionArn: string,
  busy: (cause: unknown) => ServiceError,
) {
  const client = new LambdaClient({
    // Another attempt would exceed the time of this call.
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 1000, requestTimeout: timeoutMs, throwOnRequestTimeout: true },
  });
  return async <Name extends keyof Port>(method: Name, ...args: Arguments<Port, Name>): Promise<Result<Port, Name>> => {
    const Payload = JSON.stringify({ ...(await pack([method, ...args])), requestId: findRequestId() });
    const { Payload: answered, FunctionError } = await client
      .send(new InvokeCommand({ FunctionName: functionArn, Payload }))
      .catch((error) => {
        throw error instanceof TooManyRequestsException ? busy(error) : error;
      });
    if (FunctionError !== undefined || !answered) throw parseFailure(functionArn, answered);
    const answer = await unpack<RemoteAnswer>(JSON.parse(Buffer.from(answered).toString()));
    if ("value" in answer) return answer.value as Result<Port, Name>;
    const { kind, message, ...options } = answer.error;
    throw new ServiceError(kind, message, options);
  };
}

/** The error of a function that ended without an answer. The log of the caller names the function and its error by `code`. */
function parseFailure(functionArn: string, answered: Uint8Array | undefined): Error {
  const { errorType = "Unhandled" } = JSON.parse(Buffer.from(answered ?? "").toString() || "{}");
  const [, name = "function"] = /-(\w+)(:\w+)?$/.exec(functionArn) ?? [];
  const code = `${name}_${errorType}`.replace(/\W/g, "_").toUpperCase().slice(0, 40);
  return Object.assign(new Error(`${functionArn} failed: ${errorType}`), { code });
}

/** The handler of a function that has a port for others; `name` identifies its failures and counts. */
export const serveRemoteCalls =
  <Port extends Methods<Port>>(port: Port, name: InnerFunction) =>
  async (event: Packed): Promise<Packed> => {
    const { requestId } = event;
    const [method, ...args] = await unpack<RemoteCall<Port>>(event);
    const tally = emptyTally();
    const answered = await runCall(
      tally,
      () => answer(() => port[method](...(args as never[])), name, requestId),
      timeoutMs,
      requestId,
    );
    if (Object.values(tally).some(Boolean)) logWork(name, { tally }, liveSettings.metricNamespace, { requestId });
    return pack(answered);
  };

async function answer(
  call: () => Promise<unknown>,
  name: InnerFunction,
  requestId: string | undefined,
): Promise<RemoteAnswer> {
  try {
    return { value: await call() };
  } catch (thrown) {
    const error = asServiceError(thrown);
    // The failures of the caller do not show which of the two functions fails.
    if (error.kind === "unavailable") logFailure(name, error, liveSettings.metricNamespace, { requestId });
    const { kind, message, code, retryAfter, isTemporary } = error;
    return { error: { kind, message, code, isTemporary, ...(retryAfter !== undefined && { retryAfter }) } };
  }
}
