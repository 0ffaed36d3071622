// SPDX-License-Identifier: MIT

import { useReader } from "../../data/reader.ts";
import { useShortcuts } from "../../kit/shortcuts.ts";
import type { RowActions } from "./row-buttons.tsx";
import type { Current } from "./use-current.ts";

/**
 * The keys of the list: `keys`, and the keys that move between its items and act on the current item. more-keys.ts has those
 * that are loaded later.
 */
export function useListKeys(current: Current, actions: RowActions, keys: Record<string, () => void>): void {
  const { notices } = useReader();
  useShortcuts({
    ...keys,
    j: () => current.move(1),
    k: () => current.move(-1),
    ArrowDown: () => current.move(1),
    ArrowUp: () => current.move(-1),
    r: () => current.item && actions.edit(current.item),
    x: () => current.item && actions.toggle(current.item),
    z: () => notices.undo(),
  });
}
