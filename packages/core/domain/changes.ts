// SPDX-License-Identifier: MIT

import { ServiceError } from "../errors.ts";
import { type Item, type ItemContent, type ItemWrite, isInTrash, type Progress } from "./item.ts";
import { toItemId } from "./item-id.ts";
import { countCharacters, isLongerThan, maxLengths } from "./page-fields.ts";
import { normaliseTags, tagsIn } from "./tags.ts";

/** One requested change of a list, its URL resolved to an item id. */
export type Change =
  | ({ kind: "add"; itemId: string; url: string; timeAdded: number | undefined } & Record<
      "title" | "tags" | "refId",
      string | undefined
    >)
  | { kind: "read" | "unread"; itemId: string }
  | { kind: "title"; itemId: string; title: string }
  | { kind: "tags"; itemId: string; tags: string }
  | TagChange
  | { kind: "progress"; itemId: string; percent: number; anchor: string; selector?: string; time: number | undefined }
  | { kind: "delete" | "restore"; itemId: string };

/**
 * Tags that an item gains and loses, regardless of its other tags; a tag that is in both is gained. `entry` is the
 * caller's name for them in the error for tags that become too long.
 */
export interface TagChange {
  kind: "retag";
  itemId: string;
  add: readonly string[];
  remove: readonly string[];
  entry?: string;
}

/** The fields that `add` and the entries of `new` share; `url` is valid, `tags` are normalised. */
interface AddedPage {
  url: string;
  title?: string | undefined;
  tags?: string | undefined;
  ref_id?: string | undefined;
  time_added?: number | undefined;
}

/** The change that adds a page. */
export function parseAddition({ url, title, tags, ref_id: refId, time_added: timeAdded }: AddedPage): Change {
  return { kind: "add", itemId: toItemId(url), url, title, tags, refId, timeAdded };
}

/** The item after a change at `now`; undefined if the page is not in the list and the change does not add it. */
function changed(
  item: ItemContent | undefined,
  change: Exclude<Change, TagChange>,
  applicationId: string,
  now: number,
): ItemContent | undefined {
  if (change.kind === "add") {
    const { itemId, url, title, tags, refId } = change;
    return item
      ? { ...item, state: "0", title: title ?? item.title, tags: tags ?? item.tags, refId: refId ?? item.refId }
      : { itemId, url, title: title ?? url, tags: tags ?? "", state: "0", applicationId, refId, isDeleted: false };
  }
  if (!item) return undefined;
  switch (change.kind) {
    case "read":
      return { ...item, state: "1" };
    case "unread":
      return { ...item, state: "0" };
    case "title":
      return { ...item, title: change.title };
    case "tags":
      return { ...item, tags: change.tags };
    case "progress":
      return { ...item, progress: progressAfter(item.progress, change, now) };
    case "delete":
      return { ...item, isDeleted: true, trashedState: item.state };
    case "restore":
      return item;
  }
}

/**
 * The later of two places, so that a device that was offline does not set a reader back. Equal places are the stored one.
 * A stored time after `now` is of a clock that was ahead.
 */
function progressAfter(
  stored: Progress | undefined,
  change: Extract<Change, { kind: "progress" }>,
  now: number,
): Progress {
  const { percent, anchor, selector, time = now } = change;
  const given = { percent, anchor, ...(selector && { selector }), time };
  return stored && (time < Math.min(stored.time, now) || isSamePlace(stored, given)) ? stored : given;
}

const isSamePlace = (a: Progress | undefined, b: Progress | undefined) =>
  a?.percent === b?.percent && a?.anchor === b?.anchor && a?.selector === b?.selector;

/**
 * The tags after changes in order. Only the result must fit: a full list can rename a tag. The work is linear. Throws
 * `invalid` if they become too long; it names the change that gives the first tag for which there is no room.
 */
