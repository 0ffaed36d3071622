// SPDX-License-Identifier: MIT

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
  /** Line of the file, from 1, on which the entry begins. */
  line: number;
  /** Name of the file within an archive. */
  file?: string;
  /** Values that a list has no field for, such as notes, by the name of the field in the file. */
  lost?: Readonly<Record<string, unknown>>;
}

/** A line that cannot be imported, or a part of the file that cannot be read. */
export interface Problem {
  /** Why, for the person who imports the file. It does not repeat the line. */
  problem: string;
  line: number;
  file?: string;
}

/** The entries and problems that a reader yields, in the order of the file. */
export type Row = Entry | Problem;
