// SPDX-License-Identifier: MIT

import { type FoundSettings, findFaults, findSettings, knownSettings } from "@reading-list/local/settings-file.ts";
import type { Command } from "commander";
import { alignColumns, type Report } from "../report.ts";
import { runCommand } from "../run-command.ts";
import type { Terminal } from "../terminal.ts";

/** `readinglist settings` */
export function addSettingsCommand(program: Command, terminal: Terminal): void {
  program
    .command("settings")
    .description("show the settings of the service, where each comes from, and all their faults")
    .action(() =>
      runCommand(
        program,
        terminal,
        async () => describe(findSettings(terminal.env)),
        (env) => env,
      ),
    );
}

function describe(found: FoundSettings): Report {
  const settings = Object.entries(knownSettings).flatMap(([name, schema]) => {
    const set = found.variables.get(name);
    const { description, isSecret, shownDefault } = schema.meta() ?? {};
    if (!set && !description) return [];
    const { data } = schema.safeParse(undefined);
    const value = set?.value ?? String(shownDefault ?? data ?? "");
    return [{ name, value: isSecret && set ? "(secret)" : value, from: set?.from ?? "default" }];
  });
  const misspelt = found.unknown.flatMap(({ name, from, nearest }) =>
    nearest ? [`${from}: ${name} is no setting; did you mean ${nearest}?`] : [],
  );
  const faults = [...findFaults(found), ...misspelt];
  const others = found.unknown.filter(({ nearest }) => !nearest).map(({ name }) => name);
  const parts = [
    alignColumns(
      ["SETTING", "VALUE", "FROM"],
      settings.map(({ name, value, from }) => [name, value, from]),
    ),
    ...(others.length > 0 ? [`No settings of the service: ${others.join(", ")}.`] : []),
    faults.map((fault) => `FAULT ${fault}`).join("\n"),
  ];
  return {
    data: { settings, faults, others },
    text: parts.filter(Boolean).join("\n\n"),
    isFailure: faults.length > 0,
  };
}