function retagged(tags: string, changes: readonly TagChange[]): string {
  const before = new Set(tagsIn(tags));
  const after = new Set(before);
  for (const { add, remove } of changes) {
    for (const tag of remove) after.delete(tag);
    for (const tag of add) after.add(tag);
  }
  const result = [...after].join();
  if (!isLongerThan(result, maxLengths.tags)) return normaliseTags(result);
  let length = -1;
  for (const tag of after) {
    length += 1 + countCharacters(tag);
    if (length <= maxLengths.tags || before.has(tag)) continue;
    const entry = changes.findLast(({ add }) => add.includes(tag))?.entry;
    throw new ServiceError(
      "invalid",
      `${entry ? `${entry}: ` : ""}the tags of a page must be at most ${maxLengths.tags} characters together`,
    );
  }
  // An older version stored them.
  return result;
}

const isLive = (item: ItemContent | undefined) => item !== undefined && !item.isDeleted;

const isSame = (a: ItemContent, b: ItemContent) =>
  a.state === b.state && a.title === b.title && a.tags === b.tags && a.isDeleted === b.isDeleted;

/**
 * The ids of the items that changes name, in the order in which they are written: the one added last comes last. Those
 * with a `time_added` come first, ordered by it.
 */
export function orderItems(changes: readonly Change[]): string[] {
  const times = new Map<string, number>();
  for (const change of changes) {
    const { itemId } = change;
    const time = times.get(itemId) ?? (change.kind === "add" ? sortTime(change.timeAdded) : sortTime(undefined));
    // A Map keeps the position of an existing key: remove it, so that the last addition decides the order.
    if (change.kind === "add") times.delete(itemId);
    times.set(itemId, time);
  }
  return [...times].sort(([, a], [, b]) => a - b).map(([itemId]) => itemId);
}

/**
 * The write that carries out the changes of one item in order at `now`; undefined if they alter nothing, so that a
 * retried request is harmless. Changes of a page that is not in the list are ignored, and so is the restoration of a
 * page that is not in the trash. A page that is added again always moves to the top.
 */
export function planWrite(
  before: Item | undefined,
  changes: readonly Change[],
  applicationId: string,
  now: number,
): ItemWrite | undefined {
  const isRestored = before !== undefined && isInTrash(before, now) && changes[0]?.kind === "restore";
  const start: ItemContent | undefined = isRestored ? restored(before) : before;
  let after = start;
  let timeAdded: number | undefined;
  /** Changes of tags that follow each other. */
  let tagChanges: TagChange[] = [];
  const retag = () => {
    if (after && !after.isDeleted && tagChanges.length > 0)
      after = { ...after, tags: retagged(after.tags, tagChanges) };
    tagChanges = [];
  };
  for (const change of changes) {
    if (change.kind === "retag") {
      tagChanges.push(change);
      continue;
    }
    retag();
    const live: ItemContent | undefined = isLive(after) ? after : undefined;
    after = changed(live, change, applicationId, now) ?? after;
    if (change.kind !== "add" || live) continue;
    timeAdded = change.timeAdded;
    // Later changes of the request are compared with the progress in the trash, which passes to the new item.
    if (before && isInTrash(before, now) && after) after = { ...after, progress: before.progress };
  }
  retag();
  if (!after || (!isLive(before) && !isLive(after))) return undefined;
  if (isRestored) return { before, after, isRestored };
  const isAdded = changes.some(({ kind }) => kind === "add");
  const isChanged = !before || !isLive(before) || isAdded || !isSame(before, after);
  if (!isChanged && isSamePlace(after.progress, before.progress)) return undefined;
  return {
    before,
    after,
    ...(timeAdded !== undefined && { original: { timeAdded, timeUpdated: undefined } }),
    ...(!isChanged && { isProgressAlone: true }),
  };
}

/** An item of the trash as it was before its deletion. */
const restored = ({ trashedState, ...item }: Item): Item => ({
  ...item,
  state: trashedState ?? item.state,
  isDeleted: false,
});

/** The order of writes in a transaction: new items with their own times first. */
export const byTimeAdded = (a: ItemWrite, b: ItemWrite): number =>
  sortTime(a.original?.timeAdded) - sortTime(b.original?.timeAdded);

const sortTime = (timeAdded: number | undefined) => timeAdded ?? Number.MAX_SAFE_INTEGER;
