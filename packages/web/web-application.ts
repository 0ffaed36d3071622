// SPDX-License-Identifier: MIT

export type { ReaderConfig } from "./kit/config.ts";

/**
 * The application that the web reader calls as, with the limits of a new key: calls in a window per user and per key. The
 * key is public, because everyone can load the page: each address has a share of its calls (docs/web-reader.md).
 */
export const webApplication = {
  applicationId: "web",
  name: "Web reader",
  userLimit: 1000,
  keyLimit: 20_000,
  isPublic: true,
};

const joinOrigins = (services: readonly string[]) => services.map((url) => new URL(url).origin).join(" ");

/** The policy of the page. Pictures come from the service: no other site gets a request. */
export const readerSecurityPolicy = (...services: string[]) =>
  [
    "default-src 'self'",
    `connect-src 'self' ${joinOrigins(services)}`,
    `img-src 'self' blob: ${joinOrigins(services)}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types article service-worker",
  ].join("; ");

/** The policy of the service worker's own file: it loads files of the reader, and pictures that are not cached. */
export const workerSecurityPolicy = (...services: string[]) =>
  `default-src 'none'; script-src 'self'; connect-src 'self' ${joinOrigins(services)}`;

/** The policy of each file of the reader. */
export const choosePolicy = (file: string, ...services: string[]) =>
  file === workerFile ? workerSecurityPolicy(...services) : readerSecurityPolicy(...services);

/** Name of the service worker. */
export const workerFile = "service-worker.js";
