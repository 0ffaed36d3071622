// SPDX-License-Identifier: MIT

import { countWaiting, isForUser, readStatus } from "./outbox.ts";
import { problemText, text } from "./texts.ts";

const green = "#1a7f37";
const grey = "#57606a";
const red = "#b42318";
const shownMilliseconds = 6000;

/** Shows on the button how many pages wait and why: in red if only the user can change that. */
export async function showQueue(): Promise<void> {
  const waiting = await countWaiting();
  const { problem } = await readStatus();
  await chrome.action.setBadgeBackgroundColor({ color: problem && isForUser(problem.kind) ? red : grey });
  await chrome.action.setBadgeText({ text: waiting > 0 ? String(waiting) : "" });
  const title = waiting > 0 ? text("waiting", String(waiting), problem ? problemText(problem) : "") : text("save");
  await chrome.action.setTitle({ title });
}

export const showSaved = (tabId: number) => showOnTab(tabId, { badge: "✓", color: green, title: text("saved") });

/** Shows why the page of a tab, or a link on it, is not saved. */
export const showRefusal = (tabId: number, reason: string) =>
  showOnTab(tabId, { badge: "!", color: red, title: text("refused", reason) });

/** Marks a tab whose page is in the list, or ends that. */
export async function showKnown(tabId: number, isKnown: boolean): Promise<void> {
  try {
    await chrome.action.setBadgeText(isKnown ? { tabId, text: "✓" } : { tabId });
    if (isKnown) await chrome.action.setBadgeBackgroundColor({ tabId, color: grey });
    await chrome.action.setTitle({ tabId, title: isKnown ? text("known") : "" });
  } catch {
    // The tab was closed.
  }
}

/** For some seconds only: a page that loads no new document, such as a web application, keeps the badge of its tab. */
async function showOnTab(tabId: number, { badge, color, title }: { badge: string; color: string; title: string }) {
  try {
    await chrome.action.setBadgeBackgroundColor({ tabId, color });
    await chrome.action.setBadgeText({ tabId, text: badge });
    await chrome.action.setTitle({ tabId, title });
    await new Promise((resolve) => setTimeout(resolve, shownMilliseconds));
    await chrome.action.setBadgeText({ tabId });
    await chrome.action.setBadgeBackgroundColor({ tabId, color: await chrome.action.getBadgeBackgroundColor({}) });
    await chrome.action.setTitle({ tabId, title: "" });
  } catch {
    // The tab was closed.
  }
}
