// SPDX-License-Identifier: MIT

import type { z } from "zod";
import { highlights } from "../../contract/highlights.ts";
import {
  countHighlightBytes,
  type Highlight,
  type HighlightChange,
  type HighlightedItem,
  invalid,
  shownHighlight,
} from "../../domain/highlights.ts";
import { toItemId } from "../../domain/item-id.ts";
import { countItemCalls } from "../../domain/list-pages.ts";
import { chooseLaterSince } from "../../domain/walks.ts";
import { unixTime } from "../../ports/clock.ts";
import type { User } from "../../ports/users.ts";
import { checkTime } from "../lists/apply-changes.ts";
import { countChangeCalls, type HighlightPorts, saveHighlights } from "../lists/save-highlights.ts";
import {
  type Caller,
  type DeletedEntry,
  defineEndpoint,
  type EntryParts,
  type ListEntry,
  type UseCase,
} from "../use-case.ts";
import { countSkipped, findStart, isLaterPage } from "./get.ts";

type Input = z.output<typeof highlights.input>;

type ShownHighlight = Highlight & { url: string };

/** The highlights, or their changes, and the `since` that continues from there. */
interface SyncedHighlights {
  unchanged: boolean;
  since: number;
  isComplete: boolean;
  list: EntryParts<ShownHighlight>;
  deleted: EntryParts<DeletedEntry>;
  deletedItems: EntryParts<DeletedEntry>;
}

/** The part of a user's highlights that a call asks for. */
interface Range {
  /** Only changes after it; all if undefined. */
  after: number | undefined;
  itemId: string | undefined;
  skip: number;
  limit: number | undefined;
}

/** Bytes of a page of highlights in memory; answers have at most 6 MB, compressed. */
const maxBytesOfPage = 30_000_000;

const listChanges = ({ save = [], delete: deleted = [] }: Input): HighlightChange[] => [
  ...save.map((change, place) => ({ ...change, name: `save.${place}` })),
  ...deleted,
];

const isChange = ({ save, delete: deleted }: Input) => save !== undefined || deleted !== undefined;

const toRange = (input: Input, user: User, now: number): Range => ({
  after: findStart(input, user, now, "highlights"),
  itemId: input.url && toItemId(input.url),
  skip: countSkipped(input),
  limit: input.count,
});

/**
 * The calls that a listing counts before it is read: for the highlights that it may show, and for the ones that it
 * skips. The number of changes is not known in advance.
 */
function countRangeCalls({ highlights: size }: User, { after, itemId, skip, limit = size }: Range): number {
  if (after !== undefined || itemId !== undefined) return 1;
  return countItemCalls(Math.max(0, Math.min(size, skip + limit)));
}

/**
 * Changes the user's highlights, or lists them (docs/api.md 4.14); undefined after a change. A change counts as a `send`
 * of as many items, a listing as a `get`.
 */
const manageHighlights: UseCase<Input, SyncedHighlights | undefined, HighlightPorts> = {
  calls: (input) => countChangeCalls(listChanges(input)),

  sync: (input) =>
    isChange(input)
      ? undefined
      : { beginsWalk: input.count !== undefined && !isLaterPage(input), since: input.since, part: "highlights" },

  countCalls: ({ clock }, input, { user }) =>
    isChange(input)
      ? countChangeCalls(listChanges(input))
      : countRangeCalls(user, toRange(input, user, unixTime(clock))),

  begin: (deps, input) => async (caller) => {
    if (!isChange(input)) return listHighlights(deps, caller, input);
    for (const [place, change] of (input.save ?? []).entries()) {
      if (change.kind === "save")
        checkTime(unixTime(deps.clock), change.fields.timeCreated, `highlights: save.${place}.time_created`);
    }
    await saveHighlights(deps, caller.user, listChanges(input));
    return undefined;
  },
};

