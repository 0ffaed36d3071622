// SPDX-License-Identifier: MIT

import { unlessTooLarge } from "./api-error.ts";
import { type Change, type DeletedPage, toAdditions, toPageKey } from "./change.ts";
import { type Item, type ItemList, placeInOrder, type Stats } from "./item.ts";
import { type LocalItem, withChanges } from "./local-items.ts";
import { type FindItems, findOnService, type SendCalls, sendFirst } from "./send-changes.ts";
import type { HighlightStore, QueuedChange, Store, StoredItem, SyncState, Walk } from "./store.ts";
import {
  dequeueSent,
  type HighlightCalls,
  pullHighlights,
  pushHighlights,
  refetchHighlights,
  type SyncedHighlights,
} from "./sync-highlights.ts";
import { pause } from "./transport.ts";

/** The changes of the replica by one step of a sync, with unsent local changes on top. */
export interface SyncedChanges {
  added: LocalItem[];
  changed: LocalItem[];
  /** Ids of items. */
  deleted: string[];
  /** Local changes that the service refused, such as an invalid URL. They are not in the queue any more. */
  rejected: { change: Change; message: string }[];
  /** The same of highlights. */
  highlights: SyncedHighlights;
}

const nothing: SyncedChanges = {
  added: [],
  changed: [],
  deleted: [],
  rejected: [],
  highlights: { changed: [], deleted: [], rejected: [] },
};

export interface PushOptions {
  signal?: AbortSignal | undefined;
  /** Also sync the highlights of the user; the highlights of an added page are sent after the page. */
  highlights?: HighlightStore | undefined;
}

export interface SyncOptions extends PushOptions {
  /** Seconds between two syncs. Default: sync once. */
  follow?: number | undefined;
  /** Only send the queued changes; the replica has them after the next sync. */
  sendOnly?: boolean | undefined;
}

/** The calls that a sync makes. */
export interface SyncCalls extends HighlightCalls, SendCalls {
  stats(): Promise<Stats>;
}

/**
 * - `equal`: the replica has as many items, and as many unread ones, as the list
 * - `different`: it has not
 * - `outdated`: the list has changed since the last sync, so there is nothing to compare
 */
export type Comparison = "equal" | "different" | "outdated";

const firstWalk: Walk = { count: 500, page: 1, isOver: false };
/** A list is fetched again on larger pages up to this size; then it is taken as it is. */
const maxOnPage = 16_000;
/** Rounds of one sync in which a list is fetched again or compared. The next sync continues. */
const maxRounds = 6;

/** Brings a replica up to date, once or until `signal` aborts. */
export async function* syncStore(
  service: SyncCalls,
  store: Store,
  { signal, follow, sendOnly, highlights }: SyncOptions,
): AsyncGenerator<SyncedChanges, void, undefined> {
  /** As of the last `get`. */
  let highlightsUpdated: number | undefined;
  const calls: SyncCalls = {
    ...service,
    async get(query) {
      const list = await service.get(query);
      highlightsUpdated = list.highlightsUpdated;
      return list;
    },
  };
  for (;;) {
    yield* push(calls, store);
    for (let round = 0; round < maxRounds && !sendOnly; round++) {
      yield* fetchPages(calls, store, highlights);
      const counts = (await store.state()).walk && (await calls.stats());
      const isUnchanged = yield* pull(calls, store, highlights);
      if (await isWhole(store, counts, isUnchanged)) break;
    }
    // After the list, which a failure of these calls leaves up to date.
    const rejected = highlights ? await pushHighlights(calls, highlights) : [];
    if (rejected.length > 0) yield { ...nothing, highlights: { ...nothing.highlights, rejected } };
    if (sendOnly) return;
    // An older service has none.
    if (highlights && highlightsUpdated !== undefined) {
      const pulled = await pullHighlights(calls, highlights, highlightsUpdated);
      if (pulled.changed.length + pulled.deleted.length > 0) {
        yield { ...nothing, highlights: { ...nothing.highlights, ...pulled } };
      }
    }
    if (follow === undefined) return;
    await pause(1000 * follow, signal);
  }
}

/** Sends the queued changes in order and removes them from the store, which holds no replica. */
export async function* pushStore(
  calls: SyncCalls,
  store: Store,
  highlights: HighlightStore | undefined,
): AsyncGenerator<SyncedChanges, void, undefined> {
  yield* syncStore(calls, store, { sendOnly: true, highlights });
  if (highlights) await dequeueSent(highlights);
  const state = await store.state();
  const sent = (await store.queue()).filter(({ id }) => id <= state.sent);
  await store.commit({ state, dequeue: sent.map(({ id }) => id) });
}

