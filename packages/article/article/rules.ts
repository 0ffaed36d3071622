// SPDX-License-Identifier: MIT

import { amountRows } from "../rules/amount-rows.ts";
import { authorNotes } from "../rules/author-notes.ts";
import { boilerplateLines } from "../rules/boilerplate-lines.ts";
import { consentDialogs } from "../rules/consent-dialogs.ts";
import { danglingHeadings } from "../rules/dangling-headings.ts";
import { duplicateTitle } from "../rules/duplicate-title.ts";
import { emailForms } from "../rules/email-forms.ts";
import { furnitureImages } from "../rules/furniture-images.ts";
import { furnitureNames } from "../rules/furniture-names.ts";
import { gluedWords } from "../rules/glued-words.ts";
import { groupHeadings } from "../rules/group-headings.ts";
import { headerLines } from "../rules/header-lines.ts";
import { inheritedNames } from "../rules/inherited-names.ts";
import { keyPoints } from "../rules/key-points.ts";
import { linkLists } from "../rules/link-lists.ts";
import { linkedCards } from "../rules/linked-cards.ts";
import { misleadingNames } from "../rules/misleading-names.ts";
import { otherSections } from "../rules/other-sections.ts";
import { pageParts } from "../rules/page-parts.ts";
import { pictureCaptions } from "../rules/picture-captions.ts";
import { repeatedText } from "../rules/repeated-text.ts";
import type { Rule } from "../rules/rule.ts";
import { siteParts } from "../rules/site-parts.ts";
import { smallTables } from "../rules/small-tables.ts";

/** The rules of an extraction, in their order (packages/article/README.md). */
export interface Rules {
  /** Applied before Readability looks for the article. */
  page: readonly Rule[];
  /** Applied to the main container if it is taken whole. */
  container: readonly Rule[];
  /** Applied to every article. */
  article: readonly Rule[];
  /** Applied to running text. */
  story: readonly Rule[];
  /** Applied last, to every article. */
  last: readonly Rule[];
}

export const allRules: Rules = {
  page: [groupHeadings, consentDialogs, emailForms, pageParts, keyPoints, misleadingNames, inheritedNames, smallTables],
  container: [siteParts, linkLists],
  article: [
    linkedCards,
    duplicateTitle,
    pictureCaptions,
    furnitureNames,
    otherSections,
    repeatedText,
    boilerplateLines,
    gluedWords,
    amountRows,
  ],
  story: [headerLines, linkLists, authorNotes],
  last: [furnitureImages, danglingHeadings],
};
