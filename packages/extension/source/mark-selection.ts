// SPDX-License-Identifier: MIT

import { ApiError, type HighlightChange, newHighlightId } from "@reading-list/client/main.ts";
import { clientOf, readAccount } from "./account.ts";

/** Selected text, and up to 64 characters before and after it. */
export type SelectedText = Required<Pick<Extract<HighlightChange, { kind: "save" }>, "quote" | "prefix" | "suffix">>;

/**
 * The text that is selected in a page, as the reader finds it again. It runs in the page, so it uses nothing of its module,
 * and changes nothing there.
 */
function selectedText(): SelectedText | undefined {
  const selection = getSelection();
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return undefined;
  const range = selection.getRangeAt(0);
  const before = range.cloneRange();
  before.setStart(document.body, 0);
  before.setEnd(range.startContainer, range.startOffset);
  const after = range.cloneRange();
  after.selectNodeContents(document.body);
  after.setStart(range.endContainer, range.endOffset);
  const context = 64;
  return {
    quote: range.toString().trim().slice(0, 10_000),
    prefix: before.toString().slice(-context),
    suffix: after.toString().slice(0, context),
  };
}

/** The selection of a tab; without its surroundings if the extension may not read the page. */
export async function readSelection(tabId: number, shown = ""): Promise<SelectedText | undefined> {
  const [answer] = await chrome.scripting.executeScript({ target: { tabId }, func: selectedText }).catch(() => []);
  return answer?.result ?? (shown ? { quote: shown, prefix: "", suffix: "" } : undefined);
}

/** Marks a passage of a page of the list. Returns why the service does not. */
export async function markPassage(url: string, selected: SelectedText): Promise<string | undefined> {
  const account = await readAccount();
  if (!account) return undefined;
  try {
    const change: HighlightChange = { kind: "save", id: newHighlightId(), url, ...selected, timeCreated: new Date() };
    const [rejected] = await clientOf(account).sendHighlights([change]);
    return rejected?.message;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.message;
  }
}
