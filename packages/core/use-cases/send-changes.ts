import type { z } from "zod";
import { entryNames } from "../contract/fields.ts";
import type { send } from "../contract/send.ts";
import type { Change } from "../domain/changes.ts";
import { applyChanges, findItems } from "./apply-changes.ts";
import { prefetch, type UseCase } from "./use-case.ts";

type Input = z.output<typeof send.input>;

/** The changes in the order in which they apply, so that one request can add a page and tag it. */
const changesOf = (input: Input): Change[] => entryNames.flatMap((name) => input[name] ?? []);

/** Applies a batch of changes (docs/api.md 4.2). */
export const sendChanges: UseCase<Input, void> = {
  begin: (deps, input) => {
    const changes = changesOf(input);
    const existing = prefetch(findItems(deps, input.username, changes));
    return async (caller) => applyChanges(deps, caller, changes, await existing);
  },
};
