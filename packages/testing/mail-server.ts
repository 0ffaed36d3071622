// SPDX-License-Identifier: MIT

import { once } from "node:events";
import { text } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";
import { atEndOfFile } from "./end-of-file.ts";

/** A mail that the server has taken. */
interface Received {
  from: string;
  to: string[];
  content: string;
}

export interface MailServer {
  /** With the name and the password of its user. */
  url: string;
  mails: Received[];
  /** It takes no mail. */
  isFull: boolean;
}

const password = "mail/secret";

/**
 * Starts a mail server on this machine, which refuses recipients that begin with `unknown`; it ends after the file's tests.
 * With a certificate it offers STARTTLS.
 */
export async function startMailServer(certificate?: { key: Buffer; cert: Buffer }): Promise<MailServer> {
  const state: MailServer = { url: "", mails: [], isFull: false };
  const server = new SMTPServer({
    ...(certificate ?? { hideSTARTTLS: true, disabledCommands: ["STARTTLS"] }),
    allowInsecureAuth: true,
    onAuth: (given, _, done) =>
      given.username === "reader" && given.password === password
        ? done(null, { user: given.username })
        : done(new Error(`no ${given.password}`)),
    onRcptTo: ({ address }, _, done) =>
      address.startsWith("unknown") ? done(Object.assign(new Error("unknown"), { responseCode: 550 })) : done(),
    onData: async (stream, { envelope }, done) => {
      const content = await text(stream);
      if (state.isFull) return done(Object.assign(new Error("full"), { responseCode: 452 }));
      const { mailFrom, rcptTo } = envelope;
      const to = rcptTo.map(({ address }) => address);
      state.mails.push({ from: mailFrom ? mailFrom.address : "", to, content });
      done();
    },
  });
  const listening = server.listen(0, "127.0.0.1");
  await once(listening, "listening");
  atEndOfFile(() => new Promise<void>((resolve) => server.close(resolve)));
  const { port } = listening.address() as { port: number };
  state.url = `smtp://reader:${encodeURIComponent(password)}@127.0.0.1:${port}`;
  return state;
}

/** The code in a mail; empty without one. */
export const codeIn = ({ content = "" }: Partial<Received> = {}): string =>
  /Your code is (\d{4} \d{4})/.exec(content)?.[1] ?? "";
