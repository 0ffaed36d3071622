import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { backUpDatabase, restoreDatabase } from "@reading-list/local/data-backup.ts";
import type { Command } from "commander";
import { fileFailure } from "../failures.ts";
import { showNumber } from "../report.ts";
import type { RunOnFolder } from "../run-command.ts";
import { confirm } from "../terminal.ts";

/** `readinglist backup` and `readinglist restore` */
export function addBackupCommands(program: Command, run: RunOnFolder): void {
  program
    .command("backup")
    .description("write the database of npm start to a file, whether the service runs or not")
    .argument("<file>", "the file; one of that name is replaced")
    .addHelpText("after", '\nExample:\n  readinglist backup "reading-list-$(date +%F).db"')
    .action((file: string) =>
      run(async ({ dataDir }) => {
        await backUpDatabase(dataDir, file).catch((error) => {
          throw fileFailure(file, error);
        });
        const bytes = statSync(file).size;
        return { data: { file, bytes }, text: `Wrote ${file}: ${showNumber(bytes)} bytes.` };
      }),
    );

  program
    .command("restore")
    .description("replace the database of npm start by a backup; stop the service first")
    .argument("<file>", "a file that readinglist backup has written")
    .addHelpText("after", "\nExample:\n  readinglist restore reading-list-2026-11-21.db")
    .action((file: string) =>
      run(async ({ dataDir, tableName, isAgreed, terminal }) => {
        const folder = path.resolve(dataDir);
        if (existsSync(folder)) {
          await confirm(
            terminal,
            `Replace all data in ${folder} by ${file}? Nothing brings the present data back.`,
            isAgreed,
          );
        }
        const { outdated } = await restoreDatabase(dataDir, file, tableName);
        const note = outdated ? " Version 0.1.0 wrote it: npm start converts it." : "";
        return { data: { file, folder, outdated }, text: `Restored ${folder} from ${file}.${note}` };
      }),
    );
}
