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
    .description("check the mail server of SMTP_URL")
    .command("test")
    .description("send a mail by SMTP_URL, and say why it was not taken")
    .argument("<address>", "an address of your own")
    .action((to: string) =>
      runCommand(program, terminal, async () => {
        const { mail } = readLocalSettings(terminal.env);
        if (!mail) throw new UsageError("set SMTP_URL, MAIL_FROM and BASE_URL; readinglist settings shows them");
        const { createMailer } = await import("@reading-list/local/mailer.ts");
        let reason = "";
        const mailer = createMailer(mail, (line) => (reason = String(line.reason)));
        const content = new TextEncoder().encode("A test of the mail server.\r\n");
        const text = "The reading list can send mails. An article would be attached like this file.\r\n";
        const file = { name: "test.txt", type: "text/plain", content };
        await mailer.send({ to, subject: "Test of the reading list", text, file }).catch(({ message }) => {
          throw new CommandError(`the mail was not sent: ${message}; the mail server: ${reason}`);
        });
        return { data: { to, from: mail.from }, text: `The mail server has taken a mail from ${mail.from} to ${to}.` };
      }),
    );
}
