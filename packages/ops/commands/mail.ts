// SPDX-License-Identifier: MIT

import { sendTestMail } from "@reading-list/core/use-cases/operator/mail.ts";
import { readLocalSettings } from "@reading-list/local/local-settings.ts";
import type { Command } from "commander";
import { CommandError, UsageError } from "../failures.ts";
import { runCommand } from "../run-command.ts";
import type { Terminal } from "../terminal.ts";

/** `readinglist mail test` */
export function addMailCommands(program: Command, terminal: Terminal): void {
  program
    .command("mail")
    .description("check the mail server in SMTP_URL")
    .command("test")
    .description("send a test mail through SMTP_URL, and show why it was rejected")
    .argument("<address>", "your own e-mail address")
    .action((to: string) =>
      runCommand(program, terminal, async () => {
        const { mail } = readLocalSettings(terminal.env);
        if (!mail)
          throw new UsageError("set SMTP_URL, MAIL_FROM and BASE_URL; readinglist settings shows the current values");
        const { createMailer } = await import("@reading-list/local/mailer.ts");
        const mailer = createMailer(mail, () => undefined);
        const error = await sendTestMail(mailer, to);
        if (error) throw new CommandError(`the mail was not sent: ${error}`);
        return { data: { to, from: mail.from }, text: `The mail server accepted a mail from ${mail.from} to ${to}.` };
      }),
    );
}
