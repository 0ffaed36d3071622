// SPDX-License-Identifier: MIT

import { InvokeCommand, LambdaClient, TooManyRequestsException } from "@aws-sdk/client-lambda";
import { ServiceError } from "@reading-list/core/errors.ts";
import type { PageReader } from "@reading-list/core/ports.ts";
import { pack, type ReaderAnswer, type ReaderCall, unpack } from "./reader-calls.ts";

/** The longest reading of a page, and a book, end in 25 s; the answer of this call must come within 29 s. */
const timeoutMs = 28_000;

const busy = (cause: unknown) =>
  new ServiceError("unavailable", "too many pages are being read at once; try again", { retryAfter: 2, cause });

/** A page reader in another function, named by its ARN. It has no right on the table, and no secret. */
export function createRemoteReader(functionArn: string): PageReader {
  const client = new LambdaClient({
    // Another attempt would exceed the time of this call.
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 1000, requestTimeout: timeoutMs, throwOnRequestTimeout: true },
  });
  const call = async (...given: ReaderCall) => {
    const Payload = JSON.stringify(await pack(given));
    const { Payload: answered, FunctionError } = await client
      .send(new InvokeCommand({ FunctionName: functionArn, Payload }))
      .catch((error) => {
        throw error instanceof TooManyRequestsException ? busy(error) : error;
      });
    if (FunctionError !== undefined || !answered) throw new Error(`the extraction function failed: ${FunctionError}`);
    const answer = await unpack<ReaderAnswer>(JSON.parse(Buffer.from(answered).toString()));
    if ("value" in answer) return answer.value;
    const { kind, message, ...options } = answer.error;
    throw new ServiceError(kind, message, options);
  };
  return {
    read: async (...args) => (await call("read", ...args)) as Awaited<ReturnType<PageReader["read"]>>,
    readArticle: async (...args) =>
      (await call("readArticle", ...args)) as Awaited<ReturnType<PageReader["readArticle"]>>,
    book: async (...args) => Buffer.from(String(await call("book", ...args)), "base64"),
  };
}
