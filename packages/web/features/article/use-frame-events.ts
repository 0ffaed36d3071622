// SPDX-License-Identifier: MIT

import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { findTarget } from "./article-copy.ts";
import { scrollInFrame } from "./position.ts";
import { scrollByKey } from "./scroll-keys.ts";

/** Keys and links in the document of a frame that does not scroll, below a bar of `barHeight` pixels. */
export function useFrameEvents(
  content: Document | undefined,
  frame: RefObject<HTMLIFrameElement | null>,
  barHeight: number,
): void {
  // The reader's shortcuts and the keys that scroll the page also work in the article, because the frame itself cannot
  // scroll.
  useEffect(() => {
    const forward = (event: KeyboardEvent) => {
      const { key, code, repeat, shiftKey, ctrlKey, altKey, metaKey, bubbles, cancelable } = event;
      const modifierAltGraph = event.getModifierState("AltGraph");
      const copied = { key, code, repeat, shiftKey, ctrlKey, altKey, metaKey, modifierAltGraph, bubbles, cancelable };
      const isTaken = !frame.current?.dispatchEvent(new KeyboardEvent(event.type, copied));
      if (isTaken || scrollByKey(event, innerHeight - barHeight)) event.preventDefault();
    };
    content?.addEventListener("keydown", forward);
    return () => content?.removeEventListener("keydown", forward);
  }, [content]);

  // A link within the article scrolls the page around the frame. Safari follows the link itself.
  useEffect(() => {
    const jump = (event: MouseEvent) => {
      const link = (event.target as Element | null)?.closest?.("a");
      const target = link && content && findTarget(link, content);
      if (!target || !frame.current) return;
      event.preventDefault();
      scrollInFrame(frame.current, target.getBoundingClientRect().top, barHeight);
    };
    content?.addEventListener("click", jump);
    return () => content?.removeEventListener("click", jump);
  }, [content]);
}
