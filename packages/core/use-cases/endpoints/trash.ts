// SPDX-License-Identifier: MIT

import type { z } from "zod";
import { deadlineSignal, extendDeadline } from "../../call-scope.ts";
import { trash } from "../../contract/trash.ts";
import { type Item, trashKeptSeconds } from "../../domain/item.ts";
import { countItemCalls } from "../../domain/list-pages.ts";
import { ServiceError } from "../../errors.ts";
import { unixTime } from "../../ports/clock.ts";
import { writesAtOnce } from "../../ports/items.ts";
import { type ErasurePorts, eraseByIds, eraseItems } from "../lists/erase-trash.ts";
import { type Caller, defineEndpoint, type ListEntry, type UseCase } from "../use-case.ts";

type Input = z.output<typeof trash.input>;

/** Deadline of a purge in ms: API Gateway's is 30 s. */
const deadlineMs = 27_000;

/** The calls that a purge of so many items counts, as a `send` that deletes them. */
const countPurgeCalls = (items: number) => Math.max(1, Math.ceil(items / writesAtOnce));

/** Lists the trash; undefined after a purge (docs/api.md 4.13). */
const manageTrash: UseCase<Input, AsyncIterable<readonly Item[]> | undefined, ErasurePorts> = {
  calls: ({ purge }) => (Array.isArray(purge) ? countPurgeCalls(purge.length) : 1),
  begin:
    (deps, { purge, count, page = 1 }) =>
    async (caller) => {
      if (purge === undefined)
        return listTrash(deps, caller, count === undefined ? {} : { skip: (page - 1) * count, count });
      extendDeadline(deadlineMs);
      if (purge === "all") await purgeAll(deps, caller);
      else await eraseByIds(deps, caller.user, purge, checkDeadline);
      return undefined;
    },
};

/** A part of the trash. The items that it reads count like the items that `get` reads. */
async function* listTrash(
  { clock, trash: store }: ErasurePorts,
  { user, countFurther }: Caller,
  { skip = 0, count = Number.POSITIVE_INFINITY },
): AsyncGenerator<Item[]> {
  let read = 0;
  let counted = 1;
  const after = unixTime(clock) - trashKeptSeconds;
  for await (const items of store.walk(user, { after, order: "newestFirst" })) {
    const shown = items.slice(Math.max(0, skip - read), Math.max(0, skip + count - read));
    read += items.length;
    const further = countItemCalls(read) - counted;
    if (further > 0) await countFurther(further);
    counted += further;
    if (shown.length > 0) yield shown;
    if (read >= skip + count) return;
  }
}

async function purgeAll(deps: ErasurePorts, { user, countFurther }: Caller): Promise<void> {
  let purged = 0;
  try {
    for await (const items of deps.trash.walk(user, { order: "oldestFirst" })) {
      purged += items.length;
      await eraseItems(deps, user, items);
      checkDeadline();
    }
  } finally {
    if (countPurgeCalls(purged) > 1) await countFurther(countPurgeCalls(purged) - 1);
  }
}

function checkDeadline(): void {
  if (!deadlineSignal()?.aborted) return;
  const message = "time ran out before all pages were purged; send the same request again to continue";
  throw new ServiceError("unavailable", message, { retryAfter: 1 });
}

export const endpoint = defineEndpoint({
  contract: trash,
  useCase: manageTrash,
  writeFields: (items) => items && { fields: { status: "1" }, list: writeEntries(items) },
});

async function* writeEntries(parts: AsyncIterable<readonly Item[]>): AsyncGenerator<ListEntry[]> {
  for await (const items of parts) {
    yield items.map(({ itemId, url, title, timeUpdated, timeAdded, tags, trashedState }) => ({
      item_id: itemId,
      url,
      title,
      time_updated: String(timeUpdated),
      time_added: String(timeAdded),
      tags,
      state: trashedState ?? "1",
      time_deleted: String(timeUpdated),
    }));
  }
}
