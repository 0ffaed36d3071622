import type { z } from "zod";
import type { add } from "../contract/add.ts";
import { additionOf } from "../domain/changes.ts";
import type { Item } from "../domain/item.ts";
import { applyChanges, findItems } from "./apply-changes.ts";
import type { UseCase } from "./use-case.ts";

type Input = z.output<typeof add.input>;

/** Saves one page (spec section 4.1). */
export const addPage: UseCase<Input, void, Map<string, Item>> = {
  readAhead: (deps, input) => findItems(deps, input.username, [additionOf(input)]),
  run: (deps, { input, ahead, ...call }) => applyChanges(deps, call, [additionOf(input)], ahead),
};
