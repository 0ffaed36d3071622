// SPDX-License-Identifier: MIT

/** Tags as they are stored and returned (docs/api.md 2.4): trimmed, without empty or repeated ones, in the order given. */
export function normaliseTags(tags: string): string {
  const trimmed = tags.split(",").map((tag) => tag.trim());
  return [...new Set(trimmed)].filter((tag) => tag !== "").join(",");
}

/** The tags of an item, one by one. */
export const tagsIn = (tags: string): string[] => (tags === "" ? [] : tags.split(","));

/** The tag of favourites: items that wallabag calls starred, and Readeck marked. */
export const starredTag = "starred";

export const isStarred = ({ tags }: { tags: string }): boolean => tagsIn(tags).includes(starredTag);

/** The tags of an item, except the tag of favourites. */
export const listLabels = ({ tags }: { tags: string }): string[] => tagsIn(tags).filter((tag) => tag !== starredTag);
