// SPDX-License-Identifier: MIT

import { isIPv6 } from "node:net";
import { maxApiKey } from "@reading-list/core/domain/applications.ts";
import { isLoopback } from "@reading-list/core/domain/hosts.ts";
import { oneOfWords, wholeNumber } from "@reading-list/core/service-settings.ts";
import { findEnvironmentFaults, httpUrl, readEnvironment } from "@reading-list/settings/environment.ts";
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

/** Whether `HOST` accepts only calls from this machine. */
const isPrivateHost = (host: string) =>
  isLoopback(URL.parse(`http://${isIPv6(host) ? `[${host}]` : host}`)?.hostname ?? "");

const environment = z
  .object({
    PORT: wholeNumber(0, 65_535)
      .default(3000)
      .describe("port of the service; `0` uses any free port, which `npm start` prints")
      .meta({ inTrial: "0" }),
    TEXT_PORT: wholeNumber(0, 65_535)
      .default(3001)
      .describe("port of the text host, which also listens on its own")
      .meta({ inTrial: "0" }),
    HOST: z.string().default("127.0.0.1").describe("address on which both ports listen").meta({ inTrial: "127.0.0.1" }),
    STORE: z.string().optional(),
    DYNAMODB_ENDPOINT: z.string().optional(),
    BASE_URL: z.string().optional(),
    DATA_DIR: z
      .string()
      .default(".local")
      .describe(
        "folder for all data, readable only by its owner. Cached texts take up to 200 MB, search indexes half as much as saved texts. If its file `secret` is lost, OAuth apps must register again. `:memory:` stores nothing on disk",
      ),
    DISK_RESERVE_MB: wholeNumber(0).optional().meta({
      description:
        "free megabytes on the disk of `DATA_DIR` below which the service [adds nothing](#full-disk), so that users can still read and delete; at least the space for writing the log into the database",
      shownDefault: "200, or 5 % of a smaller disk",
    }),
    NETWORK_DATA_DIR: oneOfWords("refused", "allowed")
      .default("refused")
      .describe("`allowed`: `DATA_DIR` may be on NFS or SMB, where a database can be damaged"),
    LOCAL_API_KEY: z.string().max(maxApiKey, `must be at most ${maxApiKey} characters`).default(defaultApiKey).meta({
      description:
        "API key of the application `local`; it replaces the key of an earlier start. If `HOST` is not a loopback address, set your own key",
      isSecret: true,
    }),
    TEXT_URL: httpUrl("must be an http(s) URL, such as https://text.example.com")
      .optional()
      .describe("URL of the text host, if it has its own host name"),
    TRUST_PROXY: trustedProxies
      .default([])
      .describe(
        "addresses and CIDR ranges of reverse proxies, comma-separated, whose `X-Forwarded-For` header the service trusts for the caller's address",
      ),
    BACKUP_TO: z
      .string()
      .regex(/^(\/|s3:\/\/[^/]+)/, "must be the absolute path of a folder, or s3://BUCKET/PREFIX")
      .optional()
      .describe(
        "folder, for example on a mounted disk, or `s3://BUCKET/PREFIX`, to which the service writes an [encrypted backup](#another-place) each day",
      )
      .meta({ inTrial: "" }),
    BACKUP_RECIPIENT: z
      .string()
      .regex(/^age1[0-9a-z]+$/, "must be the public key that age-keygen prints, such as age1…")
      .optional()
      .describe("public key of [age](https://age-encryption.org) that encrypts the backups")
      .meta({ inTrial: "" }),
    CHECKPOINTS: oneOfWords("service", "litestream")
      .default("service")
      .describe("`litestream`: the service leaves the database log to [Litestream](#another-place)")
      .meta({ inTrial: "" }),
    SMTP_URL: z
      .string()
      .regex(
        /^smtp(s|\+insecure)?:\/\/\S+$/,
        "must be an smtps, smtp or smtp+insecure URL, such as smtps://name:password@mail.example.com",
      )
      .refine((url) => URL.canParse(url), "must be an smtps, smtp or smtp+insecure URL; percent-encode its password")
      .optional()
      .meta({
        description:
          "mail server, such as `smtps://name:password@mail.example.com`, for [sending articles to e-readers](web-reader.md#3-articles): `smtps:` with TLS from the start, `smtp:` with STARTTLS, required unless the server is on this machine, `smtp+insecure:` for a relay on a network that you trust",
        inTrial: "",
        isSecret: true,
      }),
    SMTP_CA_FILE: z
      .string()
      .optional()
      .describe(
        "PEM file with the certificate of your own certificate authority, if it signed the mail server's certificate",
      )
      .meta({ inTrial: "" }),
    MAIL_FROM: z
      .email("must be an e-mail address")
      .optional()
      .describe("sender of the mails; Kindle owners must allow this address in their settings")
      .meta({ inTrial: "" }),
    MAIL_DAILY_LIMIT: wholeNumber(1)
      .default(500)
      .describe("maximum number of mails a day (UTC) for all users; set it to what your provider allows"),
    METRICS_PORT: wholeNumber(0, 65_535)
      .optional()
      .describe("port on which Prometheus reads [metrics](#watch)")
      .meta({ inTrial: "" }),
    PAGE_KEEPER: oneOfWords("on", "off")
      .default("on")
      .describe("`off`: the service saves no pages in the background, as in a trial before an [upgrade](#upgrade)")
      .meta({ inTrial: "off" }),
    METRICS_HOST: z.string().default("127.0.0.1").describe("address on which `METRICS_PORT` listens"),
    // Not INFO as when deployed: a line for each call is too much at a terminal.
    LOG_LEVEL: oneOfWords("INFO", "ERROR", "SILENT")
      .default("ERROR")
      .describe("`INFO` logs each call, `ERROR` only failed calls, `SILENT` nothing"),
    LOG_FORMAT: oneOfWords("json", "text").default("json").describe("`text`: lines for people to read"),
  })
  .refine(
    ({ HOST, STORE, LOCAL_API_KEY: key }) => STORE === "dynamodb" || key !== defaultApiKey || isPrivateHost(HOST),
    {
      path: ["LOCAL_API_KEY"],
      error: "must be set to your own key, because HOST is not a loopback address",
    },
  )
  .refine(({ SMTP_URL, MAIL_FROM }) => SMTP_URL === undefined || MAIL_FROM !== undefined, {
    path: ["MAIL_FROM"],
    error: "must be set, because SMTP_URL is set",
  })
  .refine(({ SMTP_URL, BASE_URL }) => SMTP_URL === undefined || !!BASE_URL, {
    path: ["BASE_URL"],
    error: "must be set, because SMTP_URL is set",
  })
  .refine(({ BACKUP_TO, BACKUP_RECIPIENT }) => BACKUP_TO === undefined || BACKUP_RECIPIENT !== undefined, {
    path: ["BACKUP_RECIPIENT"],
    error: "must be a public key of age, because BACKUP_TO is set",
  })
  .refine(
    ({ BACKUP_TO, STORE, DYNAMODB_ENDPOINT, DATA_DIR }) =>
      BACKUP_TO === undefined || (STORE !== "dynamodb" && DYNAMODB_ENDPOINT === undefined && DATA_DIR !== ":memory:"),
    { path: ["BACKUP_TO"], error: "must not be set, because the database is not in a folder of this machine" },
  );

