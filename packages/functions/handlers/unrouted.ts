import { composeUnrouted } from "../compose/live.ts";

export const handler = composeUnrouted();
