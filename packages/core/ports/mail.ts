// SPDX-License-Identifier: MIT

import { ServiceError } from "../errors.ts";

/** The mail server has not accepted a mail. */
export class MailError extends ServiceError {
  /** Why, and what to do, in a sentence for administrators. */
  readonly reason: string;

  constructor(reason: string, ...args: ConstructorParameters<typeof ServiceError>) {
    super(...args);
    this.reason = reason;
  }
}

/** Sends mails of the service. */
export interface Mailer {
  /** Throws a MailError: `invalid` if the server refuses the address, `busy` if it does not take the mail now. */
  send(mail: {
    to: string;
    subject: string;
    text: string;
    file: { name: string; type: string; content: Uint8Array };
  }): Promise<void>;
}

/** The mails of a service that sends some. */
export interface MailPort {
  mailer: Mailer;
  /** Mails of all users in a day. */
  mailLimit: number;
}
