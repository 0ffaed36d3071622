import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import type { Endpoint } from "@reading-list/core/use-cases/use-case.ts";
import { readSettings } from "@reading-list/settings/settings.ts";
import { createDocumentClient } from "@reading-list/store-dynamodb/client.ts";
import { createStores } from "@reading-list/store-dynamodb/stores.ts";
import { createHandler } from "../http/chain.ts";
import { behindEdge } from "../http/edge.ts";
import { createRefusal } from "../http/unrouted.ts";
import { createCallLog } from "../watch/call-log.ts";
import { createDependencies, type HeavyParts } from "./dependencies.ts";

/** The settings of this Lambda function. */
export const liveSettings = readSettings(process.env);

/** The Lambda handler of one endpoint, on the account's table. */
export function composeLive<C extends EndpointContract, Result>(endpoint: Endpoint<C, Result>, parts: HeavyParts = {}) {
  const { dynamodbEndpoint, tableName, metricNamespace, edgeSecret } = liveSettings;
  const table = { client: createDocumentClient(dynamodbEndpoint), tableName };
  const clock = Date;
  const stores = createStores(table, clock, liveSettings.defaultLimits);
  const deps = createDependencies(liveSettings, stores, clock, parts);
  const handler = createHandler(deps, createCallLog({ namespace: metricNamespace }), endpoint);
  return behindEdge(edgeSecret, handler, createRefusal(deps));
}
