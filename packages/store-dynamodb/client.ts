// SPDX-License-Identifier: MIT

import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import {
  DynamoDBDocumentClient,
  GetCommand,
  type UpdateCommand,
  type UpdateCommandOutput,
} from "@aws-sdk/lib-dynamodb";
import { count, deadlineSignal } from "@reading-list/core/call-scope.ts";
import { checkClock } from "./clock-skew.ts";

/** Region and credentials for a DynamoDB on this machine, which checks neither. */
const localAccount = { region: "local", credentials: { accessKeyId: "local", secretAccessKey: "local" } };

/** Milliseconds after which the client gives up a request, and repeats it. */
export const requestTimeoutMs = 2000;

/** Removed: they take about 10 % of a command's processor time for log lines and headers that nothing reads. */
const unusedMiddlewares = ["loggerMiddleware", "recursionDetectionMiddleware", "getUserAgentMiddleware"];

/**
 * A client that retries transient errors (the SDK's backoff, 6 attempts), until the deadline of the call that it
 * serves. `endpoint` names an embedded database; without it the environment's account is used. Within a call each
 * command is counted, and each response is used to check this machine's clock: a wrong one throws `unavailable`.
 */
export function createDocumentClient(endpoint?: string): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    ...(endpoint && { endpoint, ...localAccount }),
    maxAttempts: 6,
    requestHandler: { connectionTimeout: 1000, requestTimeout: requestTimeoutMs, throwOnRequestTimeout: true },
  });
  for (const name of unusedMiddlewares) client.middlewareStack.remove(name);
  client.middlewareStack.add(
    (next) => (args) => {
      count("databaseCalls");
      return next(args);
    },
    { step: "initialize" },
  );
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { headers } = result.response as { headers: Record<string, string> };
      // An operator's command does not depend on the clock, and a service may start before its clock is set.
      if (deadlineSignal()) checkClock(headers.date);
      return result;
    },
    { step: "deserialize", priority: "low" },
  );
  const documentClient = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  const send = documentClient.send.bind(documentClient) as (command: unknown, options: object) => Promise<unknown>;
  documentClient.send = ((command: unknown, options?: object) => {
    const abortSignal = deadlineSignal();
    return send(command, { ...(abortSignal && { abortSignal }), ...options });
  }) as typeof documentClient.send;
  return documentClient;
}

/**
 * Sends a command that must not be carried out twice, such as an undo, which the client would repeat if the answer to
 * it was lost. It throws instead: the command was carried out once or not at all.
 */
export function sendOnce(client: DynamoDBDocumentClient, command: UpdateCommand): Promise<UpdateCommandOutput> {
  let wasSent = false;
  command.middlewareStack.add(
    (next) => (args) => {
      if (wasSent) throw new Error("a command may have succeeded and must not be repeated");
      wasSent = true;
      return next(args);
    },
    // Within the retries, which are in this step at a higher priority.
    { step: "finalizeRequest", priority: "low", name: "sendOnce", override: true },
  );
  return client.send(command);
}

/** The table and the client to reach it with. */
export interface Table {
  client: DynamoDBDocumentClient;
  tableName: string;
}

/** Reads a record, consistently; undefined if it does not exist. */
export async function readRecord({ client, tableName }: Table, Key: Record<string, string>) {
  const { Item } = await client.send(new GetCommand({ TableName: tableName, Key, ConsistentRead: true }));
  return Item;
}
