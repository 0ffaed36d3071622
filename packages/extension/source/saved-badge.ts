// SPDX-License-Identifier: MIT

import { showKnown } from "./badge.ts";
import { isSaved, showsSaved, syncIds } from "./saved-ids.ts";

const syncAlarm = "sync-saved";
/** Minutes between two syncs: pages that other devices save. */
const period = 30;

/** Marks the tabs whose pages are in the list, if the user has switched that on. */
export function markSavedTabs(): void {
  // Without the permission a tab has no URL.
  chrome.tabs.onUpdated.addListener((_id, { url, status }, tab) => {
    if (url || status === "complete") void mark(tab);
  });
  chrome.tabs.onActivated.addListener(({ tabId }) => void markTab(tabId));
  chrome.alarms.onAlarm.addListener(({ name }) => {
    if (name === syncAlarm) void syncSaved();
  });
}

/** Syncs the ids and marks the tabs that are shown, if that is switched on. */
export async function syncSaved(): Promise<number | undefined> {
  if (!(await showsSaved())) {
    await chrome.alarms.clear(syncAlarm);
    return undefined;
  }
  await chrome.alarms.create(syncAlarm, { periodInMinutes: period });
  const number = await syncIds();
  for (const tab of await chrome.tabs.query({ active: true })) await mark(tab);
  return number;
}

/** Marks a tab, unless it is closed by now. */
export async function markTab(id = chrome.tabs.TAB_ID_NONE): Promise<void> {
  const tab = await chrome.tabs.get(id).catch(() => undefined);
  if (tab) await mark(tab);
}

async function mark({ id, url }: chrome.tabs.Tab): Promise<void> {
  if (id === undefined || !url || !/^https?:/.test(url) || !(await showsSaved())) return;
  await showKnown(id, await isSaved(url));
}
