// SPDX-License-Identifier: MIT

import type { ImportedPage, ImportOutcome } from "@reading-list/core/domain/import.ts";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import { splitList } from "@reading-list/core/domain/split-list.ts";
import { type WritableList, writesAtOnce } from "@reading-list/core/ports/items.ts";
import { importPages } from "@reading-list/core/use-cases/lists/import-pages.ts";
import type { TestUser } from "./client.ts";
import type { TestService } from "./test-service.ts";

/** A page of a file; fields that it lacks are empty. */
export type PageOfFile = Pick<ImportedPage, "url"> & Partial<ImportedPage>;

/** Imports pages into a user's list as another process does, from the state of the list that it has `seen`. */
export async function importInto(
  { operator, clock }: TestService,
  { credentials: { username } }: TestUser,
  pages: readonly PageOfFile[],
  seen?: WritableList,
): Promise<ImportOutcome[]> {
  const deps = { clock, items: operator.items };
  let list = seen ?? (await operator.users.find(username));
  if (!list) throw new Error("there is no such user");
  const all: ImportOutcome[] = [];
  for (const part of splitList(pages, writesAtOnce)) {
    const batch = part.map(
      (page): ImportedPage => ({
        itemId: toItemId(page.url),
        title: "",
        tags: "",
        state: "0",
        timeAdded: undefined,
        timeUpdated: page.timeAdded,
        ...page,
      }),
    );
    const imported = await importPages(deps, list, batch);
    list = imported.list;
    all.push(...imported.outcomes);
  }
  return all;
}
