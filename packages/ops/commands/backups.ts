// SPDX-License-Identifier: MIT

import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import {
  listBackups,
  type RestoreOptions,
  readSecret,
  restoreBackup,
  writeBackup,
} from "@reading-list/backup/encrypted-backup.ts";
import { openDestination } from "@reading-list/backup/open-destination.ts";
import { deriveVerifyKey } from "@reading-list/backup/signed-content.ts";
import { unixTime } from "@reading-list/core/ports/clock.ts";
import { createNameKey } from "@reading-list/local/daily-backups.ts";
import { prepareDataFolder } from "@reading-list/local/data-folder.ts";
import { judgeFolder } from "@reading-list/local/judge-folder.ts";
import { isVerifyKeyNew, noteBackup } from "@reading-list/local/last-backup.ts";
import { readLocalSettings } from "@reading-list/local/local-settings.ts";
import { readSecretFile } from "@reading-list/local/secret-file.ts";
import { readSettings } from "@reading-list/settings/settings.ts";
import {
  type BackupSummary,
  backUpWithChecksum,
  pruneBackups,
  restore,
  summarize,
  verifyChecksum,
} from "@reading-list/store-sqlite/backup.ts";
import { fileName } from "@reading-list/store-sqlite/database.ts";
import { backUpPictures, type CopiedPictures, restorePictures } from "@reading-list/store-sqlite/picture-backup.ts";
import type { Command } from "commander";
import { CommandError, toFileFailure, UsageError } from "../failures.ts";
import { parseTime } from "../parse-options.ts";
import { alignColumns, type Report, showCount, showNumber, showTime } from "../report.ts";
import { restoreStage, sayWhatIsOld } from "../restore-stage.ts";
import { runCommand, runOnFolder, runOnStage } from "../run-command.ts";
import { confirm, type Terminal } from "../terminal.ts";

