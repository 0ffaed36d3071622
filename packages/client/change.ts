// SPDX-License-Identifier: MIT

import { canonicalForm } from "@reading-list/core/domain/canonical-form.ts";
import type { Item } from "./item.ts";

/** Optional facts of a page that is added. */
export interface PageDetails {
  title?: string | undefined;
  /** In place of the tags that the page has in the list. */
  tags?: readonly string[] | undefined;
  /** Id of the message that held the link. */
  refId?: string | undefined;
  /** When a page that is not in the list was added elsewhere, such as in an import. Not later than now; to the second. */
  timeAdded?: Date | undefined;
}

type PriorItem = Pick<Item, "url" | "title" | "tags" | "state" | "timeAdded" | "progress">;

/** A deleted page, with the fields by which it is added if the service cannot restore it. */
export type DeletedPage = { kind: "restore"; url: string; isRead?: boolean | undefined } & Pick<
  PageDetails,
  "title" | "tags" | "timeAdded"
>;

/**
 * A change of the tags of a page: a difference, or without `add` and `remove` a whole set, which drops tags that other
 * devices have added. With a difference `tags` are all tags that the page has then on this device, which an earlier
 * version that shares the queue sends.
 */
export interface TagsChange {
  kind: "tags";
  url: string;
  tags: readonly string[];
  /** Tags that the page gains, and tags that it loses; its other tags stay. A tag that is in both is gained. */
  add?: readonly string[] | undefined;
  remove?: readonly string[] | undefined;
}

/**
 * A change of a list. `add` of a page that is in the list makes it unread and moves it to the top. `restore` brings a
 * page back from the trash; a store's `sync` and `push` add it with its known fields if it is no longer in the trash.
 * `time` of `progress` is the time at which the reader reached the place, not later than now: by default when the
 * change is queued, or sent.
 */
export type Change =
  | DeletedPage
  | { kind: "progress"; url: string; percent: number; anchor?: string | undefined; time?: Date | undefined }
  | ({ kind: "add"; url: string } & PageDetails)
  | { kind: "read"; url: string }
  | { kind: "title"; url: string; title: string }
  | TagsChange
  | { kind: "delete"; url: string };

type TagDifference = TagsChange & (Required<Pick<TagsChange, "add">> | Required<Pick<TagsChange, "remove">>);

/** Whether tags change by a difference. */
export const isDifference = (change: Change): change is TagDifference =>
  change.kind === "tags" && (change.add !== undefined || change.remove !== undefined);

/** The change by which a page that has some tags has others, as a difference; none if they are the same ones. */
export function changeTags({ url, tags: before }: Pick<Item, "url" | "tags">, tags: readonly string[]): TagsChange[] {
  const add = tags.filter((tag) => !before.includes(tag));
  const remove = before.filter((tag) => !tags.includes(tag));
  return add.length + remove.length === 0 ? [] : [{ kind: "tags", url, tags, add, remove }];
}

/** The tags of a page after a change of them. */
export function tagsAfter(before: readonly string[], change: TagsChange): string[] {
  if (!isDifference(change)) return [...change.tags];
  const { add = [], remove = [] } = change;
  return [...new Set([...before.filter((tag) => !remove.includes(tag)), ...add])];
}

/** The changes that restore an item after a change; `before` is undefined if it was not in the list. */
export function invertChange(change: Change, before: PriorItem | undefined): Change[] {
  const { kind, url } = change;
  if (!before) return kind === "add" || kind === "restore" ? [{ kind: "delete", url }] : [];
  const { title, tags, state, timeAdded, progress } = before;
  if (kind === "restore") return [];
  if (kind === "progress") return [{ kind, url, percent: 0, ...progress }];
  if (kind === "title") return [{ kind, url, title }];
  if (kind === "tags") return changeTags({ url, tags: tagsAfter(tags, change) }, tags);
  const isRead = state === "read";
  if (kind === "delete") return [{ kind: "restore", url: before.url, title, tags, timeAdded, isRead }];
  const archived: Change[] = isRead ? [{ kind: "read", url }] : [];
  // Without title and tags, which another device may have changed.
  if (change.kind !== "add") return [{ kind: "add", url: before.url, timeAdded }, ...archived];
  return [
    ...(change.title ? [{ kind: "title" as const, url, title }] : []),
    ...(change.tags?.length ? changeTags({ url, tags: [...change.tags] }, tags) : []),
    ...archived,
  ];
}

/** The parameters of `send`, in the order in which the service applies them. */
const parameters = [
  "restore",
  "new",
  "read",
  "update_title",
  "update_tags",
  "add_tags",
  "remove_tags",
  "update_progress",
  "delete",
] as const;
type Parameter = (typeof parameters)[number];
const parameterOf = {
  restore: "restore",
  add: "new",
  read: "read",
  title: "update_title",
  progress: "update_progress",
  delete: "delete",
} as const satisfies Record<Exclude<Change["kind"], "tags">, Parameter>;

/** The place of a change in that order. Differences of tags may follow each other in any order. */
function findRank(change: Change): number {
  if (change.kind !== "tags") return parameters.indexOf(parameterOf[change.kind]);
  return parameters.indexOf(isDifference(change) ? "add_tags" : "update_tags");
}

