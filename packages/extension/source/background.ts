// SPDX-License-Identifier: MIT

import { replaceStoredPassword } from "./account.ts";
import { showQueue, showRefusal, showSaved } from "./badge.ts";
import { findPage, type KnownPage } from "./find-page.ts";
import { type KeepRequest, keepPage, readTitle } from "./keep-page.ts";
import { markPassage, readSelection, type SelectedText } from "./mark-selection.ts";
import { listenToOmnibox } from "./omnibox.ts";
import {
  addChange,
  countWaiting,
  enqueue,
  forgetList,
  isForUser,
  retryAlarm,
  type Status,
  sendOutbox,
} from "./outbox.ts";
import { saveAllTabs } from "./save-tabs.ts";
import { markSavedTabs, markTab, syncSaved } from "./saved-badge.ts";
import { setShowsSaved } from "./saved-ids.ts";
import { text } from "./texts.ts";

chrome.runtime.onInstalled.addListener(() => {
  chrome.contextMenus.removeAll(() => {
    chrome.contextMenus.create({ id: "page", contexts: ["page"], title: text("savePage") });
    chrome.contextMenus.create({ id: "link", contexts: ["link"], title: text("saveLink") });
    chrome.contextMenus.create({ id: "selection", contexts: ["selection"], title: text("markSelection") });
    chrome.contextMenus.create({ id: "tabs", contexts: ["action"], title: text("saveTabs") });
  });
  void begin();
});

chrome.runtime.onStartup.addListener(() => void begin());

async function begin(): Promise<void> {
  await forgetList();
  await replaceStoredPassword();
  await send();
}

chrome.alarms.onAlarm.addListener(({ name }) => {
  if (name === retryAlarm) void send({ isRetry: true });
});

// While the worker sleeps, the alarm notices the connection within a minute.
addEventListener("online", () => void send());

/** A page that the popup was opened for. */
export interface SaveRequest {
  save: string;
  title: string | undefined;
}

export type Saved =
  /** It was in the list before, and is left as it is. */
  | { page: KnownPage; url?: undefined; isSure?: undefined; status?: undefined }
  /** `url`: the address under which it is saved. `isSure`: it was not in the list before. */
  | { page?: undefined; url: string; isSure: boolean; status: Status }
  /** The browser has not stored it. */
  | { page?: undefined; url?: undefined; isSure?: undefined; status?: undefined };

/** The switch in the options that marks the tabs of saved pages. */
export interface ShowSavedRequest {
  showsSaved: boolean;
}

type Message = "send" | KeepRequest | SaveRequest | ShowSavedRequest;

/** The popup asks for it, because the worker outlives the popup. */
chrome.runtime.onMessage.addListener((message: Message, _sender, respond) => {
  void answer(message).then(respond);
  return true;
});

function answer(message: Message): Promise<unknown> {
  if (message === "send") return send();
  if ("save" in message) return saveOnce(message);
  return "showsSaved" in message ? showSavedTabs(message) : keep(message);
}

/** Returns the number of pages of the list; undefined if it is off, or the service does not answer. */
async function showSavedTabs({ showsSaved }: ShowSavedRequest): Promise<number | undefined> {
  await setShowsSaved(showsSaved);
  return syncSaved();
}

async function saveOnce({ save: url, title }: SaveRequest): Promise<Saved> {
  const sent = await findPage(url);
  const addition = addChange(url, title);
  // A page that was saved with its tracking parameters keeps them.
  const { page, isSure } = sent.page || addition.url === url ? sent : await findPage(addition.url);
  if (page) return { page };
  try {
    await enqueue([addition]);
  } catch {
    return {};
  }
  // The service was just asked.
  return { url: addition.url, isSure, status: await send(isSure ? { newPage: addition.url } : {}) };
}

async function keep(request: KeepRequest) {
  // Only the text of a page of the list is kept.
  if ((await countWaiting()) > 0) await send();
  return keepPage(request);
}

chrome.contextMenus.onClicked.addListener(({ menuItemId, linkUrl, pageUrl, selectionText }, tab) => {
  if (menuItemId === "tabs") void saveAllTabs().then(() => send());
  else if (menuItemId === "selection") void mark(pageUrl, tab, selectionText);
  // A link has no title, because the browser reports only its address.
  else if (linkUrl !== undefined) void save(linkUrl, undefined, tab?.id);
  else void save(pageUrl, tab?.title, tab?.id, { isPage: true });
});

async function send(options?: Parameters<typeof sendOutbox>[0]) {
  const status = await sendOutbox(options);
  await showQueue();
  if (!status.problem) void syncSaved();
  return status;
}

/** Saves a page of a menu, now or later, and shows which on the button. */
async function save(...asked: Parameters<typeof saveAndShow>): Promise<void> {
  await saveAndShow(...asked);
  await markTab(asked[2]);
}

async function saveAndShow(
  address = "",
  title: string | undefined,
  tabId = chrome.tabs.TAB_ID_NONE,
  { isPage = false, selected }: { isPage?: boolean; selected?: SelectedText | undefined } = {},
): Promise<void> {
  if (!/^https?:/.test(address)) return showRefusal(tabId, text("notSavable"));
  const addition = addChange(address, title);
  const { url } = addition;
  try {
    await enqueue([addition]);
  } catch {
    return showRefusal(tabId, text("notStored"));
  }
  await showQueue();
  const { problem, refused } = await send();
  const refusal = refused.find((page) => page.url === url);
  if (refusal) await showRefusal(tabId, refusal.message);
  else if (!problem) {
    const reason = selected && (await markPassage(url, selected));
    const shown = reason ? showRefusal(tabId, reason) : showSaved(tabId);
    await Promise.all([shown, isPage ? keepPage({ url, tabId, isAsSeen: false }) : nameLink(url)]);
  } else if (isForUser(problem.kind)) await chrome.runtime.openOptionsPage();
  else if (selected) await showRefusal(tabId, text("notMarked"));
}

/** Saves the page of a tab, and marks the text that is selected there. */
async function mark(url: string | undefined, tab: chrome.tabs.Tab | undefined, shown: string | undefined) {
  const selected = await readSelection(tab?.id ?? chrome.tabs.TAB_ID_NONE, shown);
  await save(url, tab?.title, tab?.id, { isPage: true, selected });
}

/** If the page of a link has no title in the list, gives it the title that the service reads from the page. */
async function nameLink(url: string): Promise<void> {
  const { page } = await findPage(url);
  const title = page && page.title === page.url ? await readTitle(url) : undefined;
  if (!title) return;
  await enqueue([{ kind: "title", url, title }]);
  await send();
}

listenToOmnibox();
markSavedTabs();
