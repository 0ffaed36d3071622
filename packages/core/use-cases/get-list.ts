import type { z } from "zod";
import { count, retries } from "../call-scope.ts";
import type { get } from "../contract/get.ts";
import { type Item, type ItemState, newestFirst } from "../domain/item.ts";
import { countOf, cursorsAfter, type ListRange } from "../domain/page-cursor.ts";
import { sinceOfWalk } from "../domain/page-walk.ts";
import { listIsBusy, ServiceError } from "../errors.ts";
import { type Dependencies, deletionsKeptSeconds, secondsOf, type User } from "../ports.ts";
import type { UseCase } from "./use-case.ts";

type Input = z.output<typeof get.input>;

/** A list, or the changes of one, and the `since` that continues from there. */
export interface SyncedList {
  /** `since` was given and nothing has changed after it. */
  unchanged: boolean;
  since: number;
  items: Item[];
  /** `items` are the whole list. */
  isComplete: boolean;
  /** Items deleted after the `since` that was given. Present only if the client asks for deletions. */
  deleted?: Item[];
}

const states: Record<"read" | "unread", ItemState> = { unread: "0", read: "1" };

/** A list that changes during each reading is read 4 times, then returned with the fallback `since`. */
const maxReadings = 4;
/** Items of a transaction become visible within milliseconds; if one is missing after 10 s, the count is wrong. */
const visibleWithinSeconds = 10;

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

/** Retrieves a list. */
export const getList: UseCase<Input, SyncedList> = {
  sync: (input) => ({ beginsWalk: input.count !== undefined && !isLaterPage(input) }),

  begin:
    (deps, input) =>
    async ({ application, user }) => {
      const { count, page = 1 } = input;
      const after = startOf(input, secondsOf(deps.clock));
      const range: ListRange = {
        state: input.state && states[input.state],
        after,
        applicationId: input.myAppOnly ? application.id : undefined,
        skip: count === undefined ? 0 : (page - 1) * count,
        limit: count,
      };
      const unchanged = after !== undefined && user.clock.changedAt <= after;
      const result: Result = unchanged
        ? { user, isPlaced: true, items: [], deleted: [] }
        : await readList(deps, user, range, input);
      const isWhole = after === undefined && range.state === undefined && range.applicationId === undefined;
      return {
        unchanged,
        since: isLaterPage(input) ? sinceOfLaterPage(deps, result, range) : result.user.clock.lastSince,
        items: result.items,
        isComplete: isWhole && (result.isDrifted || result.items.length === countOf(result.user, undefined)),
        ...(input.deleted && { deleted: result.deleted }),
      };
    },
};

interface Result {
  /** The record that the items belong to. */
  user: User;
  /** The list did not change while a later page was read, so no item was skipped. */
  isPlaced: boolean;
  items: Item[];
  deleted: Item[];
  /** The record counts more items than there are. */
  isDrifted?: boolean;
}

/**
 * Reads a range and the deletions that belong to it.
 *
 * A first page contains only changes up to `since`: an item that is changed while the page is read moves above `since`,
 * the page fills up from below, and the next sync brings the item. A later page is counted from the top, so it is read
 * again if the list has changed meanwhile. Throws `unavailable` at the call's deadline.
 */
async function readList(deps: Dependencies, user: User, range: ListRange, input: Input): Promise<Result> {
  const isLater = isLaterPage(input);
  let current = user;
  let earlier: { revision: number; length: number } | undefined;
  for await (const attempt of retries()) {
    const upTo = isLater ? undefined : current.clock.lastSince;
    const { items, deleted, isSettled } = await readOnce(deps, current, { ...range, upTo }, input);
    const result = { user: current, items, deleted };
    const isWhole = isLater || range.limit !== undefined || isWholeList(current, range, items);
    if (isSettled && isWhole && (!isLater || (await isUnchanged(deps, current, range, items)))) {
      return { ...result, isPlaced: true };
    }
    if (isSettled && attempt >= maxReadings && (isLater || earlier?.revision !== current.revision)) {
      return { ...result, isPlaced: false };
    }
    if (hasDrifted(deps, current, earlier, items)) {
      count("countsDrifted");
      return { ...result, isPlaced: true, isDrifted: true };
    }
    earlier = { revision: current.revision, length: items.length };
    current = await deps.users.raiseSince(current, secondsOf(deps.clock));
  }
  throw listIsBusy();
}

