// SPDX-License-Identifier: MIT

import type { Item } from "../../domain/item.ts";
import { type Dependencies, deletionsKeptSeconds, secondsOf } from "../../ports.ts";
import type { UseCase } from "../use-case.ts";

/** The changes of a list after a second: each item once. */
export interface ListChanges {
  changed: Item[];
  deleted: Item[];
}

/** The changes after a second. Without one, or if deletions after it have expired, the whole list. */
export const listChanges: UseCase<
  { since?: number | undefined },
  ListChanges,
  Pick<Dependencies, "clock" | "wholeLists">
> = {
  sync: () => ({ beginsWalk: false }),
  begin:
    ({ clock, wholeLists }, { since }) =>
    async ({ user }) => {
      if (since !== undefined && since >= secondsOf(clock) - deletionsKeptSeconds)
        return wholeLists.changes(user, since);
      const { items } = await wholeLists.read(user);
      return { changed: [...items.values()], deleted: [] };
    },
};
