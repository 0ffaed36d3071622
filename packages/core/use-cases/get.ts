import type { z } from "zod";
import { get } from "../contract/get.ts";
import { type Item, type ItemState, shownAsOf } from "../domain/item.ts";
import type { ListRange } from "../domain/list-range.ts";
import { sinceOfWalk } from "../domain/page-walk.ts";
import { ServiceError } from "../errors.ts";
import { type Dependencies, deletionsKeptSeconds, type Listing, secondsOf } from "../ports.ts";
import { defineEndpoint, type UseCase } from "./use-case.ts";

type Input = z.output<typeof get.input>;

/** A list, or the changes of one, and the `since` that continues from there. */
export interface SyncedList {
  /** `since` was given and nothing has changed after it. */
  unchanged: boolean;
  since: number;
  items: Item[];
  /** `items` are the whole list. */
  isComplete: boolean;
  /** Items deleted after the `since` that was given. */
  deleted: Item[];
}

const states: Record<"read" | "unread", ItemState> = { unread: "0", read: "1" };

const isLaterPage = ({ count, page = 1 }: Input) => count !== undefined && page > 1;

/** A `since` may be ahead of the wall clock by the lead of a logical clock, which is at most minutes. */
const sinceAheadSeconds = 86_400;

/**
 * The `since` to continue from; undefined for a first sync, also if tombstones after it have expired. Throws
 * `invalid` for a time in the far future: the client has sent milliseconds, and would never see a change.
 */
function startOf({ since }: Input, now: number): number | undefined {
  if (since === undefined || since < now - deletionsKeptSeconds) return undefined;
  if (since <= now + sinceAheadSeconds) return since;
  const message = "get: since is more than a day in the future; it must be Unix time in seconds, not milliseconds";
  throw new ServiceError("invalid", message);
}

/** Retrieves a list, or a page of it. */
export const getList: UseCase<Input, SyncedList> = {
  sync: (input) => ({ beginsWalk: input.count !== undefined && !isLaterPage(input) }),

  begin:
    (deps, input) =>
    async ({ application, user }) => {
      const after = startOf(input, secondsOf(deps.clock));
      if (after !== undefined && user.clock.changedAt <= after) {
        return { unchanged: true, since: user.clock.lastSince, items: [], isComplete: false, deleted: [] };
      }
      const { count, page = 1 } = input;
      const range: ListRange = {
        state: input.state && states[input.state],
        after,
        applicationId: input.myAppOnly ? application.id : undefined,
        skip: count === undefined ? 0 : (page - 1) * count,
        limit: count,
        deletions: input.deleted ? "apart" : "asRead",
      };
      const listing = await deps.items.list(user, range);
      const { asOf, deleted } = listing;
      const since = isLaterPage(input) ? sinceOfLaterPage(deps, listing, range) : asOf;
      const items = shownAsOf(listing.items, asOf);
      return { unchanged: false, since, items, isComplete: isWholeList(listing, range), deleted };
    },
};

/**
 * Whether a client may drop every item that is not in the listing. Items that were added after the user's record was
 * read push others off the end of a page.
 */
function isWholeList({ items, asOf, user }: Listing, { state, after, applicationId, skip, limit }: ListRange): boolean {
  if (after !== undefined || state !== undefined || applicationId !== undefined || skip > 0) return false;
  if (limit === undefined) return asOf > 0;
  const { countUnread, countRead, clock } = user;
  return items.length === countUnread + countRead && items.every((item) => item.timeUpdated <= clock.lastSince);
}

/**
 * The `since` of a later page: that of the walk's beginning. If items may have left the list during the walk, later
 * items have moved up to pages that the client has already read: then the client must sync from the `since` that it
 * sent.
 */
function sinceOfLaterPage({ clock }: Dependencies, { user, asOf }: Listing, { state, after = 0 }: ListRange): number {
  const walkSince = sinceOfWalk(user.walks, secondsOf(clock), after);
  const leftAt = state === undefined ? user.deletedAt : user.clock.changedAt;
  return leftAt > walkSince ? after : Math.min(asOf, walkSince);
}

export const endpoint = defineEndpoint({
  contract: get,
  useCase: getList,
  fieldsOf: ({ unchanged, since, isComplete, items, deleted }, { tags, deleted: isAsked }) => ({
    fields: { status: unchanged ? "2" : "1", since: String(since), ...(isComplete && { complete: "1" }) },
    list: items.map((item) => ({
      item_id: item.itemId,
      url: item.url,
      title: item.title,
      time_updated: String(item.timeUpdated),
      time_added: String(item.timeAdded),
      ...(tags && { tags: item.tags }),
      state: item.state,
    })),
    ...(isAsked && { deleted: deleted.map((item) => ({ item_id: item.itemId, time: String(item.timeUpdated) })) }),
  }),
});
