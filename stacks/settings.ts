// SPDX-License-Identifier: MIT

import { execFileSync } from "node:child_process";
import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import { SetupError } from "@reading-list/core/errors.ts";
import { listFunctionVariables, oneOfWords, wholeNumber } from "@reading-list/core/service-settings.ts";
import { readEnvironment } from "@reading-list/settings/environment.ts";
import { checkSignOn, itemsOfStage, noOperators, readSettings } from "@reading-list/settings/settings.ts";
import { keepsData } from "@reading-list/store-dynamodb/table-definition.ts";
import * as z from "zod";
import { type Concurrency, type Reservations, reserve } from "./concurrency.ts";

/** The deployed commit; undefined without git. `deploy/aws/roll-back` finds the versions of functions by it. */
export function nameOfCommit(): string | undefined {
  try {
    return execFileSync("git", ["describe", "--always", "--dirty"], { stdio: ["ignore", "pipe", "ignore"] })
      .toString()
      .trim();
  } catch {
    return undefined;
  }
}

/** One of the two hosts of the service. */
export type Host = EndpointContract["host"];

/** The tags of every resource of a stage, to separate stages in an account's bill and inventory. */
export const createTags = (stage: string) => ({ service: "reading-list", stage });

/** Everything in which one stage differs from another. */
export type StageSettings = ReturnType<typeof readStageSettings>;

export type SignOnSettings = NonNullable<StageSettings["signOn"]>;

export interface EdgeSettings {
  /** Calls of one address in five minutes. */
  rate: number;
  /** Addresses that are refused, as CIDR ranges. */
  blocked: string[];
  /** A greater number replaces the secret between CloudFront and the functions. */
  secretNumber: number;
}

/** A domain of the operator's. */
export interface Domain {
  name: string;
  /** ARN of its certificate, if the zone is not in Route 53; the operator creates the DNS record. */
  certificate: string | undefined;
}

/** A domain as SST's components take it. */
export const createDomainArgs = ({ name, certificate }: Domain) =>
  certificate ? { name, dns: false as const, cert: certificate } : name;

const label = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";
const domainName = `(${label}\\.)+[a-z]{2,63}`;

const textLike = (pattern: RegExp, message: string) => z.string().regex(pattern, message).optional();
const domain = textLike(new RegExp(`^${domainName}$`), "must be a domain name in lower case, such as api.example.com");
const certificate = textLike(
  /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/,
  "must be the ARN of a certificate in ACM, such as arn:aws:acm:eu-west-1:123456789012:certificate/…",
);
/** CloudFront takes certificates of this region only. */
const certificateOfCloudFront = textLike(
  /^arn:aws[a-z-]*:acm:us-east-1:\d{12}:certificate\/[\w-]+$/,
  "must be the ARN of a certificate in ACM in us-east-1, such as arn:aws:acm:us-east-1:123456789012:certificate/…",
);
const calls = wholeNumber(1).optional();
/** A single address becomes a range, as WAF takes ranges only. */
const ranges = z
  .string()
  .default("")
  .transform((list) => list.split(",").map((range) => range.trim()))
  .transform((list) => list.filter((range) => range !== ""))
  .transform((list) =>
    list.map((range) => (range.includes("/") ? range : `${range}/${range.includes(":") ? 128 : 32}`)),
  )
  .pipe(z.array(z.union([z.cidrv4(), z.cidrv6()], "must be IP addresses or CIDR ranges, separated by commas")));

