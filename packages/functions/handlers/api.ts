import { composeLive } from "../compose/live.ts";
import { endpoint } from "../endpoints/api.ts";

export const handler = composeLive(endpoint);
