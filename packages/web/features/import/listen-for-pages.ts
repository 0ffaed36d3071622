// SPDX-License-Identifier: MIT

import type { Change } from "@reading-list/client/main.ts";
import { withoutTracking } from "@reading-list/core/domain/tracking-parameters.ts";
import type { List } from "../../data/list.ts";
import type { ChangeList } from "../../data/use-changes.ts";
import { webAddressesIn } from "../../kit/shared-page.ts";
import { firstTexts, say } from "../../kit/texts.ts";

/**
 * Adds addresses that are pasted outside of a field, or dropped on the page; imports a file. Returns a function that ends
 * it.
 */
export function listenForPages(change: ChangeList, list: List, onFile: (file: File) => void): () => void {
  const end = new AbortController();
  const listen = <K extends keyof WindowEventMap>(type: K, listener: (event: WindowEventMap[K]) => void) =>
    addEventListener(type, listener, { signal: end.signal });
  const add = (text: string) => {
    const own = location.href.split("#")[0] ?? "";
    const urls = webAddressesIn(text)
      .filter((url) => !url.startsWith(own))
      .map((url) => (list.find(url) ? url : withoutTracking(url)));
    const added = urls.filter((url) => list.find(url)?.state !== "unread");
    const notice =
      added.length === 0 ? firstTexts.notices.known : say(firstTexts.notices.addedMany, { number: added.length });
    const changes = added.map((url): Change => ({ kind: "add", url }));
    if (urls.length > 0) void change(changes, notice);
    return urls.length > 0;
  };
  /** A row, or selected text, that the user drags within the reader. */
  let isOwn = false;
  listen("paste", (event) => {
    const { target, clipboardData } = event;
    const isField = target instanceof HTMLElement && target.matches("input, textarea");
    if (!isField && add(clipboardData?.getData("text/plain") ?? "")) event.preventDefault();
  });
  listen("dragstart", () => {
    isOwn = true;
  });
  listen("dragend", () => {
    isOwn = false;
  });
  // Without this, the browser would leave the reader and open the dropped file or address.
  listen("dragover", (event) => event.preventDefault());
  listen("drop", (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (isOwn) return;
    if (file) onFile(file);
    else add(event.dataTransfer?.getData("text/plain") ?? "");
  });
  return () => end.abort();
}
