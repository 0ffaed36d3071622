import type { Storage } from "./functions.ts";
import { createHttpApi } from "./http-api.ts";
import type { StageSettings } from "./settings.ts";

/** The main host, {base_url}. */
export function createMainApi(storage: Storage, settings: StageSettings): sst.aws.ApiGatewayV2 {
  return createHttpApi("main", storage, settings);
}
