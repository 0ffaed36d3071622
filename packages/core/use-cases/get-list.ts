import type { z } from "zod";
import type { get } from "../contract/get.ts";
import { type Item, type ItemState, newestFirst } from "../domain/item.ts";
import { type ListRange, marksAfter } from "../domain/page-mark.ts";
import { sinceOfWalk } from "../domain/page-walk.ts";
import { listIsBusy } from "../errors.ts";
import { attempts } from "../patience.ts";
import { type Dependencies, secondsOf, type User } from "../ports.ts";
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
    const range: ListRange = {
      state: input.state && states[input.state],
      after,
      applicationId: input.myAppOnly ? application.id : undefined,
      skip: count === undefined ? 0 : (page - 1) * count,
      limit: count,
    };
    const { since, items } = unchanged
      ? { since: user.clock.lastSince, items: [] }
      : await readUpToSince(deps, user, range);
    if (!isLaterPage(input)) return { unchanged, since, items };
    const start = after ?? 0;
    const walkSince = sinceOfWalk(user.walks[application.id], secondsOf(deps.clock), start);
    // A page that left this state moved those after it to the pages that the client has had already.
    const mayHaveSkipped = input.state !== undefined && user.clock.changedAt > walkSince;
    return { unchanged, since: mayHaveSkipped ? start : Math.min(since, walkSince), items };
  },
};

/**
 * The items of a range, and a `since` that none of them is newer than. Where a change was made while the list was read,
 * the clock is raised past it and the list read again; where changes never pause, the last ones are left to the next
 * sync, and their items shown as they were read before. Throws `unavailable` where an item that must be there stays away.
 */
async function readUpToSince(deps: Dependencies, user: User, range: ListRange) {
  let current = user;
  let earlier = new Map<string, Item>();
  for await (const reading of attempts()) {
    const { items, isComplete } = await deps.items.list(current, range);
    const since = current.clock.lastSince;
    const newest = items[0]?.timeUpdated ?? 0;
    if (isComplete && newest <= since && (await isPlaced(deps, current, range, items))) return { since, items };
    if (isComplete && reading >= readings) {
      const settled = items.flatMap((item) => (item.timeUpdated <= since ? item : (earlier.get(item.itemId) ?? [])));
      const byId = new Map(settled.map((item) => [item.itemId, item]));
      // A later page may lack an item that moved: only a sync from the beginning finds it for certain.
      return { since: range.skip > 0 ? (range.after ?? 0) : since, items: [...byId.values()].sort(newestFirst) };
    }
    earlier = new Map(items.map((item) => [item.itemId, item]));
    current = await deps.users.raiseSince(user.username, Math.max(since, newest));
  }
  throw listIsBusy();
}

/**
 * Whether a later page is where it belongs: an item above it that went from one state to the other between the two
 * queries is in neither, and the page would begin one item too late. Where the list is still as it was read, its marks
 * are kept for the page after this one.
 */
async function isPlaced(deps: Dependencies, user: User, range: ListRange, items: readonly Item[]): Promise<boolean> {
  if (range.skip === 0) return true;
  const marks = marksAfter(user, range, items);
  if (marks) return deps.users.keepMarks(user, marks);
  return range.state !== undefined || (await deps.users.find(user.username))?.revision === user.revision;
}
