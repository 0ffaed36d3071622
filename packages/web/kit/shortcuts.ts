// SPDX-License-Identifier: MIT

import { useEffect, useRef } from "preact/hooks";

/** Calls the function of a key, unless the user types into a field, or a dialog is open. */
export function useShortcuts(keys: Record<string, (event: KeyboardEvent) => void>): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const { target } = event;
      const isField = target instanceof HTMLElement && target.matches("input:not([type=checkbox]), textarea, select");
      if (isField || document.querySelector("dialog[open]")) return;
      const act = current.current[event.key];
      if (!act) return;
      event.preventDefault();
      const popover = document.querySelector<HTMLElement>(":popover-open");
      if (popover && event.key === "Escape") popover.hidePopover();
      else act(event);
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}
