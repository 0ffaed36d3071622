import { once } from "node:events";
import { createWriteStream, existsSync, renameSync, rmSync } from "node:fs";
import type { Writable } from "node:stream";
import type { Item } from "@reading-list/core/domain/item.ts";
import type { ExportedItem, Writer } from "@reading-list/exchange/exported-item.ts";
import { writers } from "@reading-list/exchange/writers.ts";
import type { Table } from "@reading-list/store/client.ts";
import { walkItems } from "@reading-list/store/items.ts";
import { findUserRecord } from "@reading-list/store/user-records.ts";
import { type Command, Option } from "commander";
import { CommandError, fileFailure } from "../failures.ts";
import { findWholeUser } from "../find-user.ts";
import { parseUsername } from "../parse-options.ts";
import { createProgress } from "../progress.ts";
import { countOf } from "../report.ts";
import type { Run } from "../run-command.ts";
import { confirm } from "../terminal.ts";

/** `readinglist export` */
export function addExportCommand(program: Command, run: Run): void {
  program
    .command("export")
    .description("write a user's list, oldest change first, to standard output or a file")
    .argument("<username>", "name of the user", parseUsername)
    .addOption(
      new Option("--format <name>", "jsonl has everything; docs/import-export.md says what the others lose")
        .choices(Object.keys(writers))
        .default("jsonl"),
    )
    .option("--output <file>", "write to a file instead of standard output")
    .addHelpText(
      "after",
      "\nExamples:\n  readinglist export ann >ann.jsonl\n  readinglist export ann --format html --output bookmarks.html",
    )
    .action((username: string, { format, output }: { format: keyof typeof writers; output?: string }) =>
      run(async ({ table, isAgreed, terminal }) => {
        const { countUnread, countRead } = await findWholeUser(table, username);
        if (output !== undefined && existsSync(output)) await confirm(terminal, `Replace ${output}?`, isAgreed);
        const progress = createProgress(`exporting ${username}`, terminal.stderr);
        const show = (written: number) => progress.show(written, countUnread + countRead);
        const write = (to: Writable) => writeList(table, username, writers[format], to, show);
        try {
          if (output === undefined) {
            await write(terminal.stdout);
            return undefined;
          }
          const items = await writeFile(output, write);
          return {
            data: { username, format, items, file: output },
            text: `Exported ${username} to ${output}: ${countOf(items, "item")}.`,
          };
        } finally {
          progress.end();
        }
      }),
    );
}

/** The list was changed during the walk over it, so an item may be missing or there twice. */
class ListChangedError extends CommandError {
  override readonly name = "ListChangedError";

  constructor(username: string) {
    super(
      `the list of ${username} was changed during the export, so what was written is not whole; try again, or in maintenance mode`,
    );
  }
}

/** Writes a list; returns the number of items. Throws a ListChangedError before the end of the file is written. */
async function writeList(
  table: Table,
  username: string,
  writer: Writer,
  to: Writable,
  show: (written: number) => void,
): Promise<number> {
  const { userId, revision } = await findWholeUser(table, username);
  let written = 0;
  async function* readItems(): AsyncGenerator<ExportedItem> {
    for await (const items of walkItems(table, username)) {
      for (const item of items) yield exportedItem(item);
      written += items.length;
      show(written);
    }
    const after = await findUserRecord(table, username);
    if (after?.revision !== revision || after.userId !== userId) throw new ListChangedError(username);
  }
  for await (const text of writer(readItems())) {
    if (!to.write(text)) await once(to, "drain");
  }
  return written;
}

const exportedItem = ({ tags, state, ...item }: Item): ExportedItem => ({
  ...item,
  tags: tags === "" ? [] : tags.split(","),
  state: state === "1" ? "read" : "unread",
});

const mostAttempts = 5;

/** Writes a file that only its owner can read, again if the list was changed meanwhile. It appears when it is whole. */
async function writeFile(name: string, write: (file: Writable) => Promise<number>): Promise<number> {
  const draft = `${name}.unfinished`;
  let failure: unknown;
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    const file = createWriteStream(draft, { mode: 0o600 });
    try {
      await once(file, "open");
      const count = await write(file);
      file.end();
      await once(file, "close");
      renameSync(draft, name);
      return count;
    } catch (error) {
      file.destroy();
      rmSync(draft, { force: true });
      if (!(error instanceof ListChangedError)) throw fileFailure(name, error);
      failure = error;
    }
  }
  throw failure;
}
