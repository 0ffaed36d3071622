import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { prepareDataFolder } from "@reading-list/local/data-folder.ts";
import { backUp, restore } from "@reading-list/store-sqlite/backup.ts";
import { fileName } from "@reading-list/store-sqlite/database.ts";
import type { Command } from "commander";
import { CommandError, fileFailure } from "../failures.ts";
import { showNumber } from "../report.ts";
import { runOnFolder } from "../run-command.ts";
import { confirm, type Terminal } from "../terminal.ts";

/** `readinglist backup` and `readinglist restore` */
export function addBackupCommands(program: Command, terminal: Terminal): void {
  program
    .command("backup")
    .description("write the database of npm start to a file, whether the service runs or not")
    .argument("<file>", "the file; one of that name is replaced")
    .addHelpText("after", '\nExample:\n  readinglist backup "reading-list-$(date +%F).db"')
    .action((file: string) =>
      runOnFolder(program, terminal, async ({ dataDir }) => {
        const folder = path.resolve(dataDir);
        if (!existsSync(path.join(folder, fileName))) {
          throw new CommandError(`there is no local database in ${folder}; run npm start once, or check DATA_DIR`);
        }
        try {
          backUp(folder, file);
        } catch (error) {
          throw fileFailure(file, error);
        }
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
      runOnFolder(program, terminal, async ({ dataDir, isAgreed }) => {
        const folder = path.resolve(dataDir);
        if (existsSync(folder)) {
          await confirm(
            terminal,
            `Replace all data in ${folder} by ${file}? Nothing brings the present data back.`,
            isAgreed,
          );
        }
        restore(prepareDataFolder(dataDir), file);
        return { data: { file, folder }, text: `Restored ${folder} from ${file}.` };
      }),
    );
}
