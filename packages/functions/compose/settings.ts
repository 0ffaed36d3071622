import * as z from "zod";
import { readEnvironment } from "./environment.ts";

const wholeNumber = (least: number, fallback: number) => z.coerce.number().int().min(least).default(fallback);

/** Environment variables of a service, deployed or local (README.md, "Settings"). */
const environment = z.object({
  TABLE_NAME: z.string().min(1).default("reading-list"),
  DYNAMODB_ENDPOINT: z.url().optional(),
  TEXT_BUCKET: z.string().default(""),
  METRIC_NAMESPACE: z.string().default("reading-list"),
  USER_LIMIT: wholeNumber(0, 320),
  KEY_LIMIT: wholeNumber(0, 10_000),
  LIMIT_WINDOW_SECONDS: wholeNumber(1, 3600),
  SIGNUP: z.enum(["open", "closed"], "must be open or closed").default("open"),
  TEXT_ALLOWED_ORIGINS: z
    .string()
    .default("")
    .transform((list) => list.split(",").map((origin) => origin.trim()))
    .transform((origins) => origins.filter((origin) => origin !== ""))
    .pipe(z.array(z.url().transform((url) => new URL(url).origin))),
});

export interface Settings {
  tableName: string;
  dynamodbEndpoint: string | undefined;
  defaultLimits: { user: number; key: number };
  windowSeconds: number;
  /** `closed`: only an operator creates users. */
  signup: "open" | "closed";
  /** Origins that `text` may fetch although their addresses are private. */
  textAllowedOrigins: string[];
  /** The bucket for cached texts of a deployed service. */
  textBucket: string;
  /** The namespace in CloudWatch of a deployed service's metrics. */
  metricNamespace: string;
}

/** Settings from environment variables. Throws a SetupError that names a faulty one. */
export function readSettings(env: Record<string, string | undefined>): Settings {
  const variables = readEnvironment(environment, env);
  return {
    tableName: variables.TABLE_NAME,
    dynamodbEndpoint: variables.DYNAMODB_ENDPOINT,
    defaultLimits: { user: variables.USER_LIMIT, key: variables.KEY_LIMIT },
    windowSeconds: variables.LIMIT_WINDOW_SECONDS,
    signup: variables.SIGNUP,
    textAllowedOrigins: variables.TEXT_ALLOWED_ORIGINS,
    textBucket: variables.TEXT_BUCKET,
    metricNamespace: variables.METRIC_NAMESPACE,
  };
}
