import { composeLive } from "../compose/live.ts";
import { createPasswordHasher } from "../compose/password-hasher.ts";
import { endpoint } from "../endpoints/send.ts";

export const handler = composeLive(endpoint, { passwords: createPasswordHasher() });
