// SPDX-License-Identifier: MIT

import { groupByApplication } from "@reading-list/core/domain/applications.ts";
import type { Command } from "commander";
import { findApplication } from "../applications.ts";
import { parseCount } from "../parse-options.ts";
import { alignColumns, showNumber, showTime } from "../report.ts";
import type { Run } from "../run-command.ts";

/** `readinglist usage` */
export function addUsageCommand(program: Command, run: Run): void {
  program
    .command("usage")
    .description("show how many calls each application made in each window, newest first, for up to 8 days")
    .argument("[name]", "name or application id; default: all applications")
    .option("--windows <count>", "number of windows to show for each application", parseCount, 24)
    .addHelpText("after", '\nExample:\n  readinglist usage "Reader for Android" --windows 48')
    .action((name: string | undefined, { windows: count }: { windows: number }) =>
      run(async ({ store }) => {
        const holders =
          name === undefined ? groupByApplication(await store.listApiKeys()) : [await findApplication(store, name)];
        const data = await Promise.all(
          holders.map(async ({ applicationId, name, keyLimit = null }) => {
            const windows = await store.listKeyWindows(applicationId, count);
            return { applicationId, name, keyLimit, windows };
          }),
        );
        const rows = data.flatMap(({ applicationId, name, keyLimit, windows }) =>
          windows.map(({ start, calls }) => [
            name,
            applicationId,
            showTime(start),
            showNumber(calls),
            keyLimit === null ? "default" : showNumber(keyLimit),
          ]),
        );
        const heads = ["NAME", "APPLICATION ID", "WINDOW FROM", "CALLS", "CALLS PER KEY"];
        return { data, text: alignColumns(heads, rows, "No calls yet.") };
      }),
    );
}
