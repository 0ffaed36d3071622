import { ServiceError } from "@reading-list/core/errors.ts";
import type { TextCache } from "@reading-list/core/ports.ts";
import { readSettings } from "@reading-list/functions/compose/settings.ts";
import { createPageReader } from "@reading-list/reader/page-reader.ts";
import { tableDefinition } from "@reading-list/store/table-definition.ts";
import { findExpiry, findRefusedActions, inspectTable, readServerTime } from "@reading-list/store/table-inspection.ts";
import type { Command } from "commander";
import { explain } from "../failures.ts";
import { alignColumns } from "../report.ts";
import type { Context, Run } from "../run-command.ts";

/** What was found; a fault says what to do. */
type Finding = { found: string } | { fault: string };

/** Seconds by which clocks may differ: AWS refuses a request that is five minutes off, limits and sync feel less. */
const clockTolerance = 30;

/** Addresses inside a network, in notations that have slipped through guards elsewhere. */
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

/** `readinglist doctor` */
export function addDoctorCommand(program: Command, run: Run): void {
  program
    .command("doctor")
    .description("check the table, its index and expiry, clock, permissions, and that text refuses private addresses")
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

function checksOf({ table, place }: Context): Record<string, () => Promise<Finding>> {
  const { index, ttl } = tableDefinition;
  const inspection = inspectTable(table);
  // Each check that needs it hears of its failure.
  inspection.catch(() => {});
  return {
    table: async () => {
      const { isActive, hasKeys } = await inspection;
      if (!hasKeys) return { fault: `the ${place.description} has other keys than it should; it is another service's` };
      return isActive ? { found: place.description } : { fault: "the table is not active; wait until it is" };
    },
    index: async () =>
      (await inspection).hasIndex
        ? { found: `${index.name} is there` }
        : { fault: `the index ${index.name} is missing; a table cannot get it later: deploy or start anew` },
    expiry: async () =>
      (await findExpiry(table)) === ttl
        ? { found: `records expire by ${ttl}` }
        : { fault: `records do not expire; switch TTL on for the attribute ${ttl}` },
    clock: async () => {
      const before = Date.now();
      const time = await readServerTime(table);
      if (time === undefined) return { found: "the database does not say its time" };
      // It says it in whole seconds.
      const apart = Math.max(0, time - Date.now(), before - time - 1000) / 1000;
      return apart <= clockTolerance
        ? { found: `within ${Math.ceil(apart) || 1} s of the database's` }
        : { fault: `this machine's clock is ${Math.round(apart)} s off the database's; set it by NTP` };
    },
    permissions: async () => {
      const refused = await findRefusedActions(table);
      return refused.length === 0
        ? { found: "all that these commands need" }
        : { fault: `allow these credentials ${refused.map((action) => `dynamodb:${action}`).join(", ")} on the table` };
    },
    "private addresses": checkPrivateAddresses,
  };
}

const noCache: TextCache = { find: async () => undefined, keep: async () => {} };

/** Asks the reader that text is made of, as it would be set up here, for pages that it must not fetch. */
async function checkPrivateAddresses(): Promise<Finding> {
  const { textAllowedOrigins } = readSettings(process.env);
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
    return { found: `text refuses them, save for TEXT_ALLOWED_ORIGINS (${textAllowedOrigins.join(", ")})` };
  }
  return { found: `text refuses ${privateAddresses.length} notations of them` };
}
