// SPDX-License-Identifier: MIT

import type { Item } from "../../domain/item.ts";
import { listLabels } from "../../domain/tags.ts";
import { inTurns } from "../../domain/turns.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import { writesAtOnce } from "../../ports/items.ts";
import type { Caller, UseCase } from "../use-case.ts";
import { applyChanges, type ChangePorts } from "./apply-changes.ts";

export type LabelPorts = ChangePorts & Pick<Dependencies, "wholeLists">;

/** Labels to take from all items that have them; `to` is given to those items in their place. */
export interface LabelChange {
  labels: readonly string[];
  to?: string | undefined;
}

/**
 * Renames or removes labels in the whole list. Returns the labels that existed. It counts a call for each transaction;
 * a call that was cut short continues if it is repeated.
 */
export async function changeLabels(deps: LabelPorts, caller: Caller, { labels, to }: LabelChange): Promise<string[]> {
  const { items } = await deps.wholeLists.read(caller.user);
  const wanted = new Set(labels);
  const found = new Set<string>();
  const having: Item[] = [];
  for await (const part of inTurns(items.values())) {
    for (const item of part) {
      const own = listLabels(item).filter((label) => wanted.has(label));
      for (const label of own) found.add(label);
      if (own.length > 0) having.push(item);
    }
  }
  await applyChanges(
    deps,
    caller,
    having.map(({ itemId }) => ({ kind: "retag", itemId, add: to === undefined ? [] : [to], remove: labels })),
  );
  const calls = Math.ceil(having.length / writesAtOnce) - 1;
  if (calls > 0) await caller.countFurther(calls);
  return labels.filter((label) => found.has(label));
}

/** The same as a use case. */
export const changeLabel: UseCase<LabelChange, string[], LabelPorts> = {
  sync: () => ({ beginsWalk: false }),
  begin: (deps, change) => (caller) => changeLabels(deps, caller, change),
};
