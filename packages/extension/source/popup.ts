// SPDX-License-Identifier: MIT

import { oppositeOf } from "@reading-list/client/change.ts";
import { findItem } from "@reading-list/client/local-items.ts";
import type { Change, LocalItem } from "@reading-list/client/main.ts";
import { enqueueUndoable } from "@reading-list/client/undo.ts";
import { readAccount } from "./account.ts";
import type { KeepRequest, Kept } from "./keep-page.ts";
import { additionOf, isForUser, locked, openStore, readList, type Status } from "./outbox.ts";
import { problemText } from "./problem-text.ts";
import { saveAllTabs } from "./save-tabs.ts";
import { fillTexts, text } from "./texts.ts";

const find = <E extends HTMLElement>(id: string) => document.getElementById(id) as E;
const details = find<HTMLFormElement>("details");
const title = find<HTMLInputElement>("title");
const tags = find<HTMLInputElement>("tags");
const undo = find("undo");
const keepAsSeen = find<HTMLButtonElement>("keep");
const show = (state: string, note = "") => {
  find("state").textContent = state;
  find("note").textContent = note;
};

/** Sends the outbox by the worker, which outlives the popup, and says how that ended. True if the service has it all. */
async function send(url: string, done: string): Promise<boolean> {
  const { problem, refused } = await chrome.runtime.sendMessage<string, Status>("send");
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

/**
 * Queues changes; the button takes them back. If the list is not known here yet, it does not: the page may have been in
 * the list before.
 */
async function change(changes: readonly Change[], before: LocalItem | undefined): Promise<void> {
  const store = await openStore();
  const isListKnown = (await store.state()).since !== undefined;
  const takeBack = await enqueueUndoable(store, changes, (each) => oppositeOf(each, before));
  undo.hidden = !isListKnown;
  undo.onclick = async () => {
    details.hidden = true;
    keepAsSeen.hidden = true;
    await locked(takeBack);
    await send("", text("undone"));
  };
}

const tagsIn = (value: string) => [...new Set(value.split(",").map((tag) => tag.trim()))].filter(Boolean);

/** Completes the tag that is being typed: a browser compares the whole field with its suggestions. */
function suggest(known: readonly string[]): void {
  const before = tags.value.includes(",") ? `${tags.value.replace(/[^,]*$/, "")} `.replace(/\s+$/, " ") : "";
  const given = tagsIn(before);
  const options = known.filter((tag) => !given.includes(tag)).map((tag) => new Option("", before + tag));
  find("known-tags").replaceChildren(...options);
}

/** Saves the page of the tab, or shows the item that it has in the list, and takes other titles and tags. */
async function savePage(url: string, { id: tabId, title: tabTitle }: chrome.tabs.Tab): Promise<void> {
  const items = await readList();
  const known = findItem(items, url);
  const current = { title: known?.title ?? tabTitle ?? url, tags: known?.tags ?? [] };
  title.value = current.title;
  tags.value = current.tags.join(", ");
  const allTags = [...new Set(items.flatMap((item) => item.tags))].sort();
  tags.oninput = () => suggest(allTags);
  suggest(allTags);
  undo.hidden = true;
  find("unread").hidden = known?.state !== "read";
  find("unread").onclick = async () => {
    await change([{ kind: "add", url: known?.url ?? url }], known);
    await send(url, text("saved"));
    find("unread").hidden = true;
  };
  details.hidden = false;
  details.onsubmit = async (event) => {
    event.preventDefault();
    const changes: Change[] = [];
    const target = known?.url ?? url;
    const typed = { title: title.value.trim(), tags: tagsIn(tags.value) };
    if (typed.title && typed.title !== current.title) changes.push({ kind: "title", url: target, title: typed.title });
    if (typed.tags.join() !== current.tags.join()) changes.push({ kind: "tags", url: target, tags: typed.tags });
    if (changes.length > 0) {
      const store = await openStore();
      await store.enqueue(changes);
      await send(url, text("saved"));
    }
    close();
  };
  keepAsSeen.hidden = false;
  keepAsSeen.onclick = () => keep({ url: known?.url ?? url, tabId, isAsSeen: true });
  if (known) return show(text(known.state === "read" ? "knownRead" : "known"));
  show(text("saving"));
  try {
    await change([additionOf(url, tabTitle)], undefined);
  } catch {
    return show(text("notSaved"), text("notStored"));
  }
  const isSent = await send(url, text("saved"));
  if (isSent && (await readAccount())?.textUrl) await keep({ url, tabId, isAsSeen: false });
}

find("list").onclick = async () => {
  const account = await readAccount();
  if (!account) return chrome.runtime.openOptionsPage();
  const url = account.readerUrl || `${account.baseUrl.replace(/\/$/, "")}/app/`;
  await chrome.tabs.create({ url });
  close();
};
find("tabs").onclick = async () => {
  const count = await saveAllTabs();
  if (count > 0) await send("", text("savedTabs", String(count)));
};
find("options").onclick = () => void chrome.runtime.openOptionsPage();

fillTexts(document);
const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
if (tab?.url && /^https?:/.test(tab.url)) await savePage(tab.url, tab);
else show(text("notSaved"), text("notSavable"));
