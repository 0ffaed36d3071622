// SPDX-License-Identifier: MIT

import type { Handler } from "@reading-list/http/call.ts";
import { createHealthHandler } from "@reading-list/http/health.ts";
import { answerProbe } from "@reading-list/http/probe-page.ts";
import { readSettings } from "@reading-list/settings/settings.ts";
import { createDocumentClient } from "@reading-list/store-dynamodb/client.ts";
import { createSettingStore } from "@reading-list/store-dynamodb/settings.ts";
import { behindEdge, createDirectCallHandler } from "../edge.ts";
import { toLambda } from "../to-lambda.ts";

const { dynamodbEndpoint, tableName, edgeSecret, service, defaultLimits } = readSettings(process.env);
const table = { client: createDocumentClient(dynamodbEndpoint), tableName };

const health = createHealthHandler(createSettingStore(table, Date));
const healthOrProbe: Handler = async ({ path }) => answerProbe(path) ?? health();

export const handler = toLambda(
  behindEdge(edgeSecret, healthOrProbe, createDirectCallHandler({ ...service, defaultLimits, clock: Date })),
);
