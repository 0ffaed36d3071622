// SPDX-License-Identifier: MIT

import { ApiError } from "@reading-list/client/main.ts";
import { type Account, createClient, isSafeAddress, readAccount, withAppPassword, writeAccount } from "./account.ts";
import type { ShowSavedRequest } from "./background.ts";
import { showQueue } from "./badge.ts";
import { askToRead, findService } from "./find-service.ts";
import { clearRefused, countWaiting, forgetAll, readStatus, retryAlarm, sendOutbox } from "./outbox.ts";
import { showsSaved } from "./saved-ids.ts";
import { fillTexts, problemText, text } from "./texts.ts";

const find = <E extends HTMLElement>(id: string) => document.getElementById(id) as E;
const form = find<HTMLFormElement>("account");
const addresses = [find<HTMLInputElement>("baseUrl"), find<HTMLInputElement>("textUrl")];
const outcome = find("outcome");
const manual = find<HTMLDetailsElement>("manual");

function show(message: string, kind: "good" | "bad" | "" = ""): void {
  outcome.textContent = message;
  outcome.className = kind;
}

/** The account in the fields, with the web reader's settings; undefined if a field is missing or wrong. */
async function enteredAccount(): Promise<Account | undefined> {
  for (const field of addresses) {
    const isSafe = field.value.trim() === "" || isSafeAddress(field.value.trim());
    field.setCustomValidity(isSafe ? "" : text("addressWrong"));
  }
  if (!form.reportValidity()) return undefined;
  const { baseUrl = "", apiKey = "" } = fields();
  if (apiKey) return toAccount(fields());
  const isAllowed = askToRead(baseUrl);
  show(text("testing"));
  const found = (await isAllowed) ? await findService(baseUrl) : undefined;
  if (!found) {
    manual.open = true;
    show(text("noSettings"), "bad");
    return undefined;
  }
  for (const [name, value] of Object.entries(found)) find<HTMLInputElement>(name).value = value;
  return toAccount(fields());
}

const fields = (): Record<string, string> =>
  Object.fromEntries(
    [...new FormData(form)].map(([name, value]) => [name, name === "password" ? String(value) : String(value).trim()]),
  );

const toAccount = ({
  baseUrl = "",
  apiKey = "",
  username = "",
  password = "",
  textUrl,
  readerUrl,
}: ReturnType<typeof fields>) => ({
  baseUrl,
  apiKey,
  username,
  password,
  ...(textUrl && { textUrl }),
  ...(readerUrl && { readerUrl }),
});

/** Asks the service whether it accepts an account, and shows the answer. */
async function tryAccount(account: Account): Promise<void> {
  show(text("testing"));
  try {
    const { countUnread, countList } = await createClient(account).stats();
    show(text("works", String(countUnread), String(countList)), "good");
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    show(problemText(error), "bad");
  }
}

/** Shows the outbox, and the button that forgets the account if there is one. */
async function showStored(): Promise<void> {
  find("forget").hidden = (await readAccount()) === undefined;
  const waiting = await countWaiting();
  const { problem, refused } = await readStatus();
  const alarm = problem && (await chrome.alarms.get(retryAlarm));
  const time = alarm && new Date(alarm.scheduledTime).toLocaleTimeString([], { timeStyle: "short" });
  find("queue").textContent =
    waiting === 0
      ? text("queueEmpty")
      : [text("waiting", String(waiting), problem ? `${problemText(problem)}.` : ""), time && text("nextTry", time)]
          .filter(Boolean)
          .join(" ");
  find("queue-actions").hidden = waiting === 0;
  find("refused").hidden = refused.length === 0;
  find("refused-list").replaceChildren(...refused.map(({ url, message }) => entry(url, message)));
}

function entry(url: string, message: string): HTMLElement {
  const reason = document.createElement("small");
  reason.textContent = message;
  const item = document.createElement("li");
  item.append(url, reason);
  return item;
}

async function sendNow(): Promise<void> {
  await sendOutbox();
  await showQueue();
}

/** Runs a task of a button, which cannot be pressed again until it is over. */
function onClick(id: string, task: () => Promise<unknown>): void {
  const button = find<HTMLButtonElement>(id);
  button.addEventListener("click", async () => {
    button.disabled = true;
    await task().finally(() => {
      button.disabled = false;
    });
  });
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  show("");
  const entered = await enteredAccount();
  if (!entered) return;
  const account = await withAppPassword(entered);
  find<HTMLInputElement>("password").value = account.password;
  await writeAccount(account);
  await sendNow();
  await tryAccount(account);
});

onClick("test", async () => {
  const account = await enteredAccount();
  if (account) await tryAccount(account);
});

onClick("forget", async () => {
  if (!confirm(text("forgetQuestion"))) return;
  await forgetAll();
  await showQueue();
  form.reset();
  show(text("forgotten"));
});

const switchOfSaved = find<HTMLInputElement>("shows-saved");
const canSeeTabs = { permissions: ["tabs" as const] };

switchOfSaved.addEventListener("change", async () => {
  const isOn = switchOfSaved.checked && (await chrome.permissions.request(canSeeTabs));
  switchOfSaved.checked = isOn;
  const state = find("saved-state");
  state.textContent = isOn ? text("testing") : "";
  const request: ShowSavedRequest = { showsSaved: isOn };
  const number = await chrome.runtime.sendMessage<ShowSavedRequest, number | undefined>(request);
  // Each id has 8 bytes.
  if (isOn)
    state.textContent =
      number === undefined ? text("savedIdsLater") : text("savedIds", String(number), String(Math.ceil(number / 125)));
});

onClick("send", sendNow);
onClick("clear", clearRefused);

for (const field of addresses) field.addEventListener("input", () => field.setCustomValidity(""));
// Another service has another key.
find("baseUrl").addEventListener("change", () => {
  for (const field of manual.open ? [] : manual.querySelectorAll("input")) field.value = "";
});
chrome.storage.onChanged.addListener(() => void showStored());

async function showShortcut(): Promise<void> {
  const [{ shortcut } = { shortcut: "" }] = await chrome.commands.getAll();
  find("shortcut").textContent = shortcut ? text("useShortcut", shortcut) : text("useNoShortcut");
}

fillTexts(document);
const stored: Partial<Account> = (await readAccount()) ?? {};
for (const field of form.querySelectorAll("input")) {
  // Without a stored value, the field keeps the text that the user or the browser has entered meanwhile.
  field.value = stored[field.name as keyof Account] ?? field.value;
}
switchOfSaved.checked = (await showsSaved()) && (await chrome.permissions.contains(canSeeTabs));
await showShortcut();
await showStored();
