// SPDX-License-Identifier: MIT

import * as fields from "@reading-list/core/contract/fields.ts";
import type { Command } from "commander";
import { UsageError } from "../failures.ts";
import { type Report, showTime } from "../report.ts";
import type { Context, Run } from "../run-command.ts";

/** `readinglist maintenance …` */
export function addMaintenanceCommands(program: Command, run: Run): void {
  const maintenance = program.command("maintenance").description("start and end maintenance");

  maintenance
    .command("on")
    .description("answer every call with 503 and a message to users; takes effect within 10 seconds")
    .argument("<text>", "message to users")
    .addHelpText("after", '\nExample:\n  readinglist maintenance on "Back at 14:00 UTC" --stage production')
    .action((text: string) =>
      run(async (context) => {
        const { error } = fields.maintenanceText.safeParse(text);
        if (error) throw new UsageError(`the text ${error.issues[0]?.message}`);
        await context.store.beginMaintenance({ text, since: context.now });
        return report(context);
      }),
    );

  maintenance
    .command("off")
    .description("end maintenance; takes effect within 10 seconds")
    .action(() =>
      run(async (context) => {
        await context.store.endMaintenance();
        return report(context);
      }),
    );

  maintenance
    .command("status")
    .description("show whether maintenance is on, and since when")
    .action(() => run(report));
}

async function report({ store }: Context): Promise<Report> {
  const found = await store.findMaintenance();
  if (!found) return { data: { maintenance: false }, text: "Maintenance is off." };
  const { text, since } = found;
  return {
    data: { maintenance: true, text, since: since ?? null },
    text: `Maintenance is on${since === undefined ? "" : ` since ${showTime(since)}`}: ${text}`,
  };
}
