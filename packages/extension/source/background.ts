import { showQueue, showRefusal, showSaved } from "./badge.ts";
import { enqueuePage, isForUser, retryAlarm, sendOutbox } from "./outbox.ts";
import { text } from "./texts.ts";

chrome.runtime.onInstalled.addListener(() => {
  chrome.contextMenus.removeAll(() => {
    chrome.contextMenus.create({ id: "page", contexts: ["page"], title: text("savePage") });
    chrome.contextMenus.create({ id: "link", contexts: ["link"], title: text("saveLink") });
  });
  void send();
});

chrome.runtime.onStartup.addListener(() => void send());

chrome.alarms.onAlarm.addListener(({ name }) => {
  if (name === retryAlarm) void send();
});

chrome.action.onClicked.addListener((tab) => void save(tab.url, tab.title, tab.id));

chrome.contextMenus.onClicked.addListener(({ linkUrl, pageUrl }, tab) => {
  // A link has no title: the browser tells its address only.
  if (linkUrl !== undefined) void save(linkUrl, undefined, tab?.id);
  else void save(pageUrl, tab?.title, tab?.id);
});

async function send() {
  const status = await sendOutbox();
  await showQueue();
  return status;
}

/** Saves a page, now or later, and shows which on the button. */
async function save(url = "", title: string | undefined, tabId = chrome.tabs.TAB_ID_NONE): Promise<void> {
  if (!/^https?:/.test(url)) return showRefusal(tabId, text("notSavable"));
  try {
    await enqueuePage(url, title);
  } catch {
    return showRefusal(tabId, text("notStored"));
  }
  await showQueue();
  const { problem, refused } = await send();
  const refusal = refused.find((page) => page.url === url);
  if (refusal) await showRefusal(tabId, text("refused", refusal.message));
  else if (!problem) await showSaved(tabId);
  else if (isForUser(problem.kind)) await chrome.runtime.openOptionsPage();
}
