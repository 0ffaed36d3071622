// SPDX-License-Identifier: MIT

import { ApiError, type HighlightChange, newHighlightId } from "@reading-list/client/main.ts";
import { createClient, readAccount } from "./account.ts";

/** Selected text, and up to 64 characters before and after it. */
export type SelectedText = Required<Pick<Extract<HighlightChange, { kind: "save" }>, "quote" | "prefix" | "suffix">>;

/**
 * The text that is selected in a page, as the reader finds it again. It runs in the page, so it uses no variable of its module,
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
  const unread = new Set(["script", "style", "noscript", "template", "textarea"]);
  const isInline = (element: Element) => /^(inline|contents|ruby|none)/.test(getComputedStyle(element).display);
  const blockAround = (node: Node) => {
    let block = node.parentElement;
    while (block && isInline(block)) block = block.parentElement;
    return block;
  };
  const findSeparator = (one: Node, other: Node) => {
    const [a, b] = [blockAround(one), blockAround(other)];
    if (a === b) return "";
    const isCell = (block: Element | null) => block !== null && getComputedStyle(block).display === "table-cell";
    return isCell(a) && isCell(b) && a?.parentElement === b?.parentElement ? " " : "\n";
  };

  /** The text of a range, up to a length, counted from its end if `isBackward`, with separators between blocks. */
  function readText(part: Range, longest: number, isBackward = false): string {
    const root = part.commonAncestorContainer;
    if (root.nodeType === Node.TEXT_NODE) return part.toString();
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    const nodes: Node[] = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const isRead = node.nodeType === Node.TEXT_NODE && !unread.has(node.parentElement?.localName ?? "");
      if ((isRead || node.nodeName === "BR") && part.intersectsNode(node)) nodes.push(node);
    }
    if (isBackward) nodes.reverse();
    let text = "";
    let last: Node | undefined;
    let hasBreak = false;
    for (const node of nodes) {
      if (text.length >= longest) break;
      if (node.nodeType !== Node.TEXT_NODE) {
        hasBreak = true;
        continue;
      }
      const end = node === part.endContainer ? part.endOffset : undefined;
      const piece = (node as Text).data.slice(node === part.startContainer ? part.startOffset : 0, end);
      if (piece === "") continue;
      const separator = last && (hasBreak ? "\n" : findSeparator(last, node));
      const [before, after] = isBackward ? [piece, text] : [text, piece];
      const isGlued = separator && !/\s$/.test(before.slice(-1)) && !/^\s/.test(after);
      text = before + (isGlued ? separator : "") + after;
      [last, hasBreak] = [node, false];
    }
    return text;
  }

  const context = 64;
  const longest = 10_000;
  return {
    quote: readText(range, 2 * longest)
      .trim()
      .slice(0, longest),
    prefix: readText(before, context, true).slice(-context),
    suffix: readText(after, context).slice(0, context),
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
    const [rejected] = await createClient(account).sendHighlights([change]);
    return rejected?.message;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.message;
  }
}
