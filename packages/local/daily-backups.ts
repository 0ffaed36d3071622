// SPDX-License-Identifier: MIT

import type { KeyObject } from "node:crypto";
import {
  type BackupOptions,
  listBackups,
  readSecret,
  writeBackupInThread,
} from "@reading-list/backup/encrypted-backup.ts";
import { createEncrypter } from "@reading-list/backup/encryption.ts";
import { toReadable } from "@reading-list/backup/folder.ts";
import { openDestination, splitAddress } from "@reading-list/backup/open-destination.ts";
import { deriveVerifyKey } from "@reading-list/backup/signed-content.ts";
import type { ErasePermit } from "@reading-list/core/domain/clock-check.ts";
import { type Clock, unixTime } from "@reading-list/core/ports/clock.ts";
import type { BackupContent, Backups, ListedBackup } from "@reading-list/core/ports/operator.ts";
import { createSignatureKeys } from "@reading-list/http/compose/signature-keys.ts";
import { isVerifyKeyNew, noteBackup } from "./last-backup.ts";
import type { Log } from "./log.ts";
import { repeatWork } from "./repeat-work.ts";
import { readSecretFile } from "./secret-file.ts";

const hourMs = 3_600_000;
const day = 86_400;

/** The key of the names of pictures in encrypted backups. */
export const createNameKey = (secret: string): KeyObject => createSignatureKeys(secret)("backup");

type FixedOptions = Omit<BackupOptions, "now" | "permit">;

/**
 * Writes an encrypted backup on each day (UTC) that has none yet; a failure is logged, and tried again in an hour. The
 * constructor throws a SetupError if the recipient is not an age key.
 */
export class DailyBackups implements Backups {
  readonly #options: FixedOptions;
  readonly #clock: Clock;
  readonly #erasePermit: () => Promise<ErasePermit | undefined>;
  readonly #log: Log;
  #running: Promise<void> | undefined;
  failure: string | undefined;

  constructor(options: FixedOptions, clock: Clock, erasePermit: () => Promise<ErasePermit | undefined>, log: Log) {
    createEncrypter(options.recipient);
    // With PROOF_SECRET the folder may have none yet, and backups carry it.
    readSecretFile(options.folder, "secret");
    this.#options = options;
    this.#clock = clock;
    this.#erasePermit = erasePermit;
    this.#log = log;
  }

  /** Returns the way to stop. */
  start(): () => void {
    return repeatWork(async () => {
      const backups = await this.list().catch((error: Error) => {
        this.#fail(error);
        throw error;
      });
      const now = unixTime(this.#clock);
      // One of the future was written under a wrong clock.
      const isOfToday = backups.some(({ time }) => time <= now && Math.floor(time / day) === Math.floor(now / day));
      if (!isOfToday) await this.#write();
    }, hourMs);
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  list = (): Promise<ListedBackup[]> => listBackups(openDestination(this.#options.address));

  async open(address: string): Promise<BackupContent | undefined> {
    const listed = (await this.list()).find((each) => each.address === address);
    if (!listed) return undefined;
    const { destination, name } = splitAddress(address);
    const content = await destination.read(name);
    return content && { name, bytes: listed.bytes, stream: () => toReadable(content) };
  }

  begin(): void {
    void this.#write();
  }

  #write(): Promise<void> {
    this.#running ??= this.#writeOne().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #writeOne(): Promise<void> {
    try {
      const permit = await this.#erasePermit();
      const { pictures } = await writeBackupInThread({ ...this.#options, now: unixTime(this.#clock), permit });
      noteBackup(this.#options.folder);
      const verifyKey = deriveVerifyKey(await readSecret(this.#options.folder));
      const message = "backups are signed; keep this verification key with the age identity";
      if (isVerifyKeyNew(this.#options.folder, verifyKey)) this.#log({ level: "INFO", message, verifyKey });
      this.failure = undefined;
      if (pictures.missing > 0) this.#log({ level: "ERROR", message: "backup is missing pictures", ...pictures });
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #fail({ message: reason }: Error): void {
    this.failure = reason;
    this.#log({ level: "ERROR", message: "backup failed", reason });
  }
}
