import type { z } from "zod";
import type { send } from "../contract/send.ts";
import type { Change } from "../domain/changes.ts";
import type { Item } from "../domain/item.ts";
import { applyChanges, findItems } from "./apply-changes.ts";
import type { UseCase } from "./use-case.ts";

type Input = z.output<typeof send.input>;

/** The changes in the order in which they apply, so that one request can add a page and tag it. */
const changesOf = ({ new: added, read, update_title, update_tags }: Input): Change[] =>
  [added, read, update_title, update_tags].flatMap((changes) => changes ?? []);

/** Applies a batch of changes (spec section 4.2). */
export const sendChanges: UseCase<Input, void, Map<string, Item>> = {
  readAhead: (deps, input) => findItems(deps, input.username, changesOf(input)),
  run: (deps, { input, ahead, ...call }) => applyChanges(deps, call, changesOf(input), ahead),
};
