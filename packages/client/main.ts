// SPDX-License-Identifier: MIT

export { ApiError, type ApiErrorKind, type Limit, type Limits } from "./api-error.ts";
export { type Change, changeTags, type PageDetails, type TagsChange } from "./change.ts";
export {
  type AppPassword,
  type AppPasswordLimits,
  type Article,
  type ArticleOptions,
  type ClientOptions,
  type OperatorAnswer,
  type OperatorEndpoint,
  ReadingListClient,
  type Scope,
  type SearchOptions,
  type SendOptions,
  type Share,
  type StatsOptions,
  type TextOptions,
  type TextView,
  type TrashOptions,
} from "./client.ts";
export type { LocalHighlight } from "./highlight.ts";
export {
  copyHighlight,
  /** @deprecated The name of `copyHighlight` up to version 0.3. */
  copyHighlight as copyOf,
  type Highlight,
  type HighlightChange,
  type HighlightColor,
  type HighlightList,
  type HighlightQuery,
  newHighlightId,
  type RejectedHighlight,
} from "./highlight.ts";
export type {
  FoundItem,
  Item,
  ItemList,
  ItemState,
  KeptArticles,
  ListQuery,
  Progress,
  SearchResult,
  Stats,
  TrashedItem,
} from "./item.ts";
export type { KeptChange, KeptPage, KeptPages, KeptQuery, Quota } from "./kept-page.ts";
export { localHighlights } from "./local-highlights.ts";
export { type LocalItem, localItems } from "./local-items.ts";
export { MemoryHighlightStore, MemoryStore } from "./memory-store.ts";
export type {
  Commit,
  HighlightState,
  HighlightStore,
  Queued,
  QueuedChange,
  Step,
  Store,
  StoredItem,
  SyncState,
  Walk,
} from "./store.ts";
export type { Comparison, PushOptions, SyncedChanges, SyncOptions } from "./sync.ts";
export { retryRefused, type SyncedHighlights } from "./sync-highlights.ts";
export type { CallOptions, TransportOptions } from "./transport.ts";
