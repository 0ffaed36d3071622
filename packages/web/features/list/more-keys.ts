// SPDX-License-Identifier: MIT

import type { LocalItem } from "@reading-list/client/main.ts";
import { useEffect, useRef } from "preact/hooks";
import { useReader } from "../../data/reader.ts";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { type Current, focusRow } from "./use-current.ts";
import type { Selection } from "./use-selection.ts";

interface MoreKeysProps {
  current: Current;
  selection: Selection;
  shown: readonly LocalItem[];
}

/** A range that Shift has selected: each further key moves its end. */
interface Range {
  anchor: string;
  end: string;
  /** The pages that were selected before. */
  before: readonly string[];
  /** The selection with the range. */
  urls: ReadonlySet<string>;
}

/** The keys of the list that are loaded after its first rendering, and ranges of rows, by keys and clicks with Shift. */
export function MoreKeys({ current, selection, shown }: MoreKeysProps): null {
  const { settings } = useReader();
  const range = useRef<Range | undefined>(undefined);

  const extendTo = (item: LocalItem | undefined) => {
    if (!item) return;
    const { url } = item;
    const last = range.current;
    const goesOn = last !== undefined && last.urls === selection.urls && last.end === current.item?.url;
    const anchor = goesOn ? last.anchor : (current.item ?? item).url;
    const before = goesOn ? last.before : [...(selection.urls ?? [])];
    const to = shown.indexOf(item);
    const from = shown.findIndex((each) => each.url === anchor);
    const ends = from < 0 ? [to, to] : [Math.min(from, to), Math.max(from, to)];
    const urls = new Set([...before, ...shown.slice(ends[0], (ends[1] ?? to) + 1).map((each) => each.url)]);
    range.current = { anchor, end: url, before, urls };
    selection.set(urls);
    current.set(item);
    requestAnimationFrame(() => focusRow(url));
  };
  const extend = (step: 1 | -1) => () => {
    const index = current.index < 0 ? 0 : current.index + step;
    extendTo(shown[Math.max(0, Math.min(shown.length - 1, index))]);
  };

  useShortcuts({
    J: extend(1),
    K: extend(-1),
    "Shift+ArrowDown": extend(1),
    "Shift+ArrowUp": extend(-1),
    v: () => current.item && open(current.item.url, "_blank", "noreferrer"),
    o: () => {
      const { order } = settings.value;
      settings.value = { ...settings.value, order: order === "newest" ? "oldest" : "newest" };
    },
  });

  const extendToUrl = useRef((_url: string | undefined) => {});
  extendToUrl.current = (url) => extendTo(shown.find((item) => item.url === url));
  useEffect(() => {
    const press = (event: MouseEvent) => {
      // Else the browser selects the text between the rows.
      if (findClickedRow(event)) event.preventDefault();
    };
    const click = (event: MouseEvent) => {
      const row = findClickedRow(event);
      if (!row) return;
      event.preventDefault();
      event.stopPropagation();
      // After the click: it sets a checkbox back only then.
      setTimeout(() => extendToUrl.current(row.dataset.url));
    };
    document.addEventListener("mousedown", press);
    document.addEventListener("click", click, { capture: true });
    return () => {
      document.removeEventListener("mousedown", press);
      document.removeEventListener("click", click, { capture: true });
    };
  }, []);
  return null;
}

/** The row on which the user clicks with Shift; not for its buttons and its links to other lists. */
function findClickedRow({ target, detail, button, shiftKey, ctrlKey, metaKey, altKey }: MouseEvent) {
  // Shift+Enter is a click without a `detail`.
  if (detail === 0 || button !== 0 || !shiftKey || ctrlKey || metaKey || altKey) return undefined;
  if (!(target instanceof Element) || target.closest("button, a:not(.row-title)")) return undefined;
  return target.closest<HTMLElement>(".row") ?? undefined;
}
