// SPDX-License-Identifier: MIT

import { httpUrl, oneOf, readEnvironment, wholeNumber } from "@reading-list/settings/environment.ts";
import ipaddr from "ipaddr.js";
import * as z from "zod";
import { parseTrustedProxies } from "./caller-address.ts";

const trustedProxies = z.string().transform((list, context) => {
  try {
    return parseTrustedProxies(list);
  } catch {
    context.addIssue({ code: "custom", message: "must be IP addresses or CIDR ranges, separated by commas" });
    return z.NEVER;
  }
});

/** Published in the README, so not a secret. */
const defaultApiKey = "local-dev-key";

const isLoopback = (host: string) =>
  host === "localhost" || (ipaddr.isValid(host) && ipaddr.process(host).range() === "loopback");

const environment = z
  .object({
    PORT: wholeNumber(0, 65_535).default(3000),
    TEXT_PORT: wholeNumber(0, 65_535).default(3001),
    HOST: z.string().default("127.0.0.1"),
    STORE: z.string().optional(),
    DATA_DIR: z.string().default(".local"),
    LOCAL_API_KEY: z.string().default(defaultApiKey),
    TEXT_URL: httpUrl("must be an http(s) URL, such as https://text.example.com").optional(),
    TRUST_PROXY: trustedProxies.default([]),
    // Not INFO as when deployed: a line for each call is too much at a terminal.
    LOG_LEVEL: oneOf("INFO", "ERROR", "SILENT").default("ERROR"),
  })
  .refine(({ HOST, STORE, LOCAL_API_KEY: key }) => STORE === "dynamodb" || key !== defaultApiKey || isLoopback(HOST), {
    path: ["LOCAL_API_KEY"],
    error: "must be set to a key of your own, because HOST is not a loopback address",
  });

/** The settings that only a local service has. Throws a SetupError that names a faulty variable. */
export function readLocalSettings(env: Record<string, string | undefined>) {
  const variables = readEnvironment(environment, env);
  return {
    /** 0 takes any free port. */
    port: variables.PORT,
    textPort: variables.TEXT_PORT,
    host: variables.HOST,
    dataDir: variables.DATA_DIR,
    apiKey: variables.LOCAL_API_KEY,
    /** Where clients reach the text host, if that is a reverse proxy. */
    publicTextUrl: variables.TEXT_URL,
    /** Reverse proxies whose `X-Forwarded-For` is trusted for the caller's address. */
    trustedProxies: variables.TRUST_PROXY,
    /** INFO logs every call, ERROR those that the service failed. */
    logLevel: variables.LOG_LEVEL,
  };
}
