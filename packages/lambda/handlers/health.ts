// SPDX-License-Identifier: MIT

import { createHealthHandler } from "@reading-list/http/health.ts";
import { readSettings } from "@reading-list/settings/settings.ts";
import { createDocumentClient } from "@reading-list/store-dynamodb/client.ts";
import { createSettingStore } from "@reading-list/store-dynamodb/settings.ts";
import { behindEdge, createDirectCallHandler } from "../edge.ts";
import { toLambda } from "../to-lambda.ts";

const { dynamodbEndpoint, tableName, edgeSecret, service, defaultLimits } = readSettings(process.env);
const table = { client: createDocumentClient(dynamodbEndpoint), tableName };

export const handler = toLambda(
  behindEdge(
    edgeSecret,
    createHealthHandler(createSettingStore(table, Date)),
    createDirectCallHandler({ ...service, defaultLimits, clock: Date }),
  ),
);
