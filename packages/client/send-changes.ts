// SPDX-License-Identifier: MIT

import { ApiError, unlessTooLarge } from "./api-error.ts";
import { type Change, firstBatch, isDifference, tagsAfter, toPageKey } from "./change.ts";
import type { Item, ItemList, ListQuery } from "./item.ts";

export interface SendCalls {
  get(query: ListQuery): Promise<ItemList>;
  /** Returns the parameters that the service has applied, as it names them; an older service names none. */
  send(form: Record<string, string>): Promise<readonly string[]>;
}

/** The first changes were sent, or the service refuses the one at `place`. */
export type SendOutcome = { kind: "sent"; length: number } | { kind: "refused"; place: number; error: ApiError };

/** Finds pages as they are in the list now, among others. */
export type FindItems = (urls: ReadonlySet<string>) => Promise<readonly Item[]>;

/**
 * Sends the first changes, as many as fit into one request. An older service ignores differences of tags. It gets the
 * changes once more, with whole sets computed from the newest tags, which `findItems` returns.
 */
export async function sendFirst(
  calls: SendCalls,
  changes: readonly Change[],
  findItems: FindItems = findOnService(calls),
): Promise<SendOutcome> {
  const batch = firstBatch(changes);
  const names = Object.keys(batch.form).filter((name) => name === "add_tags" || name === "remove_tags");
  const outcome = await sendBatch(calls, batch, names);
  if (outcome !== "ignored") return outcome;
  const first = changes.slice(0, batch.length);
  const items = await findItems(new Set(first.filter(isDifference).map(({ url }) => url)));
  const sent = await sendBatch(calls, firstBatch(withWholeSets(first, items)), []);
  return sent as SendOutcome;
}

/** `ignored`: the service does not support all parameters with these names. */
async function sendBatch(
  calls: SendCalls,
  { form, length, placeOf }: ReturnType<typeof firstBatch>,
  names: readonly string[],
): Promise<SendOutcome | "ignored"> {
  try {
    const applied = await calls.send(form);
    return names.every((name) => applied.includes(name)) ? { kind: "sent", length } : "ignored";
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const [, parameter = "", entry] = /^send: (\w+)\.(\d+)/.exec(error.message) ?? [];
    const place = placeOf(parameter, Number(entry));
    if (place === undefined) throw error;
    return { kind: "refused", place, error };
  }
}

/** Changes with whole sets of tags instead of differences. */
function withWholeSets(changes: readonly Change[], items: readonly Item[]): Change[] {
  const tagsOfPage = new Map<string, readonly string[]>(items.map(({ url, tags }) => [toPageKey(url), tags]));
  return changes.map((change) => {
    const { kind, url } = change;
    const page = toPageKey(url);
    if (kind === "add" && change.tags?.length) tagsOfPage.set(page, change.tags);
    if (kind !== "tags") return change;
    const tags = tagsAfter(tagsOfPage.get(page) ?? [], change);
    tagsOfPage.set(page, tags);
    return { kind, url, tags };
  });
}

/** Maximum pages that are requested one by one; for more, the whole list costs less. */
const fewPages = 10;

/** Asks the service for each of the pages, or for the whole list. */
export const findOnService =
  ({ get }: Pick<SendCalls, "get">): FindItems =>
  async (urls) => {
    const list = urls.size > fewPages ? await unlessTooLarge(get({})) : undefined;
    if (list) return list.items;
    const items: Item[] = [];
    for (const url of urls) items.push(...(await get({ url })).items);
    return items;
  };
