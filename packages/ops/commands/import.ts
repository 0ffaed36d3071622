import { once } from "node:events";
import { createReadStream, createWriteStream, statSync } from "node:fs";
import { ReadingListClient } from "@reading-list/client/main.ts";
import type { ImportedPage, ImportOutcome } from "@reading-list/core/domain/import.ts";
import { itemIdOf } from "@reading-list/core/domain/item-id.ts";
import type { Clock } from "@reading-list/core/ports.ts";
import { type Entry, FormatError, type Problem, readEntries } from "@reading-list/exchange/main.ts";
import { findWritableUser } from "@reading-list/store/user-records.ts";
import type { Command } from "commander";
import { CommandError, fileFailure, UsageError } from "../failures.ts";
import { findWholeUser, unknownUser } from "../find-user.ts";
import { createServiceTarget, createTableTarget, type ImportTarget } from "../import-targets.ts";
import { parseUsername } from "../parse-options.ts";
import { createProgress } from "../progress.ts";
import { countOf, type Report, showNumber } from "../report.ts";
import type { Run, RunAway } from "../run-command.ts";
import { SortedEntries } from "../sorted-entries.ts";
import { askSecret, type Terminal } from "../terminal.ts";

interface Options {
  user: string;
  dryRun?: boolean;
  report?: string;
  url?: string;
  apikey?: string;
}

/** `readinglist import` */
export function addImportCommand(program: Command, run: Run, runAway: RunAway, clock: Clock): void {
  program
    .command("import")
    .description("import a file of another service or a browser into a user's list; the content tells the format")
    .argument("<file>", "the file; docs/import-export.md lists the formats")
    .requiredOption("--user <name>", "name of the user", parseUsername)
    .option("--dry-run", "change nothing, and tell what would be imported")
    .option("--report <file>", "write what became of each line to a file, as JSON Lines")
    .option("--url <url>", "import through the service at this address, instead of directly into its table")
    .option(
      "--apikey <key>",
      "with --url: the API key, which other users of this machine may see; READINGLIST_APIKEY is safer",
    )
    .addHelpText(
      "after",
      `
The list wins: of a page that is in it, only an empty title and empty tags are filled. An import can be repeated, also
after it was interrupted. With --url the password is typed, or read as a line of standard input, and the times of the
file are lost.

Exit codes: 0 all lines are imported, 1 failed, 2 wrong command line, 3 some lines were rejected.

Examples:
  readinglist import pocket.zip --user ann --dry-run
  readinglist import bookmarks.html --user ann --report report.jsonl
  READINGLIST_APIKEY=... readinglist import pocket.zip --user ann --url https://api.example.com`,
    )
    .action((file: string, options: Options) => {
      const { user, url } = options;
      if (url === undefined) {
        return run(async ({ table, terminal }) => {
          if (options.apikey !== undefined) throw new UsageError("--apikey is for an import with --url");
          await findWholeUser(table, user);
          const list = await findWritableUser(table, user);
          if (!list) throw unknownUser(user);
          return importFile(file, options, createTableTarget(table, list, clock), terminal);
        });
      }
      return runAway(async (terminal) => {
        const target = createServiceTarget(await createClient(user, url, options.apikey, terminal));
        return importFile(file, options, target, terminal);
      });
    });
}

async function createClient(
  username: string,
  baseUrl: string,
  apikey: string | undefined,
  terminal: Terminal,
): Promise<ReadingListClient> {
  const apiKey = apikey ?? terminal.env.READINGLIST_APIKEY;
  if (!apiKey) throw new UsageError("give the API key of an application in READINGLIST_APIKEY or with --apikey");
  if (!URL.canParse(baseUrl))
    throw new UsageError("--url must be the address of a service, such as https://api.example.com");
  const password = await askSecret(terminal, `Password of ${username}`);
  return new ReadingListClient({ baseUrl, apiKey, username, password, wait: true });
}

/** What became of the lines of a file. */
type Tally = Record<ImportOutcome | "rejected", number>;

/** Rejected lines that are shown; the report has all. */
const problemsShown = 10;

