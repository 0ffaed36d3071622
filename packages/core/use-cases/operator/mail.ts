// SPDX-License-Identifier: MIT

import { extendDeadline } from "../../call-scope.ts";
import { operatorMail } from "../../contract/operator.ts";
import { ServiceError } from "../../errors.ts";
import { MailError, type Mailer } from "../../ports/mail.ts";
import { mailCounters, sendCounted } from "../counted-mails.ts";
import { defineOperatorEndpoint } from "./define.ts";

/** Milliseconds in which the mail server answers: as long as its library waits for it. */
const testMs = 40_000;

/** Sends a test mail. Returns why the mail server has not accepted it; empty if it has. */
export async function sendTestMail(mailer: Mailer, to: string): Promise<string> {
  const content = new TextEncoder().encode("This is the attachment of a test mail.\r\n");
  const text = "Your reading list can send mail. Articles are attached like this file.\r\n";
  const file = { name: "test.txt", type: "text/plain", content };
  try {
    await mailer.send({ to, subject: "Test mail from your reading list", text, file });
    return "";
  } catch (error) {
    if (error instanceof MailError) return error.reason;
    throw error;
  }
}

/** Says whether the service sends mails, and sends a test mail, which counts like every other (docs/api.md 13.9). */
export const endpoint = defineOperatorEndpoint(operatorMail, async ({ mail, ...deps }, { to }, { user }) => {
  if (!mail && to !== undefined) throw new ServiceError("invalid", "operator/mail: to needs the setting SMTP_URL");
  const fields = { status: "1", configured: mail ? "1" : "0", error: "" };
  if (!mail || to === undefined) return { fields };
  extendDeadline(testMs);
  const send: Mailer["send"] = (sent) => sendCounted({ ...deps, ...mail }, mailCounters(user.userId, mail), sent);
  return { fields: { ...fields, error: await sendTestMail({ send }, to) } };
});
