// SPDX-License-Identifier: MIT

import { randomBytes } from "node:crypto";
import { chmodSync, renameSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";

/** The bytes of a disk, and those of them that are free for this process. */
export interface DiskSpace {
  size: number;
  free: number;
}

export function measureDisk(folder: string): DiskSpace {
  const { blocks, bavail, bsize } = statfsSync(folder);
  return { size: blocks * bsize, free: bavail * bsize };
}

/** The reserve is 200 MB by default, of a small disk 5 %. */
const defaultReserve = 200_000_000;
const shareOfDisk = 0.05;

/** Bytes that the largest call adds to the log, and then to the database file. */
const bytesOfCall = 4_000_000;

/** Bytes of the ballast: it lets a full database open, count calls and delete pages. Less is better than nothing. */
const wholeBallast = 1_000_000;
const leastBallast = 40_000;
/** The name of the ballast in the data folder. */
const ballastName = "disk-reserve";
/** Milliseconds between two attempts to write the ballast again. */
const refillMs = 5000;

const isOutOfSpace = (error: unknown) => ["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "");

/**
 * The part of the disk of a data folder that no call may add data to, so that reading, deleting and counting go on. A file
 * holds the last megabyte of it: other programs, or a quota that no measurement shows, may take the rest.
 */
export class DiskReserve {
  readonly #folder: string;
  readonly #measure: () => DiskSpace;
  readonly #wanted: number | undefined;
  /** A write has failed since the ballast was whole. */
  #isUsedUp = false;
  #refillAt = 0;

  /** `wanted`: bytes (`DISK_RESERVE_MB`); by default the smaller of 200 MB and 5 % of the disk. */
  constructor(folder: string, wanted?: number, measure = () => measureDisk(folder)) {
    this.#folder = folder;
    this.#wanted = wanted;
    this.#measure = measure;
  }

  /** The bytes of the disk, and those that are free. */
  measure = (): DiskSpace => this.#measure();

  /** The bytes that are kept free. */
  bytes = ({ size } = this.#measure()): number => this.#wanted ?? Math.min(defaultReserve, size * shareOfDisk);

  /**
   * Whether less is free than the reserve, or than the space of a checkpoint after one more call. `logBytes`: of the log,
   * that the database file lacks.
   */
  isShort(logBytes: number): boolean {
    if (this.#isUsedUp && performance.now() >= this.#refillAt) this.refill();
    if (this.#isUsedUp) return true;
    const space = this.#measure();
    return space.free + this.#sizeOfBallast() < Math.max(this.bytes(space), logBytes + bytesOfCall);
  }

  /** Whether an error says that nothing more can be written: a quota has SQLite's code of any failed write. */
  isCauseOf(error: unknown): boolean {
    const code = ((error as { errcode?: number }).errcode ?? 0) % 256;
    return isOutOfSpace(error) || code === 13 || (code === 10 && !this.#canWrite());
  }

  /** Gives the ballast to a write that found no space; false if there is none left. */
  spend(): boolean {
    this.#isUsedUp = true;
    this.#refillAt = performance.now() + refillMs;
    const hadBallast = this.#sizeOfBallast() > 0;
    rmSync(this.#ballast, { force: true });
    return hadBallast;
  }

  /** Writes the ballast if it is not whole, or as much of it as fits. */
  refill(): void {
    this.#refillAt = performance.now() + refillMs;
    const present = this.#sizeOfBallast();
    if (present > 0) chmodSync(this.#ballast, 0o600);
    this.#isUsedUp = present < wholeBallast && !this.#tryToWrite(this.#ballast, wholeBallast);
    for (let size = wholeBallast / 2; this.#isUsedUp && size > Math.max(present, leastBallast); size /= 2) {
      if (this.#tryToWrite(this.#ballast, Math.floor(size))) return;
    }
  }

  get #ballast(): string {
    return path.join(this.#folder, ballastName);
  }

  #sizeOfBallast = () => statSync(this.#ballast, { throwIfNoEntry: false })?.size ?? 0;

  #canWrite(): boolean {
    const probe = path.join(this.#folder, `${ballastName}.${process.pid}`);
    const isWritten = this.#tryToWrite(probe, 65_536);
    rmSync(probe, { force: true });
    return isWritten;
  }

  /** Writes bytes that no file system compresses. Leaves the file as it was if they do not fit. */
  #tryToWrite(file: string, size: number): boolean {
    const unfinished = `${file}.unfinished`;
    try {
      writeFileSync(unfinished, randomBytes(size), { mode: 0o600 });
      renameSync(unfinished, file);
      return true;
    } catch {
      rmSync(unfinished, { force: true });
      return false;
    }
  }
}
