// SPDX-License-Identifier: MIT

import { toPageKey } from "@reading-list/client/change.ts";
import { ApiError, type ReadingListClient } from "@reading-list/client/main.ts";
import { createClient, readAccount } from "./account.ts";
import { readSeenPage } from "./seen-page.ts";
import { text } from "./texts.ts";

/** A page of the list, and the tab that shows it. */
export interface KeepRequest {
  url: string;
  tabId: number | undefined;
  /** Keep the page as the user sees it, whatever the service can read. */
  isAsSeen: boolean;
}

/** Which text the service keeps of a page, or the `reason` why none. */
export type Kept = { isAsSeen: boolean; reason?: undefined } | { isAsSeen?: undefined; reason: string };

/** Bytes of a page that the service takes (docs/api.md 8.3). */
const maxBytes = 4_000_000;

/**
 * Makes the service save a copy of a page of the list. The service reads the page itself or, if it cannot, or finds a
 * login form or no text, gets the page as the user sees it.
 */
export async function keepPage({ url, tabId, isAsSeen }: KeepRequest): Promise<Kept> {
  const account = await readAccount();
  if (!account?.textUrl) return { reason: text("noTextAddress") };
  const client = createClient(account);
  try {
    if (!isAsSeen && (await isReadable(client, url))) return { isAsSeen: false };
    const seen = await seePage(url, tabId);
    if (seen.reason !== undefined) return seen;
    const { keptAt } = await client.article(url, { html: seen.html });
    return keptAt ? { isAsSeen: true } : { reason: text("noText") };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { reason: error.message };
  }
}

/** The title that the service reads in a page of the list; undefined if the service reads none. */
export async function readTitle(url: string): Promise<string | undefined> {
  const account = await readAccount();
  if (!account?.textUrl) return undefined;
  try {
    return (await createClient(account).article(url)).title;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return undefined;
  }
}

/** Whether the service can read a page, and has kept its text. */
async function isReadable(client: ReadingListClient, url: string): Promise<boolean> {
  try {
    const { keptAt, hasLogin } = await client.article(url);
    return keptAt !== undefined && !hasLogin;
  } catch (error) {
    if (error instanceof ApiError && error.kind === "invalid") return false;
    throw error;
  }
}

/** The HTML of a page in its tab, or the reason why it cannot be sent. */
async function seePage(
  url: string,
  tabId = chrome.tabs.TAB_ID_NONE,
): Promise<{ html: string; reason?: undefined } | { reason: string }> {
  const [answer] = await chrome.scripting
    .executeScript({ target: { tabId }, func: readSeenPage, args: [maxBytes] })
    // The browser refuses access to its own pages and its store.
    .catch(() => []);
  const seen = answer?.result;
  if (!seen) return { reason: text("unreadable") };
  if (!/^https?:/.test(seen.url) || toPageKey(seen.url) !== toPageKey(url)) return { reason: text("otherPage") };
  if (seen.bytes > maxBytes) {
    const megabytes = (bytes: number) => String(Math.ceil(bytes / 100_000) / 10);
    return { reason: text("tooLarge", megabytes(seen.bytes), megabytes(maxBytes)) };
  }
  return seen.html ? { html: seen.html } : { reason: text("notHtml") };
}
