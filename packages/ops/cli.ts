#!/usr/bin/env node
import { Command, CommanderError } from "commander";
import { addDoctorCommand } from "./commands/doctor.ts";
import { addKeysCommands } from "./commands/keys.ts";
import { addMaintenanceCommands } from "./commands/maintenance.ts";
import { addUsageCommand } from "./commands/usage.ts";
import { addUsersCommands } from "./commands/users.ts";
import { createRun } from "./run-command.ts";

const program = new Command("readinglist")
  .description("Looks after the keys, users and limits of a reading-list service.")
  .option("--stage <name>", "work on the deployed stage of this name, with the AWS credentials of the environment")
  .option("--table <name>", "name of the table, where it cannot be found by the stage or TABLE_NAME")
  .option("--json", "answer in JSON")
  .option("--yes", "do not ask before something is lost")
  .configureHelp({ showGlobalOptions: true })
  .exitOverride()
  .addHelpText(
    "after",
    `
Without --stage it works on the database at DYNAMODB_ENDPOINT, or on that of npm start in DATA_DIR, whether the
service runs or not. The table of a stage is the one that the last deployment wrote into .sst/outputs.json, else the
only one in the account whose name begins with reading-list-<stage>-ReadingListTable-.

Exit codes: 0 done, 1 failed, 2 asked in a wrong way.

Examples:
  readinglist keys create "Reader for Android"
  readinglist users show ann --json
  readinglist maintenance on "Back at 14:00 UTC" --stage production
  readinglist doctor --stage production`,
  );

const run = createRun(program, Date);
addKeysCommands(program, run);
addUsersCommands(program, run);
addMaintenanceCommands(program, run);
addUsageCommand(program, run);
addDoctorCommand(program, run);

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : 2;
}
