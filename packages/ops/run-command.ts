// SPDX-License-Identifier: MIT

import { inspect } from "node:util";
import { checkIds } from "@reading-list/core/domain/item-id.ts";
import { unixTime } from "@reading-list/core/ports/clock.ts";
import type { OperatorStore } from "@reading-list/core/ports/operator.ts";
import { readLocalSettings } from "@reading-list/local/local-settings.ts";
import { withSettings } from "@reading-list/local/settings-file.ts";
import { readSettings } from "@reading-list/settings/settings.ts";
import type { Command } from "commander";
import { CommandError, explain, type Place, UsageError } from "./failures.ts";
import { type OpenStore, openStore, openStoreAt, type StoreChoice } from "./open-store.ts";
import type { Report } from "./report.ts";
import type { Terminal } from "./terminal.ts";

/** The input of a command. */
export interface Context {
  store: OperatorStore;
  place: Place;
  /** The present in unix seconds. */
  now: number;
  /** The operator has agreed in advance to losing data. */
  isAgreed: boolean;
  terminal: Terminal;
  /** Refuses writes from now on if the disk is full: the command only adds. */
  onlyAdd: () => void;
}

/** Runs a command on the table that its options name. A command that writes its own output returns no report. */
export type Run = (work: (context: Context) => Promise<Report | undefined>) => Promise<void>;

/** The place of a table, see `openStoreAt`, and its name if that is not the default. */
interface TableAddress {
  place: string;
  table?: string | undefined;
}

/** Options that every command has. */
interface CommonOptions extends StoreChoice {
  json?: true;
  yes?: true;
}

const nowhere: Place = { description: "table of these options", remedy: "check --stage, --table and AWS_REGION" };

/**
 * Runs a command of `program`: prints its report or the reason of its failure, and sets the exit code: 0, 1 failure,
 * 2 usage, 3 partly done. `locate` names the database for that reason.
 * `prepare` completes the environment by the settings of files.
 */
export async function runCommand(
  program: Command,
  terminal: Terminal,
  work: (locate: (place: Place) => void) => Promise<Report | undefined>,
  prepare = withSettings,
): Promise<void> {
  let place = nowhere;
  try {
    terminal.env = prepare(terminal.env);
    checkIds();
    const report = await work((found) => {
      place = found;
    });
    const { json } = program.opts<CommonOptions>();
    if (report) terminal.stdout.write(`${json ? JSON.stringify(report.data) : report.text}\n`);
    if (report?.isFailure) terminal.exitCode = 1;
    else if (report?.isPartial) terminal.exitCode = 3;
  } catch (error) {
    terminal.exitCode = error instanceof UsageError ? 2 : 1;
    // The reader of a pipe, such as head, needs no more.
    if ((error as NodeJS.ErrnoException).code === "EPIPE") return;
    const line = explain(error, place);
    terminal.stderr.write(line === undefined ? `${inspect(error)}\n` : `readinglist: ${line.replaceAll("\n", " ")}\n`);
  }
}

/** Runs commands of `program` on a table: opens it, reports, closes it. */
export function createRun(program: Command, terminal: Terminal): Run {
  return (work) =>
    runCommand(program, terminal, async (locate) => {
      const { json: _, yes, ...choice } = program.opts<CommonOptions>();
      const { store, place, onlyAdd, close } = await openStore(choice, terminal.env);
      locate(place);
      try {
        return await work({ store, place, now: unixTime(Date), isAgreed: yes === true, terminal, onlyAdd });
      } finally {
        await close();
      }
    });
}

/** Runs a command of `program` on two tables. */
export const runOnTwo = (
  program: Command,
  terminal: Terminal,
  { from, to }: Record<"from" | "to", TableAddress>,
  work: (context: { from: OpenStore; to: OpenStore; now: number }) => Promise<Report>,
): Promise<void> =>
  runCommand(program, terminal, async (locate) => {
    const { stage, table } = program.opts<CommonOptions>();
    if (stage !== undefined || table !== undefined) {
      throw new UsageError("this command uses two tables: give --from and --to instead of --stage and --table");
    }
    const open: OpenStore[] = [];
    try {
      for (const { place, table } of [from, to]) {
        const opened = await openStoreAt(place, table, terminal.env);
        open.push(opened);
        locate(opened.place);
        if (!(await opened.hasData())) {
          throw new CommandError(`${opened.place.description} does not exist; ${opened.place.remedy}`);
        }
      }
      const [source, target] = open as [OpenStore, OpenStore];
      const description = `${source.place.description} or ${target.place.description}`;
      if (source.place.description === target.place.description) throw new UsageError("both tables are the same");
      locate({ description, remedy: "check --from and --to" });
      return await work({ from: source, to: target, now: unixTime(Date) });
    } finally {
      for (const opened of open) await opened.close();
    }
  });

/** Runs a command of `program` on the data folder of `npm start`, whose database it opens itself if it needs it. */
export const runOnFolder = (
  program: Command,
  terminal: Terminal,
  work: (context: { dataDir: string; isAgreed: boolean }) => Promise<Report>,
): Promise<void> =>
  runCommand(program, terminal, async () => {
    const { stage, yes } = program.opts<CommonOptions>();
    const { store, dynamodbEndpoint } = readSettings(terminal.env);
    const { dataDir } = readLocalSettings(terminal.env);
    const isOnTable = stage !== undefined || store === "dynamodb" || dynamodbEndpoint !== undefined;
    if (isOnTable || dataDir === ":memory:") {
      throw new UsageError(
        "this command needs the data folder of npm start: set DATA_DIR to a folder, and do not use --stage, STORE or DYNAMODB_ENDPOINT; for a deployed table see docs/aws/operations.md",
      );
    }
    return work({ dataDir, isAgreed: yes === true });
  });

/** A deployed stage, and the table that its options name. */
export interface StageContext extends Omit<Context, "store" | "place" | "onlyAdd"> {
  stage: string;
  table: string | undefined;
  locate: (place: Place) => void;
}

/** Runs a command of `program` on a deployed stage, whose tables and buckets it opens itself. */
export const runOnStage = (
  program: Command,
  terminal: Terminal,
  work: (context: StageContext) => Promise<Report>,
): Promise<void> =>
  runCommand(program, terminal, async (locate) => {
    const { stage, table, yes } = program.opts<CommonOptions>();
    if (stage === undefined) throw new UsageError("this command is for a deployed stage: give --stage");
    return work({ stage, table, locate, now: unixTime(Date), isAgreed: yes === true, terminal });
  });
