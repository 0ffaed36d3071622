// SPDX-License-Identifier: MIT

import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { createUnroutedHandler } from "@reading-list/http/unrouted.ts";
import { readSettings } from "@reading-list/settings/settings.ts";
import { behindEdge, createDirectCallHandler } from "../edge.ts";
import { toLambda } from "../to-lambda.ts";

const { apiHost, edgeSecret, ...settings } = readSettings(process.env);
const deps = { ...settings, ...settings.service, clock: Date };

export const handler = toLambda(
  behindEdge(edgeSecret, createUnroutedHandler(deps, apiHost, endpoints), createDirectCallHandler(deps)),
);
