// SPDX-License-Identifier: MIT

import { ApiError, type Item } from "@reading-list/client/main.ts";
import { findKnown, TagsField } from "@reading-list/web/kit/tags-field.tsx";
import { h, render } from "preact";
import { createClient, readAccount } from "./account.ts";
import { text } from "./texts.ts";

const texts = {
  tags: text("tags"),
  tagsHint: text("tagsHint"),
  suggestions: text("suggestions"),
  removeTag: (tag: string) => text("removeTag", tag),
};

/**
 * Shows the reader's field for the tags of a page; it suggests those of the newest pages once it has the focus. Returns a
 * function that returns the chosen tags.
 */
export function showTagsField(
  element: HTMLElement,
  tags: readonly string[],
  findNewest: () => Promise<readonly Item[]>,
): () => Promise<string[]> {
  let chosen = tags;
  let known: [tag: string][] = [];
  const onChange = (changed: readonly string[]) => {
    chosen = changed;
    show();
  };
  const show = () => render(h(TagsField, { texts, tags: chosen, known, onChange }), element);
  element.addEventListener("focusin", async () => {
    known = [...new Set((await findNewest()).flatMap((item) => item.tags))].sort().map((tag) => [tag]);
    show();
  });
  show();
  return async () => {
    const added = chosen.filter((tag) => !tags.includes(tag) && !known.some(([other]) => other === tag));
    const found = await findInList(added.slice(0, maxSought));
    return [...new Set(chosen.map((tag) => found.get(tag) ?? tag))];
  };
}

/** New tags for which the list is searched at once: people type fewer. */
const maxSought = 10;

/** For each tag of the list, also of older pages, that differs from a typed one only in case and accents: the typed one and it. */
async function findInList(typed: readonly string[]): Promise<Map<string, string>> {
  const account = await readAccount();
  if (!account) return new Map();
  const client = createClient(account);
  const find = async (tag: string): Promise<[string, string]> => {
    const { items } = await client.search(`tag:"${tag}"`, { count: 1 });
    const [{ tags } = { tags: [] }] = items;
    return [
      tag,
      findKnown(
        tag,
        [],
        tags.map((other) => [other]),
      ),
    ];
  };
  try {
    return new Map(await Promise.all(typed.map(find)));
  } catch (error) {
    // Without the service, or on one without a search, the tags are saved as typed.
    if (!(error instanceof ApiError)) throw error;
    return new Map();
  }
}