/** `readinglist backup` and `readinglist restore` */
export function addBackupCommands(program: Command, terminal: Terminal): void {
  program
    .command("backup")
    .description("back up the database of npm start to a file, or encrypted to BACKUP_TO; the service may be running")
    .argument("[file]", "file to write or replace; without it, write a new backup to BACKUP_TO")
    .option("--without-pictures", "do not copy the pictures of saved articles to the folder pictures beside the file")
    .addHelpText("after", '\nExample:\n  readinglist backup "reading-list-$(date +%F).db"')
    .action((file: string | undefined, { withoutPictures = false }: { withoutPictures?: boolean }) =>
      runOnFolder(program, terminal, async ({ dataDir }) => {
        const folder = path.resolve(dataDir);
        if (!existsSync(path.join(folder, fileName))) {
          throw new CommandError(`no local database was found in ${folder}; run npm start once, or check DATA_DIR`);
        }
        if (file === undefined) {
          if (withoutPictures) throw new UsageError("--without-pictures works only with a backup to a file");
          return backUpElsewhere(folder, terminal);
        }
        try {
          backUpWithChecksum(folder, file, readLocalSettings(terminal.env).diskReserve);
          const now = unixTime(Date);
          const pictures = withoutPictures
            ? undefined
            : await backUpPictures(folder, file, now, judgeFolder(folder, now).permit);
          noteBackup(folder);
          const bytes = statSync(file).size;
          const text = `Wrote ${file}: ${showNumber(bytes)} bytes.${showPictures(pictures, "copied beside it")} It does not include DATA_DIR/secret, unlike encrypted backups. Copy that file, too.`;
          return { data: { file, bytes, ...(pictures && { pictures }) }, text };
        } catch (error) {
          throw toFileFailure(file, error);
        }
      }),
    );

  const backups = program.command("backups").description("list the encrypted backups at BACKUP_TO");

  backups
    .command("prune")
    .description("delete backups older than 14 days from a folder, at most the older half of all")
    .argument("<folder>", "folder with backups that readinglist wrote")
    .addHelpText("after", "\nExample:\n  readinglist backups prune /var/lib/reading-list-backups")
    .action((folder: string) =>
      runOnFolder(program, terminal, async ({ dataDir }) => {
        if (existsSync(path.join(folder, fileName)))
          throw new UsageError(`${folder} is a data folder; give a folder of backups`);
        const { permit } = judgeFolder(path.resolve(dataDir), unixTime(Date));
        if (!permit)
          return { data: { deleted: 0, isClockPlausible: false }, text: `No backup was deleted: ${staying}` };
        try {
          const deleted = pruneBackups(folder, permit);
          return { data: { deleted, isClockPlausible: true }, text: `${showCount(deleted, "old backup")} deleted.` };
        } catch (error) {
          throw toFileFailure(folder, error);
        }
      }),
    );

  backups.action(() =>
    runCommand(program, terminal, async () => {
      const backups = await listBackups(openDestination(findBackupPlace(terminal).address));
      const rows = backups.map(({ address, time, bytes }) => [showTime(time), showNumber(bytes), address]);
      const table = alignColumns(["time", "bytes", "backup"], rows, "No backup yet.");
      const { dataDir } = readLocalSettings(terminal.env);
      const verifyKey = await readSecret(path.resolve(dataDir)).then(deriveVerifyKey, () => undefined);
      return { data: { backups, verifyKey }, text: verifyKey ? `${table}\n\n${sayVerifyKey(verifyKey)}` : table };
    }),
  );

  program
    .command("restore")
    .description("replace the database of npm start with a backup, or return a deployed stage to an earlier time")
    .argument("[file]", "backup file or address of a listed backup; stop the service first")
    .option("--identity <file>", "file with the private key of an encrypted backup, as written by age-keygen")
    .option("--verify-key <key...>", "verification keys that you trust, if the --identity file does not contain them")
    .option("--accept-unverified", "restore an encrypted backup that none of these keys has signed")
    .option("--at <time>", "with --stage: a time in the last 35 days; start maintenance first", parseTime)
    .addHelpText(
      "after",
      `
Users deleted after the backup, or after that time, are left out.

Examples:
  readinglist restore reading-list-2026-11-21.db
  readinglist restore s3://backups/list/2026-11-21T003211Z.db.age --identity key.txt
  readinglist restore --at 2026-11-21T05:30:00Z --stage production`,
    )
    .action((file: string | undefined, { at, ...choice }: RestoreChoice) => {
      if (at !== undefined) {
        return runOnStage(program, terminal, async (context) => {
          if (file !== undefined) throw new UsageError("give a backup file, or --at with --stage");
          return restoreStage(context, at);
        });
      }
      return runOnFolder(program, terminal, ({ dataDir, isAgreed }) => {
        if (file === undefined) throw new UsageError("give the backup, or --at a time with --stage");
        return restoreFile(dataDir, file, choice, terminal, isAgreed);
      });
    });
}

/** Replaces a data folder with a backup. */
async function restoreFile(
  dataDir: string,
  file: string,
  { identity, verifyKey = [], acceptUnverified = false }: RestoreChoice,
  terminal: Terminal,
  isAgreed: boolean,
): Promise<Report> {
  const isEncrypted = file.endsWith(".age");
  if (isEncrypted !== (identity !== undefined)) {
    throw new UsageError("for a backup that ends in .age, give the private key file with --identity");
  }
  const folder = path.resolve(dataDir);
  const isReplaced = existsSync(folder);
  const agree = async (summary: Summary) => {
    terminal.stderr.write(`${describeBackup(file, summary)}\n`);
    const question = `Replace all data in ${folder} with ${file}? The current data cannot be recovered.`;
    if (isReplaced) await confirm(terminal, question, isAgreed);
  };
  const options =
    identity === undefined
      ? undefined
      : { keys: readKeys(identity), verifyKeys: verifyKey, acceptsUnverified: acceptUnverified };
  prepareDataFolder(dataDir);
  const { leftOut, pictures, hasSecret } = await restoreEither(folder, file, options, agree).catch((error) => {
    throw toFileFailure(folder, error);
  });
  return {
    isPartial: pictures.missing > 0,
    data: { file, folder, leftOut: leftOut ?? null, pictures, hasSecret },
    text: `Restored ${folder} from ${file}. ${
      leftOut === undefined
        ? "No record of users deleted since the backup was found, so these users exist again."
        : `${showCount(leftOut, "user")} who ${leftOut === 1 ? "was" : "were"} deleted since the backup was written ${leftOut === 1 ? "is" : "are"} left out.`
    }${showPictures(pictures, "copied from beside it")}\n${sayWhatIsOld("")}${hasSecret ? "" : `\n${noSecret}`}`,
  };
}

