// SPDX-License-Identifier: MIT

import type { Item } from "../../domain/item.ts";
import { unixTime } from "../../ports/clock.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import { deletionsKeptSeconds } from "../../ports/items.ts";
import type { UseCase } from "../use-case.ts";

/** The changes of a list after a second: each item once. */
export interface ListChanges {
  changed: Item[];
  deleted: Item[];
}

/** The changes after a second. Without one the whole list; if deletions after it have expired, with the known ones. */
export const listChanges: UseCase<
  { since?: number | undefined },
  ListChanges,
  Pick<Dependencies, "clock" | "wholeLists">
> = {
  sync: () => ({ beginsWalk: false }),
  begin:
    ({ clock, wholeLists }, { since }) =>
    async ({ user }) => {
      const oldest = unixTime(clock) - deletionsKeptSeconds;
      if (since !== undefined && since >= oldest) return wholeLists.changes(user, since);
      const { items } = await wholeLists.read(user);
      const { deleted } = since === undefined ? { deleted: [] } : await wholeLists.changes(user, oldest);
      return { changed: [...items.values()], deleted };
    },
};
