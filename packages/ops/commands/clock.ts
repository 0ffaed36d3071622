// SPDX-License-Identifier: MIT

import { describeDoubt } from "@reading-list/core/domain/clock-check.ts";
import { ClockGuard } from "@reading-list/core/use-cases/operator/clock-guard.ts";
import type { Command } from "commander";
import { showTime } from "../report.ts";
import type { Run } from "../run-command.ts";

/** `readinglist clock …` */
export function addClockCommands(program: Command, run: Run): void {
  const clock = program
    .command("clock")
    .description("show whether the clock of this machine is plausible; if it is not, nothing is erased by age");

  clock.action(() =>
    run(async ({ store, now }) => {
      const { permit, record } = await new ClockGuard(store.clock, Date).judge();
      const data = { now, isPlausible: permit !== undefined, newestKnown: record.doubt?.base ?? null };
      const verdict = permit || !record.doubt ? "the clock of this machine is plausible" : describeDoubt(record.doubt);
      return { data, text: `It is ${showTime(now)}: ${verdict}.` };
    }),
  );

  clock
    .command("confirm")
    .description("confirm that the clock of this machine is right, so that old data is erased again")
    .addHelpText("after", "\nExample:\n  readinglist clock && readinglist clock confirm")
    .action(() =>
      run(async ({ store, now }) => {
        await new ClockGuard(store.clock, Date).confirm();
        return { data: { confirmed: now }, text: `${showTime(now)} is confirmed. Old data is erased again.` };
      }),
    );
}
