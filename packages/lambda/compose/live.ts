import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import type { ArticleStore, Dependencies } from "@reading-list/core/ports.ts";
import type { Endpoint } from "@reading-list/core/use-cases/use-case.ts";
import { type Api, createApiHandler } from "@reading-list/http/api.ts";
import type { Handler } from "@reading-list/http/call.ts";
import { createHandler } from "@reading-list/http/chain.ts";
import { createDependencies, type HeavyParts } from "@reading-list/http/compose/dependencies.ts";
import { createCallLog } from "@reading-list/http/watch/call-log.ts";
import { type Report, watchCalls } from "@reading-list/http/watch/watch-calls.ts";
import { readSettings } from "@reading-list/settings/settings.ts";
import { createDocumentClient, type Table } from "@reading-list/store-dynamodb/client.ts";
import { createStores } from "@reading-list/store-dynamodb/stores.ts";
import { behindEdge, refuseDirectCall } from "../edge.ts";
import { toLambda } from "../to-lambda.ts";

/** Large parts of a function on the account's table. */
export interface LiveParts extends Omit<HeavyParts, "articles"> {
  articles?: (table: Table) => ArticleStore;
}

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
