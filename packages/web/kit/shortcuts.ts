// SPDX-License-Identifier: MIT

import { useEffect, useRef } from "preact/hooks";
import { keySettings } from "./settings.ts";

/**
 * Calls the function of a key, unless the user types into a field, or a dialog is open. `keys` has the default keys: the
 * user can give an action another key. Ctrl+Z is the key `z`. A longer name with Shift is another key, such as
 * `Shift+ArrowDown`. Keys of one character can be switched off (WCAG 2.1.4), because speech input presses them by accident.
 */
export function useShortcuts(keys: Record<string, (event: KeyboardEvent) => void>): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const { target, key, ctrlKey, metaKey, altKey, shiftKey } = event;
      const isUndo = (ctrlKey || metaKey) && !shiftKey && key === "z";
      // AltGr types the brackets of many keyboards; Windows reports it as Ctrl+Alt.
      const isCommand = (ctrlKey || metaKey || altKey) && !event.getModifierState("AltGraph");
      if ((isCommand && (!isUndo || altKey)) || event.defaultPrevented) return;
      const isField = target instanceof HTMLElement && target.matches("input:not([type=checkbox]), textarea, select");
      if (isField || document.querySelector("dialog[open]")) return;
      const { shortcuts, keys: own } = keySettings();
      const isSingle = key.length === 1 && !isUndo;
      const name = isSingle ? findDefaultKey(key, own) : key.length > 1 && shiftKey ? `Shift+${key}` : key;
      const act = current.current[name];
      if (!act || (isSingle && !shortcuts)) return;
      event.preventDefault();
      const popover = document.querySelector<HTMLElement>(":popover-open");
      if (popover && key === "Escape") popover.hidePopover();
      else act(event);
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}

/** The default key of the action that a key has now; empty if it has none, because its action has another key. */
const findDefaultKey = (key: string, own: Record<string, string>) =>
  Object.keys(own).find((action) => own[action] === key) ?? (own[key] ? "" : key);
