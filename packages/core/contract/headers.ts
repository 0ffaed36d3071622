// SPDX-License-Identifier: MIT

import { methods } from "./endpoint.ts";

/** Headers of every response (docs/api.md 3.1), by their meaning. */
export const statusHeader = "Status";
export const errorHeader = "X-Error";
export const errorCodeHeader = "X-Error-Code";
export const limitHeaders = {
  user: { limit: "X-Limit-User-Limit", remaining: "X-Limit-User-Remaining", reset: "X-Limit-User-Reset" },
  key: { limit: "X-Limit-Key-Limit", remaining: "X-Limit-Key-Remaining", reset: "X-Limit-Key-Reset" },
} as const;

/** The parameters of a `send` that were applied (docs/api.md 4.2). */
export const appliedHeader = "X-Applied";

/** Headers of a text view (docs/api.md 9.4). */
export const textHeaders = {
  title: "X-Title",
  loginFound: "X-Login-Found",
  next: "X-Next",
  resolved: "X-Resolved",
  image: "X-Image",
  author: "X-Author",
  date: "X-Date",
  kept: "X-Kept",
  notice: "X-Notice",
} as const;

/** The header with which CloudFront proves to a function that a call came through it. */
export const edgeSecretHeader = "x-edge-secret";
/** The header in which CloudFront passes the address of the caller to a function. */
export const edgeAddressHeader = "x-edge-address";
/** The header in which CloudFront passes the host that was called to a function. */
export const edgeHostHeader = "x-edge-host";

/** The headers that scripts of other origins may read. */
const exposedHeaders: readonly string[] = [
  statusHeader,
  errorHeader,
  errorCodeHeader,
  appliedHeader,
  "Retry-After",
  ...Object.values(limitHeaders.user),
  ...Object.values(limitHeaders.key),
  ...Object.values(textHeaders),
  "X-Content-Type-Options",
];

/** Which web pages may call the service (docs/api.md 1.4); both gateways are configured from this. */
export const cors = {
  origins: ["*"],
  // The last two are for the APIs of other services.
  methods: [...methods, "PATCH", "DELETE"],
  // The asterisk does not stand for this one.
  requestHeaders: ["*", "Authorization"],
  exposedHeaders,
  maxAgeSeconds: 86_400,
} as const;
