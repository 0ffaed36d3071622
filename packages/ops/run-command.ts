import { type Clock, secondsOf } from "@reading-list/core/ports.ts";
import type { Table } from "@reading-list/store/client.ts";
import type { Command } from "commander";
import { explain, type Place, UsageFailure } from "./failures.ts";
import { type OpenTable, openTable, type TableChoice } from "./open-table.ts";
import type { Report } from "./report.ts";

/** What a command works with. */
export interface Context {
  table: Table;
  place: Place;
  /** The present in unix seconds. */
  now: number;
  /** Whether the operator has agreed beforehand to what a command asks. */
  isAgreed: boolean;
}

/** Runs what a command does on the table that its options name; one that has written by itself gives no report. */
export type Run = (work: (context: Context) => Promise<Report | undefined>) => Promise<void>;

/** Options that every command takes. */
interface CommonOptions extends TableChoice {
  json?: true;
  yes?: true;
}

/** Runs commands of `program`: opens the table, reports, closes, and sets the exit code (0, 1 failure, 2 usage). */
export function createRun(program: Command, clock: Clock): Run {
  return async (work) => {
    const { json, yes, ...choice } = program.opts<CommonOptions>();
    let open: OpenTable | undefined;
    try {
      open = await openTable(choice, process.env);
      const { place } = open;
      const report = await work({ table: open, place, now: secondsOf(clock), isAgreed: yes === true });
      if (report) process.stdout.write(`${json ? JSON.stringify(report.data) : report.text}\n`);
      if (report?.isFailure) process.exitCode = 1;
    } catch (error) {
      const nowhere = { description: "table of these options", remedy: "check --stage, --table and AWS_REGION" };
      const line = explain(error, open?.place ?? nowhere);
      console.error(line === undefined ? error : `readinglist: ${line.replaceAll("\n", " ")}`);
      process.exitCode = error instanceof UsageFailure ? 2 : 1;
    } finally {
      await open?.close();
    }
  };
}
