// SPDX-License-Identifier: MIT

import { createReadStream, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { createPageReader } from "@reading-list/article/page-reader.ts";
import { createPictureReader } from "@reading-list/article/pictures/picture-reader.ts";
import { ReadingListClient } from "@reading-list/client/main.ts";
import { maxOfUser } from "@reading-list/core/domain/highlights.ts";
import type { ImportedPage, ImportOutcome } from "@reading-list/core/domain/import.ts";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import { countLost, countSkippedFiles, type LostCounts, showLost } from "@reading-list/exchange/lost.ts";
import {
  type Entry,
  FormatError,
  type HighlightEntry,
  isArticleFile,
  isHighlight,
  type Problem,
  type Row,
  readEntries,
  refuseEmpty,
} from "@reading-list/exchange/main.ts";
import { type MergedEntry, mergeEntries } from "@reading-list/exchange/merge-entries.ts";
import { isFileOfText, isTextFile } from "@reading-list/exchange/texts.ts";
import { readSettings } from "@reading-list/settings/settings.ts";
import type { Command } from "commander";
import { CommandError, toFileFailure, UsageError } from "../failures.ts";
import { findWholeUser, unknownUser } from "../find-user.ts";
import { type ArticleCounts, importArticles, isPartial, showArticles } from "../import-articles.ts";
import {
  type HighlightCounts,
  importHighlights,
  isPartial as isPartialOfHighlights,
  reasonsOfHighlights,
  showHighlights,
} from "../import-highlights.ts";
import { createServiceTarget, createStoreTarget, type ImportTarget } from "../import-targets.ts";
import { importTexts, isPartial as isPartialOfTexts, showTexts, type TextCounts } from "../import-texts.ts";
import { parseUsername } from "../parse-options.ts";
import { createProgress } from "../progress.ts";
import { type Report, showCount, showNumber } from "../report.ts";
import { type Run, runCommand } from "../run-command.ts";
import { askSecret, type Terminal } from "../terminal.ts";

interface Options {
  user: string;
  dryRun?: boolean;
  report?: string;
  feeds?: boolean;
  url?: string;
  apikey?: string;
}

/** `readinglist import` */
export function addImportCommand(program: Command, run: Run, terminal: Terminal): void {
  program
    .command("import")
    .description("import a file from another service or a browser into a user's list; detects the format")
    .argument("<file>", "the file, or - for standard input; docs/import-export.md lists the formats")
    .requiredOption("--user <name>", "name of the user", parseUsername)
    .option("--dry-run", "print what the import would do, without changing anything")
    .option("--report <file>", "write the result of each line, and fields that cannot be stored, as JSON Lines")
    .option("--feeds", "import the sites of a list of feeds (OPML) as pages")
    .option("--url <url>", "import through the service at this address instead of directly into its database")
    .option(
      "--apikey <key>",
      "with --url: the API key; READINGLIST_APIKEY is safer, because other users of this machine can see options",
    )
    .addHelpText(
      "after",
      `
An import never overwrites: for pages that are already in the list, it only fills in a missing title and missing tags.
You can repeat it, also after an interruption. With --url, type the password, or pass it as a line of standard input.

Exit codes: 0 all lines imported, 1 failed, 2 wrong command line, 3 some lines rejected.

Examples:
  readinglist import pocket.zip --user ann --dry-run
  readinglist import bookmarks.html --user ann --report report.jsonl
  READINGLIST_APIKEY=... readinglist import pocket.zip --user ann --url https://api.example.com`,
    )
    .action((file: string, options: Options) => {
      const { user, url } = options;
      if (url === undefined) {
        return run(async ({ store, onlyAdd }) => {
          onlyAdd();
          if (options.apikey !== undefined) throw new UsageError("--apikey works only with --url");
          await findWholeUser(store, user);
          const list = await store.users.find(user);
          if (!list) throw unknownUser(user);
          const { articleQuota, pictureQuota } = readSettings(terminal.env).service;
          const readers = createReaders();
          const target = createStoreTarget(store, list, { articleQuota, pictureQuota, ...readers });
          return importFile(file, options, target, terminal).finally(readers.close);
        });
      }
      return runCommand(program, terminal, async () => {
        if (file === "-")
          throw new UsageError("with --url the password is read from standard input; give the import as a file");
        const target = createServiceTarget(await createClient(user, url, options.apikey, terminal));
        return importFile(file, options, target, terminal);
      });
    });
}

/** They start a process when they are first used. */
function createReaders() {
  const cache = { find: async () => undefined, keep: async () => {} };
  const reader = createPageReader({ allowedOrigins: [], cache, clock: Date });
  const pictures = createPictureReader({ allowedOrigins: [] });
  return { reader, pictures, close: async () => void (await Promise.all([reader.close(), pictures.close()])) };
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

/** How many entries had each outcome, and how many lines hold no entry that can be imported. */
type ImportCounts = Record<ImportOutcome | "rejected", number>;

/** Lines that are named for each reason of a rejection; the report has all. */
const linesShown = 5;

async function importFile(
  file: string,
  { user, dryRun = false, report: reportFile, feeds = false }: Options,
  target: ImportTarget,
  terminal: Terminal,
): Promise<Report> {
  const interrupt = new AbortController();
  const stop = () => interrupt.abort();
  process.once("SIGINT", stop);
  const report = await openReport(reportFile);
  const counts: ImportCounts = { new: 0, changed: 0, existing: 0, rejected: 0 };
  let entryCount = 0;
  try {
    const { format, entries, highlights, problems, lost, articles, texts } = await readFile(
      file,
      feeds,
      terminal,
      interrupt.signal,
      report,
    );
    counts.rejected = problems.total;
    entryCount = entries.length;
    const options = { dryRun, signal: interrupt.signal };
    // Our own file keeps its URLs.
    const urls = format.name === "json-lines" ? [] : [...entries, ...highlights].flatMap(({ url = [] }) => url);
    const clean = await target.findCleanUrls(new Set(urls));
    const cleaned = <R extends { url?: string | undefined }>(row: R): R => {
      const url = clean.get(row.url ?? "");
      return url === undefined ? row : { ...row, url };
    };
    const merged = mergeEntries(entries.map(cleaned), toItemId);
    for (const { entry } of merged) {
      if (!entry.lost) continue;
      countLost(lost, entry);
      await report.write({ ...placeInFile(entry), result: "lost", url: entry.url, fields: entry.lost });
    }
    await importEntries(merged, target, options, terminal, (entry, outcome) => {
      counts[outcome]++;
      return report.write({ ...placeInFile(entry), result: outcome, url: entry.url });
    });
    const marked =
      highlights.length > 0
        ? await importHighlights(
            highlights.map(cleaned),
            merged.map(({ entry }) => entry),
            target,
            options,
            terminal,
            (highlight, outcome) =>
              report.write({
                ...placeInFile(highlight),
                ...writeOutcome(outcome),
                title: highlight.title,
                quote: highlight.quote,
              }),
          )
        : undefined;
    const readsAgain = file !== "-" && !dryRun;
    const { restored, keptTexts } = readsAgain
      ? await importContents(file, { articles, texts }, target, terminal, interrupt.signal, report, cleaned)
      : {};
    const shown = `${showNumber(counts.new)} new, ${showNumber(counts.changed)} changed, ${showNumber(counts.existing)} existing, ${showNumber(counts.rejected)} rejected`;
    const text = [
      `${dryRun ? "Would import" : "Imported"} ${file} (${format.title}) for ${user}: ${shown}.`,
      ...problems.lines(),
      ...(Object.keys(lost).length > 0
        ? [`Not imported, because the service has no field for it: ${showLost(lost)}; --report writes the values.`]
        : []),
      ...(marked ? showHighlights(marked, dryRun) : []),
      ...(restored ? showArticles(restored) : []),
      ...(articles > 0 && !restored
        ? [
            `Not imported: ${showCount(articles, "saved copy", "saved copies")}; import the file without --url to restore them.`,
          ]
        : []),
      ...(keptTexts ? showTexts(keptTexts) : []),
      ...(texts > 0 && !keptTexts ? [tellTexts(texts, dryRun && target.importText !== undefined)] : []),
    ];
    const data = {
      file,
      format: format.name,
      user,
      dryRun,
      ...counts,
      lost,
      ...(marked && { highlights: marked }),
      ...(articles > 0 && { articles: restored ?? articles }),
      ...(texts > 0 && { texts: keptTexts ?? texts }),
    };
    return {
      data,
      text: text.join("\n"),
      isPartial:
        counts.rejected > 0 ||
        (marked !== undefined && isPartialOfHighlights(marked)) ||
        (restored !== undefined && isPartial(restored)) ||
        (keptTexts !== undefined && isPartialOfTexts(keptTexts)),
    };
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    const done = counts.new + counts.changed + counts.existing;
    const progress = `${showNumber(done)} of ${showCount(entryCount, "entry", "entries")}`;
    throw new CommandError(
      dryRun || entryCount === 0
        ? "stopped; nothing was changed"
        : `stopped after ${progress}; run the same command again to continue`,
    );
  } finally {
    process.removeListener("SIGINT", stop);
    await report.close();
  }
}

/** Reads the file again for its saved copies and texts, if the target can store them. */
async function importContents(
  file: string,
  { articles, texts }: { articles: number; texts: number },
  { importArticle, importText }: ImportTarget,
  terminal: Terminal,
  signal: AbortSignal,
  report: LineReport,
  clean: <R extends { url?: string | undefined }>(row: R) => R,
): Promise<{ restored?: ArticleCounts | undefined; keptTexts?: TextCounts | undefined }> {
  let restored: ArticleCounts | undefined;
  let keptTexts: TextCounts | undefined;
  if (articles > 0 && importArticle) {
    restored = await inSteps("restoring saved copies", articles, terminal, (step) =>
      importArticles(file, importArticle, signal, (name, result) => {
        step();
        return report.write({ file: name, result });
      }),
    );
  }
  if (texts > 0 && importText) {
    keptTexts = await inSteps("keeping texts", texts, terminal, (step) =>
      importTexts(
        file,
        (text) => importText(clean(text)),
        signal,
        (url, result) => {
          step();
          return report.write({ url, result: `text ${result}` });
        },
      ),
    );
  }
  return { restored, keptTexts };
}

/** Does work that calls `step` for each of `total` parts, and shows how far it is. */
function inSteps<T>(
  label: string,
  total: number,
  { stderr }: Terminal,
  work: (step: () => void) => Promise<T>,
): Promise<T> {
  const progress = createProgress(label, stderr);
  let done = 0;
  return work(() => progress.show(++done, total)).finally(progress.end);
}

const tellTexts = (texts: number, isDryRun: boolean) =>
  isDryRun
    ? `Would save ${showCount(texts, "text")} of pages without a saved copy.`
    : `Not imported: ${showCount(texts, "text")} of pages; import the file without --url to save them.`;

/** Rejected lines, grouped by the reason. */
class Problems {
  readonly #byReason = new Map<string, { count: number; places: string[] }>();
  total = 0;

  add({ problem, line, file }: Problem): void {
    const group = this.#byReason.get(problem) ?? { count: 0, places: [] };
    this.#byReason.set(problem, group);
    if (group.count++ < linesShown) group.places.push(file ? `${line} of ${file}` : `${line}`);
    this.total++;
  }

  lines(): string[] {
    return [...this.#byReason].map(([reason, { count, places }]) => {
      const more = count > places.length ? ", …; --report writes all" : "";
      return `Rejected ${showCount(count, "line")}: ${reason} (line ${places.join(", ")}${more}).`;
    });
  }
}

const writeOutcome = (outcome: keyof HighlightCounts) =>
  outcome === "new" || outcome === "existing"
    ? { result: outcome }
    : { result: "rejected", reason: reasonsOfHighlights[outcome] };

const placeInFile = ({ line, file }: Row) => ({ line, ...(file && { file }) });

/** Reads a file to its end, or standard input if its name is `-`, and shows the progress. */
async function readFile(
  name: string,
  withFeeds: boolean,
  { stdin, stderr }: Terminal,
  signal: AbortSignal,
  report: LineReport,
) {
  const entries: Entry[] = [];
  const highlights: HighlightEntry[] = [];
  const problems = new Problems();
  const lost: LostCounts = {};
  let texts = 0;
  const progress = createProgress(`reading ${name} (bytes)`, stderr);
  let bytesRead = 0;
  async function* chunks() {
    for await (const chunk of name === "-" ? stdin : createReadStream(name)) {
      signal.throwIfAborted();
      bytesRead += chunk.length;
      yield Buffer.from(chunk);
    }
  }
  try {
    const size = name === "-" ? 0 : statSync(name).size;
    const { format, rows, skippedFiles } = await readEntries(chunks(), { withTexts: true, withFeeds });
    for await (const row of rows) {
      progress.show(bytesRead, size);
      const isTooMany = isHighlight(row) && highlights.length === maxOfUser;
      if ("problem" in row || isTooMany) {
        const hint = "isFeed" in row ? "; use --feeds to import its site as a page" : "";
        const problem = "problem" in row ? `${row.problem}${hint}` : "the file has more than 50,000 highlights";
        problems.add({ ...placeInFile(row), problem });
        await report.write({ ...placeInFile(row), result: "rejected", reason: problem });
        continue;
      }
      const fields = row.lost;
      if (isHighlight(row)) highlights.push(withoutLost(row));
      else {
        const { text, ...entry } = withoutLost(row);
        if (text !== undefined) texts++;
        entries.push(entry);
      }
      if (!fields) continue;
      countLost(lost, row);
      await report.write({ ...placeInFile(row), result: "lost", url: row.url, fields });
    }
    const lostFiles = skippedFiles.filter((name) => !isArticleFile(name) && !isFileOfText(name));
    texts += skippedFiles.filter(isTextFile).length;
    countSkippedFiles(lost, lostFiles);
    for (const name of lostFiles) await report.write({ file: name, result: "lost" });
    if (entries.length + highlights.length + problems.total === 0) refuseEmpty(format);
    return { format, entries, highlights, problems, lost, articles: skippedFiles.filter(isArticleFile).length, texts };
  } catch (error) {
    if (error instanceof FormatError) throw new CommandError(`${name}: ${error.message}`);
    throw toFileFailure(name, error, "read");
  } finally {
    progress.end();
  }
}

/** Lost values may be long. */
function withoutLost<R extends Entry | HighlightEntry>(row: R): R {
  const { lost: _, ...rest } = row;
  return rest as R;
}

/** Entries without a time come last. */
const chooseTime = ({ entry: { timeAdded, timeUpdated = timeAdded } }: Pick<MergedEntry, "entry">) =>
  timeUpdated ?? Number.MAX_SAFE_INTEGER;

async function importEntries(
  merged: MergedEntry[],
  target: ImportTarget,
  { dryRun, signal }: { dryRun: boolean; signal: AbortSignal },
  { stderr }: Terminal,
  note: (entry: Entry, outcome: ImportOutcome) => Promise<void>,
): Promise<void> {
  const progress = createProgress(dryRun ? "comparing" : "importing", stderr);
  try {
    merged.sort((a, b) => chooseTime(a) - chooseTime(b));
    for (let start = 0; start < merged.length; start += target.pagesAtOnce) {
      signal.throwIfAborted();
      const batch = merged.slice(start, start + target.pagesAtOnce);
      const pages = batch.map(({ entry }) => toImportedPage(entry));
      const outcomes = await target.importPages(pages, { dryRun, signal });
      const lines = batch.flatMap(({ entry, others }, index) => [
        { entry, outcome: outcomes[index] ?? "existing" },
        ...others.map((other) => ({ entry: other, outcome: "existing" as const })),
      ]);
      for (const { entry, outcome } of lines.sort((a, b) => chooseTime(a) - chooseTime(b))) await note(entry, outcome);
      progress.show(start + batch.length, merged.length);
    }
  } finally {
    progress.end();
  }
}

const toImportedPage = ({
  url,
  title,
  tags,
  state,
  progress,
  timeAdded,
  timeUpdated = timeAdded,
}: Entry): ImportedPage => ({
  itemId: toItemId(url),
  url,
  title,
  tags: tags.join(),
  state: state === "read" ? "1" : "0",
  timeAdded,
  timeUpdated,
  progress,
});

/** A file with a line for each line of an import. */
interface LineReport {
  write(line: object): Promise<void>;
  close(): Promise<void>;
}

/** Only its owner can read the report; without a name none is written. */
async function openReport(name: string | undefined): Promise<LineReport> {
  if (name === undefined) return { write: async () => {}, close: async () => {} };
  const fail = (error: unknown) => {
    throw toFileFailure(name, error);
  };
  const file = await open(name, "w", 0o600).catch(fail);
  return {
    write: async (line) => void (await file.write(`${JSON.stringify(line)}\n`).catch(fail)),
    close: () => file.close().catch(fail),
  };
}
