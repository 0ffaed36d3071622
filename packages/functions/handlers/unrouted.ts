import { readSettings } from "@reading-list/settings/settings.ts";
import { toLambda } from "../compose/lambda.ts";
import { behindEdge, createDirectCallHandler } from "../http/edge.ts";
import { createUnroutedHandler } from "../http/unrouted.ts";

const { apiHost, edgeSecret, ...settings } = readSettings(process.env);
const deps = { ...settings, clock: Date };

export const handler = toLambda(
  behindEdge(edgeSecret, createUnroutedHandler(deps, apiHost), createDirectCallHandler(deps)),
);
