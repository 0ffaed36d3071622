// SPDX-License-Identifier: MIT

import { ServiceError } from "@reading-list/core/errors.ts";
import type { Mailer } from "@reading-list/core/ports.ts";
import { isLoopback } from "@reading-list/settings/settings.ts";
import { createTransport } from "nodemailer";

export interface MailSettings {
  /** Such as `smtps://name:password@mail.example.com`. */
  url: string;
  from: string;
}

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

/**
 * Sends mails through a server, which must offer TLS unless it is on this machine. `log` is told why one was not taken,
 * without addresses and passwords.
 */
export function createMailer({ url, from }: MailSettings, log: (line: Record<string, unknown>) => void): Mailer {
  const { hostname } = new URL(url);
  const safety = { requireTLS: !isLoopback(hostname), disableFileAccess: true, disableUrlAccess: true };
  const transport = createTransport({ url, ...timeouts, ...safety });
  return {
    async send({ to, subject, text, file }) {
      const { name: filename, type: contentType, content } = file;
      const attachments = [{ filename, contentType, content: Buffer.from(content) }];
      try {
        // As an object: nothing in it can name a second recipient.
        await transport.sendMail({ from, to: { name: "", address: to }, subject, text, attachments });
      } catch (error) {
        const { code, command, responseCode = 0 } = error as { code?: string; command?: string; responseCode?: number };
        log({ level: "ERROR", message: "mail failed", code, command, responseCode });
        if (command === "RCPT TO" && responseCode >= 500) {
          throw new ServiceError("invalid", `to: the mail server refuses the address (${responseCode})`);
        }
        throw new ServiceError("busy", "mail: the mail server does not take it; try again later", { retryAfter: 60 });
      }
    },
  };
}
