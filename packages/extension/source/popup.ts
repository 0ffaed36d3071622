// SPDX-License-Identifier: MIT

import { ApiError, type Change, changeTags, type Item } from "@reading-list/client/main.ts";
import { type Account, createClient, readAccount, readerAddress, writeAccount } from "./account.ts";
import type { Saved, SaveRequest } from "./background.ts";
import type { KeepRequest, Kept } from "./keep-page.ts";
import { enqueue, isForUser, type Status } from "./outbox.ts";
import { showTagsField } from "./popup-tags.ts";
import { saveAllTabs } from "./save-tabs.ts";
import { findOffer } from "./take-offer.ts";
import { fillTexts, problemText, text } from "./texts.ts";

const find = <E extends HTMLElement>(id: string) => document.getElementById(id) as E;
const details = find<HTMLFormElement>("details");
const title = find<HTMLInputElement>("title");
const undo = find("undo");
const keepAsSeen = find<HTMLButtonElement>("keep");
const show = (state: string, note = "") => {
  find("state").textContent = state;
  find("note").textContent = note;
};

/** Sends the outbox by the worker, which outlives the popup, and says how that ended. True if the service has it all. */
const send = async (url: string, done: string) =>
  showStatus(await chrome.runtime.sendMessage<string, Status>("send"), url, done);

async function showStatus({ problem, refused }: Status, url: string, done: string): Promise<boolean> {
  const refusal = refused.find((page) => page.url === url);
  if (refusal) {
    for (const element of [details, keepAsSeen]) element.hidden = true;
    show(text("notSaved"), refusal.message);
  } else if (problem) show(text("savedHere"), problemText(problem));
  else show(done);
  if (problem && isForUser(problem.kind)) await chrome.runtime.openOptionsPage();
  return !refusal && !problem;
}

/** Has the worker keep the text of a page of the list, and says how that ended. */
async function keep(request: KeepRequest): Promise<void> {
  show(text("keeping"));
  keepAsSeen.disabled = true;
  const { reason, isAsSeen } = await chrome.runtime.sendMessage<KeepRequest, Kept>(request);
  keepAsSeen.disabled = false;
  // Unless the user has undone it meanwhile.
  if (!details.hidden) show(text(reason ? "notKept" : isAsSeen ? "keptAsSeen" : "kept"), reason);
}

/** Shows the button that takes a change back by another one. */
function offerUndo(opposite: Change): void {
  undo.hidden = false;
  undo.onclick = async () => {
    details.hidden = true;
    keepAsSeen.hidden = true;
    await enqueue([opposite]);
    await send("", text("undone"));
  };
}

/** The newest pages of the list, whose tags are suggested. They are loaded once, when the user wants to see them. */
let newest: Promise<readonly Item[]> | undefined;
const maxNewest = 500;
const maxShown = 10;
async function loadNewest(): Promise<readonly Item[]> {
  const account = await readAccount();
  return account ? (await createClient(account).get({ count: maxNewest })).items : [];
}
async function findNewest(): Promise<readonly Item[]> {
  newest ??= loadNewest();
  try {
    return await newest;
  } catch (error) {
    newest = undefined;
    if (!(error instanceof ApiError)) throw error;
    return [];
  }
}

async function showNewest(): Promise<void> {
  const entries = (await findNewest()).slice(0, maxShown).map(({ url, title }) => {
    const link = document.createElement("a");
    Object.assign(link, { href: url, target: "_blank", textContent: title, dir: "auto" });
    const entry = document.createElement("li");
    entry.append(link);
    return entry;
  });
  find("newest").replaceChildren(...entries);
}

/** Saves the page of the tab, or shows the item that it has in the list, and takes other titles and tags. */
async function savePage(address: string, { id: tabId, title: tabTitle }: chrome.tabs.Tab): Promise<void> {
  show(text("saving"));
  const saved = await chrome.runtime.sendMessage<SaveRequest, Saved>({ save: address, title: tabTitle });
  const { page, url = address } = saved;
  if (!page && !saved.status) return show(text("notSaved"), text("notStored"));
  const current = page ?? { url, title: tabTitle ?? url, tags: [], state: "unread" };
  title.value = current.title;
  const chosenTags = showTagsField(find("tags"), current.tags, findNewest);
  undo.hidden = true;
  const unread = find("unread");
  unread.hidden = current.state !== "read";
  unread.onclick = async () => {
    await enqueue([{ kind: "add", url: current.url }]);
    offerUndo({ kind: "read", url: current.url });
    unread.hidden = true;
    await send(url, text("saved"));
  };
  details.hidden = false;
  details.onsubmit = async (event) => {
    event.preventDefault();
    const changes: Change[] = [];
    const typed = { title: title.value.trim(), tags: await chosenTags() };
    if (typed.title && typed.title !== current.title)
      changes.push({ kind: "title", url: current.url, title: typed.title });
    changes.push(...changeTags(current, typed.tags));
    if (changes.length > 0) {
      await enqueue(changes);
      await send(url, text("saved"));
    }
    close();
  };
  keepAsSeen.hidden = false;
  keepAsSeen.onclick = () => keep({ url: current.url, tabId, isAsSeen: true });
  if (!saved.status) return show(text(current.state === "read" ? "knownRead" : "known"));
  // Unless the page may have been in the list before.
  if (saved.isSure) offerUndo({ kind: "delete", url });
  const isSent = await showStatus(saved.status, url, text("saved"));
  if (isSent && (await readAccount())?.textUrl) await keep({ url, tabId, isAsSeen: false });
}

/** Asks whether the extension signs in as the page of the tab offers. */
async function showOffer({ readerUrl = "", username }: Account, tab: chrome.tabs.Tab): Promise<void> {
  const current = await readAccount();
  const replaces = current ? text("offerReplaces", new URL(readerAddress(current)).host) : "";
  show(text("offer", new URL(readerUrl).host, username), replaces);
  find("offer").hidden = false;
  find("accept").onclick = async () => {
    find("offer").hidden = true;
    const account = await findOffer(tab, { takes: true });
    if (!account) return show(text("offerGone"));
    await writeAccount(account);
    const { problem } = await chrome.runtime.sendMessage<string, Status>("send");
    show(text("offerTaken"), problem ? problemText(problem) : text("offerTakenHint"));
  };
}

find("list").onclick = async () => {
  const account = await readAccount();
  if (!account) return chrome.runtime.openOptionsPage();
  await chrome.tabs.create({ url: readerAddress(account) });
  close();
};
find("tabs").onclick = async () => {
  const count = await saveAllTabs();
  if (count > 0) await send("", text("savedTabs", String(count)));
};
find("options").onclick = () => void chrome.runtime.openOptionsPage();

find("recent").ontoggle = () => void showNewest();

fillTexts(document);
const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
const offer = tab && (await findOffer(tab));
if (tab && offer) await showOffer(offer, tab);
else if (tab?.url && /^https?:/.test(tab.url)) await savePage(tab.url, tab);
else show(text("notSaved"), text("notSavable"));
