// SPDX-License-Identifier: MIT

import type { z } from "zod";
import { add } from "../../contract/add.ts";
import { parseAddition } from "../../domain/changes.ts";
import { applyChanges, type ChangePorts, checkTime, latestTimeAdded, prefetchItems } from "../lists/apply-changes.ts";
import { cleanAdditions } from "../lists/clean-additions.ts";
import { defineEndpoint, type UseCase } from "../use-case.ts";

type Input = z.output<typeof add.input>;

/** Saves one page (docs/api.md 4.1). */
export const addPage: UseCase<Input, void, ChangePorts> = {
  begin: (deps, input) => {
    const changes = [parseAddition(input)];
    const prefetched = input.clean ? undefined : prefetchItems(deps, input.username, changes);
    return async (caller) => {
      checkTime(latestTimeAdded(deps.clock, caller.user), input.time_added, "add: time_added");
      const applied = input.clean ? await cleanAdditions(deps, caller.user, changes) : changes;
      await applyChanges(deps, caller, applied, prefetched);
    };
  },
};

export const endpoint = defineEndpoint({ contract: add, useCase: addPage });
