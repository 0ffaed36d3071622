// SPDX-License-Identifier: MIT

import { stateKey } from "../kit/browser-storage.ts";

/** Where the user is in the list, so that an article, a reload and "Back" return there. */
export interface Place {
  /** URL of the item that keys act on: the item that has, or last had, the focus. */
  url: string | undefined;
  /** Its index in the list. If the item leaves the list, the item that takes its index follows. */
  index: number;
  /** Pixels above the screen. */
  scrolled: number;
}

const key = `${stateKey}.place`;
const top: Place = { url: undefined, index: -1, scrolled: 0 };

/** The place in this tab, until it is closed. */
export function openPlace(): Place {
  let stored = "{}";
  try {
    stored = sessionStorage.getItem(key) ?? "{}";
    addEventListener("pagehide", () => sessionStorage.setItem(key, JSON.stringify(place)));
  } catch {
    // Without storage it begins at the top.
  }
  const place: Place = { ...top, ...JSON.parse(stored) };
  return place;
}
