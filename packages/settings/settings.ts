// SPDX-License-Identifier: MIT

import * as z from "zod";
import { httpUrl, oneOf, readEnvironment, wholeNumber } from "./environment.ts";

/** Fault of the whole list: an error names the variable, not the entry. */
const originsMessage = "must be http(s) origins such as http://127.0.0.1:8080, separated by commas";

/** Environment variables of a service, deployed or local (docs/self-hosting.md, "Settings"). */
const environment = z.object({
  STORE: oneOf("sqlite", "dynamodb").default("sqlite"),
  TABLE_NAME: z.string().optional(),
  DYNAMODB_ENDPOINT: httpUrl().optional(),
  TEXT_BUCKET: z.string().default(""),
  EXTRACTION_FUNCTION: z.string().default(""),
  API_HOST: oneOf("main", "text").default("main"),
  METRIC_NAMESPACE: z.string().default("reading-list"),
  USER_LIMIT: wholeNumber(0).default(320),
  KEY_LIMIT: wholeNumber(0).default(10_000),
  PUBLIC_KEY_ADDRESS_LIMIT: wholeNumber(0).default(2000),
  LIMIT_WINDOW_SECONDS: wholeNumber(1).default(3600),
  LIST_LIMIT: wholeNumber(1).optional(),
  TEXTS_AT_ONCE: wholeNumber(1).optional(),
  ARTICLE_QUOTA_MB: wholeNumber(0).default(1000),
  ARTICLE_BUCKET: z.string().default(""),
  EDGE_SECRET: z.string().optional(),
  PROOF_SECRET: z.string().min(32, "must have 32 characters or more").optional(),
  PUBLIC_API_KEY: z.string().optional(),
  // Vite and Vitest set it to `/` for the processes that they start.
  BASE_URL: z.preprocess(
    (value) => (value === "/" ? undefined : value),
    httpUrl("must be an http(s) URL, such as https://list.example.com").optional(),
  ),
  OWN_ORIGINS: z.string().default(""),
  SIGNUP: oneOf("open", "closed").default("open"),
  TEXT_ALLOWED_ORIGINS: z
    .string()
    .default("")
    .transform((list) => list.split(",").map((origin) => origin.trim()))
    .transform((origins) => origins.filter((origin) => origin !== ""))
    .pipe(z.array(httpUrl(originsMessage).transform((url) => new URL(url).origin))),
});

/** Variables without which `STORE=dynamodb` could not use the data of a stage as its functions do. */
const variablesOfStage = ["TABLE_NAME", "ARTICLE_BUCKET", "TEXT_BUCKET", "PROOF_SECRET"] as const;

const completeEnvironment = environment.superRefine((variables, context) => {
  if (variables.STORE !== "dynamodb") return;
  for (const name of variablesOfStage.filter((each) => !variables[each])) {
    context.addIssue({ code: "custom", path: [name], message: "must be that of the stage, because STORE is dynamodb" });
  }
});

/** Default limit of a list on a deployed stage, whose table has DynamoDB's 10 GB for each user. */
export const itemsOfStage = 100_000;

export type Settings = ReturnType<typeof readSettings>;

/** Settings from environment variables. Throws a SetupError that names a faulty one. */
export function readSettings(env: Record<string, string | undefined>) {
  const variables = readEnvironment(completeEnvironment, env);
  return {
    /** `dynamodb`: on the table and the buckets of a deployed stage. */
    store: variables.STORE,
    tableName: variables.TABLE_NAME ?? "reading-list",
    dynamodbEndpoint: variables.DYNAMODB_ENDPOINT,
    defaultLimits: { user: variables.USER_LIMIT, key: variables.KEY_LIMIT },
    /** Calls of one address with a public key in a window. */
    addressLimit: variables.PUBLIC_KEY_ADDRESS_LIMIT,
    windowSeconds: variables.LIMIT_WINDOW_SECONDS,
    /** Pages of a list; no limit if undefined, as in a database without DynamoDB's 10 GB for each user. */
    listLimit: variables.LIST_LIMIT ?? (variables.STORE === "dynamodb" ? itemsOfStage : undefined),
    /** Pages that one key may read at once; no limit if undefined. */
    textsAtOnce: variables.TEXTS_AT_ONCE,
    /** Bytes, as stored, of all articles that one user keeps. */
    articleQuota: variables.ARTICLE_QUOTA_MB * 1_000_000,
    /** The bucket for kept articles of a deployed service. */
    articleBucket: variables.ARTICLE_BUCKET,
    /** The secret that CloudFront sends to a deployed function; undefined without CloudFront. */
    edgeSecret: variables.EDGE_SECRET,
    /** The secret of the proofs of passwords (docs/decisions/counting-calls.md); undefined: random in each process. */
    proofSecret: variables.PROOF_SECRET,
    /** The key of clients that have none of their own, which is that of the web reader; undefined if there is none. */
    publicApiKey: variables.PUBLIC_API_KEY,
    /** The address of the main host that answers name; undefined: that which the client has called. */
    publicUrl: variables.BASE_URL?.replace(/\/+$/, ""),
    /** Origins of the service and its web reader, in addition to the host that a call names. */
    ownOrigins: variables.OWN_ORIGINS.split(",").filter((origin) => origin !== ""),
    /** `closed`: only an operator creates users. */
    signup: variables.SIGNUP,
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
