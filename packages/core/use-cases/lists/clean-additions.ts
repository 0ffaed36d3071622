// SPDX-License-Identifier: MIT

import type { Change } from "../../domain/changes.ts";
import { isInTrash } from "../../domain/item.ts";
import { toItemId } from "../../domain/item-id.ts";
import { withoutTracking } from "../../domain/tracking-parameters.ts";
import { doInTurns, nextTurn } from "../../domain/turns.ts";
import { unixTime } from "../../ports/clock.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import { type ItemStore, writesAtOnce } from "../../ports/items.ts";
import type { User } from "../../ports/users.ts";

interface CleanPorts extends Pick<Dependencies, "clock"> {
  items: Pick<ItemStore, "find">;
}

/**
 * Of URLs with parameters that only track, those without these parameters, by the URL as it was sent. A URL that is in
 * the list or in the trash as it was sent is left out, because its item has it.
 */
export async function findCleanUrls({ items, clock }: CleanPorts, username: string, urls: Iterable<string>) {
  const clean = await doInTurns(cleanEach(urls));
  const now = unixTime(clock);
  const sent = [...clean.keys()];
  for (let start = 0; start < sent.length; start += writesAtOnce) {
    if (start > 0) await nextTurn();
    const part = sent.slice(start, start + writesAtOnce);
    const found = await items.find(username, part.map(toItemId));
    for (const url of part) {
      const item = found.get(toItemId(url));
      if (item && (!item.isDeleted || isInTrash(item, now))) clean.delete(url);
    }
  }
  return clean;
}

/** Pauses after each URL: one of 4,096 characters may have as many parameters. */
function* cleanEach(urls: Iterable<string>): Generator<undefined, Map<string, string>> {
  const clean = new Map<string, string>();
  for (const url of urls) {
    yield;
    const cleaned = withoutTracking(url);
    if (cleaned !== url) clean.set(url, cleaned);
  }
  return clean;
}

/** The changes, with the URLs of additions cleaned of parameters that only track. */
export async function cleanAdditions(deps: CleanPorts, { username }: User, changes: readonly Change[]) {
  const added = changes.flatMap((change) => (change.kind === "add" ? change.url : []));
  const clean = await findCleanUrls(deps, username, added);
  return changes.map((change) => {
    const url = change.kind === "add" ? clean.get(change.url) : undefined;
    return url === undefined ? change : { ...change, url, itemId: toItemId(url) };
  });
}

/** A URL under which a page is saved: without parameters that only track, unless the list or the trash has it with them. */
export const cleanUrl = async (deps: CleanPorts, { username }: User, url: string): Promise<string> =>
  (await findCleanUrls(deps, username, [url])).get(url) ?? url;
