import { composeLive } from "../compose/live.ts";
import { createPasswordHasher } from "../compose/password-hasher.ts";
import { endpoint } from "../endpoints/auth.ts";

export const handler = composeLive(endpoint, { passwords: createPasswordHasher() });
