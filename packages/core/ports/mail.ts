// SPDX-License-Identifier: MIT

/** Sends mails of the service. */
export interface Mailer {
  /** Throws `invalid` if the server refuses the address, `busy` if it does not take the mail now. */
  send(mail: {
    to: string;
    subject: string;
    text: string;
    file: { name: string; type: string; content: Uint8Array };
  }): Promise<void>;
}
