// SPDX-License-Identifier: MIT

import type { z } from "zod";
import { kept } from "../../contract/kept.ts";
import type { Item } from "../../domain/item.ts";
import { askedAgain, findStop, isPageOf, type KeptPage, type KeptState } from "../../domain/kept-page.ts";
import { countItemCalls } from "../../domain/list-pages.ts";
import { chooseLaterSince } from "../../domain/walks.ts";
import { unixTime } from "../../ports/clock.ts";
import type { User } from "../../ports/users.ts";
import type { GrantedPorts } from "../granted-ports.ts";
import { type Caller, defineEndpoint, type EntryParts, type ListEntry, type UseCase } from "../use-case.ts";
import { countSkipped, findStart, isLaterPage } from "./get.ts";

type Input = z.output<typeof kept.input>;
type Ports = GrantedPorts<typeof kept>;

type ShownPage = KeptPage & Pick<Item, "url">;

interface KeptPages {
  unchanged: boolean;
  since: number;
  /** `list` has all pages. */
  isComplete: boolean;
  isAuto: boolean;
  stop: ReturnType<typeof findStop>;
  counts: Record<KeptState, number>;
  user: User;
  quota: number;
  pictures: { bytes: number; quota: number };
  list: EntryParts<ShownPage>;
}

const isChange = ({ auto, retry }: Input) => auto !== undefined || retry === true;

/** The calls that a listing counts before it is read. The number of changes is not known in advance. */
function countRangeCalls(input: Input, user: User, now: number): number {
  if (isChange(input) || findStart(input, user, now, "kept") !== undefined) return 1;
  const size = user.countUnread + user.countRead;
  return countItemCalls(Math.min(size, countSkipped(input) + (input.count ?? size)));
}

/**
 * Shows which pages have saved copies, or changes the saving in the background (docs/api.md 4.16); undefined after a
 * change.
 */
const showKept: UseCase<Input, KeptPages | undefined, Ports> = {
  sync: (input) =>
    isChange(input)
      ? undefined
      : { beginsWalk: input.count !== undefined && !isLaterPage(input), since: input.since, part: "kept" },

  countCalls: ({ clock }, input, { user }) => countRangeCalls(input, user, unixTime(clock)),

  begin: (deps, input) => async (caller) => {
    const { user } = caller;
    if (!isChange(input)) return listKept(deps, caller, input);
    const { auto, retry } = input;
    if (auto !== undefined) await deps.keptPages.setAuto(user, auto);
    if (retry) await retryFailed(deps, user);
    return undefined;
  },
};

async function retryFailed({ clock, keptPages }: Ports, user: User): Promise<void> {
  const now = unixTime(clock);
  for await (const pages of keptPages.walkFailed(user)) {
    await keptPages.write(
      user,
      pages.map((before) => ({ before, after: askedAgain(before, now) })),
      now,
    );
  }
}

async function listKept(deps: Ports, caller: Caller, input: Input): Promise<KeptPages> {
  const { clock, keptPages, keepsPages, articleQuota: quota, pictureStore, pictureQuota } = deps;
  const { user } = caller;
  const now = unixTime(clock);
  const after = findStart(input, user, now, "kept");
  const shown = {
    isAuto: user.keepsPages ?? keepsPages,
    stop: findStop(user, deps, now),
    user,
    quota,
    counts: await keptPages.counts(user),
    pictures: pictureStore ? { bytes: await pictureStore.bytes(user), quota: pictureQuota } : { bytes: 0, quota: 0 },
  };
  if (after !== undefined && user.clock.keptAt <= after) {
    return { ...shown, unchanged: true, since: user.clock.lastSince, isComplete: false, list: [] };
  }
  const { count: limit } = input;
  const skip = countSkipped(input);
  const visible = await keptPages.visibleUpTo(user, limit !== undefined && skip === 0);
  const asOf = Math.max(visible, Math.min(after ?? 0, user.clock.lastSince));
  const reading = readPages(deps, caller, {
    after,
    upTo: skip > 0 ? undefined : asOf,
    counted: countRangeCalls(input, user, now),
  });
  const isFirst = after === undefined && skip === 0;
  if (limit === undefined) return { ...shown, unchanged: false, since: asOf, isComplete: isFirst, list: reading };
  const list = await takePage(reading, skip, limit);
  const since =
    skip === 0
      ? asOf
      : chooseLaterSince(user.walks, { now, asOf, after, leftAt: (await keptPages.current(user)).deletedAt });
  return { ...shown, unchanged: false, since, isComplete: isFirst && list.length < limit, list: [list] };
}

/** The pages of items that are in the list, newest change first. They count like the items of a `get`. */
async function* readPages(
  { items, keptPages }: Ports,
  { user, countFurther }: Caller,
  { after, upTo, counted }: { after: number | undefined; upTo: number | undefined; counted: number },
): AsyncGenerator<ShownPage[]> {
  let read = 0;
  let calls = counted;
  for await (const pages of keptPages.walk(user, { after, upTo })) {
    read += pages.length;
    const further = countItemCalls(read) - calls;
    if (further > 0) await countFurther(further);
    calls += Math.max(0, further);
    const found = await items.find(
      user.username,
      pages.map(({ itemId }) => itemId),
    );
    yield pages.flatMap((page) => {
      const item = found.get(page.itemId);
      return item && !item.isDeleted && isPageOf(page, item) ? [{ ...page, url: item.url }] : [];
    });
  }
}

async function takePage(parts: AsyncIterable<ShownPage[]>, skip: number, limit: number): Promise<ShownPage[]> {
  const page: ShownPage[] = [];
  let above = 0;
  for await (const part of parts) {
    page.push(...part.slice(Math.max(0, skip - above), Math.max(0, skip + limit - above)));
    above += part.length;
    if (above >= skip + limit) break;
  }
  return page;
}

export const endpoint = defineEndpoint({
  contract: kept,
  useCase: showKept,
  writeFields: (result) =>
    result && {
      fields: {
        status: result.unchanged ? "2" : "1",
        since: String(result.since),
        ...(result.isComplete && { complete: "1" }),
        auto: result.isAuto ? "1" : "0",
        stopped: result.stop ?? "",
        count_kept: String(result.counts.kept),
        count_waiting: String(result.counts.waiting),
        count_failed: String(result.counts.failed),
        bytes: String(result.user.articleBytes),
        quota: String(result.quota),
        picture_bytes: String(result.pictures.bytes),
        picture_quota: String(result.pictures.quota),
      },
      list: writeEntries(result.list),
    },
});

async function* writeEntries(parts: EntryParts<ShownPage>): AsyncGenerator<ListEntry[]> {
  for await (const part of parts) {
    yield part.map(({ itemId, url, state, error, words, excerpt = "", image = "", timeUpdated }) => ({
      item_id: itemId,
      url,
      state,
      error,
      words: words === undefined ? "" : String(words),
      excerpt,
      image,
      time_updated: String(timeUpdated),
    }));
  }
}
