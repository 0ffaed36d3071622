import { createHttpApi } from "./http-api.ts";
import type { StageSettings } from "./settings.ts";

/** The main host, {base_url}. */
export function createMainApi(table: sst.aws.Dynamo, settings: StageSettings): sst.aws.ApiGatewayV2 {
  return createHttpApi("main", table, settings);
}
