// SPDX-License-Identifier: MIT

import { readStoredJson, store } from "../kit/browser-storage.ts";
import type { SharedPage } from "../kit/shared-page.ts";

/** The account that was signed in last, by a salted hash of its name: signing out deletes the name itself. */
interface AccountMark {
  salt: string;
  hash: string;
}

interface KeptPage extends SharedPage {
  account: AccountMark;
}

const accountKey = "reading-list.last-account";
const pagesKey = "reading-list.shared-pages";
const maxKept = 50;

const readLast = () => readStoredJson<AccountMark | undefined>(accountKey, undefined);
const readKept = () => readStoredJson<KeptPage[]>(pagesKey, []);

async function hashUsername(username: string, salt: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${salt} ${username}`));
  return [...new Uint8Array(bytes)].join();
}

const isMarkOf = async (username: string, { salt, hash }: AccountMark) => (await hashUsername(username, salt)) === hash;

/**
 * Keeps a page that another app has shared while nobody is signed in, for the account that was signed in last. False if
 * this browser knows none.
 */
export function keepShared(page: SharedPage): boolean {
  const account = readLast();
  if (!account) return false;
  const others = readKept().filter(({ url }) => url !== page.url);
  store(pagesKey, JSON.stringify([...others, { ...page, account }].slice(-maxKept)));
  return true;
}

/** Makes a user the one who was signed in last. Returns the pages that were kept for this user, once. */
export async function takeShared(username: string): Promise<SharedPage[]> {
  // Browsers have it only in secure contexts; elsewhere no app can share.
  if (!crypto.subtle) return [];
  const last = readLast();
  if (!last || !(await isMarkOf(username, last))) {
    const salt = crypto.randomUUID();
    store(accountKey, JSON.stringify({ salt, hash: await hashUsername(username, salt) }));
  }
  const own = new Set<string>();
  for (const { url, account } of readKept()) if (await isMarkOf(username, account)) own.add(url);
  const kept = readKept();
  if (own.size > 0) store(pagesKey, JSON.stringify(kept.filter(({ url }) => !own.has(url))));
  return kept.filter(({ url }) => own.has(url));
}
