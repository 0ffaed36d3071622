import type { Storage } from "./functions.ts";
import { createHttpApi, type HttpApi } from "./http-api.ts";
import type { StageSettings } from "./settings.ts";

/** The main host, {base_url}. */
export function createMainApi(storage: Storage, settings: StageSettings): HttpApi {
  return createHttpApi("main", storage, settings);
}
