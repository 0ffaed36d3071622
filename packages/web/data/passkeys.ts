// SPDX-License-Identifier: MIT

import { ApiError } from "@reading-list/client/main.ts";
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";
import type { ReaderConfig } from "../kit/config.ts";
import { type BrowserSignIn, toBrowserFields } from "./browser-sign-in.ts";
import { postFields } from "./post-fields.ts";
import type { Credentials } from "./replicas.ts";

/** Passkeys (docs/self-hosting.md): their routes are below `app/passkeys` of the service. */

/** A passkey of the user, as the service returns it. */
export interface Passkey {
  id: string;
  name: string;
  createdAt: Date;
}

const post = <T>(config: ReaderConfig, path: string, fields: Record<string, string>): Promise<T> =>
  postFields(new URL(`app/passkeys/${path}`, config.baseUrl).href, fields);

/** Asks an authenticator. Throws `ApiError` if the person does not answer, or has none. */
async function askAuthenticator(ask: (library: typeof import("@simplewebauthn/browser")) => Promise<unknown>) {
  try {
    return JSON.stringify(await ask(await import("@simplewebauthn/browser")));
  } catch (cause) {
    const { laterTexts } = await import("../kit/later-texts.ts");
    throw new ApiError(laterTexts.manage.noPasskey, { status: 0, kind: "invalid", cause });
  }
}

async function askForAnswer(config: ReaderConfig): Promise<string> {
  const optionsJSON = await post<PublicKeyCredentialRequestOptionsJSON>(config, "ask", {});
  return askAuthenticator(({ startAuthentication }) => startAuthentication({ optionsJSON }));
}

/** A sign-in of this browser, by the account's password and a passkey. Throws `ApiError`. */
export async function signInByPasskey(
  config: ReaderConfig,
  credentials: Credentials,
  stays: boolean,
): Promise<BrowserSignIn> {
  const fields = { ...credentials, answer: await askForAnswer(config), ...toBrowserFields(stays) };
  return { ...(await post<Credentials>(config, "sign-in", fields)), stays };
}

/** A token that stands for the account's password for 10 minutes. Throws `ApiError`. */
export async function freshByPasskey(config: ReaderConfig, credentials: Credentials): Promise<string> {
  const fields = { ...credentials, answer: await askForAnswer(config), fresh: "1" };
  return (await post<Credentials>(config, "sign-in", fields)).password;
}

/** The passkeys of the user. Throws `ApiError`. */
export async function listPasskeys(config: ReaderConfig, credentials: Credentials): Promise<Passkey[]> {
  type Told = { id: string; name: string; time_created: string };
  const { list } = await post<{ list: Told[] }>(config, "list", { ...credentials });
  return list.map(({ id, name, time_created }) => ({ id, name, createdAt: new Date(Number(time_created) * 1000) }));
}

/** Makes a passkey; returns a token that replaces the password, which is not enough to sign in from now on. Throws `ApiError`. */
export async function addPasskey(config: ReaderConfig, credentials: Credentials, name: string): Promise<string> {
  const optionsJSON = await post<PublicKeyCredentialCreationOptionsJSON>(config, "begin", { ...credentials });
  const answer = await askAuthenticator(({ startRegistration }) => startRegistration({ optionsJSON }));
  return (await post<{ password: string }>(config, "enrol", { ...credentials, name, answer })).password;
}

export const removePasskey = async (config: ReaderConfig, credentials: Credentials, id: string): Promise<void> => {
  await post(config, "remove", { ...credentials, id });
};
