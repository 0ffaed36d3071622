import { methods } from "./endpoint.ts";

/** Headers of every response (spec section 7), by what they tell. */
export const statusHeader = "Status";
export const errorHeader = "X-Error";
export const limitHeaders = {
  user: { limit: "X-Limit-User-Limit", remaining: "X-Limit-User-Remaining", reset: "X-Limit-User-Reset" },
  key: { limit: "X-Limit-Key-Limit", remaining: "X-Limit-Key-Remaining", reset: "X-Limit-Key-Reset" },
} as const;

/** Headers of a text view (spec section 4.7 and the contract). */
export const textHeaders = {
  title: "X-Title",
  loginFound: "X-Login-Found",
  next: "X-Next",
  resolved: "X-Resolved",
  cache: "X-Cache",
} as const;

/** What scripts of other origins may read; both gateways allow it from this list. */
const exposedHeaders: readonly string[] = [
  statusHeader,
  errorHeader,
  "Retry-After",
  ...Object.values(limitHeaders.user),
  ...Object.values(limitHeaders.key),
  ...Object.values(textHeaders),
];

/** Which scripts of other origins may call (contract, "Requests"); both gateways are set up from this. */
export const cors = {
  origins: ["*"],
  methods,
  requestHeaders: ["*"],
  exposedHeaders,
  maxAgeSeconds: 86_400,
} as const;
