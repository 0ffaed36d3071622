// SPDX-License-Identifier: MIT

import { type Account, isSafeAddress } from "./account.ts";

/** Addresses and the API key of a service. */
export type FoundService = Pick<Account, "baseUrl" | "apiKey"> & Required<Pick<Account, "textUrl" | "readerUrl">>;

const timeoutMs = 10_000;

/**
 * Asks the user for permission to read the answers of an address, which requires a click before: a page of another
 * origin cannot read the web reader's settings.
 */
export const askToRead = (address: string): Promise<boolean> => {
  const { protocol, hostname } = new URL(address);
  return chrome.permissions.request({ origins: [`${protocol}//${hostname}/*`] });
};

/**
 * Reads the settings of the web reader at `/app/` of an address, or at the address itself. Returns undefined if there is no
 * reader, or if it names an unsafe address.
 */
export async function findService(address: string): Promise<FoundService | undefined> {
  // bounded: a text that the user has typed
  const folder = address.replace(/\/*$/, "/");
  return (await readConfig(new URL("app/", folder))) ?? readConfig(new URL(folder));
}

async function readConfig(reader: URL): Promise<FoundService | undefined> {
  try {
    const options: RequestInit = { credentials: "omit", signal: AbortSignal.timeout(timeoutMs) };
    const answer = await fetch(new URL("config.json", reader), options);
    return answer.ok ? parseService(await answer.json(), reader) : undefined;
  } catch {
    return undefined;
  }
}

/** The service of a web reader with these settings; undefined if they lack something, or name an unsafe address. */
export function parseService(settings: unknown, reader: URL): FoundService | undefined {
  const { baseUrl = "", textUrl = "", apiKey } = Object(settings) as Partial<Record<string, string>>;
  if (!apiKey || !URL.canParse(baseUrl, reader) || !URL.canParse(textUrl, reader)) return undefined;
  const found = { baseUrl: new URL(baseUrl, reader).href, textUrl: new URL(textUrl, reader).href };
  if (!isSafeAddress(found.baseUrl) || !isSafeAddress(found.textUrl)) return undefined;
  return { ...found, apiKey, readerUrl: reader.href };
}