async function importFile(
  file: string,
  { user, dryRun = false, report: reportFile }: Options,
  target: ImportTarget,
  terminal: Terminal,
): Promise<Report> {
  const entries = new SortedEntries();
  const lines = await openReport(reportFile);
  const tally: Tally = { new: 0, changed: 0, existing: 0, rejected: 0 };
  const shown: Problem[] = [];
  try {
    const format = await readFile(file, terminal, async (row) => {
      if (!("problem" in row)) return entries.add(row);
      tally.rejected++;
      if (shown.length < problemsShown) shown.push(row);
      const { problem: reason, ...place } = row;
      await lines.write({ ...place, result: "rejected", reason });
    });
    await importEntries(entries, target, dryRun, terminal, tally, (entry, result) =>
      lines.write({ line: entry.line, ...(entry.file && { file: entry.file }), result, url: entry.url }),
    );
    await lines.end();
    const data = { file, format: format.name, user, dryRun, ...tally };
    const counts = `${showNumber(tally.new)} new, ${showNumber(tally.changed)} changed, ${showNumber(tally.existing)} existing, ${showNumber(tally.rejected)} rejected`;
    const text = [
      `${dryRun ? "Would import" : "Imported"} ${file} (${format.title}) for ${user}: ${counts}.`,
      ...shown.map(({ line, file: part, problem }) => `Rejected ${part ? `${part}, ` : ""}line ${line}: ${problem}.`),
      ...(tally.rejected > shown.length
        ? [`And ${countOf(tally.rejected - shown.length, "more line")}; --report has all.`]
        : []),
    ];
    return { data, text: text.join("\n"), isPartial: tally.rejected > 0 };
  } finally {
    entries.close();
    lines.destroy();
  }
}

/** Reads a file to its end, and shows the progress. Returns its format. */
async function readFile(name: string, { stderr }: Terminal, take: (row: Entry | Problem) => Promise<void> | void) {
  const progress = createProgress(`reading ${name} (bytes)`, stderr);
  let bytesRead = 0;
  async function* chunks() {
    for await (const chunk of createReadStream(name)) {
      bytesRead += chunk.length;
      yield chunk as Buffer;
    }
  }
  try {
    const { size } = statSync(name);
    const { format, rows } = await readEntries(chunks());
    for await (const row of rows) {
      await take(row);
      progress.show(bytesRead, size);
    }
    return format;
  } catch (error) {
    if (error instanceof FormatError) throw new CommandError(`${name} cannot be imported: ${error.message}`);
    const { code } = error as NodeJS.ErrnoException;
    if (["ENOENT", "EACCES", "EISDIR"].includes(code ?? "")) throw new CommandError(`${name} cannot be read (${code})`);
    throw error;
  } finally {
    progress.end();
  }
}

async function importEntries(
  entries: SortedEntries,
  target: ImportTarget,
  dryRun: boolean,
  { stderr }: Terminal,
  tally: Tally,
  note: (entry: Entry, outcome: ImportOutcome) => Promise<void>,
): Promise<void> {
  const progress = createProgress(dryRun ? "comparing" : "importing", stderr);
  /** In a dry run, the ids of new pages: a line of a later batch would find them in the list. */
  const added = new Set<string>();
  let done = 0;
  for (const batch of batchesOf(entries.read(), target.pagesAtOnce)) {
    const pages = batch.map(pageOf);
    const planned = await target.importPages(pages, dryRun);
    const outcomes = planned.map((outcome, index) => (added.has(pages[index]?.itemId ?? "") ? "existing" : outcome));
    for (const [index, outcome] of outcomes.entries()) {
      if (dryRun && outcome === "new") added.add(pages[index]?.itemId ?? "");
      tally[outcome]++;
      await note(batch[index] as Entry, outcome);
    }
    done += batch.length;
    progress.show(done, entries.count);
  }
  progress.end();
}

const pageOf = ({ url, title, tags, state, timeAdded, timeUpdated = timeAdded }: Entry): ImportedPage => ({
  ...{
    itemId: itemIdOf(url),
    url,
    title,
    tags: tags.join(),
    state: state === "read" ? "1" : "0",
    timeAdded,
    timeUpdated,
  },
});

function* batchesOf<T>(values: Iterable<T>, size: number): Generator<T[]> {
  let batch: T[] = [];
  for (const value of values) {
    batch.push(value);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** The report of lines; none is written without a name. Only its owner can read it. */
async function openReport(name: string | undefined) {
  if (name === undefined) return { write: async () => {}, end: async () => {}, destroy: () => {} };
  const file = createWriteStream(name, { mode: 0o600 });
  let failure: unknown;
  // Also of a write that nobody awaits.
  file.on("error", (error) => {
    failure = error;
  });
  const finished = async (event: string) => {
    if (failure === undefined) await once(file, event).catch(() => {});
    if (failure !== undefined) throw fileFailure(name, failure);
  };
  await finished("open");
  return {
    async write(line: object) {
      if (!file.write(`${JSON.stringify(line)}\n`) || failure !== undefined) await finished("drain");
    },
    async end() {
      file.end();
      await finished("close");
    },
    destroy: () => void file.destroy(),
  };
}
