import { readSettings } from "@reading-list/settings/settings.ts";
import { createDocumentClient } from "@reading-list/store-dynamodb/client.ts";
import { createStores } from "@reading-list/store-dynamodb/stores.ts";
import { behindEdge } from "../http/edge.ts";
import { createHealthHandler } from "../http/health.ts";
import { createRefusal } from "../http/unrouted.ts";

const { dynamodbEndpoint, tableName, edgeSecret, ...settings } = readSettings(process.env);
const stores = createStores(
  { client: createDocumentClient(dynamodbEndpoint), tableName },
  Date,
  settings.defaultLimits,
);

export const handler = behindEdge(
  edgeSecret,
  createHealthHandler(stores.settings),
  createRefusal({ ...settings, clock: Date }),
);
