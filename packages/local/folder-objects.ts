// SPDX-License-Identifier: MIT

import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { ObjectStore } from "@reading-list/store-dynamodb/bucket.ts";
import { openSubfolder } from "./data-folder.ts";

/** The objects in a data folder; of one in memory, in a temporary folder until `removeFolder`. */
export function openObjects(dataDir: string): { objects: ObjectStore; removeFolder: () => Promise<void> } {
  const { folder, removeFolder } = openSubfolder(dataDir, "objects");
  return { objects: createFolder(folder), removeFolder };
}

/** Objects as files below a folder, instead of a bucket for a DynamoDB on this machine. Names may have slashes. */
function createFolder(folder: string): ObjectStore {
  const toFile = (name: string) => path.join(folder, name);
  return {
    async get(name) {
      return readFile(toFile(name)).catch((error) => {
        if (error.code !== "ENOENT") throw error;
        return undefined;
      });
    },
    async put(name, content) {
      const file = toFile(name);
      const unfinished = `${file}.${randomUUID()}`;
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      try {
        const handle = await open(unfinished, "wx", 0o600);
        await handle.writeFile(content);
        await handle.sync();
        await handle.close();
        await rename(unfinished, file);
      } finally {
        await rm(unfinished, { force: true });
      }
    },
    async delete(names) {
      await Promise.all(names.map((name) => rm(toFile(name), { force: true })));
    },
    deleteAll: (prefix) => rm(toFile(prefix), { force: true, recursive: true }),
  };
}
