// SPDX-License-Identifier: MIT

import { isLoopback } from "@reading-list/core/domain/hosts.ts";
import type { ClaimRule } from "@reading-list/core/domain/identity.ts";
import { SettingsError } from "@reading-list/core/errors.ts";
import { oneOfWords, readServiceSettings, serviceVariables } from "@reading-list/core/service-settings.ts";
import * as z from "zod";
import { findEnvironmentFaults, httpUrl, readEnvironment } from "./environment.ts";

/** Fault of the whole list: an error names the variable, not the entry. */
const originsMessage = "must be http(s) origins such as http://127.0.0.1:8080, separated by commas";

/** Default limit of a list on a deployed stage, whose table has DynamoDB's 10 GB for each user. */
export const itemsOfStage = 100_000;

/** A claim of single sign-on, and the value that it has or contains. */
const claimRule = () => z.string().regex(/^[^=\s]+=\S/, "must be a claim and its value, such as groups=readers");

const parseClaimRule = (text: string | undefined): ClaimRule | undefined => {
  const [claim = "", ...value] = text?.split("=") ?? [];
  return claim === "" ? undefined : { claim, value: value.join("=") };
};

const defaultTable = "reading-list";

/**
 * Environment variables of a service, deployed or local. docs/self-hosting.md has those with a description, and those
 * with `ofStage` for `STORE=dynamodb`; only deployed functions use the others.
 */
