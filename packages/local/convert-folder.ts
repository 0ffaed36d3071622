import { createDocumentClient } from "@reading-list/store/client.ts";
import { convertFirstVersion } from "@reading-list/store/convert-first-version.ts";
import { makeStagingFolder } from "./data-folder.ts";
import { keepCopy, replaceDatabase } from "./database-file.ts";
import { type DatabaseProcess, startDatabase } from "./database-process.ts";
import type { DatabaseProgram } from "./database-program.ts";
import { ensureTable } from "./table.ts";

/**
 * Converts the database of a locked folder from version 0.1.0 to the present data version, and stops it. It runs as
 * `source`. The new database is made in the staging folder and replaces the old one at the end; a copy of the old one
 * stays in the data folder. A conversion that is interrupted has changed nothing.
 */
export async function convertFolder(
  folder: string,
  program: DatabaseProgram,
  source: DatabaseProcess,
  tableName: string,
): Promise<void> {
  console.error(`converting ${folder}, which version 0.1.0 wrote`);
  const staging = makeStagingFolder(folder);
  const target = await startDatabase(program, staging);
  const from = { client: createDocumentClient(source.endpoint), tableName };
  const to = { client: createDocumentClient(target.endpoint), tableName };
  try {
    await ensureTable(to);
    const { users, items, merged } = await convertFirstVersion(from, to);
    await Promise.all([source.stop(), target.stop()]);
    const copy = keepCopy(folder, staging, program.fileName, "0.1.0");
    replaceDatabase(folder, staging, program.fileName);
    console.error(
      `converted ${users} users and ${items} items, merged ${merged} duplicates; the old database is ${copy}`,
    );
  } finally {
    from.client.destroy();
    to.client.destroy();
    await target.stop();
  }
}
