import { inspect } from "node:util";
import { type Clock, secondsOf } from "@reading-list/core/ports.ts";
import { readSettings } from "@reading-list/functions/compose/settings.ts";
import { readLocalSettings } from "@reading-list/local/local-settings.ts";
import type { Table } from "@reading-list/store/client.ts";
import { dataVersion, findDataVersion } from "@reading-list/store/data-version.ts";
import type { Command } from "commander";
import { CommandError, explain, type Place, UsageError } from "./failures.ts";
import { type OpenTable, openTable, openTableAt, type TableChoice } from "./open-table.ts";
import type { Report } from "./report.ts";
import type { Terminal } from "./terminal.ts";

/** The input of a command. */
export interface Context {
  table: Table;
  place: Place;
  /** The present in unix seconds. */
  now: number;
  /** The operator has agreed in advance to losing data. */
  isAgreed: boolean;
  terminal: Terminal;
}

/** Runs a command on the table that its options name. A command that has written its output itself returns no report. */
export type Run = (work: (context: Context) => Promise<Report | undefined>) => Promise<void>;

/** A table as a command names it: a place as in `openTableAt`, and the table's name unless it is the usual one. */
interface TableAddress {
  place: string;
  table?: string | undefined;
}

/** Runs a command on two tables. */
export type RunOnTwo = (
  from: TableAddress,
  to: TableAddress,
  work: (context: { from: OpenTable; to: OpenTable; now: number; terminal: Terminal }) => Promise<Report>,
) => Promise<void>;

/** The input of a command that works on the data folder of `npm start`, whose database it opens itself if at all. */
interface FolderContext extends Pick<Context, "isAgreed" | "terminal"> {
  dataDir: string;
  tableName: string;
}

/** Runs a command that works through a service, without its table. */
export type RunAway = (work: (terminal: Terminal) => Promise<Report>) => Promise<void>;

/** Runs a command on the data folder. */
export type RunOnFolder = (work: (context: FolderContext) => Promise<Report>) => Promise<void>;

/** Options that every command has. */
interface CommonOptions extends TableChoice {
  json?: true;
  yes?: true;
}

const nowhere: Place = { description: "table of these options", remedy: "check --stage, --table and AWS_REGION" };

/**
 * Prints the report of a command or the reason of its failure, and sets the exit code: 0, 1 failure, 2 usage, 3 partly
 * done.
 */
async function reportOn(
  program: Command,
  terminal: Terminal,
  work: (locate: (place: Place) => void) => Promise<Report | undefined>,
) {
  let place = nowhere;
  try {
    const report = await work((found) => {
      place = found;
    });
    const { json } = program.opts<CommonOptions>();
    if (report) terminal.stdout.write(`${json ? JSON.stringify(report.data) : report.text}\n`);
    if (report?.isFailure) terminal.exitCode = 1;
    else if (report?.isPartial) terminal.exitCode = 3;
  } catch (error) {
    const line = explain(error, place);
    terminal.stderr.write(line === undefined ? `${inspect(error)}\n` : `readinglist: ${line.replaceAll("\n", " ")}\n`);
    terminal.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

/** Runs commands of `program` on a table: opens it, reports, closes it. */
export function createRun(program: Command, clock: Clock, terminal: Terminal): Run {
  return (work) =>
    reportOn(program, terminal, async (locate) => {
      const { json: _, yes, ...choice } = program.opts<CommonOptions>();
      const table = await openTable(choice, terminal.env);
      const { place } = table;
      locate(place);
      try {
        return await work({ table, place, now: secondsOf(clock), isAgreed: yes === true, terminal });
      } finally {
        await table.close();
      }
    });
}

/** Runs commands of `program` on two tables. */
export function createRunOnTwo(program: Command, clock: Clock, terminal: Terminal): RunOnTwo {
  return (from, to, work) =>
    reportOn(program, terminal, async (locate) => {
      const { stage, table } = program.opts<CommonOptions>();
      if (stage !== undefined || table !== undefined) {
        throw new UsageError("this command works on two tables: give neither --stage nor --table");
      }
      const open: OpenTable[] = [];
      try {
        for (const { place, table } of [from, to]) {
          const opened = await openTableAt(place, table, terminal.env);
          open.push(opened);
          locate(opened.place);
          await refuseOtherVersion(opened);
        }
        const [source, target] = open as [OpenTable, OpenTable];
        const description = `${source.place.description} or ${target.place.description}`;
        if (source.place.description === target.place.description) throw new UsageError("both tables are the same");
        locate({ description, remedy: "check --from and --to" });
        return await work({ from: source, to: target, now: secondsOf(clock), terminal });
      } finally {
        for (const opened of open) await opened.close();
      }
    });
}

async function refuseOtherVersion({ place, ...table }: OpenTable): Promise<void> {
  const version = await findDataVersion(table);
  if (version === undefined) throw new CommandError(`there is no ${place.description}; ${place.remedy}`);
  if (version === dataVersion) return;
  throw new CommandError(
    `the ${place.description} is of another version; start this version of the service on it once`,
  );
}

/** Runs commands of `program` on the data folder of `npm start`. */
export function createRunOnFolder(program: Command, terminal: Terminal): RunOnFolder {
  return (work) =>
    reportOn(program, terminal, async () => {
      const { stage, table, yes } = program.opts<CommonOptions>();
      const { dynamodbEndpoint, tableName } = readSettings(terminal.env);
      const { dataDir } = readLocalSettings(terminal.env);
      if (stage !== undefined || dynamodbEndpoint !== undefined || dataDir === ":memory:") {
        throw new UsageError(
          "this command is for the data folder of npm start: give no --stage, no DYNAMODB_ENDPOINT, and a folder as DATA_DIR; for a deployed table see docs/operations.md",
        );
      }
      return work({ dataDir, tableName: table ?? tableName, isAgreed: yes === true, terminal });
    });
}

/** Runs commands of `program` that work through a service. */
export function createRunAway(program: Command, terminal: Terminal): RunAway {
  return (work) => reportOn(program, terminal, () => work(terminal));
}
