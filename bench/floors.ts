import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { createDocumentClient } from "@reading-list/store/client.ts";
import { userKey } from "@reading-list/store/keys.ts";
import { type Account, formOf } from "./client.ts";
import type { Extent } from "./extent.ts";
import { measureLoad } from "./load.ts";
import { type Rate, rateOf } from "./rate.ts";
import type { Stack } from "./stack.ts";

/** The gateway with an empty handler, which is called with the parameters of `auth`. */
export function measureEmptyGateway(
  { emptyGatewayUrl, service }: Stack,
  connections: number,
  account: Account,
  extent: Extent,
): Promise<Rate> {
  const form = formOf(service.apiKey, { ...account });
  const isRight = (body: string) => body === "200 OK";
  return measureLoad({ url: `${emptyGatewayUrl}/v2/auth`, connections, nextForm: () => form, isRight }, extent);
}

/** One read of a user's record, by as many callers as there are connections, from this process. */
export async function measureGetItem(
  { databaseEndpoint, tableName }: Stack,
  connections: number,
  { username }: Account,
  { warmUpSeconds, seconds }: Extent,
): Promise<Rate> {
  const client = createDocumentClient(databaseEndpoint);
  const latencies: number[] = [];
  const countedFrom = performance.now() + 1000 * warmUpSeconds;
  const end = countedFrom + 1000 * seconds;
  let endedAt = countedFrom;
  const readOn = async () => {
    while (endedAt < end) {
      const start = performance.now();
      const command = new GetCommand({ TableName: tableName, Key: userKey(username), ConsistentRead: true });
      const { Item } = await client.send(command);
      if (Item?.username !== username) throw new Error(`the record of ${username} was not found`);
      endedAt = performance.now();
      if (endedAt >= countedFrom) latencies.push(endedAt - start);
    }
  };
  await Promise.all(Array.from({ length: connections }, readOn));
  client.destroy();
  return rateOf(latencies, endedAt - countedFrom);
}