/** The variables of a stage, for example in `.env.production`; `docs/aws/operations.md` explains them. */
const variables = z.object({
  BASE_DOMAIN: domain,
  BASE_CERTIFICATE: certificate,
  TEXT_DOMAIN: domain,
  TEXT_CERTIFICATE: certificate,
  WEB_API_KEY: textLike(/^[!-~]{8,128}$/, "must be 8-128 printable ASCII characters without spaces"),
  WEB_DOMAIN: domain,
  WEB_CERTIFICATE: certificateOfCloudFront,
  THROTTLE_RATE: calls,
  THROTTLE_BURST: calls,
  TABLE_READ_UNITS: calls,
  TABLE_WRITE_UNITS: calls,
  EDGE: oneOfWords("on", "off").default("off"),
  EDGE_RATE: wholeNumber(10).default(2000),
  EDGE_BLOCKED: ranges,
  EDGE_SECRET_NUMBER: wholeNumber(1).default(1),
  PROBE: oneOfWords("on", "off").optional(),
  ACCOUNT_CONCURRENCY: wholeNumber(10).optional(),
  MONTHLY_BUDGET: calls,
  RELEASE: textLike(/^[\w.-]{1,40}$/, "must be a name of up to 40 letters, digits, dots and hyphens"),
  ALARM_EMAIL: textLike(
    new RegExp(`^[\\w.+-]{1,64}@${domainName}$`, "i"),
    "must be one e-mail address, such as ops@example.com",
  ),
  XRAY: oneOfWords("on", "off").default("off"),
  RESTORED_TABLE: textLike(/^[\w.-]{3,255}$/, "must be the name of a table"),
});

const noReservations: Reservations = {};

/** Lambda's usual quota. */
const usualConcurrency: Concurrency = { account: 1000, free: 1000 };

/**
 * The settings of a stage: defaults by its name, the rest from environment variables. Throws a SetupError that names
 * the faulty variable, so that a deployment ends before anything is created. `found`: the concurrency of the account, which
 * `ACCOUNT_CONCURRENCY` overrides.
 */
export function readStageSettings(
  stage: string,
  env: Record<string, string | undefined>,
  found: Concurrency = usualConcurrency,
) {
  const { service, helpText, signOn } = readSettings(env);
  checkSignOn(env, ["BASE_DOMAIN", "WEB_API_KEY"]);
  if (env.OIDC_OPERATORS) throw new SetupError(`OIDC_OPERATORS: ${noOperators}`);
  const read = readEnvironment(variables, env);
  const isLive = keepsData(stage);
  if (isLive && read.ALARM_EMAIL === undefined)
    throw new SetupError("ALARM_EMAIL: must be the e-mail address that receives the alarms");
  const throttle = {
    rate: read.THROTTLE_RATE ?? (isLive ? 1000 : 50),
    burst: read.THROTTLE_BURST ?? (isLive ? 2000 : 100),
  };
  const callsOfKey = Math.ceil(service.keyLimit / service.windowSeconds);
  if (callsOfKey > throttle.rate) {
    throw new SetupError(
      `THROTTLE_RATE: must be ${callsOfKey} or more, because KEY_LIMIT lets a key make ${service.keyLimit} calls in ${service.windowSeconds} seconds`,
    );
  }
  const edge: EdgeSettings = {
    rate: read.EDGE_RATE,
    blocked: read.EDGE_BLOCKED,
    secretNumber: read.EDGE_SECRET_NUMBER,
  };
  const given = read.ACCOUNT_CONCURRENCY;
  const concurrency = given === undefined ? found : { account: given, free: given };
  return {
    /** Whether DynamoDB and Pulumi refuse to delete the table. */
    protectsTable: isLive,
    /** A table, restored from a backup, that the functions use instead of the stage's own. */
    restoredTable: read.RESTORED_TABLE,
    /** Seconds for which new versions of the functions get a tenth of the calls before they get all. */
    canarySeconds: isLive ? 300 : 0,
    /** Days for which logs are kept. */
    logRetention: isLive ? 90 : 7,
    ...readDomains(read),
    /** Whether the web reader offers to register. */
    isSignupOpen: service.signup === "open" && !service.isSignOnOnly,
    /** Whether users can have passkeys: the web reader asks for them, beside a password. */
    hasPasskeys: read.WEB_API_KEY !== undefined && !service.isSignOnOnly,
    isSharingOn: service.isSharingOn,
    helpText,
    /** The provider of single sign-on; undefined without. */
    signOn: signOn && {
      ...signOn,
      isOnly: service.isSignOnOnly,
      /** The address that is registered at the provider. */
      publicUrl: `https://${read.BASE_DOMAIN}`,
    },
    /** Throttle of each API: calls a second, and calls in a burst. Further calls get 429. */
    throttle,
    /** The variables of every function. */
    variables: listFunctionVariables(env, { LIST_LIMIT: itemsOfStage, TEXTS_AT_ONCE: isLive ? 25 : 5 }),
    /** Reserved concurrency of functions; others share the rest of the account's. */
    reservedConcurrency: isLive ? reserve(concurrency) : noReservations,
    /** The capacity units that the table reads and writes in a second at most; DynamoDB throttles further ones. */
    tableUnits: {
      read: read.TABLE_READ_UNITS ?? (isLive ? 4000 : 400),
      write: read.TABLE_WRITE_UNITS ?? (isLive ? 4000 : 200),
    },
    /** CloudFront and WAF in front of both APIs; undefined without them. */
    edge: read.EDGE === "on" ? edge : undefined,
    /** Lambda's concurrency of the account. An alarm watches for 80 % of it. */
    accountConcurrency: concurrency.account,
    /** Dollars a month for all that has the tags of the stage; no budget if undefined. */
    monthlyBudget: read.MONTHLY_BUDGET,
    /** The name of the release, in each line of the log. */
    release: read.RELEASE ?? "unnamed",
    /** E-mail address for the alarms; none if undefined. */
    alarmEmail: read.ALARM_EMAIL,
    /** Whether a synthetic user uses the stage every five minutes. */
    hasProbe: read.PROBE === undefined ? isLive : read.PROBE === "on",
    /** Whether X-Ray records traces of the functions, which costs by the trace. */
    tracing: read.XRAY === "on",
  };
}

