import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { walkPartition } from "@reading-list/store/batches.ts";
import { createDocumentClient } from "@reading-list/store/client.ts";
import { itemPrefix, userKey } from "@reading-list/store/keys.ts";

/** Reads all items of the user named by the path, only with the database client; answers their number. */
const table = {
  client: createDocumentClient(process.env.DYNAMODB_ENDPOINT),
  tableName: process.env.TABLE_NAME ?? "",
};
const server = createServer(async ({ url = "" }, response) => {
  const records: object[] = [];
  for await (const page of walkPartition(table, userKey(url.slice(1)).pk, itemPrefix)) records.push(...page);
  response.end(String(records.length));
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