/** Sends the queued changes in order. They stay in the queue, marked as sent, until a pull has brought their effect. */
async function* push(calls: SyncCalls, store: Store): AsyncGenerator<SyncedChanges> {
  // Unless this device's clock is ahead of the service's.
  let tellsTimes = true;
  for (;;) {
    const state = await store.state();
    const unsent = (await store.queue()).filter(({ id }) => id > state.sent);
    if (unsent.length === 0) return;
    const findItems = findInCopy(calls, store);
    const queued = unsent.map((each) => timed(each, tellsTimes));
    const outcome = await sendFirst(calls, queued, findItems);
    if (outcome.kind === "refused") {
      const {
        place,
        error: { message },
      } = outcome;
      const refused = unsent[place];
      if (tellsTimes && refused?.change.kind === "progress" && message.includes("future")) {
        tellsTimes = false;
        continue;
      }
      // The service has not applied it; without it, it will apply the rest.
      await store.commit({ state, dequeue: refused ? [refused.id] : [] });
      if (refused) yield rejection(refused.change, message);
      continue;
    }
    const { length } = outcome;
    const restored = unsent.slice(0, length).flatMap(({ change }) => (change.kind === "restore" ? [change] : []));
    const missing = restored.length === 0 ? [] : await findMissing(calls, store, restored);
    for (let left = missing.flatMap(toAdditions); left.length > 0; ) {
      const added = await sendFirst(calls, left, findItems);
      if (added.kind === "sent") left = left.slice(added.length);
      else {
        const [refused] = left.splice(added.place, 1);
        if (refused) yield rejection(refused, added.error.message);
      }
    }
    await store.commit({ state: { ...state, sent: unsent[length - 1]?.id ?? state.sent } });
  }
}

const rejection = (change: Change, message: string): SyncedChanges => ({
  ...nothing,
  rejected: [{ change, message }],
});

/** Progress has the time at which it was queued: another device may have later progress. */
const timed = ({ change, queuedAt }: QueuedChange, tellsTimes: boolean): Change =>
  change.kind === "progress" ? { ...change, time: tellsTimes ? (change.time ?? queuedAt) : undefined } : change;

/** Finds pages in the copy and the changes after it; without a whole copy, on the service. */
const findInCopy =
  (calls: SyncCalls, store: Store): FindItems =>
  async (urls) => {
    const { since, walk } = await store.state();
    const list = since === undefined || walk ? undefined : await unlessTooLarge(calls.get({ since }));
    if (!list || since === undefined || list.since < since) return findOnService(calls)(urls);
    return list.isComplete ? list.items : [...(await store.items()), ...list.items];
  };

/** Finds restored pages that the list lacks: they were not in the trash, or the service has no trash. */
async function findMissing(calls: SyncCalls, store: Store, restored: readonly DeletedPage[]): Promise<DeletedPage[]> {
  const { since } = await store.state();
  const found = new Set<string>();
  const note = (items: readonly Item[]) => {
    for (const { url } of items) found.add(toPageKey(url));
  };
  // A restoration changes a page after the last pull, so one call returns all restored pages.
  if (since !== undefined) {
    const list = await unlessTooLarge(calls.get({ since }));
    note((await store.items()).filter(({ itemId }) => list?.deleted[itemId] === undefined));
    if (list) note(list.items);
  } else for (const { url } of restored) note((await calls.get({ url })).items);
  return restored.filter(({ url }) => !found.has(toPageKey(url)));
}

/**
 * Fetches the whole list by pages, unless that is done, and commits each page.
 *
 * The sync continues from the `since` of the first page, so the next pull brings everything that changes or is deleted
 * meanwhile. It does not bring an unchanged item that has moved up to a page already fetched, because an item above it
 * was deleted. So the replica has nothing but items of the list then, but may lack some, until `isWhole` has compared
 * the counts.
 */
async function* fetchPages(
  calls: SyncCalls,
  store: Store,
  highlights: HighlightStore | undefined,
): AsyncGenerator<SyncedChanges> {
  for (;;) {
    const state = await store.state();
    const walk = state.walk ?? (state.since === undefined ? firstWalk : undefined);
    if (!walk || walk.isOver) return;
    const { count, page } = walk;
    const list = await unlessTooLarge(calls.get({ count, page }));
    if (!list) {
      await store.commit({ state: { ...state, walk: { ...firstWalk, count: Math.ceil(count / 2) } } });
      continue;
    }
    if (page === 1 && list.since < (state.since ?? 0)) {
      await startOver(store, state, highlights);
      continue;
    }
    const { isComplete } = list;
    const since = isComplete ? list.since : (state.since ?? list.since);
    const next = isComplete ? undefined : { count, page: page + 1, isOver: list.items.length < count };
    yield* take(store, { ...state, since, walk: next }, list, {
      replaces: isComplete || state.since === undefined,
      firstRank: (page - 1) * count,
    });
  }
}

