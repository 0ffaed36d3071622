// SPDX-License-Identifier: MIT

import { listLabels } from "../../domain/tags.ts";
import { inTurns, sortInTurns } from "../../domain/turns.ts";
import { ServiceError } from "../../errors.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import type { Caller, UseCase } from "../use-case.ts";

/** Tags that a call counts: the names of more have more than the 6 MB of an answer. */
const maxTags = 100_000;
const tooManyTags = () =>
  new ServiceError("invalid", `the list has more than ${maxTags.toLocaleString("en")} different tags`, {
    code: "answer_too_large",
  });

type TagPorts = Pick<Dependencies, "wholeLists">;

async function countEach({ wholeLists }: TagPorts, { user }: Caller): Promise<Map<string, number>> {
  const { items } = await wholeLists.read(user);
  const counts = new Map<string, number>();
  for await (const part of inTurns(items.values())) {
    for (const tag of part.flatMap(listLabels)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
    if (counts.size > maxTags) throw tooManyTags();
  }
  return counts;
}

/** The order of the web reader. */
const { compare } = new Intl.Collator("en", { numeric: true });

/**
 * The number of items with each tag except the tag of favourites, in alphabetical order. Throws `invalid` for more than
 * 100,000 tags.
 */
export const countTags: UseCase<unknown, Map<string, number>, TagPorts> = {
  sync: () => ({ beginsWalk: false }),
  begin: (deps) => async (caller) =>
    new Map(await sortInTurns(await countEach(deps, caller), ([one], [other]) => compare(one, other))),
};

/** The first tag of the list that `isWanted` accepts, in turns of the event loop. Throws as `countTags` does. */
export async function findTag(
  deps: TagPorts,
  caller: Caller,
  isWanted: (tag: string) => boolean,
): Promise<string | undefined> {
  for await (const part of inTurns((await countEach(deps, caller)).keys())) {
    const found = part.find(isWanted);
    if (found !== undefined) return found;
  }
  return undefined;
}
