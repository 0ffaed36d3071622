/** Tags as they are stored and returned (docs/api.md 2.4): trimmed, without empty or repeated ones, in the order given. */
export function normaliseTags(tags: string): string {
  const trimmed = tags.split(",").map((tag) => tag.trim());
  return [...new Set(trimmed)].filter((tag) => tag !== "").join(",");
}
