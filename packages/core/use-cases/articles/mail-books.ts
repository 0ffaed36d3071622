// SPDX-License-Identifier: MIT

import { extendDeadline } from "../../call-scope.ts";
import { windowAt } from "../../domain/limits.ts";
import { mailLimits, toMailbox } from "../../domain/mail-limits.ts";
import {
  createMailCode,
  isConfirmation,
  isMailCode,
  type MailRecipient,
  signRecipient,
} from "../../domain/mail-recipient.ts";
import { toFileName } from "../../domain/page-fields.ts";
import { hashSecret } from "../../domain/sign-in.ts";
import { signText } from "../../domain/signed-text.ts";
import { ServiceError } from "../../errors.ts";
import { unixTime } from "../../ports/clock.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import { type CountedMailPorts, type Counter, countOne, mailCounters, sendCounted } from "../counted-mails.ts";
import type { Caller } from "../use-case.ts";
import { type BookPorts, makeBook } from "./make-book.ts";

export type MailPorts = BookPorts &
  CountedMailPorts &
  Pick<Dependencies, "signatureKey"> & {
    /** For the text of mails: never the host that a call names. */
    publicUrl: string;
  };

const day = 86_400;
/** Milliseconds in which the mail server takes a book. */
const mailMs = 40_000;

/** A stranger gets few codes, whoever asks for them. No stored data reveals the recipient. */
const unconfirmedCodes = (deps: MailPorts, caller: Pick<Caller, "address">, recipient: string): Counter[] => {
  const { codesToRecipient, codesOfAddress } = mailLimits;
  return [
    {
      id: `mail codes to ${signText(deps.signatureKey("mailbox"), toMailbox(recipient))}`,
      limit: codesToRecipient,
      message: `an address gets at most ${codesToRecipient} codes a day until its owner enters one`,
    },
    {
      id: `mail codes from ${caller.address}`,
      limit: codesOfAddress,
      message: `your network can request at most ${codesOfAddress} codes a day until their owners enter them`,
    },
  ];
};

/** Mails a code to an address, by which its owner confirms it. Throws `userLimited`, and what `Mailer.send` throws. */
export async function mailCode(deps: MailPorts, caller: Caller, address: string): Promise<void> {
  const { user } = caller;
  const code = createMailCode(deps.signatureKey, { userId: user.userId, address }, unixTime(deps.clock));
  const text = [
    `Your code is ${code.slice(0, 4)} ${code.slice(4)}. It is valid for one hour.`,
    `Someone wants to send articles from the reading list of ${user.username} at ${deps.publicUrl} to this address. To allow this, enter the code there.`,
    "If you did not ask for this, ignore this mail. No articles are sent to this address without the code.",
    "",
  ].join("\r\n\r\n");
  // An e-reader shows the attachments of a mail, and not the mail.
  const file = { name: "code.txt", type: "text/plain; charset=utf-8", content: Buffer.from(text) };
  const counters = [...unconfirmedCodes(deps, caller, address), ...mailCounters(user.userId, deps)];
  await sendCounted(deps, counters, { to: address, subject: "Your reading list code", text, file });
}

/** The confirmation of an address by its code, which the caller passes with each book. Throws `invalid`, `userLimited`. */
export async function confirmRecipient(
  deps: MailPorts,
  caller: Caller,
  { to: address, code }: { to: string; code: string },
): Promise<string> {
  const { userId } = caller.user;
  const recipient = { userId, address };
  const { triesOfUser: limit } = mailLimits;
  await countOne(deps, { id: `mail codes of ${userId}`, limit, message: `you have entered ${limit} codes today` });
  if (!isMailCode(deps.signatureKey, recipient, code, unixTime(deps.clock))) {
    throw new ServiceError(
      "invalid",
      "code is wrong or has expired; enter the code from the mail, or request a new one",
    );
  }
  await uncountConfirmed(deps, caller, recipient);
  return signRecipient(deps.signatureKey, recipient);
}

/** Mails the book of a page of the user's list. Throws `invalid` without the confirmation of the address, `userLimited`. */
export async function mailBook(
  deps: MailPorts,
  caller: Caller,
  { to: address, confirmation, url }: { to: string; confirmation: string; url: string },
): Promise<void> {
  const { userId, username } = caller.user;
  if (!isConfirmation(deps.signatureKey, { userId, address }, confirmation)) {
    throw new ServiceError("invalid", "to must be confirmed first; enter the code that was mailed to this address");
  }
  const { epub, title } = await makeBook(deps, caller, url, "less");
  extendDeadline(mailMs);
  const name = toFileName(title);
  const text = `Sent by ${username}, from the reading list at ${deps.publicUrl}.\r\n`;
  const file = { name: `${name}.epub`, type: "application/epub+zip", content: epub };
  await sendCounted(deps, mailCounters(userId, deps), { to: address, subject: name, text, file });
}

/** Takes the code of a recipient off the counters of unconfirmed ones, once a day for each user. */
async function uncountConfirmed(deps: MailPorts, caller: Caller, recipient: MailRecipient): Promise<void> {
  const { start } = windowAt(unixTime(deps.clock), day);
  // The confirmation itself is a secret of the user's device.
  const id = `mail recipient ${hashSecret(signRecipient(deps.signatureKey, recipient))}`;
  const { counted } = await deps.keyWindows.countCall(id, start, 1, 1);
  if (!counted) return;
  for (const { id } of unconfirmedCodes(deps, caller, recipient.address)) {
    if ((await deps.keyWindows.read(id, start)) > 0) await deps.keyWindows.addCalls(id, start, -1);
  }
}
