/** An item of a list, as the writers take it. */
export interface ExportedItem {
  /** Absent for a page that the service does not have yet. */
  itemId?: string | undefined;
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
}

/** The text of a file with these items, in pieces. The items come oldest change first. */
export type Writer = (items: AsyncIterable<ExportedItem>) => AsyncGenerator<string>;
