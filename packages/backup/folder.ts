// SPDX-License-Identifier: MIT

import { createReadStream } from "node:fs";
import { open, readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import type { ReadableStream as NodeStream } from "node:stream/web";
import { SetupError } from "@reading-list/core/errors.ts";
import { writeWhole } from "@reading-list/store-sqlite/picture-files.ts";
import type { Content, Destination, StoredFile } from "./destination.ts";

/** A folder of this machine, such as one of a mounted disk. */
export function openFolder(folder: string): Destination {
  const root = path.resolve(folder);
  /** A missing folder is not mounted. It is not created, because the backup would then fill this disk. */
  const inRoot = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      await stat(root);
      return await work();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      const advice = code === "ENOENT" ? "the folder does not exist; create it, or mount it" : code;
      throw new SetupError(`the backups in ${root} cannot be reached: ${advice}`, error);
    }
  };
  const toFile = (name: string) => path.join(root, name);
  return {
    toAddress: toFile,
    list: (subfolder = "") =>
      inRoot(async () => {
        const found: StoredFile[] = [];
        const entries = await readdir(toFile(subfolder), { withFileTypes: true }).catch(emptyIfMissing);
        for (const entry of entries) {
          if (!entry.isFile()) continue;
          const { size, mtimeMs } = await stat(path.join(root, subfolder, entry.name));
          found.push({ name: path.posix.join(subfolder, entry.name), bytes: size, time: mtimeMs / 1000 });
        }
        return found;
      }),
    read: (name) =>
      inRoot(async () => {
        const handle = await open(toFile(name)).catch((error) => {
          if (error.code === "ENOENT") return undefined;
          throw error;
        });
        if (!handle) return undefined;
        return Readable.toWeb(handle.createReadStream()) as Content;
      }),
    write: (name, content) => inRoot(() => writeWhole(toFile(name), toReadable(content))),
    remove: (names) =>
      inRoot(async () => {
        for (const name of names) await rm(toFile(name), { force: true });
      }),
  };
}

const emptyIfMissing = (error: NodeJS.ErrnoException) => {
  if (error.code === "ENOENT") return [];
  throw error;
};

/** The types of the browsers' streams and of Node's differ. */
export const toReadable = (content: Content): Readable => Readable.fromWeb(content as NodeStream);

/** The bytes of a file of this machine. */
export const streamFile = (file: string): Content => Readable.toWeb(createReadStream(file)) as Content;
