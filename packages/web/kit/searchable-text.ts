// SPDX-License-Identifier: MIT

import { fold } from "@reading-list/core/domain/fold.ts";

/** A text of this device. */
export interface SearchableText {
  plain: string;
  folded: string;
}

export function searchableText(text: string): SearchableText {
  const plain = text.replaceAll(/\s+/g, " ").trim();
  return { plain, folded: fold(plain) };
}
