// SPDX-License-Identifier: MIT

import { useEffect, useRef } from "preact/hooks";
import { areShortcutsOn } from "./settings.ts";

/**
 * Calls the function of a key, unless the user types into a field, or a dialog is open. Ctrl+Z is the key `z`. Keys of one
 * character can be switched off (WCAG 2.1.4), because speech input presses them by accident.
 */
export function useShortcuts(keys: Record<string, (event: KeyboardEvent) => void>): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key === "z";
      if (((event.ctrlKey || event.metaKey) && !isUndo) || event.altKey || event.defaultPrevented) return;
      const { target } = event;
      const isField = target instanceof HTMLElement && target.matches("input:not([type=checkbox]), textarea, select");
      if (isField || document.querySelector("dialog[open]")) return;
      const act = current.current[event.key];
      if (!act || (event.key.length === 1 && !isUndo && !areShortcutsOn())) return;
      event.preventDefault();
      const popover = document.querySelector<HTMLElement>(":popover-open");
      if (popover && event.key === "Escape") popover.hidePopover();
      else act(event);
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}
