import { readSettings } from "@reading-list/settings/settings.ts";
import { createDocumentClient } from "@reading-list/store-dynamodb/client.ts";
import { createSettingStore } from "@reading-list/store-dynamodb/settings.ts";
import { toLambda } from "../compose/lambda.ts";
import { behindEdge, createDirectCallHandler } from "../http/edge.ts";
import { createHealthHandler } from "../http/health.ts";

const { dynamodbEndpoint, tableName, edgeSecret, ...settings } = readSettings(process.env);
const table = { client: createDocumentClient(dynamodbEndpoint), tableName };

export const handler = toLambda(
  behindEdge(
    edgeSecret,
    createHealthHandler(createSettingStore(table, Date)),
    createDirectCallHandler({ ...settings, clock: Date }),
  ),
);
