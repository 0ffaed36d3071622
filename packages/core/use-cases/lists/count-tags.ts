// SPDX-License-Identifier: MIT

import { labelsOf } from "../../domain/tags.ts";
import type { Dependencies } from "../../ports.ts";
import type { UseCase } from "../use-case.ts";

/** The number of items with each tag but that of favourites. */
export const countTags: UseCase<unknown, Map<string, number>, Pick<Dependencies, "wholeLists">> = {
  sync: () => ({ beginsWalk: false }),
  begin:
    ({ wholeLists }) =>
    async ({ user }) => {
      const { items } = await wholeLists.read(user);
      const counts = new Map<string, number>();
      for (const item of items.values()) {
        for (const tag of labelsOf(item)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
      }
      return counts;
    },
};
