import { composeLive } from "../compose/live.ts";
import { createPasswordHasher } from "../compose/password-hasher.ts";
import { endpoint } from "../endpoints/stats.ts";

export const handler = composeLive(endpoint, { passwords: createPasswordHasher() });
