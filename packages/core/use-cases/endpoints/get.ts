// SPDX-License-Identifier: MIT

import type { z } from "zod";
import { get } from "../../contract/get.ts";
import { type Item, type ItemParts, shownAsOf, states } from "../../domain/item.ts";
import { toItemId } from "../../domain/item-id.ts";
import { isLeftByChanges, isUnfiltered } from "../../domain/list-filter.ts";
import { countItemCalls, countListingCalls } from "../../domain/list-pages.ts";
import type { ListRange } from "../../domain/list-range.ts";
import { isOutdated } from "../../domain/user-clock.ts";
import { chooseLaterSince } from "../../domain/walks.ts";
import { ServiceError } from "../../errors.ts";
import { unixTime } from "../../ports/clock.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import { deletionsKeptSeconds, type ItemStore, type Listing } from "../../ports/items.ts";
import type { User } from "../../ports/users.ts";
import { type Caller, defineEndpoint, type EntryParts, type UseCase } from "../use-case.ts";

type Input = z.output<typeof get.input>;
type Ports = Pick<Dependencies, "clock"> & { items: Pick<ItemStore, "list"> };

/** A list, or the changes of one, and the `since` that continues from there. */
export interface SyncedList {
  /** `since` was given and nothing has changed after it. */
  unchanged: boolean;
  since: number;
  /** See `UserClock`. */
  highlightsAt: number;
  items: ItemParts;
  /** The number of items; of a long list the expected one. */
  size: number;
  /** `items` are the whole list. */
  isComplete: boolean;
  /** Items deleted after the `since` that was given. */
  deleted: ItemParts;
}

export const isLaterPage = ({ count, page = 1 }: Pick<Input, "count" | "page">) => count !== undefined && page > 1;

/** A `since` may be ahead of the wall clock by the lead of a logical clock, which is at most minutes. */
const sinceAheadSeconds = 86_400;

/**
 * The `since` to continue from; undefined for a first sync, even if tombstones after it have expired, a wrong clock
 * gave it out, or the list was restored since. Throws `invalid` for a time in the far future that the list never gave
 * out: the client has sent milliseconds, and would never see a change.
 */
export function findStart(
  { since }: { since?: number | undefined },
  { clock }: Pick<User, "clock">,
  now: number,
  endpoint = "get",
): number | undefined {
  if (since === undefined || since < now - deletionsKeptSeconds || isOutdated(since, clock)) return undefined;
  if (since <= Math.max(now + sinceAheadSeconds, clock.lastSince)) return since;
  const message = `${endpoint}: since is more than a day in the future; it must be a Unix time in seconds, not milliseconds`;
  throw new ServiceError("invalid", message);
}

/** The entries on the pages before the one that a call asks for. */
export const countSkipped = ({ count = 0, page = 1 }: Pick<Input, "count" | "page">) => (page - 1) * count;

/** The part of the list that a call asks for. */
function toRange(input: Input, { application, user }: Pick<Caller, "application" | "user">, now: number): ListRange {
  return {
    filter: [
      ...(input.state ? [{ kind: "state" as const, state: states[input.state] }] : []),
      ...(input.myAppOnly ? [{ kind: "application" as const, applicationId: application.id }] : []),
    ],
    after: findStart(input, user, now),
    itemId: input.url && toItemId(input.url),
    skip: countSkipped(input),
    limit: input.count,
    deletions: input.deleted ? "apart" : "asRead",
  };
}

/**
 * Retrieves a list, or a page of it. It counts a call for each 1,000 items that it reads: before it reads a list, but
 * after it has read changes or the items of other applications, because only then their number is known.
 */
export const getList: UseCase<Input, SyncedList, Ports> = {
  sync: (input) => ({ beginsWalk: input.count !== undefined && !isLaterPage(input), since: input.since }),

  countCalls: ({ clock }, input, caller) => countListingCalls(caller.user, toRange(input, caller, unixTime(clock))),

  begin:
    (deps, input) =>
    async ({ application, user, countFurther }) => {
      const range = toRange(input, { application, user }, unixTime(deps.clock));
      const { after } = range;
      const { highlightsAt } = user.clock;
      if (after !== undefined && user.clock.changedAt <= after) {
        const nothing = { items: [], size: 0, isComplete: false, deleted: [] };
        return { unchanged: true, since: user.clock.lastSince, highlightsAt, ...nothing };
      }
      const listing = await deps.items.list(user, range);
      const { asOf, deleted, size } = listing;
      const further = countItemCalls(listing.read) - countListingCalls(user, range);
      if (further > 0) await countFurther(further);
      const since = isLaterPage(input)
        ? chooseLaterSince(listing.user.walks, {
            now: unixTime(deps.clock),
            asOf,
            after,
            leftAt: isLeftByChanges(range.filter) ? listing.user.clock.changedAt : listing.user.deletedAt,
          })
        : asOf;
      const isComplete = isWholeList(listing, range);
      return { unchanged: false, since, highlightsAt, items: inOrderAsOf(listing), size, isComplete, deleted };
    },
};

/**
 * The items as of the listing. An item that was changed while they were read does not get a later time than the item
 * before it.
 */
async function* inOrderAsOf({ items, asOf }: Listing): AsyncGenerator<Item[]> {
  let last = asOf;
  for await (const part of items) {
    yield part.map((item) => {
      const shown = item.timeUpdated > asOf ? shownAsOf(item, last) : item;
      last = Math.min(last, shown.timeUpdated);
      return shown;
    });
  }
}

/**
 * Whether a client may drop every item that is not in the listing. Items that were added after the user's record was
 * read push others off the end of a page.
 */
function isWholeList(listing: Listing, { filter, after, itemId, skip, limit }: ListRange): boolean {
  if (!isUnfiltered(filter) || after !== undefined || itemId !== undefined || skip > 0) return false;
  if (limit === undefined) return listing.asOf > 0;
  const { countUnread, countRead, clock } = listing.user;
  return listing.size === countUnread + countRead && listing.newest <= clock.lastSince;
}

export const endpoint = defineEndpoint({
  contract: get,
  useCase: getList,
  writeFields: ({ unchanged, since, highlightsAt, isComplete, ...list }, { tags, progress, deleted: isAsked }) => ({
    fields: {
      status: unchanged ? "2" : "1",
      since: String(since),
      ...(isComplete && { complete: "1" }),
      ...(progress && { highlights_updated: String(highlightsAt) }),
    },
    list: writeEntries(list.items, (item) => ({
      item_id: item.itemId,
      url: item.url,
      title: item.title,
      time_updated: String(item.timeUpdated),
      time_added: String(item.timeAdded),
      ...(tags && { tags: item.tags }),
      state: item.state,
      ...(progress && item.progress && { progress: String(item.progress.percent), anchor: item.progress.anchor }),
    })),
    size: list.size,
    ...(isAsked && {
      deleted: writeEntries(list.deleted, (item) => ({ item_id: item.itemId, time: String(item.timeUpdated) })),
    }),
  }),
});

const writeEntries = <Entry>(parts: ItemParts, entryOf: (item: Item) => Entry): EntryParts<Entry> =>
  Array.isArray(parts) && parts.length === 0 ? [] : mapParts(parts, entryOf);

async function* mapParts<Entry>(parts: ItemParts, entryOf: (item: Item) => Entry): AsyncGenerator<Entry[]> {
  for await (const part of parts) yield part.map(entryOf);
}
