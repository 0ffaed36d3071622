// SPDX-License-Identifier: MIT

/** A text of this device. */
export interface SearchableText {
  plain: string;
  folded: string;
}

/** Lower case without diacritics. */
export const foldCase = (text: string) => text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();

export function searchableText(text: string): SearchableText {
  const plain = text.replaceAll(/\s+/g, " ").trim();
  return { plain, folded: foldCase(plain) };
}
