// SPDX-License-Identifier: MIT

import { type HighlightFields, isPageNote } from "@reading-list/core/domain/highlight-fields.ts";
import type { Progress } from "@reading-list/core/domain/item.ts";

/** A highlight of a list that is exported. */
export interface ExportedHighlight extends HighlightFields {
  id: string;
  /** Unix seconds. */
  timeUpdated: number;
}

/** An item of a list that is exported. */
export interface ExportedItem {
  /** Absent for a page that was not sent to the service yet. */
  itemId?: string | undefined;
  /** The number that other services' APIs show it with. */
  number?: number | undefined;
  url: string;
  title: string;
  /** Without commas. */
  tags: readonly string[];
  state: "unread" | "read";
  /** Unix seconds. */
  timeAdded: number;
  /** Unix seconds. */
  timeUpdated: number;
  /** The application that first saved the page. */
  applicationId?: string | undefined;
  refId?: string | undefined;
  progress?: Progress | undefined;
  /** In the order of the text, as far as their positions are known. */
  highlights?: readonly ExportedHighlight[];
}

/** The notes on the page as one text; empty without notes. */
export const joinPageNotes = ({ highlights = [] }: Pick<ExportedItem, "highlights">): string =>
  highlights
    .filter(isPageNote)
    .map(({ note }) => note)
    .join("\n\n");

const positionInText = ({ position = Number.MAX_SAFE_INTEGER }: ExportedHighlight) => position;

export const inOrderOfText = (highlights: readonly ExportedHighlight[]): ExportedHighlight[] =>
  highlights.toSorted((a, b) => positionInText(a) - positionInText(b) || a.timeCreated - b.timeCreated);

/** Yields the text of a file with these items, which are in the order of their last change, the oldest first. */
export type Writer = (items: AsyncIterable<ExportedItem>) => AsyncGenerator<string>;
