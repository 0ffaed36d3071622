// SPDX-License-Identifier: MIT

import { useReader } from "../../data/reader.ts";
import { useShortcuts } from "../../kit/shortcuts.ts";
import type { RowActions } from "./row-buttons.tsx";
import type { Current } from "./use-current.ts";

/** The keys of the list: `keys`, and the keys that move between its items and act on the current item. */
export function useListKeys(current: Current, actions: RowActions, keys: Record<string, () => void>): void {
  const { settings, notices } = useReader();
  useShortcuts({
    ...keys,
    j: () => current.move(1),
    k: () => current.move(-1),
    ArrowDown: () => current.move(1),
    ArrowUp: () => current.move(-1),
    v: () => current.item && open(current.item.url, "_blank", "noreferrer"),
    r: () => current.item && actions.edit(current.item),
    x: () => current.item && actions.toggle(current.item),
    z: () => notices.undo(),
    o: () => {
      const { order } = settings.value;
      settings.value = { ...settings.value, order: order === "newest" ? "oldest" : "newest" };
    },
  });
}
