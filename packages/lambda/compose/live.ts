// SPDX-License-Identifier: MIT

import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import type { Endpoint } from "@reading-list/core/use-cases/use-case.ts";
import { type Api, createApiHandler } from "@reading-list/http/api.ts";
import type { Handler } from "@reading-list/http/call.ts";
import { createHandler } from "@reading-list/http/chain.ts";
import {
  createDependencies,
  type HeavyParts,
  type LightParts,
  type OptionalParts,
} from "@reading-list/http/compose/dependencies.ts";
import { createCallLog } from "@reading-list/http/watch/call-log.ts";
import { type Report, watchCalls } from "@reading-list/http/watch/watch-calls.ts";
import { readSettings } from "@reading-list/settings/settings.ts";
import { createDocumentClient, type Table } from "@reading-list/store-dynamodb/client.ts";
import { createStores } from "@reading-list/store-dynamodb/stores.ts";
import { behindEdge, refuseDirectCall } from "../edge.ts";
import { toLambda } from "../to-lambda.ts";

/** The settings of this Lambda function. */
export const liveSettings = readSettings(process.env);

/** The address of the text host of a deployed stage; undefined if the function does not name it. */
// bounded: a setting of the stage
export const liveTextUrl: string | undefined = liveSettings.textHostUrl?.replace(/\/+$/, "");

let table: Table | undefined;

/** The account's table: one client for all parts of this function. */
export const liveTable = (): Table =>
  (table ??= { client: createDocumentClient(liveSettings.dynamodbEndpoint), tableName: liveSettings.tableName });

/** The Lambda handler of one endpoint, on the account's table. The parts are the ones that its contract grants. */
export const composeLive = <C extends EndpointContract, Result, Parts extends Partial<HeavyParts>>(
  endpoint: Endpoint<C, Result, LightParts & Parts>,
  parts: Parts,
) => composeLiveHandler(endpoint.contract, parts, (deps, report) => createHandler(deps, report, endpoint));

/** The Lambda handler of an API of another service, on the account's table. */
export const composeLiveApi = <Parts extends Partial<HeavyParts>>(api: Api<LightParts & Parts>, parts: Parts) =>
  composeLiveHandler(api.contract, parts, (deps, report) => createApiHandler(deps, report, api));

/** The Lambda handler that `createOn` makes of dependencies on the account's table, behind CloudFront if there is one. */
export function composeLiveHandler<Parts extends Partial<HeavyParts & OptionalParts>>(
  contract: { name: string },
  parts: Parts,
  createOn: (deps: LightParts & Parts, report: Report) => Handler,
) {
  const { metricNamespace, edgeSecret } = liveSettings;
  const clock = Date;
  const stores = createStores(liveTable(), clock, liveSettings.defaultLimits);
  const deps = createDependencies(liveSettings, stores, clock, parts);
  const report = createCallLog({ namespace: metricNamespace });
  const refused = watchCalls(contract, deps, refuseDirectCall, report);
  return toLambda(behindEdge(edgeSecret, createOn(deps, report), refused));
}
