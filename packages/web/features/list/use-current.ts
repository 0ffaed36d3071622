// SPDX-License-Identifier: MIT

import type { LocalItem } from "@reading-list/client/main.ts";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Place } from "../../data/place.ts";

export interface Current {
  index: number;
  item: LocalItem | undefined;
  set(item: LocalItem): void;
  move(step: 1 | -1): void;
}

/**
 * The item that keys act on: the item that has, or last had, the focus. If it leaves the list, the item that takes its
 * place follows, with the focus if the old item had it.
 */
export function useCurrent(shown: readonly LocalItem[], place: Place): Current {
  const [, render] = useState({});
  const hadFocus = useRef(false);
  const found = place.url === undefined ? -1 : shown.findIndex(({ url }) => url === place.url);
  const isGone = found < 0 && place.url !== undefined && shown.length > 0;
  const index = isGone ? Math.min(Math.max(0, place.index), shown.length - 1) : found;
  const item = shown[index];
  const set = ({ url }: LocalItem) => {
    if (place.url === url) return;
    place.url = url;
    render({});
  };

  useLayoutEffect(() => {
    place.index = index;
    if (!isGone || !item) return;
    set(item);
    if (hadFocus.current) focusRow(item.url);
  });
  useLayoutEffect(() => {
    // After an article, or a reload.
    if (item) focusRow(item.url);
    const remember = () => {
      hadFocus.current = document.activeElement?.closest(".row") != null;
    };
    remember();
    document.addEventListener("focusin", remember);
    return () => document.removeEventListener("focusin", remember);
  }, []);
  // The row may be rendered only after the list was measured.
  useEffect(() => {
    if (item && document.activeElement === document.body) focusRow(item.url);
  }, []);

  return {
    index,
    item,
    set,
    move(step) {
      const isFocused = document.activeElement?.closest(".row") != null;
      // The first key returns to the current row; the next ones leave it.
      const next = shown[isFocused || index < 0 ? Math.max(0, Math.min(shown.length - 1, index + step)) : index];
      if (!next) return;
      set(next);
      requestAnimationFrame(() => focusRow(next.url));
    },
  };
}

/** Focuses the row of an item, if it is rendered, and shows it. */
export function focusRow(url: string): void {
  const row = document.querySelector(`[data-url="${CSS.escape(url)}"]`);
  row?.querySelector<HTMLElement>(".row-title")?.focus({ preventScroll: true });
  row?.scrollIntoView({ block: "nearest" });
}
