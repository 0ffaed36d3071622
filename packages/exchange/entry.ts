/** A saved page, as a file of some service tells of it. */
export interface Entry {
  url: string;
  /** Empty if the file has none. */
  title: string;
  /** Without commas. */
  tags: readonly string[];
  state: "unread" | "read";
  /** Unix seconds; undefined if the file does not tell. */
  timeAdded: number | undefined;
  /** Unix seconds; only our own format has it. */
  timeUpdated?: number | undefined;
  /** Line of the file, from 1, on which the entry begins. */
  line: number;
  /** The file in the archive, if the file is one. */
  file?: string;
}

/** A line that holds no entry although it should, or something lost of the file. */
export interface Problem {
  /** What is wrong, for the person who imports the file. It does not repeat the line. */
  problem: string;
  line: number;
  file?: string;
}

/** What a reader finds, in the order of the file. */
export type Row = Entry | Problem;
