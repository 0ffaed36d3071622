// SPDX-License-Identifier: MIT

import * as z from "zod";

/** A variable that is a whole number within bounds. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER) {
  const bounds = most === Number.MAX_SAFE_INTEGER ? `, ${least} or more` : ` from ${least} to ${most}`;
  const message = `must be a whole number${bounds}`;
  return z.coerce.number(message).int(message).min(least, message).max(most, message);
}

/** A variable that is one of a few words. */
export const oneOfWords = <const Words extends readonly string[]>(...words: Words) =>
  z.enum(words, `must be ${words.slice(0, -1).join(", ")} or ${words.at(-1)}`);

/** A setting: its name in the code, the schema of its variable, and the conversion of the variable's value. */
const setting = <const As extends string, Schema extends z.ZodType, Value = z.output<Schema>>(
  as: As,
  schema: Schema,
  read = (value: z.output<Schema>) => value as unknown as Value,
) => ({ as, schema, read });

const bytes = (megabytes: number) => megabytes * 1_000_000;

/**
 * THE list of the settings that use cases read: of a service on one machine, of a stage, and of each of its functions. All
 * use cases get them, and docs/self-hosting.md has their descriptions and defaults.
 */
const settings = {
  USER_LIMIT: setting(
    "userLimit",
    wholeNumber(0).default(320).describe("maximum number of calls of a user in a window"),
  ),
  KEY_LIMIT: setting(
    "keyLimit",
    wholeNumber(0).default(10_000).describe("maximum number of calls of an API key in a window"),
  ),
  PUBLIC_KEY_ADDRESS_LIMIT: setting(
    "addressLimit",
    wholeNumber(0).default(2000).describe("maximum number of calls of an address with the public key in a window"),
  ),
  LIMIT_WINDOW_SECONDS: setting(
    "windowSeconds",
    wholeNumber(1).default(3600).describe("length of a window in seconds"),
  ),
  LIST_LIMIT: setting(
    "listLimit",
    wholeNumber(1)
      .optional()
      .describe(
        "maximum number of pages in a list, by default unlimited, on a stage 100000; adding more is answered with 400",
      ),
    (pages) => pages ?? Number.POSITIVE_INFINITY,
  ),
  // Each takes up to 5 MB of memory.
  TEXTS_AT_ONCE: setting(
    "textsAtOnce",
    wholeNumber(1).default(25).describe("pages that one key reads at once, and each address with the public key"),
  ),
  ARTICLE_QUOTA_MB: setting(
    "articleQuota",
    wholeNumber(0)
      .default(1000)
      .describe("maximum megabytes of [saved copies](api.md#49-article-user) of one user, as stored"),
    bytes,
  ),
  KEEP_PAGES: setting(
    "keepsPages",
    oneOfWords("all", "opened")
      .default("all")
      .describe(
        "`opened`: the service [saves a copy of a page](api.md#416-kept-user) when the user opens it, and saves pages in the background only for users who turn that on",
      ),
    (pages) => pages === "all",
  ),
  PICTURE_QUOTA_MB: setting(
    "pictureQuota",
    wholeNumber(0).default(2000).describe("maximum megabytes of pictures of one user"),
    bytes,
  ),
  OIDC_ONLY: setting(
    "isSignOnOnly",
    oneOfWords("0", "1")
      .default("0")
      .describe("`1`: account passwords no longer work, and nobody can sign up; app passwords still work")
      .meta({ inTrial: "" }),
    (value) => value === "1",
  ),
  SIGNUP: setting(
    "signup",
    oneOfWords("open", "closed").default("open").describe("`closed`: only administrators and invitations create users"),
  ),
  SHARING: setting(
    "isSharingOn",
    oneOfWords("on", "off")
      .default("off")
      .describe("`on`: users may [share](api.md#417-share-user) an article or a tag with a link that anyone can open"),
    (value) => value === "on",
  ),
  SIGNUP_ADDRESS_LIMIT: setting(
    "signupAddressLimit",
    wholeNumber(1)
      .default(100)
      .describe(
        "maximum number of accounts that one address can create in an hour, not counting invitations and calls from the machine itself",
      ),
  ),
};

type List = typeof settings;
type Variables = { [Name in keyof List]: z.output<List[Name]["schema"]> };

/** The values of the settings by their names in the code. Quotas are bytes. */
export type ServiceSettings = { [Name in keyof List as List[Name]["as"]]: ReturnType<List[Name]["read"]> };

/** The schema of each variable. */
export const serviceVariables = Object.fromEntries(
  Object.entries(settings).map(([name, { schema }]) => [name, schema]),
) as { [Name in keyof List]: List[Name]["schema"] };

export const readServiceSettings = (variables: Variables): ServiceSettings =>
  Object.fromEntries(
    Object.entries(settings).map(([name, { as, read }]) => [
      as,
      (read as (value: unknown) => unknown)(variables[name as keyof List]),
    ]),
  ) as ServiceSettings;

/** The variables with which a function of a stage has the settings that `env` gives to the stage. */
export const listFunctionVariables = (
  env: Record<string, string | undefined>,
  defaultsOfStage: Partial<Record<keyof List, number>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(settings).map(([name, { schema }]) => [
      name,
      env[name] || String(defaultsOfStage[name as keyof List] ?? schema.parse(undefined)),
    ]),
  );
