// SPDX-License-Identifier: MIT

import { withChanges } from "@reading-list/client/local-items.ts";
import type { Change } from "@reading-list/client/main.ts";
import type { StoredItem } from "@reading-list/client/store.ts";
import { describe, expect, test } from "vitest";

const urlOf = (name: string) => `https://example.com/${name}`;
/** A replica in which `a` was changed last. */
const replica = ["c", "a", "d", "b"].map(
  (name): StoredItem => ({
    itemId: name,
    url: urlOf(name),
    title: name,
    tags: [],
    state: "unread",
    timeAdded: new Date(0),
    timeUpdated: new Date(1000 * "dcba".indexOf(name)),
    rank: 0,
  }),
);

const shownAfter = (...changes: Change[]) =>
  withChanges(
    replica,
    changes.map((change, i) => ({ id: i + 1, queuedAt: new Date(5000), change })),
  ).map(({ url, title, state }) => `${url.slice(urlOf("").length)} ${title} ${state}`);

describe("a list with queued changes", () => {
  test.each<[what: string, changes: Change[], shown: string[]]>([
    ["none", [], ["a a unread", "b b unread", "c c unread", "d d unread"]],
    [
      "of pages of the list, which keep their places",
      [
        { kind: "read", url: urlOf("b") },
        { kind: "title", url: urlOf("c"), title: "new" },
        { kind: "delete", url: urlOf("a") },
      ],
      ["b b read", "c new unread", "d d unread"],
    ],
    [
      "of a page that is deleted and added again, which is then the first",
      [
        { kind: "delete", url: urlOf("b") },
        { kind: "add", url: urlOf("b"), title: "again" },
        { kind: "read", url: urlOf("b") },
      ],
      ["b again read", "a a unread", "c c unread", "d d unread"],
    ],
    [
      "of a page whose URL is spelled in another way, and of one that the list lacks",
      [
        { kind: "read", url: `${urlOf("c")}#part` },
        { kind: "add", url: urlOf("new"), title: "new" },
        { kind: "title", url: urlOf("b"), title: "other" },
        { kind: "read", url: urlOf("missing") },
      ],
      ["new new unread", "a a unread", "b other unread", "c c read", "d d unread"],
    ],
  ])("%s", (_, changes, shown) => {
    expect(shownAfter(...changes)).toEqual(shown);
  });
});
