// SPDX-License-Identifier: MIT

import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";

/** The event of the indexing function. */
export interface IndexingCall {
  username: string;
  /** Only if an index is stored already, which may have words that were deleted. */
  onlyIfStored?: boolean;
}

/** Asks the indexing function, named by its ARN, to store the search index of a user. Lambda repeats a call that fails. */
export function createRemoteIndexing(functionArn: string): (call: IndexingCall) => Promise<void> {
  const client = new LambdaClient({
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true },
  });
  return async (call) => {
    const Payload = JSON.stringify(call);
    await client.send(new InvokeCommand({ FunctionName: functionArn, InvocationType: "Event", Payload }));
  };
}
