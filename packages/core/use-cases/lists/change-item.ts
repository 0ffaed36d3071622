// SPDX-License-Identifier: MIT

import type { Change } from "../../domain/changes.ts";
import type { Item } from "../../domain/item.ts";
import { ServiceError } from "../../errors.ts";
import type { ItemStore } from "../../ports/items.ts";
import type { User } from "../../ports/users.ts";
import type { UseCase } from "../use-case.ts";
import { applyChanges, type ChangePorts } from "./apply-changes.ts";

interface FindPorts {
  items: Pick<ItemStore, "find">;
}

/** The item of an id in a user's list; undefined if it is not there, or was deleted. */
export async function itemIn(items: Pick<ItemStore, "find">, { username }: Pick<User, "username">, id: string) {
  const item = (await items.find(username, [id])).get(id);
  return item?.isDeleted ? undefined : item;
}

/** The same, but throws `notFound` instead of returning undefined. */
export async function findItem({ items }: FindPorts, user: User, id: string): Promise<Item> {
  const item = await itemIn(items, user, id);
  if (!item) throw new ServiceError("notFound", "the page is not in the list");
  return item;
}

/** Changes of one item. */
export interface ItemChange {
  id: string;
  changes: (item: Item) => Change[];
  /** Takes the item out of the trash first, if it is there. */
  isRestored?: boolean;
}

/** Changes one item, which is then returned, even if it was deleted. Throws `notFound`. */
export const changeItem: UseCase<ItemChange, Item, ChangePorts> = {
  begin:
    (deps, { id, changes, isRestored = false }) =>
    async (caller) => {
      const { username } = caller.user;
      if (isRestored) await applyChanges(deps, caller, [{ kind: "restore", itemId: id }]);
      const item = await findItem(deps, caller.user, id);
      await applyChanges(deps, caller, changes(item));
      return (await deps.items.find(username, [id])).get(id) ?? item;
    },
};
