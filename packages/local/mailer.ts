// SPDX-License-Identifier: MIT

import { readFileSync } from "node:fs";
import { rootCertificates } from "node:tls";
import { isLoopback } from "@reading-list/core/domain/hosts.ts";
import { SettingsError } from "@reading-list/core/errors.ts";
import { MailError, type Mailer } from "@reading-list/core/ports/mail.ts";
import { createTransport } from "nodemailer";
import type { Log } from "./log.ts";

export interface MailSettings {
  /** Such as `smtps://name:password@mail.example.com`; its scheme says the security (docs/self-hosting.md, "Settings"). */
  url: string;
  from: string;
  /** A file with the certificate of an authority that is trusted in addition to the known ones. */
  caFile?: string | undefined;
}

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

const insecure = "smtp+insecure:";

/**
 * Sends mails through a server. Logs why one was not taken, without addresses and passwords. Throws a SettingsError if the
 * file of the authority cannot be read.
 */
export function createMailer(settings: MailSettings, log: Log): Mailer {
  const { from, caFile } = settings;
  const { hostname, protocol } = new URL(settings.url);
  const isInsecure = protocol === insecure;
  const url = isInsecure ? `smtp:${settings.url.slice(insecure.length)}` : settings.url;
  const ca = caFile === undefined ? undefined : [...rootCertificates, readCertificate(caFile)];
  const tls = { ...(ca && { ca }), ...(isInsecure && { rejectUnauthorized: false }) };
  const safety = { requireTLS: !isInsecure && !isLoopback(hostname), disableFileAccess: true, disableUrlAccess: true };
  const transport = createTransport({ url, tls, ...timeouts, ...safety });
  return {
    async send({ to, subject, text, file }) {
      const { name: filename, type: contentType, content } = file;
      const attachments = [{ filename, contentType, content: Buffer.from(content) }];
      try {
        // As an object: nothing in it can name a second recipient.
        await transport.sendMail({ from, to: { name: "", address: to }, subject, text, attachments });
      } catch (error) {
        const failure = error as MailFailure;
        const { code, command, responseCode = 0 } = failure;
        const reason = explainFailure(failure);
        log({ level: "ERROR", message: "mail failed", code, command, responseCode, reason });
        const told = failure.response
          ? `${reason}: ${withoutSecrets(failure.response, transport.options.auth)}`
          : reason;
        if (command === "RCPT TO" && responseCode >= 500) {
          throw new MailError(told, "invalid", `to: the mail server rejected the address (${responseCode})`);
        }
        const message = "mail: the mail server did not accept the message; try again later";
        throw new MailError(told, "busy", message, { retryAfter: 60 });
      }
    },
  };
}

/** An error of nodemailer; `response` is what the server said. */
type MailFailure = Error & { code?: string; command?: string; responseCode?: number; response?: string };

/** Advice for administrators about an error of the mail server, if the error is clear. */
function explainFailure({ code = "", command, message }: MailFailure): string {
  if (/certificate|altnames/i.test(message))
    return "the mail server's certificate is not trusted; set SMTP_CA_FILE to the certificate of its certificate authority";
  if (code === "ETLS") {
    return "the mail server does not offer STARTTLS, which smtp: requires; use smtps:, or smtp+insecure: on a network that you trust";
  }
  if (code === "EAUTH" || code === "ENOAUTH")
    return "the mail server does not accept the name and password in SMTP_URL";
  if (["ESOCKET", "ECONNECTION", "ETIMEDOUT", "EDNS"].includes(code)) {
    return "the mail server cannot be reached; check the host, port and scheme in SMTP_URL";
  }
  return `the mail server rejected ${command === "RCPT TO" ? "the address" : "the message"}`;
}

/** The words of the mail server in one short line, without the password, which it may repeat. */
function withoutSecrets(
  response: string,
  { user = "", pass = "" }: { user?: string | undefined; pass?: string | undefined } = {},
): string {
  const base64 = (value: string) => Buffer.from(value).toString("base64");
  const secrets = pass ? [pass, base64(pass), base64(`\0${user}\0${pass}`)] : [];
  return secrets
    .reduce((line, secret) => line.replaceAll(secret, "…"), response)
    .replaceAll(/[^\x20-\x7e…]+/g, " ")
    .slice(0, 500);
}

function readCertificate(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new SettingsError(`SMTP_CA_FILE: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`, error);
  }
}
