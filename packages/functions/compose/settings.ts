import { z } from "zod";

const wholeNumber = (least: number, fallback: number) => z.coerce.number().int().min(least).default(fallback);

/** What the environment says of a service, deployed or local (contract, "Running it without a cloud account"). */
const environment = z.object({
  TABLE_NAME: z.string().min(1).default("reading-list"),
  DYNAMODB_ENDPOINT: z.url().optional(),
  USER_LIMIT: wholeNumber(0, 320),
  KEY_LIMIT: wholeNumber(0, 10_000),
  LIMIT_WINDOW_SECONDS: wholeNumber(1, 3600),
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
  /** Origins that `text` may fetch although their addresses are private. */
  textAllowedOrigins: string[];
}

/** Settings from environment variables, an empty one being the same as none. Throws an error that names the variable. */
export function readSettings(env: Record<string, string | undefined>): Settings {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const result = environment.safeParse(given);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw new Error(`${issue?.path.join(".")}: ${issue?.message}`);
  }
  const { TABLE_NAME, DYNAMODB_ENDPOINT, USER_LIMIT, KEY_LIMIT, LIMIT_WINDOW_SECONDS, TEXT_ALLOWED_ORIGINS } =
    result.data;
  return {
    tableName: TABLE_NAME,
    dynamodbEndpoint: DYNAMODB_ENDPOINT,
    defaultLimits: { user: USER_LIMIT, key: KEY_LIMIT },
    windowSeconds: LIMIT_WINDOW_SECONDS,
    textAllowedOrigins: TEXT_ALLOWED_ORIGINS,
  };
}
