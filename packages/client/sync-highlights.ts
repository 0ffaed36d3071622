// SPDX-License-Identifier: MIT

import { ApiError, unlessTooLarge } from "./api-error.ts";
import type { Highlight, HighlightChange, HighlightList, HighlightQuery, RejectedHighlight } from "./highlight.ts";
import type { HighlightStore } from "./store.ts";

/** The changes of the replica of highlights by one step of a sync. */
export interface SyncedHighlights {
  /** Ids of highlights that are new or changed. */
  changed: string[];
  /** Ids. */
  deleted: string[];
  /** Local changes that the service refused. They stay in the queue, and `retryRefused` sends them again. */
  rejected: RejectedHighlight[];
}

/** The calls that a sync of highlights makes. */
export interface HighlightCalls {
  highlights(query: HighlightQuery): Promise<HighlightList>;
  /** Returns the changes that the service refuses; the others are applied. */
  sendHighlights(changes: readonly HighlightChange[]): Promise<RejectedHighlight[]>;
}

/** Changes of one call. */
const changesAtOnce = 99;
/** Highlights on a page of a replica that is fetched again. */
const firstPageSize = 1000;

/**
 * Sends the queued changes in order, and returns the refused ones: they stay in the queue, set aside, and do not block
 * others. All changes stay in it until a pull has returned their effect.
 */
export async function pushHighlights(calls: HighlightCalls, store: HighlightStore): Promise<RejectedHighlight[]> {
  // Unless this device's clock is ahead of the service's.
  let tellsTimes = true;
  const allRejected: RejectedHighlight[] = [];
  for (;;) {
    const state = await store.state();
    const unsent = (await store.queue()).filter(({ id }) => id > state.sent).slice(0, changesAtOnce);
    const last = unsent.at(-1);
    if (!last) return allRejected;
    const changes = unsent.map(({ change }) => (tellsTimes ? change : withoutTime(change)));
    const rejected = await unlessUnknown(calls.sendHighlights(changes));
    if (!rejected) return allRejected;
    const messages = new Map(rejected.map(({ change, message }) => [change, message]));
    if (tellsTimes && [...messages.values()].some((message) => message.includes("future"))) {
      tellsTimes = false;
      continue;
    }
    const refused = [...(state.refused ?? [])];
    for (const [place, { id, change }] of unsent.entries()) {
      const message = messages.get(changes[place] as HighlightChange);
      if (message === undefined) continue;
      refused.push(id);
      allRejected.push({ change, message });
    }
    await store.commit({ state: { ...state, sent: last.id, refused } });
  }
}

/** The answer of a call; undefined on an older service, which has no highlights. */
async function unlessUnknown<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ApiError && error.kind === "notFound") return undefined;
    throw error;
  }
}

function withoutTime(change: HighlightChange): HighlightChange {
  if (change.kind === "delete") return change;
  const { timeCreated: _, ...fields } = change;
  return fields;
}

/** Makes the next sync send the changes again that the service has refused, such as after a start of the app. */
export async function retryRefused(store: HighlightStore): Promise<void> {
  const state = await store.state();
  const [first] = state.refused ?? [];
  // Later changes are sent again, too, in their order, which is harmless.
  if (first !== undefined) await store.commit({ state: { ...state, sent: first - 1, refused: [] } });
}

/** Makes the next sync replace the replica. */
export async function refetchHighlights(store: HighlightStore): Promise<void> {
  const { since: _, ...state } = await store.state();
  await store.commit({ state });
}

/** Removes the sent changes from a queue, but not the refused ones. */
export async function dequeueSent(store: HighlightStore): Promise<void> {
  const dequeue = await sentIn(store);
  if (dequeue.length > 0) await store.commit({ state: await store.state(), dequeue });
}

async function sentIn(store: HighlightStore): Promise<number[]> {
  const { sent, refused = [] } = await store.state();
  return (await store.queue()).map(({ id }) => id).filter((id) => id <= sent && !refused.includes(id));
}

/**
 * Fetches the changes since the last pull, if there are any. `updated`: `highlightsUpdated` of a `get`. Returns the ids
 * of changed and deleted highlights.
 */
export async function pullHighlights(
  calls: HighlightCalls,
  store: HighlightStore,
  updated: number,
): Promise<Omit<SyncedHighlights, "rejected">> {
  const state = await store.state();
  const { since } = state;
  const dequeue = await sentIn(store);
  const hasNews = updated > (since ?? 0) || dequeue.length > 0;
  if (since !== undefined && !hasNews) return { changed: [], deleted: [] };
  const news = hasNews ? await fetchNews(calls, since) : { ...whole, highlights: [], since: 0 };
  const put = news.highlights;
  const ids = new Set(put.map(({ id }) => id));
  const gone = new Set(Object.keys(news.deletedItems));
  const remove = (await store.highlights())
    .filter(({ id, itemId }) => !ids.has(id) && (news.isComplete || id in news.deleted || gone.has(itemId)))
    .map(({ id }) => id);
  await store.commit({ state: { ...state, since: news.since }, put, remove, dequeue });
  return { changed: [...ids], deleted: remove };
}

type News = Pick<HighlightList, "highlights" | "deleted" | "deletedItems" | "since" | "isComplete">;
const whole = { deleted: {}, deletedItems: {}, isComplete: true };

async function fetchNews(calls: HighlightCalls, since: number | undefined): Promise<News> {
  const news = since === undefined ? undefined : await unlessTooLarge(calls.highlights({ since }));
  return news ?? { ...whole, ...(await fetchAll(calls)) };
}

/** All highlights, page by page. Their `since` is 0 if pages have changed meanwhile: then the next pull fetches all again. */
async function fetchAll(calls: HighlightCalls): Promise<{ highlights: Highlight[]; since: number }> {
  for (let count = firstPageSize; ; count = Math.ceil(count / 2)) {
    const highlights: Highlight[] = [];
    let since = Number.POSITIVE_INFINITY;
    for (let page = 1; ; page++) {
      const list = await unlessTooLarge(calls.highlights({ count, page }));
      if (!list) break;
      highlights.push(...list.highlights);
      since = Math.min(since, list.since);
      if (list.isComplete || list.highlights.length < count) return { highlights, since };
    }
  }
}