/** The variables, each with its schema. */
export const localVariables = environment.shape;

/** A sentence about each faulty variable. */
export const findLocalFaults = (env: Record<string, string | undefined>) => findEnvironmentFaults(environment, env);

export type LocalSettings = ReturnType<typeof readLocalSettings>;

/** The settings that only a local service has. Throws a SetupError that names a faulty variable. */
export function readLocalSettings(env: Record<string, string | undefined>) {
  const variables = readEnvironment(environment, env);
  return {
    /** 0 takes any free port. */
    port: variables.PORT,
    textPort: variables.TEXT_PORT,
    host: variables.HOST,
    dataDir: variables.DATA_DIR,
    /** Whether the data folder may be on NFS or SMB. */
    mayBeOnNetwork: variables.NETWORK_DATA_DIR === "allowed",
    apiKey: variables.LOCAL_API_KEY,
    /** Bytes of the disk that calls which add data leave free; undefined: by the size of the disk. */
    diskReserve: variables.DISK_RESERVE_MB === undefined ? undefined : variables.DISK_RESERVE_MB * 1_000_000,
    /** Whether each start prints the API key; else only the first one does, because others may read the log. */
    printsApiKey: isPrivateHost(variables.HOST),
    /** Where clients reach the text host, if that is a reverse proxy. */
    publicTextUrl: variables.TEXT_URL,
    /** Reverse proxies whose `X-Forwarded-For` is trusted for the caller's address. */
    trustedProxies: variables.TRUST_PROXY,
    /** Where encrypted backups go, and for which key of age. */
    backup:
      variables.BACKUP_TO === undefined || variables.BACKUP_RECIPIENT === undefined
        ? undefined
        : { address: variables.BACKUP_TO, recipient: variables.BACKUP_RECIPIENT },
    /** The mail server, and the sender of mails; undefined if none is sent. */
    mail:
      variables.SMTP_URL === undefined || variables.MAIL_FROM === undefined
        ? undefined
        : {
            url: variables.SMTP_URL,
            caFile: variables.SMTP_CA_FILE,
            from: variables.MAIL_FROM,
            dailyLimit: variables.MAIL_DAILY_LIMIT,
          },
    /** Whether another program than the service empties the log of the database. */
    leavesCheckpoints: variables.CHECKPOINTS === "litestream",
    /** Where Prometheus finds metrics; nowhere if the port is undefined. */
    metricsPort: variables.METRICS_PORT,
    metricsHost: variables.METRICS_HOST,
    keepsPagesInBackground: variables.PAGE_KEEPER === "on",
    /** INFO logs every call, ERROR only calls that the service failed. */
    logLevel: variables.LOG_LEVEL,
    logFormat: variables.LOG_FORMAT,
  };
}
