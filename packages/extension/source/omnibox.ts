// SPDX-License-Identifier: MIT

import { ApiError } from "@reading-list/client/main.ts";
import { escapeHtml } from "@reading-list/core/domain/escape.ts";
import { createClient, readAccount, readerAddress } from "./account.ts";
import { text } from "./texts.ts";

const suggestions = 6;
/** Milliseconds after the last letter: each search is a call. */
const afterTyping = 200;

/** Descriptions are XML in Chromium, and plain text in Firefox, which has no service worker. */
const escapeFor = (words: string) => ("ServiceWorkerGlobalScope" in globalThis ? escapeHtml(words) : words);

/** Words after the keyword in the address bar search the list; Firefox for Android has no such keywords. */
export function listenToOmnibox(): void {
  let asked = "";
  chrome.omnibox?.onInputChanged.addListener(async (words, suggest) => {
    asked = words;
    chrome.omnibox.setDefaultSuggestion({ description: escapeFor(text("searchFor", words)) });
    await new Promise((resolve) => setTimeout(resolve, afterTyping));
    if (asked === words && words.trim()) suggest(await find(words));
  });
  chrome.omnibox?.onInputEntered.addListener(async (words, disposition) => {
    const account = await readAccount();
    if (!account) return chrome.runtime.openOptionsPage();
    const isSuggested = /^https?:/.test(words);
    const url = isSuggested ? words : `${readerAddress(account)}#unread?${new URLSearchParams({ search: words })}`;
    if (disposition === "currentTab") await chrome.tabs.update({ url });
    else await chrome.tabs.create({ url, active: disposition === "newForegroundTab" });
  });
}

async function find(words: string): Promise<chrome.omnibox.SuggestResult[]> {
  const account = await readAccount();
  if (!account) return [];
  try {
    const { items } = await createClient(account).search(words, { prefix: true, count: suggestions });
    return items.map(({ url, title }) => ({ content: url, description: escapeFor(title) }));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return [];
  }
}
