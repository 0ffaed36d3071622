import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import type { EndpointName } from "@reading-list/core/contract/endpoints.ts";
import { readSettings } from "@reading-list/functions/compose/settings.ts";

/** One of the two hosts of the service. */
export type Host = EndpointContract["host"];

/** Whether a stage holds the lists of real people: then neither the stage nor its table can be removed. */
export const keepsData = (stage: string): boolean => stage === "production";

/** What every resource of a stage is tagged with, so that an account's bill and inventory can be told apart. */
export const tagsOf = (stage: string) => ({ service: "reading-list", stage });

/** Everything in which one stage differs from another. */
export interface StageSettings {
  /** Whether DynamoDB refuses to delete the table. */
  deletionProtection: boolean;
  /** The table, restored from a backup, that the functions use in place of the stage's own. */
  restoredTable: string | undefined;
  /** Days for which logs are kept. */
  logRetention: number;
  /** Own domain of each host, in place of the address that API Gateway makes up. */
  domains: Record<Host, string | undefined>;
  /** Calls per second that each API lets through, and how many at once; what is above gets a 429 from the gateway. */
  throttle: { rate: number; burst: number };
  /** The default limits, as the functions read them from their environment. */
  limits: { USER_LIMIT: string; KEY_LIMIT: string; LIMIT_WINDOW_SECONDS: string };
  /**
   * Calls that a function may carry out at once, where that is bounded: what is dear, and open to anybody with a key,
   * shall not take all that the account can do. It is set aside for them, and so missing to the others.
   */
  concurrency: Partial<Record<EndpointName, number>>;
  /** Who is told of alarms; nobody where it is undefined. */
  alarmEmail: string | undefined;
  /** Whether X-Ray records traces of the functions, which costs by the trace. */
  tracing: boolean;
}

const label = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";
const domainName = `(${label}\\.)+[a-z]{2,63}`;
const domainPattern = new RegExp(`^${domainName}$`);
const emailPattern = new RegExp(`^[\\w.+-]{1,64}@${domainName}$`, "i");

/** The variables that set a stage's own domains, for example in `.env.production`. */
const domainVariables = { main: "BASE_DOMAIN", text: "TEXT_DOMAIN" } as const;

/**
 * The settings of a stage: its kind by its name, the rest from environment variables. Throws an error that names the
 * variable where one makes no sense, so that a deployment ends before anything is created.
 */
export function readStageSettings(stage: string, env: Record<string, string | undefined>): StageSettings {
  const { defaultLimits, windowSeconds } = readSettings(env);
  const isLive = keepsData(stage);
  return {
    deletionProtection: isLive,
    restoredTable: readRestoredTable(env),
    logRetention: isLive ? 90 : 7,
    domains: readDomains(env),
    throttle: isLive ? { rate: 1000, burst: 2000 } : { rate: 50, burst: 100 },
    limits: {
      USER_LIMIT: String(defaultLimits.user),
      KEY_LIMIT: String(defaultLimits.key),
      LIMIT_WINDOW_SECONDS: String(windowSeconds),
    },
    concurrency: isLive ? { signup: 20, text: 100 } : { signup: 2, text: 10 },
    alarmEmail: readAlarmEmail(env, isLive),
    tracing: readTracing(env),
  };
}

function readAlarmEmail(env: Record<string, string | undefined>, isRequired: boolean): string | undefined {
  const email = env.ALARM_EMAIL || undefined;
  if (email === undefined && isRequired) throw new Error("ALARM_EMAIL: must name who is told of alarms");
  if (email !== undefined && !emailPattern.test(email)) {
    throw new Error("ALARM_EMAIL: must be one e-mail address, such as ops@example.com");
  }
  return email;
}

function readTracing(env: Record<string, string | undefined>): boolean {
  const tracing = env.XRAY || "off";
  if (tracing !== "on" && tracing !== "off") throw new Error("XRAY: must be on or off");
  return tracing === "on";
}

function readRestoredTable({ RESTORED_TABLE: name }: Record<string, string | undefined>): string | undefined {
  if (name && !/^[\w.-]{3,255}$/.test(name)) throw new Error("RESTORED_TABLE: must be the name of a table");
  return name || undefined;
}

function readDomains(env: Record<string, string | undefined>): StageSettings["domains"] {
  const domains = { main: readDomain(env, "main"), text: readDomain(env, "text") };
  if (domains.main !== undefined && domains.main === domains.text) {
    throw new Error(
      `${domainVariables.text}: must differ from ${domainVariables.main}, as the text view is a host of its own`,
    );
  }
  return domains;
}

function readDomain(env: Record<string, string | undefined>, host: Host): string | undefined {
  const variable = domainVariables[host];
  const domain = env[variable] || undefined;
  if (domain !== undefined && !domainPattern.test(domain)) {
    throw new Error(`${variable}: must be a domain name in lower case, such as api.example.com`);
  }
  return domain;
}
