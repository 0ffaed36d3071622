import { ServiceError } from "@reading-list/core/errors.ts";
import type { TextCache } from "@reading-list/core/ports.ts";
import { readSettings } from "@reading-list/functions/compose/settings.ts";
import { createPageReader } from "@reading-list/reader/page-reader.ts";
import { findDriftedUsers } from "@reading-list/store/list-recount.ts";
import { keepsData, tableDefinition } from "@reading-list/store/table-definition.ts";
import {
  findExpiry,
  findRefusedActions,
  hasPointInTimeRecovery,
  inspectTable,
  readServerTime,
} from "@reading-list/store/table-inspection.ts";
import type { Command } from "commander";
import { explain } from "../failures.ts";
import { alignColumns, countOf } from "../report.ts";
import type { Context, Run } from "../run-command.ts";
import type { Terminal } from "../terminal.ts";

/** The result of a check; a fault says what to do. */
type Finding = { found: string } | { fault: string };

/** Seconds by which clocks may differ. AWS refuses a request that is five minutes off; limits and sync need less. */
const clockTolerance = 30;

/** Addresses inside a network, in notations with which guards of other services were bypassed. */
const privateAddresses = [
  "http://127.0.0.1:3000/",
  "http://localhost:3000/",
  "http://2130706433/",
  "http://10.0.0.1/",
  "http://192.168.0.1/",
  "http://169.254.169.254/latest/meta-data/",
  "http://[::1]/",
  "http://[::ffff:10.0.0.1]/",
  "http://[fd00:ec2::254]/",
];

const switchOn = {
  backups:
    "aws dynamodb update-continuous-backups --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true",
  protection: "aws dynamodb update-table --deletion-protection-enabled",
};

/** `readinglist doctor` */
export function addDoctorCommand(program: Command, run: Run): void {
  program
    .command("doctor")
    .description(
      "check the table with its indexes, expiry, backups and protection, the clock, the counts of all lists (reads the whole table), permissions, and that text refuses private addresses",
    )
    .addHelpText("after", "\nExample:\n  readinglist doctor --stage production")
    .action(() =>
      run(async (context) => {
        const checks = [];
        for (const [check, look] of Object.entries(checksOf(context))) {
          const finding = await look().catch((error): Finding => ({ fault: faultOf(error, context) }));
          const isGood = "found" in finding;
          checks.push({ check, ok: isGood, finding: isGood ? finding.found : finding.fault });
        }
        const rows = checks.map(({ check, ok, finding }) => [ok ? "ok" : "FAULT", check, finding]);
        const isFailure = checks.some(({ ok }) => !ok);
        return { data: { ok: !isFailure, checks }, text: alignColumns(["", "CHECK", "FINDING"], rows), isFailure };
      }),
    );
}

function faultOf(error: unknown, { place }: Context): string {
  return explain(error, place) ?? `could not be checked: ${(error as Error).name}`;
}

function checksOf({ table, place, terminal }: Context): Record<string, () => Promise<Finding>> {
  const { indexes, ttl } = tableDefinition;
  const inspection = inspectTable(table);
  // Each check that awaits it reports its failure.
  inspection.catch(() => {});
  return {
    table: async () => {
      const { isActive, hasKeys } = await inspection;
      if (!hasKeys) return { fault: `the ${place.description} has other keys than it should; it is another service's` };
      return isActive ? { found: place.description } : { fault: "the table is not active; wait until it is" };
    },
    indexes: async () => {
      const { missingIndexes: missing } = await inspection;
      return missing.length === 0
        ? { found: `${Object.keys(indexes).join(" and ")} are there` }
        : { fault: `missing: ${missing.join(", ")}; a table cannot get a local index later: deploy or start anew` };
    },
    expiry: async () =>
      (await findExpiry(table)) === ttl
        ? { found: `records expire by ${ttl}` }
        : { fault: `records do not expire; switch TTL on for the attribute ${ttl}` },
    backups: async () => {
      const isOn = await hasPointInTimeRecovery(table);
      if (isOn === undefined) return { found: "this database has none; run readinglist backup" };
      if (isOn) return { found: "point-in-time recovery is on" };
      return { fault: `point-in-time recovery is off; run ${switchOn.backups} --table-name ${table.tableName}` };
    },
    "deletion protection": async () => {
      if ((await inspection).isProtected) return { found: "on" };
      if (place.stage === undefined) return { found: "off, as on every database that is not deployed" };
      if (!keepsData(place.stage)) return { found: "off, as on every stage but production" };
      return { fault: `off; run ${switchOn.protection} --table-name ${table.tableName}` };
    },
    clock: async () => {
      const before = Date.now();
      const time = await readServerTime(table);
      if (time === undefined) return { found: "the database does not say its time" };
      // The database returns whole seconds.
      const apart = Math.max(0, time - Date.now(), before - time - 1000) / 1000;
      return apart <= clockTolerance
        ? { found: `within ${Math.ceil(apart) || 1} s of the database's` }
        : { fault: `this machine's clock is ${Math.round(apart)} s off the database's; set it by NTP` };
    },
    counts: async () => {
      const drifted: string[] = [];
      for await (const username of findDriftedUsers(table)) drifted.push(username);
      if (drifted.length === 0) return { found: "every user's record counts the items that there are" };
      const shown = drifted.slice(0, 5).join(", ") + (drifted.length > 5 ? ", …" : "");
      return { fault: `${countOf(drifted.length, "list")} drifted (${shown}); run readinglist users recount --all` };
    },
    permissions: async () => {
      const refused = await findRefusedActions(table);
      return refused.length === 0
        ? { found: "all that these commands need" }
        : { fault: `allow these credentials ${refused.map((action) => `dynamodb:${action}`).join(", ")} on the table` };
    },
    "private addresses": () => checkPrivateAddresses(terminal),
  };
}

const noCache: TextCache = { find: async () => undefined, keep: async () => {} };

/** Asks the reader of the text view, with the settings of this environment, for pages that it must not fetch. */
async function checkPrivateAddresses({ env }: Terminal): Promise<Finding> {
  const { textAllowedOrigins } = readSettings(env);
  const reader = createPageReader({
    allowedOrigins: textAllowedOrigins,
    cache: noCache,
    clock: Date,
    deadlineMs: 3000,
  });
  const fetched: string[] = [];
  try {
    for (const url of privateAddresses) {
      const refusal = await reader.read({ url, mode: "more", images: false }).catch((error: unknown) => error);
      if (!(refusal instanceof ServiceError && refusal.message.endsWith("is not public"))) fetched.push(url);
    }
  } finally {
    await reader.close();
  }
  if (fetched.length > 0) return { fault: `text would fetch ${fetched.join(", ")}; check TEXT_ALLOWED_ORIGINS` };
  if (textAllowedOrigins.length > 0) {
    return { found: `text refuses them, except for TEXT_ALLOWED_ORIGINS (${textAllowedOrigins.join(", ")})` };
  }
  return { found: `text refuses ${privateAddresses.length} notations of them` };
}
