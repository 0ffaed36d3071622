import { readSettings } from "../compose/settings.ts";
import { createUnroutedHandler } from "../http/unrouted.ts";

export const handler = createUnroutedHandler({ ...readSettings(process.env), clock: Date });
