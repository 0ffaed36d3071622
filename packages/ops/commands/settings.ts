// SPDX-License-Identifier: MIT

import {
  type FoundSettings,
  findFaults,
  findSettings,
  knownSettings,
  writeTrialSettings,
} from "@reading-list/local/settings-file.ts";
import type { Command } from "commander";
import { UsageError } from "../failures.ts";
import { alignColumns, type Report } from "../report.ts";
import { runCommand } from "../run-command.ts";
import type { Terminal } from "../terminal.ts";

/** `readinglist settings` */
export function addSettingsCommand(program: Command, terminal: Terminal): void {
  program
    .command("settings")
    .description("show the settings of the service, where each comes from, and all mistakes in them")
    .argument("[name]", "print only the value of this setting")
    .option("--trial <folder>", "print a readinglist.toml that tries a version on the data of a folder")
    .action((name: string | undefined, { trial }: { trial?: string }) =>
      runCommand(
        program,
        terminal,
        async () => {
          const found = findSettings(terminal.env);
          if (trial !== undefined) return { data: {}, text: writeTrialSettings(found, trial) };
          return name === undefined ? describe(found) : describeOne(found, name);
        },
        (env) => env,
      ),
    );
}

function describeOne(found: FoundSettings, name: string): Report {
  const setting = listSettings(found).find((each) => each.name === name);
  if (!setting) throw new UsageError(`${name} is not a setting; readinglist settings lists all`);
  return { data: setting, text: setting.value };
}

/** Those with a description or a value. */
function listSettings(found: FoundSettings): { name: string; value: string; from: string }[] {
  return Object.entries(knownSettings).flatMap(([name, schema]) => {
    const set = found.variables.get(name);
    const { description, isSecret, shownDefault } = schema.meta() ?? {};
    if (!set && !description) return [];
    const { data } = schema.safeParse(undefined);
    const value = set?.value ?? String(shownDefault ?? data ?? "");
    return [{ name, value: isSecret && set ? "(secret)" : value, from: set?.from ?? "default" }];
  });
}

function describe(found: FoundSettings): Report {
  const settings = listSettings(found);
  const misspelt = found.unknown.flatMap(({ name, from, nearest }) =>
    nearest ? [`${from}: ${name} is not a setting; did you mean ${nearest}?`] : [],
  );
  const faults = [...findFaults(found), ...misspelt];
  const others = found.unknown.filter(({ nearest }) => !nearest).map(({ name }) => name);
  const parts = [
    alignColumns(
      ["SETTING", "VALUE", "FROM"],
      settings.map(({ name, value, from }) => [name, value, from]),
    ),
    ...(others.length > 0 ? [`Not settings of the service: ${others.join(", ")}.`] : []),
    faults.map((fault) => `FAULT ${fault}`).join("\n"),
  ];
  return {
    data: { settings, faults, others },
    text: parts.filter(Boolean).join("\n\n"),
    isFailure: faults.length > 0,
  };
}
