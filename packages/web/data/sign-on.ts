// SPDX-License-Identifier: MIT

import { readTabJson, storeForTab } from "../kit/browser-storage.ts";
import type { ReaderConfig } from "../kit/config.ts";
import { type BrowserSignIn, fieldsOfBrowser } from "./browser-sign-in.ts";
import { postFields } from "./post-fields.ts";
import type { Credentials } from "./session.ts";

/** Single sign-on (docs/self-hosting.md): its routes are below `app/oidc` of the service. */

/** In the storage of the tab, because the way leads over another site: whether the user chose "Stay signed in". */
const staysKey = "reading-list.signing-on";

const addressOf = (config: ReaderConfig, path = "") => new URL(`app/oidc${path}`, config.baseUrl).href;

const post = <T>(config: ReaderConfig, path: string, fields: Record<string, string>): Promise<T> =>
  postFields(addressOf(config, path), fields);

/** Leads to the provider, and from there back to the reader. Throws `ApiError` with an invitation that cannot be sent. */
export async function beginSignOn(config: ReaderConfig, stays: boolean, invitation?: string): Promise<void> {
  storeForTab(staysKey, JSON.stringify(stays));
  const { url } = invitation ? await post<{ url: string }>(config, "", { invitation }) : { url: addressOf(config) };
  location.assign(url);
}

/** Where the person signs out at the provider, which this browser may have signed in at. */
export const addressOfSignOff = (config: ReaderConfig): string => addressOf(config, "/logout");

/** Leads to the provider for a new sign-in, which stands for the account's password. */
export const beginFreshSignOn = (config: ReaderConfig): void => location.assign(addressOf(config, "?fresh=1"));

/** The sign-in of this browser for the code that the provider's way back has brought. Throws `ApiError`. */
export async function exchangeCode(config: ReaderConfig, code: string): Promise<BrowserSignIn> {
  const stays = readTabJson(staysKey, false);
  return { ...(await post<Credentials>(config, "/exchange", { code, ...fieldsOfBrowser(stays) })), stays };
}

/** A token that stands for the account's password for 10 minutes. Throws `ApiError`. */
export const exchangeFreshCode = (config: ReaderConfig, code: string): Promise<Credentials> =>
  post(config, "/exchange", { code, fresh: "1" });

/** Whether a user can sign in by the provider. */
export const isLinked = async (config: ReaderConfig, credentials: Credentials): Promise<boolean> =>
  (await post<{ linked: boolean }>(config, "/state", { ...credentials })).linked;

/** Leads to the provider, to link who signs in there with the user. */
export async function beginLink(config: ReaderConfig, credentials: Credentials): Promise<void> {
  location.assign((await post<{ url: string }>(config, "/link", { ...credentials })).url);
}

export const unlink = async (config: ReaderConfig, credentials: Credentials): Promise<void> => {
  await post(config, "/unlink", { ...credentials });
};
