import type { z } from "zod";
import type { get } from "../contract/get.ts";
import { type Item, type ItemState, newestFirst } from "../domain/item.ts";
import { sinceOfWalk } from "../domain/page-walk.ts";
import { type Dependencies, type ItemQuery, secondsOf, type User } from "../ports.ts";
import type { UseCase } from "./use-case.ts";

type Input = z.output<typeof get.input>;

/** A list, or the changes of one, and the `since` that continues from there. */
export interface SyncedList {
  /** `since` was given and nothing has changed after it. */
  unchanged: boolean;
  since: number;
  items: Item[];
}

const states: Record<"read" | "unread", ItemState> = { unread: "0", read: "1" };

/** Times that the list is read again to show a change that was made while it was read. */
const readings = 4;

const isLaterPage = ({ count, page }: Input) => count !== undefined && page !== undefined && page > 1;

/** Retrieves a list (spec section 4.4 and the contract's section "Sync"). */
export const getList: UseCase<Input, SyncedList> = {
  sync: (input, application) => ({
    walkOf: input.count !== undefined && !isLaterPage(input) ? application.id : undefined,
  }),

  run: async (deps, { input, application, user }) => {
    const { since: after, count, page = 1 } = input;
    const unchanged = after !== undefined && user.clock.changedAt <= after;
    const query: ItemQuery = {
      state: input.state && states[input.state],
      after,
      applicationId: input.myAppOnly ? application.id : undefined,
      skip: count === undefined ? 0 : (page - 1) * count,
      limit: count,
    };
    const { since, items } = unchanged
      ? { since: user.clock.lastSince, items: [] }
      : await readUpToSince(deps, user, query);
    if (!isLaterPage(input)) return { unchanged, since, items };
    const start = after ?? 0;
    const walkSince = sinceOfWalk(user.walks[application.id], secondsOf(deps.clock), start);
    // A page that left this state moved those after it to the pages that the client has had already.
    const mayHaveSkipped = input.state !== undefined && user.clock.changedAt > walkSince;
    return { unchanged, since: mayHaveSkipped ? start : Math.min(since, walkSince), items };
  },
};

/**
 * The items that a query finds, and a `since` that none of them is newer than. Where a change was made while the list
 * was read, the clock is raised past it and the list read again; where changes never pause, the last ones are left to
 * the next sync, and their items shown as they were read before.
 */
async function readUpToSince(
  deps: Dependencies,
  user: User,
  query: ItemQuery,
): Promise<{ since: number; items: Item[] }> {
  let since = user.clock.lastSince;
  let earlier = new Map<string, Item>();
  for (let reading = 1; ; reading++) {
    const items = await deps.items.list(user, query);
    const newest = items[0]?.timeUpdated ?? 0;
    if (newest <= since && items.length >= fewestItems(user, query)) return { since, items };
    if (reading === readings) {
      const settled = items.flatMap((item) => (item.timeUpdated <= since ? item : (earlier.get(item.itemId) ?? [])));
      const byId = new Map(settled.map((item) => [item.itemId, item]));
      return { since, items: [...byId.values()].sort(newestFirst) };
    }
    earlier = new Map(items.map((item) => [item.itemId, item]));
    since = (await deps.users.raiseSince(user.username, Math.max(since, newest))).lastSince;
  }
}

/** How many items a query must find at least: a whole list lacks one that changed its state while it was read. */
function fewestItems({ countUnread, countRead }: User, { state, after, applicationId, limit }: ItemQuery): number {
  const isWhole = state === undefined && !after && applicationId === undefined && limit === undefined;
  return isWhole ? countUnread + countRead : 0;
}