function readDomains(read: z.output<typeof variables>) {
  if (read.BASE_DOMAIN !== undefined && read.BASE_DOMAIN === read.TEXT_DOMAIN) {
    throw new SetupError("TEXT_DOMAIN: must differ from BASE_DOMAIN, because the text view needs its own host");
  }
  if (read.WEB_DOMAIN !== undefined && [read.BASE_DOMAIN, read.TEXT_DOMAIN].includes(read.WEB_DOMAIN)) {
    throw new SetupError("WEB_DOMAIN: must differ from BASE_DOMAIN and TEXT_DOMAIN");
  }
  if (read.WEB_DOMAIN !== undefined && read.WEB_API_KEY === undefined) {
    throw new SetupError("WEB_DOMAIN: also needs WEB_API_KEY");
  }
  for (const prefix of ["BASE", "TEXT"] as const) {
    const certificate = read[`${prefix}_CERTIFICATE` as const];
    if (read.EDGE === "on" && certificate && !certificate.includes(":us-east-1:")) {
      throw new SetupError(
        `${prefix}_CERTIFICATE: must be in us-east-1 with EDGE=on, because CloudFront accepts no other region`,
      );
    }
  }
  const domainOf = (prefix: "BASE" | "TEXT" | "WEB"): Domain | undefined => {
    const { [`${prefix}_DOMAIN` as const]: name, [`${prefix}_CERTIFICATE` as const]: certificate } = read;
    if (name !== undefined) return { name, certificate };
    if (certificate !== undefined) throw new SetupError(`${prefix}_CERTIFICATE: also needs ${prefix}_DOMAIN`);
    return undefined;
  };
  return {
    /** The domain of each host; undefined for the address that API Gateway assigns. */
    domains: { main: domainOf("BASE"), text: domainOf("TEXT") },
    /** The API key of the web reader, which is not deployed without one, and its domain. */
    web: { apiKey: read.WEB_API_KEY, domain: domainOf("WEB") },
  };
}
