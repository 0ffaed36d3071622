// SPDX-License-Identifier: MIT

import type { Arrival } from "../kit/arrival.ts";
import { readTabJson, storeForTab } from "../kit/browser-storage.ts";
import type { ReaderConfig } from "../kit/config.ts";
import { type BrowserSignIn, toBrowserFields } from "./browser-sign-in.ts";
import { postFields } from "./post-fields.ts";
import type { Credentials } from "./replicas.ts";

/** Single sign-on (docs/self-hosting.md): its routes are below `app/oidc` of the service. */

/** In the storage of the tab, because the way leads over another site. */
const walkKey = "reading-list.signing-on";

/** `verifier`: proves that this browser has begun; `stays`: the user chose "Stay signed in". */
interface Walk {
  verifier: string;
  stays: boolean;
}

const signOnAddress = (config: ReaderConfig, path = "") => new URL(`app/oidc${path}`, config.baseUrl).href;

const post = <T>(config: ReaderConfig, path: string, fields: Record<string, string>): Promise<T> =>
  postFields(signOnAddress(config, path), fields);

/** Leads to the provider, and from there back to the reader. */
async function begin(config: ReaderConfig, path: string, fields: Record<string, string>, stays = false): Promise<void> {
  const { url, verifier } = await post<{ url: string; verifier: string }>(config, path, fields);
  storeForTab(walkKey, JSON.stringify({ verifier, stays } satisfies Walk));
  location.assign(url);
}

/** The walk that this tab has begun. Without a verifier the service asks for a cookie. */
const begun = (): Walk => ({ verifier: "", stays: false, ...readTabJson<Partial<Walk>>(walkKey, {}) });

/** Leads to the provider, to sign in. Throws `ApiError`. */
export const beginSignOn = (config: ReaderConfig, stays: boolean, invitation?: string): Promise<void> =>
  begin(config, "", invitation ? { invitation } : {}, stays);

/** Where the person signs out at the provider, which this browser may have signed in at. */
export const toSignOffAddress = (config: ReaderConfig): string => signOnAddress(config, "/logout");

/** Leads to the provider for a new sign-in, which stands for the account's password. Throws `ApiError`. */
export const beginFreshSignOn = (config: ReaderConfig): Promise<void> => begin(config, "", { fresh: "1" });

const exchange = (
  config: ReaderConfig,
  { secret: code, proof }: Arrival,
  fields: Record<string, string>,
): Promise<Credentials> =>
  post(config, "/exchange", { code, ...fields, ...(proof && { proof, verifier: begun().verifier }) });

/** The sign-in of this browser for the code that the provider's way back has brought. Throws `ApiError`. */
export async function exchangeCode(config: ReaderConfig, arrival: Arrival): Promise<BrowserSignIn> {
  const { stays } = begun();
  return { ...(await exchange(config, arrival, toBrowserFields(stays))), stays };
}

/** A token that stands for the account's password for 10 minutes. Throws `ApiError`. */
export const exchangeFreshCode = (config: ReaderConfig, arrival: Arrival): Promise<Credentials> =>
  exchange(config, arrival, { fresh: "1" });

/** Whether a user can sign in by the provider. */
export const isLinked = async (config: ReaderConfig, credentials: Credentials): Promise<boolean> =>
  (await post<{ linked: boolean }>(config, "/state", { ...credentials })).linked;

/** Leads to the provider, to link who signs in there with the user. Throws `ApiError`. */
export const beginLink = (config: ReaderConfig, credentials: Credentials): Promise<void> =>
  begin(config, "/link", { ...credentials });

/** Links who has signed in. Throws `ApiError`. */
export const finishLink = async (config: ReaderConfig, { secret: linked }: Arrival): Promise<void> => {
  await post(config, "/linked", { linked, verifier: begun().verifier });
};

export const unlink = async (config: ReaderConfig, credentials: Credentials): Promise<void> => {
  await post(config, "/unlink", { ...credentials });
};
