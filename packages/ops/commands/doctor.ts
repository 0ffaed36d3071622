// SPDX-License-Identifier: MIT

import type { Finding } from "@reading-list/core/operator-ports.ts";
import { secondsAhead } from "@reading-list/core/use-cases/lists/repair-clock.ts";
import type { Command } from "commander";
import { explain } from "../failures.ts";
import { alignColumns, countOf } from "../report.ts";
import type { Context, Run } from "../run-command.ts";

/** `readinglist doctor` */
export function addDoctorCommand(program: Command, run: Run): void {
  program
    .command("doctor")
    .description("check the database, and the counts of all lists (reads the whole database)")
    .addHelpText("after", "\nExample:\n  readinglist doctor --stage production")
    .action(() =>
      run(async (context) => {
        const checks = [];
        for (const [check, look] of Object.entries(createChecks(context))) {
          const finding = await look().catch((error): Finding => ({ fault: describeFault(error, context) }));
          const isGood = "found" in finding;
          checks.push({ check, ok: isGood, finding: isGood ? finding.found : finding.fault });
        }
        const rows = checks.map(({ check, ok, finding }) => [ok ? "ok" : "FAULT", check, finding]);
        const isFailure = checks.some(({ ok }) => !ok);
        return { data: { ok: !isFailure, checks }, text: alignColumns(["", "CHECK", "FINDING"], rows), isFailure };
      }),
    );
}

function describeFault(error: unknown, { place }: Context): string {
  return explain(error, place) ?? `could not be checked: ${(error as Error).name}`;
}

const showSome = (names: readonly string[]) => names.slice(0, 5).join(", ") + (names.length > 5 ? ", …" : "");

function createChecks({ store, now }: Context): Record<string, () => Promise<Finding>> {
  return {
    ...store.checks(),
    clocks: async () => {
      const ahead: string[] = [];
      for await (const users of store.walkUsers()) {
        ahead.push(...users.filter((user) => secondsAhead(user, now) > 0).map(({ username }) => username));
      }
      if (ahead.length === 0) return { found: "no list is ahead of this machine's clock" };
      return {
        fault: `${countOf(ahead.length, "list")} ahead of this machine's clock (${showSome(ahead)}): if this clock is right, run readinglist users repair-clock --all`,
      };
    },
    counts: async () => {
      const drifted: string[] = [];
      for await (const username of store.findDriftedUsers()) drifted.push(username);
      if (drifted.length === 0) return { found: "every user's record counts the items that there are" };
      return {
        fault: `${countOf(drifted.length, "list")} drifted (${showSome(drifted)}); run readinglist users recount --all`,
      };
    },
  };
}
