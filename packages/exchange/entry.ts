// SPDX-License-Identifier: MIT

import type { HighlightFields } from "@reading-list/core/domain/highlight-fields.ts";
import type { Progress } from "@reading-list/core/domain/item.ts";

/** A saved page that was read from a file. */
export interface Entry {
  url: string;
  /** Empty if the file has no title for it. */
  title: string;
  /** Without commas. */
  tags: readonly string[];
  state: "unread" | "read";
  /** Unix seconds; undefined if the file has no time for it. */
  timeAdded: number | undefined;
  /** Unix seconds; only our own format has it. */
  timeUpdated?: number | undefined;
  /** Only our own format has it. */
  progress?: Progress | undefined;
  /** Line of the file, from 1, on which the entry begins. */
  line: number;
  /** Name of the file within an archive. */
  file?: string;
  /** The name by which other files of an archive refer to it. */
  slug?: string;
  /** HTML of the page's text, if the file has it and `readEntries` reads texts. */
  text?: string;
  /** Values that a list has no field for, such as notes, by the name of the field in the file. */
  lost?: Readonly<Record<string, unknown>>;
}

/** A marked passage of a page that was read from a file. */
export interface HighlightEntry extends Omit<HighlightFields, "timeCreated"> {
  /** Only our own format has it. */
  id?: string | undefined;
  /** Undefined if the file identifies the page only by its title. */
  url: string | undefined;
  /** The title of the page; empty if the file does not have it. */
  title: string;
  /** Unix seconds; undefined if the file has no time for it. */
  timeCreated: number | undefined;
  /** Line of the file, from 1. */
  line: number;
  /** Name of the file within an archive. */
  file?: string;
  /** Values that a highlight has no field for, by the name of the field in the file. */
  lost?: Readonly<Record<string, unknown>>;
}

/** A line that cannot be imported, or a part of the file that cannot be read. */
export interface Problem {
  /** Why, for the person who imports the file. It does not repeat the line. */
  problem: string;
  /** Whether it is a feed that could be read as a page (`withFeeds`). */
  isFeed?: true;
  line: number;
  file?: string;
}

/** The entries, highlights and problems that a reader yields, in the order of the file; a highlight follows its page. */
export type Row = Entry | HighlightEntry | Problem;

export const isHighlight = (row: Row): row is HighlightEntry => "quote" in row;
