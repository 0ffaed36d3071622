import { createPageReader } from "@reading-list/article/page-reader.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import type { Finding } from "@reading-list/core/operator-ports.ts";
import type { TextCache } from "@reading-list/core/ports.ts";
import { readSettings } from "@reading-list/settings/settings.ts";
import type { Command } from "commander";
import { explain } from "../failures.ts";
import { alignColumns, countOf } from "../report.ts";
import type { Context, Run } from "../run-command.ts";
import type { Terminal } from "../terminal.ts";

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

/** `readinglist doctor` */
export function addDoctorCommand(program: Command, run: Run): void {
  program
    .command("doctor")
    .description(
      "check the database, the counts of all lists (reads the whole database), and that text refuses private addresses",
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

function checksOf({ store, terminal, now }: Context): Record<string, () => Promise<Finding>> {
  return {
    ...store.checks(now),
    counts: async () => {
      const drifted: string[] = [];
      for await (const username of store.findDriftedUsers()) drifted.push(username);
      if (drifted.length === 0) return { found: "every user's record counts the items that there are" };
      const shown = drifted.slice(0, 5).join(", ") + (drifted.length > 5 ? ", …" : "");
      return { fault: `${countOf(drifted.length, "list")} drifted (${shown}); run readinglist users recount --all` };
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
