// SPDX-License-Identifier: MIT

/** Pixels of a key of an arrow. */
const lineHeight = 40;

/** Elements of an article for which these keys have their own meaning. */
const ownKeys = "summary, button, input, select, textarea, audio, video";

/** Scrolls the page as its browser does for a key; false if the key does not scroll. `screen`: pixels of a screen of text. */
export function scrollByKey(event: KeyboardEvent, screen: number): boolean {
  const { key, shiftKey, ctrlKey, altKey, metaKey, target } = event;
  if (ctrlKey || altKey || metaKey || (target as Element | null)?.closest?.(ownKeys)) return false;
  const distances: Record<string, number> = {
    " ": shiftKey ? -screen : screen,
    PageDown: screen,
    PageUp: -screen,
    ArrowDown: lineHeight,
    ArrowUp: -lineHeight,
    End: document.documentElement.scrollHeight,
    Home: -document.documentElement.scrollHeight,
  };
  const distance = distances[key];
  if (distance === undefined) return false;
  scrollBy({ top: distance });
  return true;
}
