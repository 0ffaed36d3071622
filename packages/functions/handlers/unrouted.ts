import { readSettings } from "../compose/settings.ts";
import { createUnroutedHandler } from "../http/unrouted.ts";

const { apiHost, ...settings } = readSettings(process.env);

export const handler = createUnroutedHandler({ ...settings, clock: Date }, apiHost);