const rankOfRestore = parameters.indexOf("restore");

/** The changes that add a deleted page with its known fields. */
export const toAdditions = ({ url, title, tags, timeAdded, isRead }: DeletedPage): Change[] => [
  { kind: "add", url, title, tags, timeAdded },
  ...(isRead ? [{ kind: "read" as const, url }] : []),
];

const maxEntries = 1000;
/** A deployed service takes a form of about 4.5 MB. */
const maxBytes = 4_000_000;

/** Tags of differences in one request; a service takes 100,000. */
const maxTags = 50_000;

const writeSeconds = (time: Date) => String(Math.floor(time.getTime() / 1000));

/** The parameters of `add`, or an entry of `new`. */
export const writeAddition = (url: string, { title, tags, refId, timeAdded }: PageDetails) => ({
  url,
  ...(title && { title }),
  ...(tags?.length && { tags: tags.join(",") }),
  ...(refId && { ref_id: refId }),
  ...(timeAdded && { time_added: writeSeconds(timeAdded) }),
});

function writeEntry(change: Change): Record<string, string> {
  const { kind, url } = change;
  if (kind === "add") return writeAddition(url, change);
  if (kind === "progress") {
    const { percent, anchor, time } = change;
    return { url, progress: String(percent), ...(anchor && { anchor }), ...(time && { time: writeSeconds(time) }) };
  }
  if (kind === "title") return { url, title: change.title };
  return { url };
}

/** The entries of a change, by parameter. `later`: the tags that later changes of the page in the same request name. */
function writeEntries(change: Change, later?: ReadonlySet<string>): [Parameter, Record<string, string>][] {
  const { url } = change;
  if (change.kind !== "tags") return [[parameterOf[change.kind], writeEntry(change)]];
  if (!isDifference(change)) return [["update_tags", { url, tags: change.tags.join() }]];
  const { add = [], remove = [] } = change;
  // The service adds all tags of a request before it removes any.
  const added = add.filter((tag) => !later?.has(tag));
  const removed = remove.filter((tag) => !later?.has(tag) && !add.includes(tag));
  const entries: [Parameter, Record<string, string>][] = [];
  if (added.length > 0) entries.push(["add_tags", { url, tags: added.join() }]);
  if (removed.length > 0) entries.push(["remove_tags", { url, tags: removed.join() }]);
  return entries;
}

/** The same for all URLs that are one item. */
export function toPageKey(url: string): string {
  try {
    return canonicalForm(url);
  } catch {
    return url;
  }
}

const encodedLength = (text: string) => new URLSearchParams([["", text]]).toString().length;

/** A part of some changes that fits into one request. */
export interface Batch {
  form: Record<string, string>;
  /** Number of changes, counted from the first one. */
  length: number;
  /** The place among the changes of an entry that the service names, such as entry 3 of `new`. */
  placeOf: (parameter: string, entry: number) => number | undefined;
}

/**
 * The longest batch that begins with the first change. It ends before a change that the service would apply before an
 * earlier change of the same page, such as an `add` after a `delete`, and before another change of a page that it
 * restores, which may have to be added then.
 */
export function firstBatch(changes: readonly Change[]): Batch {
  const rankOfPage = new Map<string, number>();
  const pages: string[] = [];
  let [bytes, tags] = [0, 0];
  for (const change of changes.slice(0, maxEntries)) {
    const rank = findRank(change);
    const page = toPageKey(change.url);
    // With the encoded comma that follows each.
    for (const [, entry] of writeEntries(change)) bytes += encodedLength(JSON.stringify(entry)) + 3;
    if (isDifference(change)) tags += (change.add?.length ?? 0) + (change.remove?.length ?? 0);
    const before = rankOfPage.get(page) ?? Number.NEGATIVE_INFINITY;
    const isOver = tags > maxTags || bytes > maxBytes || rank < before || (before === rankOfRestore && rank > before);
    if (pages.length > 0 && isOver) break;
    rankOfPage.set(page, rank);
    pages.push(page);
  }
  const entries = new Map<string, { json: string; place: number }[]>(parameters.map((name) => [name, []]));
  const laterTags = new Map<string, Set<string>>();
  for (let place = pages.length - 1; place >= 0; place--) {
    const [change, page] = [changes[place] as Change, pages[place] as string];
    const later = laterTags.get(page);
    for (const [parameter, entry] of writeEntries(change, later)) {
      entries.get(parameter)?.push({ json: JSON.stringify(entry), place });
    }
    if (!isDifference(change)) continue;
    const named = later ?? new Set<string>();
    for (const tag of [...(change.add ?? []), ...(change.remove ?? [])]) named.add(tag);
    laterTags.set(page, named);
  }
  for (const each of entries.values()) each.reverse();
  const form = Object.fromEntries(
    [...entries].flatMap(([name, each]) =>
      each.length > 0 ? [[name, `[${each.map(({ json }) => json).join()}]`]] : [],
    ),
  );
  return { form, length: pages.length, placeOf: (parameter, entry) => entries.get(parameter)?.[entry]?.place };
}
