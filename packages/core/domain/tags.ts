/** Tags as they are kept and shown (spec section 2.4): trimmed, without empty ones or repeats, in the order given. */
export function normaliseTags(tags: string): string {
  const trimmed = tags.split(",").map((tag) => tag.trim());
  return [...new Set(trimmed)].filter((tag) => tag !== "").join(",");
}