/** Fetches the changes since the last pull. Returns whether nothing has changed. */
async function* pull(
  calls: SyncCalls,
  store: Store,
  highlights: HighlightStore | undefined,
): AsyncGenerator<SyncedChanges, boolean> {
  const state = await store.state();
  if (state.since === undefined) return false;
  const list = await unlessTooLarge(calls.get({ since: state.since }));
  // A `since` never goes back, unless the service was restored from a backup.
  if (!list || list.since < state.since) {
    await startOver(store, state, highlights);
    return false;
  }
  const { since, isComplete } = list;
  const next = { ...state, since, walk: isComplete ? undefined : state.walk };
  yield* take(store, next, list, { replaces: isComplete, firstRank: 0, showsSent: true });
  return list.isUnchanged;
}

/** Stores a response and yields the changes that it makes. */
async function* take(
  store: Store,
  state: SyncState,
  { items, deleted }: ItemList,
  { replaces, firstRank, showsSent = false }: { replaces: boolean; firstRank: number; showsSent?: boolean },
): AsyncGenerator<SyncedChanges> {
  const ids = new Set(items.map(({ itemId }) => itemId));
  const known = await store.items(replaces ? undefined : [...ids, ...Object.keys(deleted)]);
  const before = new Map(known.map((item) => [item.itemId, item]));
  const put = items.map((item, i) => toStoredItem(item, firstRank + i, before.get(item.itemId)));
  const remove = [...before.keys()].filter((id) => !ids.has(id));
  const queue = await store.queue();
  const isSent = ({ id }: { id: number }) => id <= state.sent;
  const dequeue = showsSent ? queue.filter(isSent).map(({ id }) => id) : [];
  await store.commit({ state, put, remove, dequeue });

  const news = put.filter((item) => fingerprint(item) !== fingerprint(before.get(item.itemId)));
  // The response is newer than all that was sent before it.
  const unsent = queue.filter((change) => !isSent(change));
  const shown = withChanges(news, unsent).filter(({ itemId }) => itemId !== undefined);
  const isKnown = ({ itemId = "" }: LocalItem) => before.has(itemId);
  const added = shown.filter((item) => !isKnown(item));
  const changed = shown.filter(isKnown);
  if (added.length + changed.length + remove.length > 0) yield { ...nothing, added, changed, deleted: remove };
}

/** An item with its highlights' places; existing ones stay. */
function toStoredItem(item: Item, rank: number, stored: StoredItem | undefined): StoredItem {
  const isSame = stored?.timeAdded.getTime() === item.timeAdded.getTime();
  const wasRead = stored?.state === "read";
  return {
    ...item,
    rank,
    orderAdded: (isSame ? stored?.orderAdded : undefined) ?? placeInOrder(item.timeAdded, rank),
    orderRead:
      item.state === "unread"
        ? undefined
        : ((wasRead ? stored?.orderRead : undefined) ?? placeInOrder(item.timeUpdated, rank)),
  };
}

const fingerprint = (item: Item | undefined) =>
  item &&
  JSON.stringify([item.url, item.title, item.tags, item.state, item.timeAdded, item.timeUpdated, item.progress]);

/**
 * Whether the replica is the list, judged by the list's counts as of before a pull that brought nothing new. If items are
 * missing, the list is fetched again into the same replica, on larger pages, until all of it is on one.
 */
async function isWhole(store: Store, counts: Stats | undefined, isUnchanged: boolean): Promise<boolean> {
  const state = await store.state();
  const { since, walk } = state;
  if (since === undefined) return false;
  if (!walk) return true;
  if (!counts || !isUnchanged) return false;
  const isDone = walk.count >= maxOnPage || (await isCount(store, counts));
  await store.commit({ state: { ...state, walk: isDone ? undefined : { ...firstWalk, count: 2 * walk.count } } });
  return isDone;
}

async function isCount(store: Store, { countList, countUnread }: Stats): Promise<boolean> {
  const items = await store.items();
  return items.length === countList && items.filter(({ state }) => state === "unread").length === countUnread;
}

/** Compares a replica with the counts of its list; if they differ, the next sync replaces it. */
export async function verifyStore(calls: SyncCalls, store: Store): Promise<Comparison> {
  const state = await store.state();
  if (state.since === undefined || state.walk) return "outdated";
  const counts = await calls.stats();
  // If nothing has changed by now, the counts are valid for the replica's `since`.
  const list = await calls.get({ since: state.since });
  const isRestored = list.since < state.since;
  if (!isRestored && !list.isUnchanged) return "outdated";
  if (!isRestored && (await isCount(store, counts))) return "equal";
  await startOver(store, state);
  return "different";
}

/**
 * Makes the next sync replace the replica. Marks the replica of highlights first, so that a crash leaves nothing out.
 */
async function startOver(store: Store, { sent }: SyncState, highlights?: HighlightStore): Promise<void> {
  if (highlights) await refetchHighlights(highlights);
  await store.commit({ state: { sent } });
}
