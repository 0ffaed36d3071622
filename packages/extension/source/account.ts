// SPDX-License-Identifier: MIT

import { devicePassword } from "@reading-list/client/device-password.ts";
import { ApiError, ReadingListClient } from "@reading-list/client/main.ts";
import { isLoopback } from "@reading-list/core/domain/hosts.ts";

/** The fields of the options page, and the id of an app password. */
export interface Account {
  /** Address of the main service. */
  baseUrl: string;
  /** Address of the text view; the texts of pages are kept through it. */
  textUrl?: string;
  apiKey: string;
  username: string;
  /** An app password if it has an `id`; the account's if the service has no app passwords. */
  password: string;
  id?: string;
  /** Address of the web reader; by default `/app/` of the main service. */
  readerUrl?: string;
}

export const readerAddress = ({ readerUrl, baseUrl }: Account): string =>
  readerUrl || `${baseUrl.replace(/\/$/, "")}/app/`;

/** The account in the profile of the browser; undefined if no usable account is stored. */
export async function readAccount(): Promise<Account | undefined> {
  const { account } = await chrome.storage.local.get<{ account?: Partial<Account> }>("account");
  if (!account) return undefined;
  // An older version may have stored it.
  const { baseUrl = "", apiKey = "", username = "", password = "", ...others } = account;
  return URL.canParse(baseUrl) ? { ...others, baseUrl, apiKey, username, password } : undefined;
}

export const writeAccount = (account: Account) => chrome.storage.local.set({ account });

/**
 * A worker of an extension may end after 30 seconds without an event, so the alarm retries, and not the client. The
 * service may take 20 seconds to keep a page.
 */
export const createClient = (account: Account) => new ReadingListClient({ ...account, retries: 1, timeout: 28_000 });

/** The account with an app password instead of the account's; unchanged if the service does not give one. */
export async function withAppPassword(account: Account): Promise<Account> {
  const stored = await readAccount();
  if (stored?.id && stored.password === account.password) return { ...account, id: stored.id };
  try {
    return { ...account, ...(await devicePassword("Browser extension", createClient(account), account.password)) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return account;
  }
}

/** Replaces the account's password that an earlier version has stored, or that could not be replaced earlier. */
export async function replaceStoredPassword(): Promise<void> {
  const account = await readAccount();
  if (!account || account.id) return;
  const replaced = await withAppPassword(account);
  // Meanwhile the user may have entered another account, or forgotten this one.
  if (replaced.id && (await readAccount())?.password === account.password) await writeAccount(replaced);
}

/** Whether a password may be sent there: over https, or without leaving the computer. */
export function isSafeAddress(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
}
