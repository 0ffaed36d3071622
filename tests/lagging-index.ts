import { setTimeout as pause } from "node:timers/promises";
import { type DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { interceptCommands } from "./intercept-commands.ts";

/**
 * A database client whose commands take their time, so that those of concurrent calls interleave, and whose index lags:
 * a query of it that does not ask for a consistent read sees nothing of what was written since the client was made.
 */
export function withLaggingIndex(client: DynamoDBDocumentClient, random: () => number): DynamoDBDocumentClient {
  return interceptCommands(client, async (command, send) => {
    await pause(random() * 4);
    if (command instanceof QueryCommand && command.input.IndexName && !command.input.ConsistentRead)
      return { Items: [] };
    const answer = await send(command);
    await pause(random() * 4);
    return answer;
  });
}
