import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { deadlineSignal } from "@reading-list/core/patience.ts";
import { count } from "@reading-list/core/tally.ts";

/** What a DynamoDB embedded on this machine asks for in place of an account. */
const localAccount = { region: "local", credentials: { accessKeyId: "local", secretAccessKey: "local" } };

/**
 * A client that tries again, after pauses of random and growing length, what failed in passing, until the deadline of the
 * call that it serves; outside of a call, some times. `endpoint` names an embedded database; without it the environment's
 * account is used. Each command is counted for its call.
 */
export function createDocumentClient(endpoint?: string): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    ...(endpoint && { endpoint, ...localAccount }),
    maxAttempts: 6,
    requestHandler: { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true },
  });
  client.middlewareStack.add(
    (next) => (args) => {
      count("databaseCalls");
      return next(args);
    },
    { step: "initialize" },
  );
  const documentClient = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  const send = documentClient.send.bind(documentClient) as (command: unknown, options: object) => Promise<unknown>;
  documentClient.send = ((command: unknown, options?: object) => {
    const abortSignal = deadlineSignal();
    return send(command, { ...(abortSignal && { abortSignal }), ...options });
  }) as typeof documentClient.send;
  return documentClient;
}

/** Where the service's records are. */
export interface Table {
  client: DynamoDBDocumentClient;
  tableName: string;
}
