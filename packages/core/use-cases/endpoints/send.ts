// SPDX-License-Identifier: MIT

import type { z } from "zod";
import { entryNames } from "../../contract/fields.ts";
import { send } from "../../contract/send.ts";
import type { Change } from "../../domain/changes.ts";
import { unixTime } from "../../ports/clock.ts";
import { writesAtOnce } from "../../ports/items.ts";
import { applyChanges, type ChangePorts, checkTime, latestTimeAdded, prefetchItems } from "../lists/apply-changes.ts";
import { cleanAdditions } from "../lists/clean-additions.ts";
import { defineEndpoint, type UseCase } from "../use-case.ts";

type Input = z.output<typeof send.input>;

/** The changes in the order in which they apply, so that one request can add a page and tag it. */
const listChanges = (input: Input): Change[] =>
  entryNames.flatMap((name) =>
    (input[name] ?? []).map((change, place) =>
      // The length of the tags is known with the item.
      change.kind === "retag" ? { ...change, entry: `send: ${name}.${place}.tags` } : change,
    ),
  );

/** Applies a batch of changes (docs/api.md 4.2). It counts a call for each transaction that it may need (8.1). */
export const sendChanges: UseCase<Input, void, ChangePorts> = {
  calls: (input) => {
    const itemIds = new Set(entryNames.flatMap((name) => (input[name] ?? []).map(({ itemId }) => itemId)));
    return Math.max(1, Math.ceil(itemIds.size / writesAtOnce));
  },
  begin: (deps, input) => {
    const changes = listChanges(input);
    const prefetched = input.clean ? undefined : prefetchItems(deps, input.username, changes);
    return async (caller) => {
      const latest = latestTimeAdded(deps.clock, caller.user);
      for (const [place, change] of (input.new ?? []).entries()) {
        if (change.kind === "add") checkTime(latest, change.timeAdded, `send: new.${place}.time_added`);
      }
      for (const [place, change] of (input.update_progress ?? []).entries()) {
        if (change.kind === "progress")
          checkTime(unixTime(deps.clock), change.time, `send: update_progress.${place}.time`);
      }
      const applied = input.clean ? await cleanAdditions(deps, caller.user, changes) : changes;
      await applyChanges(deps, caller, applied, prefetched);
    };
  },
};

export const endpoint = defineEndpoint({ contract: send, useCase: sendChanges });
