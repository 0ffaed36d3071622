// SPDX-License-Identifier: MIT

/** The colours of a highlight; any other is stored as the first. */
export const colors = ["yellow", "red", "green", "blue", "purple"] as const;
export type HighlightColor = (typeof colors)[number];

export const toColor = (name: string): HighlightColor => colors.find((each) => each === name) ?? colors[0];

/** Characters of the fields of a highlight (docs/api.md 8.3). */
export const highlightLengths = { quote: 10_000, context: 64, note: 10_000 };

/** The fields of a highlight that a save can set. */
export interface HighlightFields {
  /** The marked text; empty for a note on the page. */
  quote: string;
  /** The text before and after it. */
  prefix: string;
  suffix: string;
  /** UTF-16 units before it in the joined text nodes of the saved `less` view with images; undefined if unknown. */
  position: number | undefined;
  color: HighlightColor;
  note: string;
  /** Unix seconds. */
  timeCreated: number;
}

/** Whether a highlight is a note on its page as a whole, which quotes nothing. */
export const isPageNote = ({ quote }: Pick<HighlightFields, "quote">): boolean => quote === "";