/** One reading. For a client that does not ask for deletions, deleted items are part of the list, as read ones. */
async function readOnce(
  deps: Dependencies,
  user: User,
  range: ListRange,
  input: Input,
): Promise<Pick<Result, "items" | "deleted"> & { isSettled: boolean }> {
  const { after, upTo, skip, limit, state, applicationId } = range;
  if (limit !== undefined && isSettling(deps, user)) {
    const whole = { ...range, skip: 0, limit: undefined };
    const { items, deleted, isSettled } = await readOnce(deps, user, whole, input);
    return {
      items: items.slice(skip, skip + limit),
      deleted,
      isSettled: isSettled && isWholeList(user, whole, items),
    };
  }
  if (after === undefined || user.deletedAt <= after) {
    return { ...(await deps.items.list(user, range)), deleted: [] };
  }
  const isMerged = !input.deleted && state !== "0";
  const merged = { ...range, skip: 0, limit: limit === undefined ? undefined : skip + limit };
  const [list, deletions] = await Promise.all([
    deps.items.list(user, isMerged ? merged : range),
    deps.items.listDeleted(user, after, upTo),
  ]);
  const deleted = deletions.items.filter((item) => applicationId === undefined || item.applicationId === applicationId);
  const asRead = deleted.map((item): Item => ({ ...item, state: "1" }));
  const items = isMerged ? [...list.items, ...asRead].sort(newestFirst).slice(skip, limit && skip + limit) : list.items;
  return { items, deleted, isSettled: list.isSettled && deletions.isSettled };
}

/**
 * Whether imported items may not be visible yet. They have times in the past, so that the number of the newest items
 * does not tell: the whole list is read and counted.
 */
const isSettling = ({ clock }: Dependencies, { importedAt }: User) =>
  secondsOf(clock) - importedAt <= visibleWithinSeconds;

/** Whether an unlimited reading found as many items as the record counts. */
const isWholeList = (user: User, { state, after, applicationId }: ListRange, items: readonly Item[]) =>
  after !== undefined || applicationId !== undefined || items.length >= countOf(user, state);

/** Whether the list still has the revision that was read; saves a cursor for the next page if that is worth a write. */
async function isUnchanged(deps: Dependencies, user: User, range: ListRange, items: readonly Item[]): Promise<boolean> {
  const cursors = cursorsAfter(user, range, items);
  if (cursors) return deps.users.saveCursors(user, cursors);
  return (await deps.users.find(user.username))?.revision === user.revision;
}

/** Whether items are missing for good, as after a torn restore: two readings of an old revision agree. */
const hasDrifted = (
  deps: Dependencies,
  user: User,
  earlier: { revision: number; length: number } | undefined,
  items: readonly Item[],
) =>
  earlier?.revision === user.revision &&
  earlier.length === items.length &&
  secondsOf(deps.clock) - user.clock.changedAt > visibleWithinSeconds &&
  !isSettling(deps, user);

/**
 * The `since` of a later page: that of the walk's beginning. If items may have left the list during the walk, later
 * items have moved up to pages that the client has already read: then the client must sync from the `since` that it
 * sent.
 */
function sinceOfLaterPage(deps: Dependencies, { user, isPlaced }: Result, { state, after = 0 }: ListRange): number {
  const walkSince = sinceOfWalk(user.walks, secondsOf(deps.clock), after);
  const leftAt = state === undefined ? user.deletedAt : user.clock.changedAt;
  return !isPlaced || leftAt > walkSince ? after : Math.min(user.clock.lastSince, walkSince);
}
