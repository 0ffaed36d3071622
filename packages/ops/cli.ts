// SPDX-License-Identifier: MIT

import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { addArticleCommands } from "./commands/articles.ts";
import { addBackupCommands } from "./commands/backups.ts";
import { addClockCommands } from "./commands/clock.ts";
import { addDoctorCommand } from "./commands/doctor.ts";
import { addExportCommand } from "./commands/export.ts";
import { addImportCommand } from "./commands/import.ts";
import { addKeysCommands } from "./commands/keys.ts";
import { addMailCommands } from "./commands/mail.ts";
import { addMaintenanceCommands } from "./commands/maintenance.ts";
import { addMoveCommand } from "./commands/move.ts";
import { addSettingsCommand } from "./commands/settings.ts";
import { addTrashCommands } from "./commands/trash.ts";
import { addUsageCommand } from "./commands/usage.ts";
import { addUsersCommands } from "./commands/users.ts";
import { createRun } from "./run-command.ts";
import type { Terminal } from "./terminal.ts";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

/** Runs a command line, without the name of the program; sets the exit code of the terminal unless it is 0. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<void> {
  const program = new Command("readinglist")
    .description("Manage a reading-list service: API keys, users, lists, backups and maintenance.")
    .version(version, "--version", "print the version")
    .option("--stage <name>", "use the deployed stage with this name and the AWS credentials in the environment")
    .option("--table <name>", "table name, if the stage or TABLE_NAME does not identify it")
    .option("--json", "print JSON")
    .option("--yes", "skip the confirmation before data is deleted")
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
    })
    .addHelpText(
      "after",
      `
Without --stage, commands use the database of npm start in DATA_DIR, the
database at DYNAMODB_ENDPOINT, or the table of STORE=dynamodb. The service may
be running. The table of a stage is the only one in the account and region
whose name begins with reading-list-<stage>-ReadingListTable-.

Exit codes: 0 success, 1 failure, 2 wrong command line, 3 partial success.

Examples:
  readinglist keys create "Reader for Android"
  readinglist users show ann --json
  readinglist maintenance on "Back at 14:00 UTC" --stage production
  readinglist doctor --stage production`,
    );

  const run = createRun(program, terminal);
  addKeysCommands(program, run);
  addUsersCommands(program, run);
  addTrashCommands(program, run);
  addArticleCommands(program, run);
  addExportCommand(program, run);
  addMoveCommand(program, terminal);
  addImportCommand(program, run, terminal);
  addMaintenanceCommands(program, run);
  addClockCommands(program, run);
  addUsageCommand(program, run);
  addDoctorCommand(program, run);
  addBackupCommands(program, terminal);
  addSettingsCommand(program, terminal);
  addMailCommands(program, terminal);

  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    terminal.exitCode = error.exitCode === 0 ? 0 : 2;
  }
}

if (import.meta.main) {
  // The reader of a pipe, such as head, may end first.
  process.stdout.on("error", () => {});
  await runCommandLine(process.argv.slice(2), process);
}