async function listHighlights(deps: HighlightPorts, caller: Caller, input: Input): Promise<SyncedHighlights> {
  const { user } = caller;
  const range = toRange(input, user, unixTime(deps.clock));
  const { after, itemId, skip, limit } = range;
  const nothing = { list: [], deleted: [], deletedItems: [] };
  if (after !== undefined && user.clock.highlightsAt <= after) {
    return { unchanged: true, since: user.clock.lastSince, isComplete: false, ...nothing };
  }
  const isFirst = skip === 0;
  const visible = await deps.highlights.visibleUpTo(user, isFirst && limit !== undefined);
  // An item that changes during the call hides its previous time, which an earlier answer may have contained.
  const asOf = Math.max(visible, Math.min(after ?? 0, user.clock.lastSince));
  const isComplete =
    after === undefined && itemId === undefined && isFirst && (limit === undefined || user.highlights <= limit);
  const reader = new HighlightReader(deps, caller, range, asOf);
  const deletions = {
    deleted: after === undefined ? [] : reader.deleted(after),
    deletedItems: after === undefined ? [] : reader.deletedItems(after),
  };
  if (limit === undefined || isComplete) {
    return { unchanged: false, since: asOf, isComplete, list: reader.list(), ...deletions };
  }
  const list = await reader.page(skip, limit);
  if (isFirst) return { unchanged: false, since: asOf, isComplete, list: [list], ...deletions };
  const leftAt = (await deps.highlights.current(user)).clock.highlightsAt;
  const since = chooseLaterSince(user.walks, { now: unixTime(deps.clock), asOf, after, leftAt });
  return { unchanged: false, since, isComplete, list: [list], ...deletions };
}

/** Reads the highlights of one answer, some at a time, and counts the ones that the call has not counted yet. */
class HighlightReader {
  readonly #deps: HighlightPorts;
  readonly #caller: Caller;
  readonly #range: Range;
  readonly #asOf: number;
  readonly #items = new Map<string, HighlightedItem | undefined>();
  #read = 0;
  #counted: number;

  constructor(deps: HighlightPorts, caller: Caller, range: Range, asOf: number) {
    this.#deps = deps;
    this.#caller = caller;
    this.#range = range;
    this.#asOf = asOf;
    this.#counted = countRangeCalls(caller.user, range);
  }

