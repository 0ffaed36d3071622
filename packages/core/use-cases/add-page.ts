import type { z } from "zod";
import type { add } from "../contract/add.ts";
import { additionOf } from "../domain/changes.ts";
import { applyChanges, findItems } from "./apply-changes.ts";
import { prefetch, type UseCase } from "./use-case.ts";

type Input = z.output<typeof add.input>;

/** Saves one page (docs/api.md 4.1). */
export const addPage: UseCase<Input, void> = {
  begin: (deps, input) => {
    const changes = [additionOf(input)];
    const existing = prefetch(findItems(deps, input.username, changes));
    return async (caller) => applyChanges(deps, caller, changes, await existing);
  },
};
