// SPDX-License-Identifier: MIT

import type { Item } from "../../domain/item.ts";
import { sortItems } from "../../domain/list-query.ts";
import { ServiceError } from "../../errors.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import type { User } from "../../ports/users.ts";
import type { Caller, UseCase } from "../use-case.ts";

type Needs = Pick<Dependencies, "items">;

/** An item with a number, which identifies it in the APIs of other services (docs/data.md 1.5). */
export type NumberedItem = Item & { number: number };

/** Numbers that a call gives to items which it does not show: 20 transactions of DynamoDB. */
const numbersAhead = 980;

/**
 * The same items with numbers; items without one get one. If a few of `all` items of the list have no number, they also
 * get one, in the order of addition: wallabag.el takes the difference of two ids for the number of entries added
 * between them.
 */
export async function numberItems(
  { items }: Needs,
  user: User,
  list: readonly Item[],
  all: Iterable<Item> = list,
): Promise<NumberedItem[]> {
  if (list.some(isMissing)) {
    const ahead = [...all].filter(isMissing);
    const missing = await sortItems(ahead.length <= numbersAhead ? ahead : list.filter(isMissing), inOrderOfAddition);
    const numbers = await items.assignNumbers(
      user,
      missing.map(({ itemId }) => itemId),
    );
    // Also in the items that the process remembers of a list, so that the next page does not ask for them again.
    for (const item of missing) item.number = numbers.get(item.itemId);
  }
  return list.filter((item): item is NumberedItem => item.number !== undefined);
}

const isMissing = ({ number }: Item) => number === undefined;
const inOrderOfAddition = { by: "added", descending: false } as const;

/** The item of a number. Throws `notFound` if it is not in the user's list. */
export async function findNumbered({ items }: Needs, { username }: User, number: number): Promise<NumberedItem> {
  const item = await items.findByNumber(username, number);
  if (!item || item.isDeleted) throw new ServiceError("notFound", "the page is not in the list");
  return { ...item, number };
}

/** A use case on the item of a number. Throws `notFound`. */
export const onNumbered = <Ports extends Needs, Result, Input extends { id: number } = { id: number }>(
  work: (deps: Ports, caller: Caller, item: NumberedItem, input: Input) => Promise<Result>,
): UseCase<Input, Result, Ports> => ({
  begin: (deps, input) => async (caller) => work(deps, caller, await findNumbered(deps, caller.user, input.id), input),
});
