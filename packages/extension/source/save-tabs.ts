// SPDX-License-Identifier: MIT

import { addChange, enqueue } from "./outbox.ts";

/**
 * Puts the pages of all tabs of the window into the outbox, in the order of the tabs. Asks for the permission to read
 * them, which a click of the user must precede. Returns their number.
 */
export async function saveAllTabs(): Promise<number> {
  if (!(await chrome.permissions.request({ permissions: ["tabs"] }))) return 0;
  const tabs = await chrome.tabs.query({ currentWindow: true });
  const pages = tabs.filter(({ url }) => url && /^https?:/.test(url));
  // The page that is added last is the newest one.
  await enqueue(pages.reverse().map(({ url = "", title }) => addChange(url, title)));
  return pages.length;
}
