// SPDX-License-Identifier: MIT

import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

type Send<Answer> = (command: unknown) => Promise<Answer>;

/** Passes each command to a database through `intercept`, which may send it. */
export function interceptCommands<Answer>(
  client: DynamoDBDocumentClient,
  intercept: (command: unknown, send: Send<Answer>) => Promise<unknown>,
): DynamoDBDocumentClient {
  const send = client.send.bind(client) as Send<Answer>;
  client.send = ((command: unknown) => intercept(command, send)) as typeof client.send;
  return client;
}
