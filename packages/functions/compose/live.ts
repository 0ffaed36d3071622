import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import type { Dependencies } from "@reading-list/core/ports.ts";
import type { Endpoint } from "@reading-list/core/use-cases/use-case.ts";
import { readSettings } from "@reading-list/settings/settings.ts";
import { createDocumentClient } from "@reading-list/store-dynamodb/client.ts";
import { createStores } from "@reading-list/store-dynamodb/stores.ts";
import { type Api, createApiHandler } from "../http/api.ts";
import type { Handler } from "../http/call.ts";
import { createHandler } from "../http/chain.ts";
import { behindEdge, refuseDirectCall } from "../http/edge.ts";
import { createCallLog } from "../watch/call-log.ts";
import { type Report, watchCalls } from "../watch/watch-calls.ts";
import { createDependencies, type LiveParts } from "./dependencies.ts";
import { toLambda } from "./lambda.ts";

/** The settings of this Lambda function. */
export const liveSettings = readSettings(process.env);

/** The Lambda handler of one endpoint, on the account's table. */
export const composeLive = <C extends EndpointContract, Result>(endpoint: Endpoint<C, Result>, parts: LiveParts = {}) =>
  compose(endpoint.contract, (deps, report) => createHandler(deps, report, endpoint), parts);

/** The Lambda handler of an API of another service, on the account's table. */
export const composeLiveApi = (api: Api, parts: LiveParts) =>
  compose(api.contract, (deps, report) => createApiHandler(deps, report, api), parts);

function compose(
  contract: { name: string },
  createOn: (deps: Dependencies, report: Report) => Handler,
  parts: LiveParts,
) {
  const { dynamodbEndpoint, tableName, metricNamespace, edgeSecret } = liveSettings;
  const table = { client: createDocumentClient(dynamodbEndpoint), tableName };
  const clock = Date;
  const stores = createStores(table, clock, liveSettings.defaultLimits);
  const deps = createDependencies(liveSettings, stores, clock, {
    ...parts,
    articles: parts.articles?.(table),
  });
  const report = createCallLog({ namespace: metricNamespace });
  const refused = watchCalls(contract, deps, refuseDirectCall, report);
  return toLambda(behindEdge(edgeSecret, createOn(deps, report), refused));
}
