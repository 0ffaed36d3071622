// SPDX-License-Identifier: MIT

import type { Item } from "../domain/item.ts";
import type { SearchQuery } from "../domain/search-query.ts";
import type { User } from "./users.ts";

/** A page in the search index. */
export interface IndexedPage
  extends Pick<Item, "itemId" | "url" | "title" | "tags" | "state" | "timeAdded" | "changeKey"> {
  site: string;
  /** Bytes of the kept article, as stored; 0 without one. */
  articleBytes: number;
  /** Differs if the kept article, or the highlights, differ. */
  contentKey: string;
}

/** The texts of a page besides its fields: HTML of the kept article, and quotations and notes. */
export interface PageContent {
  author: string;
  note: string;
  html: string;
}

/** The state of a list that an index holds: every change up to `asOf`. `articles` differs if the kept articles do. */
export interface IndexState {
  username: string;
  asOf: number;
  revision: number;
  articles: string;
}

export interface SearchOrder {
  sort: "best" | "newest";
  skip: number;
  count: number;
}

export interface FoundPages {
  total: number;
  itemIds: string[];
}

/** The full-text indexes of users, which are derived from their lists. All throw `busy` if too many calls wait. */
export interface SearchIndex {
  /** Undefined if there is no index, or an unfinished one. */
  state(userId: string): Promise<IndexState | undefined>;
  setState(userId: string, state: IndexState): Promise<void>;
  /** Stores the fields of pages; returns the ids of pages whose contents must be put, too. */
  putPages(userId: string, pages: readonly IndexedPage[]): Promise<string[]>;
  putContents(userId: string, contents: readonly { page: IndexedPage; content: PageContent }[]): Promise<void>;
  remove(userId: string, itemIds: readonly string[]): Promise<void>;
  /** The ids of pages whose articles have different sizes than the given ones, or do not exist. */
  findResized(userId: string, sizes: ReadonlyMap<string, number>): Promise<string[]>;
  find(userId: string, query: SearchQuery, order: SearchOrder): Promise<FoundPages>;
  /** For each page the part of its text that has the terms; `marks`: from, and length, in UTF-16 units. */
  cutSnippets(userId: string, query: SearchQuery, pages: readonly PageContent[]): Promise<Snippet[]>;
  /** Overwrites what was removed. */
  compact(userId: string): Promise<void>;
  drop(userId: string): Promise<void>;
  /** The users who have an index. */
  owners(): Promise<string[]>;
  /** Bytes of an index on the disk; 0 without one. */
  size(userId: string): Promise<number>;
}

/** Search indexes that are copies of stored ones, as whole files. */
export interface CopiedIndex extends SearchIndex {
  exportFile(userId: string): Promise<Uint8Array>;
  importFile(userId: string, content: Uint8Array): Promise<void>;
}

/** The stored search indexes of a stage, each an object that is replaced as a whole, by optimistic locking. */
export interface IndexObjects {
  /** `unchanged`: the object still has the `etag`. A closed object has empty content. Undefined if it does not exist. */
  read(userId: string, etag?: string): Promise<{ etag: string; content: Uint8Array } | "unchanged" | undefined>;
  /** Replaces the index of `etag`, or none, and returns the new ETag; undefined if there is another one meanwhile. */
  write(userId: string, content: Uint8Array, etag: string | undefined): Promise<string | undefined>;
  /** Replaces an index by an empty one, so that no write that is under way makes it again. */
  close(userId: string): Promise<void>;
}

/** Plain text around the words of a search, and their places in it. */
export interface Snippet {
  snippet: string;
  marks: [from: number, length: number][];
}

/** Brings search indexes up to date. */
export interface ListIndexer {
  /**
   * Indexes changes for at most a second; the rest follows in the background. Returns the second up to which all
   * changes are indexed; 0 if the list is being indexed for the first time.
   */
  update(user: User): Promise<number>;
}

/** Finds pages by their texts, for the apps of other services. */
export interface ListSearch {
  /**
   * The ids of all pages that match the text that a user typed; undefined if the text has no terms, or the list is not
   * indexed yet. Throws a `SearchError`.
   */
  find(user: User, search: string): Promise<ReadonlySet<string> | undefined>;
}
