import type { z } from "zod";
import type { add } from "../contract/add.ts";
import type { Change } from "../domain/changes.ts";
import type { Item } from "../domain/item.ts";
import { itemIdOf } from "../domain/item-id.ts";
import { applyChanges, findItems } from "./apply-changes.ts";
import type { UseCase } from "./use-case.ts";

type Input = z.output<typeof add.input>;

const changeOf = ({ url, title, ref_id }: Input): Change => ({
  kind: "add",
  itemId: itemIdOf(new URL(url)),
  url,
  title,
  refId: ref_id,
});

/** Saves one page (spec section 4.1). */
export const addPage: UseCase<Input, void, Map<string, Item>> = {
  readAhead: (deps, input) => findItems(deps, input.username, [changeOf(input)]),
  run: (deps, { input, ahead, ...call }) => applyChanges(deps, call, [changeOf(input)], ahead),
};
