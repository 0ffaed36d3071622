// SPDX-License-Identifier: MIT

import { mailLimits } from "../domain/mail-limits.ts";
import { ServiceError } from "../errors.ts";
import type { Mailer, MailPort } from "../ports/mail.ts";
import { type CountPorts, countLimited } from "./count-limited.ts";

export type CountedMailPorts = CountPorts & MailPort;

const day = 86_400;

/** A daily limit, and its name in words. */
export interface Counter {
  id: string;
  limit: number;
  message: string;
}

/** The counters of every mail: those of its sender, and those of all users. */
export const mailCounters = (userId: string, { mailLimit }: Pick<MailPort, "mailLimit">): Counter[] => [
  {
    id: `mails of ${userId}`,
    limit: mailLimits.ofUser,
    message: `you have sent ${mailLimits.ofUser} mails today`,
  },
  { id: "mails", limit: mailLimit, message: `all users together have sent ${mailLimit} mails today` },
];

/** A mail that is refused by a limit, or by the server, counts nothing. Throws `userLimited`, and what `Mailer.send` throws. */
export async function sendCounted(
  ports: CountedMailPorts,
  counters: readonly Counter[],
  mail: Parameters<Mailer["send"]>[0],
): Promise<void> {
  const undoes: (() => Promise<unknown>)[] = [];
  try {
    for (const counter of counters) undoes.push(await countOne(ports, counter));
    await ports.mailer.send(mail);
  } catch (error) {
    for (const undo of undoes) await undo();
    throw error;
  }
}

/** Counts one of a day; returns the undo. Throws `userLimited`. */
export const countOne = (ports: CountPorts, { id, limit, message }: Counter): Promise<() => Promise<void>> =>
  countLimited(
    ports,
    { id, limit, seconds: day },
    (retryAfter) => new ServiceError("userLimited", `mail: ${message}`, { code: "mail_limited", retryAfter }),
  );
