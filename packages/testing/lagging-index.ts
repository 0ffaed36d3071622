// SPDX-License-Identifier: MIT

import { setTimeout as pause } from "node:timers/promises";
import { type DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { interceptCommands } from "./intercept-commands.ts";

/**
 * A database client with random delays, so that commands of concurrent calls interleave, and a lagging index: an
 * eventually consistent query returns nothing that was written since the client was created.
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
