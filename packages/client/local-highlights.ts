// SPDX-License-Identifier: MIT

import type { HighlightChange, LocalHighlight } from "./highlight.ts";
import type { HighlightStore } from "./store.ts";

/**
 * The highlights as the user sees them on this device, newest first: the replica, with the queued local changes on top.
 * A local change wins, even if the service has refused it.
 */
export async function localHighlights(store: HighlightStore): Promise<LocalHighlight[]> {
  // The queue is read first: a change that leaves it in between is in the replica by then.
  const queue = await store.queue();
  const replica = await store.highlights();
  const shown = new Map<string, LocalHighlight>(replica.map((each) => [each.id, { ...each, isPending: false }]));
  for (const { change, queuedAt } of queue) {
    const after = changed(shown.get(change.id), change, queuedAt);
    if (after) shown.set(change.id, after);
    else shown.delete(change.id);
  }
  return [...shown.values()].sort((a, b) => b.timeCreated.getTime() - a.timeCreated.getTime());
}

/** A highlight after a change; undefined if it no longer exists, for example because another device has deleted it. */
function changed(before: LocalHighlight | undefined, change: HighlightChange, at: Date): LocalHighlight | undefined {
  if (change.kind === "delete") return undefined;
  const { kind: _, ...given } = change;
  if (before) return { ...before, ...given, isPending: true };
  const { id, url, quote = "", note } = change;
  const unnamed = { prefix: "", suffix: "", position: undefined, color: "yellow", note: "", timeCreated: at } as const;
  return url && (quote || note) ? { ...unnamed, ...given, id, url, quote, isPending: true } : undefined;
}
