// SPDX-License-Identifier: MIT

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
        let reason = "";
        const mailer = createMailer(mail, (line) => (reason = String(line.reason)));
        const content = new TextEncoder().encode("This is the attachment of a test mail.\r\n");
        const text = "Your reading list can send mail. Articles are attached like this file.\r\n";
        const file = { name: "test.txt", type: "text/plain", content };
        await mailer.send({ to, subject: "Test mail from your reading list", text, file }).catch(({ message }) => {
          throw new CommandError(`the mail was not sent: ${message}. The mail server said: ${reason}`);
        });
        return { data: { to, from: mail.from }, text: `The mail server accepted a mail from ${mail.from} to ${to}.` };
      }),
    );
}
