// SPDX-License-Identifier: MIT

import { extendDeadline } from "../../call-scope.ts";
import { windowAt } from "../../domain/limits.ts";
import { confirmationOf, isConfirmation, isMailCode, mailCodeOf } from "../../domain/mail-recipient.ts";
import { fileNameOf } from "../../domain/page-fields.ts";
import { ServiceError } from "../../errors.ts";
import { type Dependencies, type Mailer, secondsOf } from "../../ports.ts";
import type { Caller } from "../use-case.ts";
import { type BookPorts, makeBook } from "./make-book.ts";

export type MailPorts = BookPorts &
  Pick<Dependencies, "keyWindows" | "signatureKey"> & {
    mailer: Mailer;
    /** For the text of mails: never the host that a call names. */
    publicUrl: string;
  };

const day = 86_400;
/** Mails of one user in a day (UTC), those with codes included, and codes that a user may type. */
const mailsOfDay = 20;
const triesOfDay = 20;
/** Milliseconds in which the mail server takes a book. */
const mailMs = 40_000;

/** Mails a code to an address, by which its owner confirms it. Throws `userLimited`, and what `Mailer.send` throws. */
export async function mailCode(deps: MailPorts, { user }: Caller, address: string): Promise<void> {
  const code = mailCodeOf(deps.signatureKey, { userId: user.userId, address }, secondsOf(deps.clock));
  const text = [
    `The code is ${code.slice(0, 4)} ${code.slice(4)}.`,
    `${user.username} at ${deps.publicUrl} wants to have articles sent to this address. Enter the code there within an hour.`,
    "If this was not you, do nothing: without the code nothing is sent here.",
    "",
  ].join("\r\n\r\n");
  // An e-reader shows what is attached to a mail, and not the mail.
  const file = { name: "code.txt", type: "text/plain; charset=utf-8", content: Buffer.from(text) };
  await sendCounted(deps, user.userId, { to: address, subject: "The code of your reading list", text, file });
}

/** The confirmation of an address by its code, which the caller passes with each book. Throws `invalid`, `userLimited`. */
export async function confirmRecipient(
  deps: MailPorts,
  { user }: Caller,
  { to: address, code }: { to: string; code: string },
): Promise<string> {
  const recipient = { userId: user.userId, address };
  await count(deps, `mail codes of ${user.userId}`, triesOfDay, "too many codes of the day");
  if (!isMailCode(deps.signatureKey, recipient, code, secondsOf(deps.clock))) {
    throw new ServiceError("invalid", "code is not the one that was mailed, or is older than an hour");
  }
  return confirmationOf(deps.signatureKey, recipient);
}

/** Mails the book of a page of the user's list. Throws `invalid` without the confirmation of the address, `userLimited`. */
export async function mailBook(
  deps: MailPorts,
  caller: Caller,
  { to: address, confirmation, url }: { to: string; confirmation: string; url: string },
): Promise<void> {
  const { userId, username } = caller.user;
  if (!isConfirmation(deps.signatureKey, { userId, address }, confirmation)) {
    throw new ServiceError("invalid", "to must be confirmed by its code first");
  }
  const { epub, title } = await makeBook(deps, caller, url, "less");
  extendDeadline(mailMs);
  const name = fileNameOf(title);
  const text = `Sent by ${username}, from the reading list at ${deps.publicUrl}.\r\n`;
  const file = { name: `${name}.epub`, type: "application/epub+zip", content: epub };
  await sendCounted(deps, userId, { to: address, subject: name, text, file });
}

/** A mail that the server does not take counts nothing. */
async function sendCounted(deps: MailPorts, userId: string, mail: Parameters<Mailer["send"]>[0]): Promise<void> {
  const id = `mails of ${userId}`;
  const window = await count(deps, id, mailsOfDay, `${mailsOfDay} mails of the day were sent`);
  try {
    await deps.mailer.send(mail);
  } catch (error) {
    await deps.keyWindows.addCalls(id, window.start, -1);
    throw error;
  }
}

async function count({ clock, keyWindows }: MailPorts, id: string, limit: number, message: string) {
  const now = secondsOf(clock);
  const window = windowAt(now, day);
  const { counted } = await keyWindows.countCall(id, window.start, limit, 1);
  if (!counted) {
    const retryAfter = window.end - now;
    throw new ServiceError("userLimited", `mail: ${message}`, { code: "mail_limited", retryAfter });
  }
  return window;
}
