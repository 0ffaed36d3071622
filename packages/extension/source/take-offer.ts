// SPDX-License-Identifier: MIT

import type { Account } from "./account.ts";
import { parseService } from "./find-service.ts";

/** The sign-in that the web reader offers in a tab. */
interface Offer {
  username: string;
  password: string;
  id?: string | undefined;
  /** The reader's settings, as the reader publishes them. */
  settings: unknown;
  /** The address of the page that was read: the tab may show another page by now. */
  origin: string;
}

/**
 * Reads the sign-in that the page offers, which its own user has asked it to make (the reader's
 * `extension-sign-in.tsx`), and with `takes` confirms to the page that the extension has it. It runs in the page, so it
 * uses no variable of its module.
 */
async function readOffer(takes: boolean): Promise<Offer | undefined> {
  const { username, password, device } = document.getElementById("reading-list-offer")?.dataset ?? {};
  if (!username || !password) return undefined;
  const answer = await fetch(new URL("config.json", location.href), { credentials: "omit" });
  if (!answer.ok) return undefined;
  const settings: unknown = await answer.json();
  if (takes) document.dispatchEvent(new Event("reading-list-offer-taken"));
  return { username, password, id: device, settings, origin: location.origin };
}

/**
 * The account that the page of a tab offers; undefined if it offers none, or is not safe. Its address is the tab's,
 * whatever the page says. The click on the extension's button gives permission to read the page.
 */
export async function findOffer(
  { id: tabId, url = "" }: chrome.tabs.Tab,
  { takes = false } = {},
): Promise<Account | undefined> {
  if (tabId === undefined || !/^https?:/.test(url)) return undefined;
  const [answer] = await chrome.scripting
    .executeScript({ target: { tabId }, func: readOffer, args: [takes] })
    // The browser refuses access to its own pages and its store.
    .catch(() => []);
  const offer = answer?.result;
  if (!offer || offer.origin !== new URL(url).origin) return undefined;
  const service = parseService(offer.settings, new URL(".", url.replace(/[?#].*/, "")));
  if (!service) return undefined;
  const { username, password, id } = offer;
  return { ...service, username, password, ...(id && { id }) };
}
