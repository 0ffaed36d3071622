import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import { createSystemClock } from "@reading-list/core/system-clock.ts";
import { createDocumentClient } from "@reading-list/store/client.ts";
import { createHandler, type Endpoint } from "../http/chain.ts";
import { createDependencies, type HeavyParts } from "./dependencies.ts";
import { createLiveReport } from "./live-report.ts";
import { readSettings } from "./settings.ts";

/** The settings of this Lambda function. */
export const liveSettings = readSettings(process.env);

/** The Lambda handler of one endpoint, on the account's table. */
export function composeLive<C extends EndpointContract, Result>(endpoint: Endpoint<C, Result>, parts: HeavyParts = {}) {
  const { dynamodbEndpoint, tableName, metricNamespace } = liveSettings;
  const table = { client: createDocumentClient(dynamodbEndpoint), tableName };
  const deps = createDependencies(liveSettings, table, createSystemClock(), parts);
  return createHandler(deps, createLiveReport(metricNamespace), endpoint);
}
