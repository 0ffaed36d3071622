import type { Storage } from "./functions.ts";
import { createHttpApi, type HttpApi } from "./http-api.ts";
import type { StageSettings } from "./settings.ts";

/** The host of the text view, {text_url}. */
export function createTextApi(storage: Storage, settings: StageSettings): HttpApi {
  return createHttpApi("text", storage, settings);
}
