// SPDX-License-Identifier: MIT

import { existsSync, renameSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { Item } from "@reading-list/core/domain/item.ts";
import { tagsIn } from "@reading-list/core/domain/tags.ts";
import type { ArticleOwner } from "@reading-list/core/ports/articles.ts";
import type { OperatorStore } from "@reading-list/core/ports/operator.ts";
import { type ExportedHighlight, type ExportedItem, inOrderOfText } from "@reading-list/exchange/exported-item.ts";
import { writeMarkdown } from "@reading-list/exchange/write-markdown.ts";
import { writers } from "@reading-list/exchange/writers.ts";
import { type Command, Option } from "commander";
import { liveHighlights, writeArchive, writeEpub } from "../export-articles.ts";
import { CommandError, toFileFailure } from "../failures.ts";
import { findWholeUser } from "../find-user.ts";
import { parseUsername } from "../parse-options.ts";
import { createProgress } from "../progress.ts";
import { showCount } from "../report.ts";
import type { Run } from "../run-command.ts";
import { confirm } from "../terminal.ts";

/** `readinglist export` */
export function addExportCommand(program: Command, run: Run): void {
  program
    .command("export")
    .description("export a user's list, oldest change first, to standard output or a file")
    .argument("<username>", "name of the user", parseUsername)
    .addOption(
      new Option(
        "--format <name>",
        "jsonl contains everything; docs/import-export.md lists what other formats leave out",
      )
        .choices([...Object.keys(writers), "markdown", "archive", "epub"])
        .default("jsonl"),
    )
    .option("--url <url...>", "pages for an EPUB; each needs a saved copy")
    .option("--output <file>", "write to a file instead of standard output")
    .addHelpText(
      "after",
      "\nExamples:\n  readinglist export ann >ann.jsonl\n  readinglist export ann --format html --output bookmarks.html\n  readinglist export ann --format archive --output ann.zip",
    )
    .action((username: string, { format, output, url = [] }: ExportOptions) =>
      run(async ({ store, isAgreed, terminal }) => {
        const { countUnread, countRead } = await findWholeUser(store, username);
        if (output !== undefined && existsSync(output)) await confirm(terminal, `Replace ${output}?`, isAgreed);
        const progress = createProgress(`exporting ${username}`, terminal.stderr);
        let items = 0;
        const readTexts = () =>
          writePartsOfList(store, username, createWriter(store, format, url), (written) => {
            items = written;
            progress.show(written, countUnread + countRead);
          });
        try {
          if (output === undefined) {
            await pipeline(readTexts(), terminal.stdout, { end: false });
            return undefined;
          }
          await writeFile(output, readTexts);
          return {
            data: { username, format, items, file: output },
            text: `Exported ${username} to ${output}: ${showCount(items, "item")}.`,
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
      `the list of ${username} changed during the export, so the output is incomplete; try again, or start maintenance first`,
    );
  }
}

interface ExportOptions {
  format: keyof typeof writers | "markdown" | "archive" | "epub";
  output?: string;
  url?: string[];
}

/** Writes a file of a list, in parts. */
type ListWriter = (items: AsyncIterable<ExportedItem>, owner: ArticleOwner) => AsyncGenerator<string | Uint8Array>;

function createWriter(store: OperatorStore, format: ExportOptions["format"], urls: readonly string[]): ListWriter {
  if (format === "markdown") return writeMarkdown;
  if (format === "archive") return (items, owner) => writeArchive(store, owner, items);
  if (format === "epub") return (_items, owner) => writeEpub(store, owner, urls);
  return writers[format];
}

/** The parts of a list's file. Throws a ListChangedError before the last one. */
async function* writePartsOfList(
  store: OperatorStore,
  username: string,
  writer: ListWriter,
  show: (written: number) => void,
): AsyncGenerator<string | Uint8Array> {
  const { userId, revision } = await findWholeUser(store, username);
  let written = 0;
  const listHighlights = async (item: Item): Promise<ExportedHighlight[]> =>
    item.hasHighlights ? inOrderOfText(await liveHighlights(store, { username, userId }, item)) : [];
  async function* readItems(): AsyncGenerator<ExportedItem> {
    for await (const items of store.walkItems(username)) {
      for (const item of items) yield toExportedItem(item, await listHighlights(item));
      written += items.length;
      show(written);
    }
    const after = await store.findUser(username);
    if (after?.revision !== revision || after.userId !== userId) throw new ListChangedError(username);
  }
  yield* writer(readItems(), { username, userId });
}

const toExportedItem = ({ tags, state, ...item }: Item, highlights: readonly ExportedHighlight[]): ExportedItem => ({
  ...item,
  highlights,
  tags: tagsIn(tags),
  state: state === "1" ? "read" : "unread",
});

const maxAttempts = 5;

/** Writes a file that only its owner can read, again if the list was changed meanwhile. It appears once it is complete. */
async function writeFile(name: string, readTexts: () => AsyncIterable<string | Uint8Array>): Promise<void> {
  const draft = `${name}.unfinished`;
  let failure: unknown;
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    try {
      // With "wx", the write cannot go to a link, or to an existing file with other permissions.
      rmSync(draft, { force: true });
      // Opened first: a stream that fails before it has opened its file would create it later, and block the next stream.
      const file = await open(draft, "wx", 0o600);
      await pipeline(readTexts(), file.createWriteStream());
      renameSync(draft, name);
      return;
    } catch (error) {
      rmSync(draft, { force: true });
      if (!(error instanceof ListChangedError)) throw toFileFailure(name, error);
      failure = error;
    }
  }
  throw failure;
}
