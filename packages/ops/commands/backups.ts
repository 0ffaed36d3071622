// SPDX-License-Identifier: MIT

import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { secondsOf } from "@reading-list/core/ports.ts";
import { prepareDataFolder } from "@reading-list/local/data-folder.ts";
import { noteBackup } from "@reading-list/local/last-backup.ts";
import { backUp, restore } from "@reading-list/store-sqlite/backup.ts";
import { fileName } from "@reading-list/store-sqlite/database.ts";
import { backUpPictures, type CopiedPictures, restorePictures } from "@reading-list/store-sqlite/picture-backup.ts";
import type { Command } from "commander";
import { CommandError, toFileFailure, UsageError } from "../failures.ts";
import { parseTime } from "../parse-options.ts";
import { countOf, showNumber } from "../report.ts";
import { restoreStage } from "../restore-stage.ts";
import { runOnFolder, runOnStage } from "../run-command.ts";
import { confirm, type Terminal } from "../terminal.ts";

/** `readinglist backup` and `readinglist restore` */
export function addBackupCommands(program: Command, terminal: Terminal): void {
  program
    .command("backup")
    .description("write the database of npm start to a file, whether the service runs or not")
    .argument("<file>", "the file; one of that name is replaced")
    .option(
      "--without-pictures",
      "leave out the pictures of kept articles, which are copied to the folder pictures beside it",
    )
    .addHelpText("after", '\nExample:\n  readinglist backup "reading-list-$(date +%F).db"')
    .action((file: string, { withoutPictures = false }: { withoutPictures?: boolean }) =>
      runOnFolder(program, terminal, async ({ dataDir }) => {
        const folder = path.resolve(dataDir);
        if (!existsSync(path.join(folder, fileName))) {
          throw new CommandError(`there is no local database in ${folder}; run npm start once, or check DATA_DIR`);
        }
        try {
          backUp(folder, file);
          const pictures = withoutPictures ? undefined : await backUpPictures(folder, file, secondsOf(Date));
          noteBackup(folder);
          const bytes = statSync(file).size;
          const text = `Wrote ${file}: ${showNumber(bytes)} bytes.${showPictures(pictures, "copied beside it")}`;
          return { data: { file, bytes, ...(pictures && { pictures }) }, text };
        } catch (error) {
          throw toFileFailure(file, error);
        }
      }),
    );

  program
    .command("restore")
    .description("replace the database of npm start by a backup, or bring a deployed stage to an earlier time")
    .argument("[file]", "a file that readinglist backup has written; stop the service first")
    .option("--at <time>", "with --stage: a second of the last 35 days; set maintenance mode first", parseTime)
    .addHelpText(
      "after",
      `
Users who were deleted after the backup, or after that time, are left out.

Examples:
  readinglist restore reading-list-2026-11-21.db
  readinglist restore --at 2026-11-21T05:30:00Z --stage production`,
    )
    .action((file: string | undefined, { at }: { at?: number }) => {
      if (at !== undefined) {
        return runOnStage(program, terminal, async (context) => {
          if (file !== undefined) throw new UsageError("give a file, or --at with --stage");
          return restoreStage(context, at);
        });
      }
      return runOnFolder(program, terminal, async ({ dataDir, isAgreed }) => {
        if (file === undefined) throw new UsageError("name the backup, or --at a time with --stage");
        const folder = path.resolve(dataDir);
        if (existsSync(folder)) {
          await confirm(
            terminal,
            `Replace all data in ${folder} by ${file}? Nothing brings the present data back.`,
            isAgreed,
          );
        }
        const leftOut = restore(prepareDataFolder(dataDir), file, secondsOf(Date));
        const pictures = await restorePictures(folder, file).catch((error) => {
          throw toFileFailure(folder, error);
        });
        return {
          data: { file, folder, leftOut: leftOut ?? null, pictures },
          text: `Restored ${folder} from ${file}. ${
            leftOut === undefined
              ? "Nothing tells which users were deleted since the backup was written: those exist again."
              : `${countOf(leftOut, "user")} who ${leftOut === 1 ? "was" : "were"} deleted since the backup was written ${leftOut === 1 ? "is" : "are"} left out.`
          }${showPictures(pictures, "copied from beside it")}`,
        };
      });
    });
}

/** A sentence on pictures; empty if nothing became of them. */
function showPictures(pictures: CopiedPictures | undefined, verb: string): string {
  if (!pictures || pictures.copied + pictures.missing === 0) return "";
  const { copied, missing } = pictures;
  return ` ${countOf(copied, "picture")} ${verb}${missing > 0 ? `; ${showNumber(missing)} missing or damaged, see readinglist doctor` : ""}.`;
}