const environment = z.object({
  STORE: oneOfWords("sqlite", "dynamodb")
    .default("sqlite")
    .describe(
      "`dynamodb`: use the table and buckets of a deployed stage instead of a database on this machine ([container mode](aws/operations.md#container-mode))",
    ),
  TABLE_NAME: z.string().optional().meta({
    description: "name of the table in DynamoDB",
    shownDefault: defaultTable,
    ofStage: "table; required",
  }),
  DYNAMODB_ENDPOINT: httpUrl()
    .optional()
    .describe("URL of a DynamoDB to use instead of the embedded database, such as DynamoDB Local"),
  TEXT_BUCKET: z.string().default("").meta({ ofStage: "bucket of cached texts; required" }),
  EXTRACTION_FUNCTION: z.string().default(""),
  API_HOST: oneOfWords("main", "text").default("main"),
  METRIC_NAMESPACE: z.string().default("reading-list"),
  ...serviceVariables,
  ARTICLE_BUCKET: z.string().default("").meta({ ofStage: "bucket of saved copies; required" }),
  PICTURE_BUCKET: z.string().default("").meta({ ofStage: "bucket of saved pictures; required" }),
  SEARCH_BUCKET: z.string().default("").meta({
    ofStage: "bucket of search indexes; the service keeps copies of up to 500 MB in the temporary folder; required",
  }),
  INDEXING_FUNCTION: z.string().default(""),
  IMAGING_FUNCTION: z.string().default(""),
  EDGE_SECRET: z.string().optional(),
  PROBE_SECRET: z.string().min(32, "must have at least 32 characters").optional(),
  PROOF_SECRET: z.string().min(32, "must have at least 32 characters").optional().meta({
    ofStage:
      "secret of the stage; required. If you change it, passwords are checked again, and OAuth apps must register again",
    isSecret: true,
  }),
  PUBLIC_API_KEY: z.string().optional().meta({
    ofStage: "API key of the web reader, which you have registered; without it, the service has no web reader",
  }),
  // Vite and Vitest set it to `/` for the processes that they start.
  BASE_URL: z
    .preprocess(
      (value) => (value === "/" ? undefined : value),
      httpUrl("must be an http(s) URL, such as https://list.example.com")
        .refine((url) => !/[?#@]/.test(url), "must have no user, query or fragment")
        // It is in routes of proxies, in cookies and in the paths of OAuth's metadata.
        .refine(
          (url) => /^(\/[\w.~-]+)*\/*$/.test(URL.parse(url)?.pathname ?? ""),
          "must have a path of only letters, digits and -._~/",
        )
        .optional(),
    )
    .describe(
      "public address of the service, such as `https://list.example.com` or, [below a path](#below-a-path), `https://example.com/reading`. Addresses in answers begin with it, and the text host is at its `/text`",
    ),
  OWN_ORIGINS: z
    .string()
    .default("")
    .describe(
      "origins of web readers on other hosts, comma-separated, where users can [sign in](api.md#55-pages-of-other-sites) with their account password",
    ),
  OIDC_ISSUER: z
    .url({ protocol: /^https?$/, error: "must be the https URL of an OpenID Connect provider" })
    .refine((url) => url.startsWith("https:") || isLoopback(new URL(url).hostname), {
      error: "must be an https URL, or on a loopback address",
    })
    .optional()
    .describe("URL of the [single sign-on](#single-sign-on) provider")
    .meta({ inTrial: "" }),
  OIDC_CLIENT_ID: z.string().optional().describe("client id of this service at the provider"),
  OIDC_CLIENT_SECRET: z.string().optional().meta({ description: "secret of that client", isSecret: true }),
  OIDC_NAME: z
    .string()
    .max(40, "must have at most 40 characters")
    .default("single sign-on")
    .meta({ description: "name of the provider, shown to users" }),
  OIDC_ALLOWED: claimRule()
    .optional()
    .describe("claim and value that users need, such as `groups=readers`; [nobody else can sign in](#single-sign-on)")
    .meta({ inTrial: "" }),
  OIDC_OPERATORS: claimRule()
    .optional()
    .describe("claim and value that [make people administrators](#single-sign-on), such as `groups=admins`")
    .meta({ inTrial: "" }),
  TEXT_HOST_URL: z.string().optional(),
  READER_URL: httpUrl().optional(),
  HELP_TEXT: z
    .string()
    .max(500, "must have at most 500 characters")
    .default("")
    .describe("text that the web reader shows to people who forgot their password"),
  TEXT_ALLOWED_ORIGINS: z
    .string()
    .default("")
    .transform((list) => list.split(",").map((origin) => origin.trim()))
    .transform((origins) => origins.filter((origin) => origin !== ""))
    .pipe(z.array(httpUrl(originsMessage).transform((url) => new URL(url).origin)))
    .describe("origins with private addresses that `text` may fetch, comma-separated"),
});

/** The variables, each with its schema. */
export const settingVariables = environment.shape;

/** Variables without which `STORE=dynamodb` could not use the data of a stage as its functions do. */
const variablesOfStage = [
  "TABLE_NAME",
  "ARTICLE_BUCKET",
  "PICTURE_BUCKET",
  "TEXT_BUCKET",
  "SEARCH_BUCKET",
  "PROOF_SECRET",
] as const;

/** On a stage, and for `STORE=dynamodb`. */
export const noOperators = "must not be set: a deployed stage has no administrators; use the command line";

const completeEnvironment = environment.superRefine((variables, context) => {
  if (variables.STORE !== "dynamodb") return;
  if (variables.OIDC_OPERATORS) {
    context.addIssue({ code: "custom", path: ["OIDC_OPERATORS"], message: noOperators });
  }
  for (const name of variablesOfStage.filter((each) => !variables[each])) {
    context.addIssue({
      code: "custom",
      path: [name],
      message: "must be the value of the stage, because STORE is dynamodb",
    });
  }
});

/**
 * Throws a SetupError if single sign-on lacks a variable, one of `others` among them. Most functions of a stage have
 * only `OIDC_ONLY`, so `readSettings` cannot check it.
 */
export function checkSignOn(env: Record<string, string | undefined>, others: readonly string[]): void {
  const demand = (name: string, because: string) => {
    if (!env[name]) throw new SettingsError(`${name}: must be set, because ${because}`);
  };
  if (env.OIDC_ONLY === "1") demand("OIDC_ISSUER", "OIDC_ONLY is 1");
  for (const name of ["OIDC_ALLOWED", "OIDC_OPERATORS"]) if (env[name]) demand("OIDC_ISSUER", `${name} is`);
  if (!env.OIDC_ISSUER) return;
  for (const name of ["OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET", ...others]) demand(name, "OIDC_ISSUER is");
}

export type Settings = ReturnType<typeof readSettings>;

/** A sentence about each faulty variable. */
export const findSettingFaults = (env: Record<string, string | undefined>) =>
  findEnvironmentFaults(completeEnvironment, env);

/** Settings from environment variables. Throws a SetupError that names a faulty one. */
export function readSettings(env: Record<string, string | undefined>) {
  const variables = readEnvironment(completeEnvironment, env);
  return {
    /** `dynamodb`: on the table and the buckets of a deployed stage. */
    store: variables.STORE,
    tableName: variables.TABLE_NAME ?? defaultTable,
    dynamodbEndpoint: variables.DYNAMODB_ENDPOINT,
    service: readServiceSettings({
      ...variables,
      LIST_LIMIT: variables.LIST_LIMIT ?? (variables.STORE === "dynamodb" ? itemsOfStage : undefined),
    }),
    defaultLimits: { user: variables.USER_LIMIT, key: variables.KEY_LIMIT },
    /** The provider of single sign-on. */
    signOn:
      variables.OIDC_ISSUER && variables.OIDC_CLIENT_ID && variables.OIDC_CLIENT_SECRET
        ? {
            issuer: variables.OIDC_ISSUER,
            clientId: variables.OIDC_CLIENT_ID,
            clientSecret: variables.OIDC_CLIENT_SECRET,
            name: variables.OIDC_NAME,
            allowed: parseClaimRule(variables.OIDC_ALLOWED),
            operators: parseClaimRule(variables.OIDC_OPERATORS),
          }
        : undefined,
    /** The bucket for kept articles of a deployed service. */
    articleBucket: variables.ARTICLE_BUCKET,
    /** The bucket for kept pictures of a deployed service. */
    pictureBucket: variables.PICTURE_BUCKET,
    /** The bucket for search indexes of a deployed service. */
    searchBucket: variables.SEARCH_BUCKET,
    /** The function that stores search indexes for the deployed function that searches. */
    indexingFunction: variables.INDEXING_FUNCTION,
    /** The function that fetches and decodes pictures for deployed functions with rights on users' records. */
    imagingFunction: variables.IMAGING_FUNCTION,
    /** The secret that CloudFront sends to a deployed function; undefined without CloudFront. */
    edgeSecret: variables.EDGE_SECRET,
    /** The secret of the proofs of passwords (docs/decisions/counting-calls.md); undefined: random in each process. */
    proofSecret: variables.PROOF_SECRET,
    /** The secret of the account of a stage's synthetic user. */
    probeSecret: variables.PROBE_SECRET,
    /** The web reader's key, for clients without their own key; undefined if the web reader has no key. */
    publicApiKey: variables.PUBLIC_API_KEY,
    /** The address of the main host in answers; undefined: the address that the client has called. */
    // bounded: a setting of the operator
    publicUrl: variables.BASE_URL && new URL(variables.BASE_URL).href.replace(/\/+$/, ""),
    /** The address of the text host of a deployed service. */
    textHostUrl: variables.TEXT_HOST_URL,
    /** The page of the web reader of a deployed service. */
    readerUrl: variables.READER_URL,
    /** Origins of the service and its web reader, in addition to the host that a call names. */
    ownOrigins: variables.OWN_ORIGINS.split(",").filter((origin) => origin !== ""),
    /** The words of the operator for a user who forgot the password; may be empty. */
    helpText: variables.HELP_TEXT,
    /** Origins that `text` may fetch although their addresses are private. */
    textAllowedOrigins: variables.TEXT_ALLOWED_ORIGINS,
    /** The bucket for cached texts of a deployed service. */
    textBucket: variables.TEXT_BUCKET,
    /** The function that reads pages for a deployed function with rights on users' records. */
    extractionFunction: variables.EXTRACTION_FUNCTION,
    /** The host whose unknown paths a deployed function answers. */
    apiHost: variables.API_HOST,
    /** The namespace in CloudWatch of a deployed service's metrics. */
    metricNamespace: variables.METRIC_NAMESPACE,
  };
}
