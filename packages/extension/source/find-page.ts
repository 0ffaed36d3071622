// SPDX-License-Identifier: MIT

import { ApiError, type Item } from "@reading-list/client/main.ts";
import { createClient, readAccount } from "./account.ts";
import { findWaiting } from "./outbox.ts";

/** A page of the list, as a message between pages of the extension can carry it. */
export type KnownPage = Pick<Item, "url" | "title" | "tags" | "state">;

/** Milliseconds for which a click waits, before the page is saved without knowing whether it is in the list. */
const patience = 5000;

/** The page in the list or in the outbox; undefined if it is in neither. `isSure`: the service has answered. */
export async function findPage(url: string): Promise<{ page: KnownPage | undefined; isSure: boolean }> {
  const waiting = await findWaiting(url);
  if (waiting) return { page: pick(waiting), isSure: true };
  const account = await readAccount();
  if (!account) return { page: undefined, isSure: false };
  const signal = AbortSignal.timeout(patience);
  try {
    const [item] = (await createClient(account).get({ url }, { signal })).items;
    return { page: item && pick(item), isSure: true };
  } catch (error) {
    if (!(error instanceof ApiError || signal.aborted)) throw error;
    return { page: undefined, isSure: false };
  }
}

const pick = ({ url, title, tags, state }: KnownPage): KnownPage => ({ url, title, tags, state });