  /** All highlights of the range, newest change first; then the highlights that came back with their items. */
  async *list(): AsyncGenerator<ShownHighlight[]> {
    const { highlights: store } = this.#deps;
    const { user } = this.#caller;
    const { after, itemId, skip, limit } = this.#range;
    const atOnce = limit && skip + limit;
    if (itemId !== undefined) {
      for await (const found of store.walkItem(user, itemId)) yield await this.#show(found);
      return;
    }
    if (after !== undefined) {
      // A later page also has the changes since its walk began: they have moved to the top, and others down.
      const upTo = skip > 0 ? undefined : this.#asOf;
      for await (const found of store.walk(user, { kind: "live", after, upTo, atOnce })) yield await this.#show(found);
      for await (const items of store.walkItems(user, "restored", { after, upTo: this.#asOf })) {
        for (const { itemId, highlightsToldAt = 0 } of items) {
          if (highlightsToldAt <= after || highlightsToldAt > this.#asOf) continue;
          for await (const found of store.walkItem(user, itemId)) {
            yield await this.#show(found.filter(({ timeUpdated }) => timeUpdated <= after));
          }
        }
      }
      return;
    }
    const { lastSince } = user.clock;
    const isWhole = limit === undefined;
    const listed = new Set<string>();
    for await (const found of store.walk(user, { kind: "live", upTo: isWhole ? lastSince : undefined, atOnce })) {
      if (isWhole) for (const { id } of found) listed.add(id);
      yield await this.#show(found);
    }
    if (!isWhole) return;
    // A client drops highlights that a complete list lacks: a highlight that changed meanwhile has moved to the top.
    for await (const found of store.walk(user, { kind: "live", after: lastSince })) {
      yield await this.#show(found.filter(({ id }) => !listed.has(id)));
    }
  }

  /** A page of that list. Throws `invalid` if it is too long. */
  async page(skip: number, limit: number): Promise<ShownHighlight[]> {
    const page: ShownHighlight[] = [];
    let bytes = 0;
    let above = 0;
    for await (const part of this.list()) {
      const wanted = part.slice(Math.max(0, skip - above), Math.max(0, skip + limit - above));
      above += part.length;
      page.push(...wanted);
      bytes += wanted.reduce((sum, each) => sum + countHighlightBytes(each), 0);
      if (bytes > maxBytesOfPage) throw invalid("the page is too large for one response; use a smaller count");
      if (above >= skip + limit) break;
    }
    return page;
  }

  async *deleted(after: number): AsyncGenerator<DeletedEntry[]> {
    const { itemId } = this.#range;
    const span = { kind: "deleted", after, upTo: this.#asOf } as const;
    for await (const found of this.#deps.highlights.walk(this.#caller.user, span)) {
      await this.#countRead(found.length);
      const own = found.filter((each) => itemId === undefined || each.itemId === itemId);
      yield own.map(({ id, timeUpdated }) => ({ id, time: String(timeUpdated) }));
    }
  }

  async *deletedItems(after: number): AsyncGenerator<DeletedEntry[]> {
    const { itemId } = this.#range;
    const span = { after, upTo: this.#asOf };
    for await (const items of this.#deps.highlights.walkItems(this.#caller.user, "deleted", span)) {
      await this.#countRead(items.length);
      const own = items.filter((each) => each.hasHighlights && (itemId === undefined || each.itemId === itemId));
      yield own.map((item) => ({ item_id: item.itemId, time: String(item.timeUpdated) }));
    }
  }

  /** Those whose items are in the list, and that are in the range. */
  async #show(found: readonly Highlight[]): Promise<ShownHighlight[]> {
    await this.#countRead(found.length);
    const unknown = [...new Set(found.map(({ itemId }) => itemId))].filter((itemId) => !this.#items.has(itemId));
    const items = unknown.length === 0 ? new Map() : await this.#deps.items.find(this.#caller.user.username, unknown);
    for (const id of unknown) this.#items.set(id, itemForListing(items.get(id)));
    const { after } = this.#range;
    return found.flatMap(
      (each) => shownHighlight(each, this.#items.get(each.itemId), { after, asOf: this.#asOf }) ?? [],
    );
  }

  async #countRead(highlights: number): Promise<void> {
    this.#read += highlights;
    const further = countItemCalls(this.#read) - this.#counted;
    if (further <= 0) return;
    this.#counted += further;
    await this.#caller.countFurther(further);
  }
}

/** The part of an item that a listing needs: there may be 50,000. */
const itemForListing = (item: HighlightedItem | undefined): HighlightedItem | undefined =>
  item && {
    itemId: item.itemId,
    url: item.url,
    isDeleted: item.isDeleted,
    highlightsToldAt: item.highlightsToldAt,
  };

export const endpoint = defineEndpoint({
  contract: highlights,
  useCase: manageHighlights,
  writeFields: (result) =>
    result && {
      fields: {
        status: result.unchanged ? "2" : "1",
        since: String(result.since),
        ...(result.isComplete && { complete: "1" }),
      },
      list: writeEntries(result.list),
      deleted: result.deleted,
      deletedItems: result.deletedItems,
    },
});

async function* writeEntries(parts: EntryParts<ShownHighlight>): AsyncGenerator<ListEntry[]> {
  for await (const part of parts) {
    yield part.map(({ id, itemId, url, quote, prefix, suffix, position, color, note, timeCreated, timeUpdated }) => ({
      id,
      item_id: itemId,
      url,
      quote,
      prefix,
      suffix,
      position: position === undefined ? "" : String(position),
      color,
      note,
      time_created: String(timeCreated),
      time_updated: String(timeUpdated),
    }));
  }
}
