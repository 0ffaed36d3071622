// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import { emailAddress } from "@reading-list/core/contract/fields.ts";
import { maxLengths } from "@reading-list/core/domain/page-fields.ts";
import {
  confirmRecipient,
  type MailPorts,
  mailBook,
  mailCode,
} from "@reading-list/core/use-cases/articles/mail-books.ts";
import type { Caller, UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { defineRoute } from "@reading-list/http/api.ts";
import { answerUncached, credentialFields, defineBrowserApi, toSignIn } from "../browser-sign-in.ts";

/** Books that the web reader has mailed to an e-reader (docs/self-hosting.md). */

const to = emailAddress;

/** A mailed book is not stored. */
const ofReader = { caller: "user", adds: false, signIn: toSignIn, isOfOwnSite: true } as const;

const askFields = z.object({ ...credentialFields, to });
const ask: UseCase<z.output<typeof askFields>, void, MailPorts, Caller> = {
  begin:
    (deps, { to }) =>
    (caller) =>
      mailCode(deps, caller, to),
};
const askRoute = defineRoute({
  route: "POST /ask",
  ...ofReader,
  input: askFields,
  useCase: ask,
  present: () => answerUncached({}),
});

const confirmFields = z.object({ ...credentialFields, to, code: z.string(40) });
const confirm: UseCase<z.output<typeof confirmFields>, string, MailPorts, Caller> = {
  begin: (deps, given) => (caller) => confirmRecipient(deps, caller, given),
};
/** Answers the confirmation, which the browser keeps. */
const confirmRoute = defineRoute({
  route: "POST /confirm",
  ...ofReader,
  input: confirmFields,
  useCase: confirm,
  present: (confirmation) => answerUncached({ confirmation }),
});

const sendFields = z.object({ ...credentialFields, to, confirmation: z.string(100), url: z.string(maxLengths.url) });
const send: UseCase<z.output<typeof sendFields>, void, MailPorts, Caller> = {
  begin: (deps, given) => (caller) => mailBook(deps, caller, given),
};
const sendRoute = defineRoute({
  route: "POST /send",
  ...ofReader,
  input: sendFields,
  useCase: send,
  present: () => answerUncached({}),
});

export const mail = defineBrowserApi<MailPorts>(
  { name: "mail", path: "app/mail", caller: "user", counted: true, host: "main", list: "readWhole" },
  [askRoute, confirmRoute, sendRoute],
);
