// SPDX-License-Identifier: MIT

import { randomBytes } from "node:crypto";
import { appendFileSync, chmodSync, rmSync, statfsSync, statSync, truncateSync } from "node:fs";
import path from "node:path";

/** The bytes of a disk, and the bytes that are free for this process. */
export interface DiskSpace {
  size: number;
  free: number;
  /** The type of its file system, as `statfs` of Linux numbers them. */
  fileSystem?: number;
}

export function measureDisk(folder: string): DiskSpace {
  const { blocks, bavail, bsize, type } = statfsSync(folder);
  return { size: blocks * bsize, free: bavail * bsize, fileSystem: type };
}

/** The reserve is 200 MB by default, of a small disk 5 %. */
const defaultReserve = 200_000_000;
const shareOfDisk = 0.05;

/** Bytes that the largest call adds to the log, and then to the database file. */
const bytesOfCall = 4_000_000;

/** Bytes of the ballast, which lets a full database open, count calls and delete pages; and those given up first. */
const wholeBallast = 1_000_000;
const firstPart = 65_536;
/** The name of the ballast in the data folder. */
const ballastName = "disk-reserve";
/** Milliseconds between two attempts to write the ballast again. */
const refillMs = 5000;

const isOutOfSpace = (error: unknown) => ["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "");

/**
 * The part of the disk of a data folder that is reserved, so that reading, deleting and counting still work. A file
 * occupies the last megabyte of it, because other programs, or a quota that no measurement shows, may take the rest.
 */
export class DiskReserve {
  readonly #folder: string;
  readonly #measure: () => DiskSpace;
  readonly #wanted: number | undefined;
  /** A write has failed since the ballast was whole. */
  #isUsedUp = false;
  #refillAt = 0;
  /** The bytes of the ballast that the next attempt of a write gets. */
  #part = firstPart;

  /** `wanted`: bytes (`DISK_RESERVE_MB`); by default the smaller of 200 MB and 5 % of the disk. */
  constructor(folder: string, wanted?: number, measure = () => measureDisk(folder)) {
    this.#folder = folder;
    this.#wanted = wanted;
    this.#measure = measure;
  }

  /** The bytes of the disk, and the free bytes. */
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
    const lacking = Math.max(this.bytes(space), logBytes + bytesOfCall) - space.free;
    return lacking > 0 && lacking > this.#sizeOfBallast();
  }

  /** Whether an error says that nothing more can be written: a quota has SQLite's code of any failed write. */
  isCauseOf(error: unknown): boolean {
    const code = ((error as { errcode?: number }).errcode ?? 0) % 256;
    return isOutOfSpace(error) || code === 13 || (code === 10 && !this.#canWrite());
  }

  /**
   * Gives a part of the ballast to a write that found no space, and twice as much to its next attempt; false if there is
   * none left. Other programs may take whatever the write leaves until the ballast is refilled.
   */
  spend(): boolean {
    this.#isUsedUp = true;
    this.#refillAt = performance.now() + refillMs;
    const size = this.#sizeOfBallast();
    if (size > this.#part) truncateSync(this.#ballast, size - this.#part);
    else rmSync(this.#ballast, { force: true });
    this.#part *= 2;
    return size > 0;
  }

  /** Writes the missing part of the ballast, or as much of it as fits. */
  refill(): void {
    this.#part = firstPart;
    this.#refillAt = performance.now() + refillMs;
    const lacking = wholeBallast - this.#sizeOfBallast();
    if (lacking < wholeBallast) chmodSync(this.#ballast, 0o600);
    this.#isUsedUp = lacking > 0 && !tryToAppend(this.#ballast, lacking);
  }

  /** Whether the ballast was spent, and has not been written again wholly. */
  get isUsedUp(): boolean {
    return this.#isUsedUp;
  }

  get #ballast(): string {
    return path.join(this.#folder, ballastName);
  }

  #sizeOfBallast = () => statSync(this.#ballast, { throwIfNoEntry: false })?.size ?? 0;

  #canWrite(): boolean {
    const probe = path.join(this.#folder, `${ballastName}.${process.pid}`);
    const isWritten = tryToAppend(probe, 65_536);
    rmSync(probe, { force: true });
    return isWritten;
  }
}

/** Appends bytes that no file system compresses; false if only a part of them fits. */
function tryToAppend(file: string, size: number): boolean {
  try {
    appendFileSync(file, randomBytes(size), { mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}
