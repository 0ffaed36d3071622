// SPDX-License-Identifier: MIT

import { passkeySignIn } from "@reading-list/core/contract/apis.ts";
import * as z from "@reading-list/core/contract/bounded.ts";
import { maxPasskeys, type Passkey } from "@reading-list/core/domain/passkey.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { unixTime } from "@reading-list/core/ports/clock.ts";
import type { PasskeyStore } from "@reading-list/core/ports/sign-ins.ts";
import { requireAccountPassword, type SignInPorts } from "@reading-list/core/use-cases/accounts/sign-in-apps.ts";
import { addFreshToken } from "@reading-list/core/use-cases/accounts/temporary-secrets.ts";
import type { AnyCaller, Caller, UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { defineRoute } from "@reading-list/http/api.ts";
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/server";
import {
  answerUncached,
  credentialFields,
  defineBrowserApi,
  type SignedIn,
  signInBrowser,
  toSignIn,
  wantedFields,
} from "../browser-sign-in.ts";
import type { RelyingParty } from "./relying-party.ts";

/** Passkeys, the second factor of the web reader's sign-in (docs/self-hosting.md). */

export type PasskeyPorts = SignInPorts & { passkeys: PasskeyStore; relyingParty: RelyingParty };

/** JSON of an authenticator's answer: 2 kB with the longest keys. */
const answer = z.ascii(20_000);

const ofOwnSite = { isOfOwnSite: true } as const;

const ask: UseCase<unknown, PublicKeyCredentialRequestOptionsJSON, PasskeyPorts, AnyCaller> = {
  begin:
    ({ relyingParty }) =>
    () =>
      relyingParty.requestOptions(),
};

/** The question to an authenticator, for a sign-in. */
const askRoute = defineRoute({
  route: "POST /ask",
  caller: "application",
  signIn: () => ({}),
  ...ofOwnSite,
  input: z.object({}),
  useCase: ask,
  present: (options) => answerUncached(options),
});

const signInFields = z.object({ ...credentialFields, answer: answer.optional(), ...wantedFields });

const signIn: UseCase<z.output<typeof signInFields>, SignedIn, PasskeyPorts, Caller> = {
  begin: (deps, wanted) => async (caller) => {
    requireAccountPassword(caller);
    return signInBrowser(deps, caller.user, wanted);
  },
};

/** Takes the account's password, and the answer of a passkey if the user has one: admission checks both. */
const signInRoute = defineRoute({
  route: "POST /sign-in",
  caller: "user",
  adds: false,
  ...ofOwnSite,
  input: signInFields,
  useCase: signIn,
  signIn: ({ answer: passkey, ...fields }) => ({ ...toSignIn(fields), passkey }),
  present: (signedIn) => answerUncached(signedIn),
});

/** Takes a fresh token, or without a passkey also the account's password. */
const ofAccount = { caller: "user", account: "signIns", signIn: toSignIn, ...ofOwnSite } as const;
const accountFields = z.object(credentialFields);

const list: UseCase<unknown, Passkey[], PasskeyPorts, Caller> = {
  begin:
    ({ passkeys }) =>
    ({ user }) =>
      passkeys.list(user),
};
const listRoute = defineRoute({
  route: "POST /list",
  ...ofAccount,
  input: accountFields,
  useCase: list,
  present: (passkeys) =>
    answerUncached({
      list: passkeys.map(({ id, name, createdAt, usedAt }) => ({
        id,
        name,
        time_created: String(createdAt),
        time_used: String(usedAt),
      })),
    }),
});

const begin: UseCase<unknown, PublicKeyCredentialCreationOptionsJSON, PasskeyPorts, Caller> = {
  begin:
    ({ relyingParty }) =>
    ({ user }) =>
      relyingParty.creationOptions(user),
};

/** The question to an authenticator, for a new passkey. */
const beginRoute = defineRoute({
  route: "POST /begin",
  ...ofAccount,
  input: accountFields,
  useCase: begin,
  present: (options) => answerUncached(options),
});

const enrolFields = z.object({ ...credentialFields, name: z.string(60).trim().min(1), answer });

const enrol: UseCase<z.output<typeof enrolFields>, string, PasskeyPorts, Caller> = {
  begin:
    (deps, { name, answer }) =>
    async (caller) => {
      const { user } = caller;
      const { created, challenge } = await deps.relyingParty.readCreated(user, answer);
      const passkey: Passkey = { ...created, name, createdAt: unixTime(deps.clock), usedAt: 0 };
      if (!(await deps.passkeys.add(user, passkey, challenge))) {
        throw new ServiceError(
          "invalid",
          `answer: this passkey is already registered, or was removed a moment ago, or the account has ${maxPasskeys} passkeys; remove one first`,
        );
      }
      return addFreshToken(deps, user);
    },
};

/** Returns a fresh token, because the password of the call is no longer enough to sign in. */
const enrolRoute = defineRoute({
  route: "POST /enrol",
  ...ofAccount,
  input: enrolFields,
  useCase: enrol,
  present: (password) => answerUncached({ password }),
});

const removeFields = z.object({ ...credentialFields, id: z.string(1000) });

const remove: UseCase<z.output<typeof removeFields>, boolean, PasskeyPorts, Caller> = {
  begin:
    ({ passkeys }, { id }) =>
    ({ user }) =>
      passkeys.remove(user, id),
};
const removeRoute = defineRoute({
  route: "POST /remove",
  ...ofAccount,
  input: removeFields,
  useCase: remove,
  present: () => answerUncached({}),
});

const routes = [askRoute, signInRoute, listRoute, beginRoute, enrolRoute, removeRoute];
export const passkeys = defineBrowserApi<PasskeyPorts>(passkeySignIn, routes);
