// SPDX-License-Identifier: MIT

import { listLabels } from "../../domain/tags.ts";
import { inTurns } from "../../domain/turns.ts";
import { ServiceError } from "../../errors.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import type { Caller, UseCase } from "../use-case.ts";

/** Tags that a call counts: the names of more have more than the 6 MB of an answer. */
const maxTags = 100_000;
const tooManyTags = () =>
  new ServiceError("invalid", `the list has more than ${maxTags.toLocaleString("en")} different tags`, {
    code: "answer_too_large",
  });

/** The number of items with each tag, except the tag of favourites. Throws `invalid` for more than 100,000 tags. */
export const countTags: UseCase<unknown, Map<string, number>, Pick<Dependencies, "wholeLists">> = {
  sync: () => ({ beginsWalk: false }),
  begin:
    ({ wholeLists }) =>
    async ({ user }) => {
      const { items } = await wholeLists.read(user);
      const counts = new Map<string, number>();
      for await (const part of inTurns(items.values())) {
        for (const tag of part.flatMap(listLabels)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
        if (counts.size > maxTags) throw tooManyTags();
      }
      return counts;
    },
};

/** The first tag of the list that `isWanted` accepts, in turns of the event loop. Throws as `countTags` does. */
export async function findTag(
  deps: Pick<Dependencies, "wholeLists">,
  caller: Caller,
  isWanted: (tag: string) => boolean,
): Promise<string | undefined> {
  const counts = await countTags.begin(deps, {})(caller);
  for await (const part of inTurns(counts.keys())) {
    const found = part.find(isWanted);
    if (found !== undefined) return found;
  }
  return undefined;
}
