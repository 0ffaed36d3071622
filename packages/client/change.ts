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
 * A change of a list. `add` of a page that is in the list makes it unread and moves it to the top. `restore` brings a page
 * back from the trash; a store's `sync` and `push` add it with what is known of it if it is not there any more. `time` of
 * `progress` is when the place was reached, not later than now: by default when the change is queued, or sent.
 */
export type Change =
  | DeletedPage
  | { kind: "progress"; url: string; percent: number; anchor?: string | undefined; time?: Date | undefined }
  | ({ kind: "add"; url: string } & PageDetails)
  | { kind: "read"; url: string }
  | { kind: "title"; url: string; title: string }
  | { kind: "tags"; url: string; tags: readonly string[] }
  | { kind: "delete"; url: string };

/** The changes that restore an item after a change; `before` is undefined if it was not in the list. */
export function oppositeOf(change: Change, before: PriorItem | undefined): Change[] {
  const { kind, url } = change;
  if (!before) return kind === "add" || kind === "restore" ? [{ kind: "delete", url }] : [];
  const { title, tags, state, timeAdded, progress } = before;
  if (kind === "restore") return [];
  if (kind === "progress") return [{ kind, url, percent: 0, ...progress }];
  if (kind === "title") return [{ kind, url, title }];
  if (kind === "tags") return [{ kind, url, tags }];
  const isRead = state === "read";
  if (kind === "delete") return [{ kind: "restore", url: before.url, title, tags, timeAdded, isRead }];
  const archived: Change[] = isRead ? [{ kind: "read", url }] : [];
  if (change.kind !== "add") return [{ kind: "add", url: before.url, title, tags, timeAdded }, ...archived];
  return [
    ...(change.title ? [{ kind: "title" as const, url, title }] : []),
    ...(change.tags?.length ? [{ kind: "tags" as const, url, tags }] : []),
    ...archived,
  ];
}

/** The parameters of `send`, in the order in which the service applies them. */
const parameters = ["restore", "new", "read", "update_title", "update_tags", "update_progress", "delete"] as const;
const ranks = {
  ...{ restore: 0, add: 1, read: 2, title: 3, tags: 4, progress: 5, delete: 6 },
} satisfies Record<Change["kind"], number>;

/** The changes that add a deleted page with what is known of it. */
export const additionsOf = ({ url, title, tags, timeAdded, isRead }: DeletedPage): Change[] => [
  { kind: "add", url, title, tags, timeAdded },
  ...(isRead ? [{ kind: "read" as const, url }] : []),
];

const maxEntries = 1000;
/** A deployed service takes a form of about 4.5 MB. */
const maxBytes = 4_000_000;

const secondsOf = (time: Date) => String(Math.floor(time.getTime() / 1000));

/** The parameters of `add`, or an entry of `new`. */
export const additionOf = (url: string, { title, tags, refId, timeAdded }: PageDetails) => ({
  url,
  ...(title && { title }),
  ...(tags?.length && { tags: tags.join(",") }),
  ...(refId && { ref_id: refId }),
  ...(timeAdded && { time_added: secondsOf(timeAdded) }),
});

function entryOf(change: Change): Record<string, string> {
  const { kind, url } = change;
  if (kind === "add") return additionOf(url, change);
  if (kind === "progress") {
    const { percent, anchor, time } = change;
    return { url, progress: String(percent), ...(anchor && { anchor }), ...(time && { time: secondsOf(time) }) };
  }
  if (kind === "title") return { url, title: change.title };
  return kind === "tags" ? { url, tags: change.tags.join(",") } : { url };
}

/** The same for all URLs that are one item. */
export function pageKeyOf(url: string): string {
  try {
    return canonicalForm(url);
  } catch {
    return url;
  }
}

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
  const entries = parameters.map((): string[] => []);
  const places = parameters.map((): number[] => []);
  const rankOfPage = new Map<string, number>();
  let bytes = 0;
  let length = 0;
  for (const change of changes.slice(0, maxEntries)) {
    const rank = ranks[change.kind];
    const page = pageKeyOf(change.url);
    const entry = JSON.stringify(entryOf(change));
    // With the encoded comma that follows it.
    bytes += new URLSearchParams([["", entry]]).toString().length + 3;
    const before = rankOfPage.get(page) ?? Number.NEGATIVE_INFINITY;
    if (length > 0 && (bytes > maxBytes || rank < before || (before === ranks.restore && rank > before))) break;
    rankOfPage.set(page, rank);
    entries[rank]?.push(entry);
    places[rank]?.push(length++);
  }
  const form = Object.fromEntries(
    parameters.flatMap((name, rank) => (entries[rank]?.length ? [[name, `[${entries[rank].join()}]`]] : [])),
  );
  const placeOf = (parameter: string, entry: number) => places[parameters.indexOf(parameter as "new")]?.[entry];
  return { form, length, placeOf };
}
