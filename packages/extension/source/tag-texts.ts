// SPDX-License-Identifier: MIT

/** The texts of the reader's field of tags, which the extension shows too. */
export const tagTexts = ["tags", "tagsHint", "suggestions", "removeTag"] as const;
