import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { count } from "@reading-list/core/tally.ts";

/** What a DynamoDB embedded on this machine asks for in place of an account. */
const localAccount = { region: "local", credentials: { accessKeyId: "local", secretAccessKey: "local" } };

/**
 * A client with bounded patience: a database that does not answer becomes an error of ours in seconds, not a call that
 * hangs. `endpoint` names an embedded database; without it the environment's account is used. Each command is counted for
 * the call that it serves.
 */
export function createDocumentClient(endpoint?: string): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    ...(endpoint && { endpoint, ...localAccount }),
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true },
  });
  client.middlewareStack.add(
    (next) => (args) => {
      count("databaseCalls");
      return next(args);
    },
    { step: "initialize" },
  );
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}

/** Where the service's records are. */
export interface Table {
  client: DynamoDBDocumentClient;
  tableName: string;
}