/** Writes an encrypted backup of a data folder to `BACKUP_TO`. */
async function backUpElsewhere(folder: string, terminal: Terminal): Promise<Report> {
  const secret = readSecretFile(folder, "secret");
  const { proofSecret = secret } = readSettings(terminal.env);
  const { diskReserve } = readLocalSettings(terminal.env);
  const now = unixTime(Date);
  const { permit } = judgeFolder(folder, now);
  const nameKey = createNameKey(proofSecret);
  const options = { ...findBackupPlace(terminal), diskReserve, folder, nameKey, now, permit };
  const { address, bytes, pictures, deleted } = await writeBackup(options);
  noteBackup(folder);
  const pruned = deleted > 0 ? ` ${showCount(deleted, "old backup")} deleted.` : "";
  const old = permit ? pruned : ` Old backups were not deleted: ${staying}`;
  const verifyKey = deriveVerifyKey(secret);
  const told = isVerifyKeyNew(folder, verifyKey) ? `\n${sayVerifyKey(verifyKey)}` : "";
  const text = `Wrote ${address}: ${showNumber(bytes)} bytes.${showPictures(pictures, "copied")}${old}${told}`;
  return { data: { address, bytes, pictures, deleted }, text };
}

const staying = "the clock of this machine is implausible; run readinglist clock.";

function findBackupPlace({ env }: Terminal): { address: string; recipient: string } {
  const { backup } = readLocalSettings(env);
  if (!backup) throw new UsageError("set BACKUP_TO and BACKUP_RECIPIENT, or name a file for readinglist backup");
  return backup;
}

function readKeys(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw toFileFailure(file, error, "read");
  }
}

interface RestoreChoice {
  at?: number;
  identity?: string;
  verifyKey?: string[];
  acceptUnverified?: boolean;
}

type Summary = BackupSummary & { time?: number | undefined };

/** Restores a backup of a file, or with the keys of an encrypted one. */
async function restoreEither(
  folder: string,
  file: string,
  options: Pick<RestoreOptions, "keys" | "verifyKeys" | "acceptsUnverified"> | undefined,
  agree: (summary: Summary) => Promise<void>,
) {
  const now = unixTime(Date);
  if (options) return restoreBackup(folder, file, { ...options, now, agree });
  verifyChecksum(file);
  await agree(summarize(file));
  const leftOut = restore(folder, file, now);
  return { leftOut, pictures: await restorePictures(folder, file), hasSecret: false };
}

/** Maximum names in one line. */
const maxNames = 20;

function describeBackup(file: string, { users, operators, newestChange, time }: Summary): string {
  const some = (names: string[]) => [...names.slice(0, maxNames), ...(names.length > maxNames ? ["…"] : [])].join(", ");
  return [
    `${file}${time === undefined ? "" : `, written ${showTime(time)}`}: ${showCount(users.length, "user")}${users.length > 0 ? ` (${some(users)})` : ""}`,
    `operators: ${some(operators) || "none"}`,
    `newest change: ${newestChange === 0 ? "none" : showTime(newestChange)}`,
  ].join("; ");
}

const noSecret =
  "The backup has no DATA_DIR/secret. Copy that file from the old data folder if you can. Without it, OAuth apps must be connected again, picture links expire, and the next encrypted backup copies all pictures again and is signed with a new key.";

const sayVerifyKey = (key: string) =>
  `The key that verifies these backups is ${key}. Keep it with the age identity: add it to that file as a line that begins with #.`;

/** A sentence on pictures; empty if there were none. */
function showPictures(pictures: CopiedPictures | undefined, verb: string): string {
  if (!pictures || pictures.copied + pictures.missing === 0) return "";
  const { copied, missing } = pictures;
  return ` ${showCount(copied, "picture")} ${verb}${missing > 0 ? `; ${showNumber(missing)} missing or damaged, see readinglist doctor` : ""}.`;
}
