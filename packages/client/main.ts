export { ApiError, type ApiErrorKind, type Limit, type Limits } from "./api-error.ts";
export type { Change, PageDetails } from "./change.ts";
export {
  type AppPassword,
  type Article,
  type ArticleOptions,
  type ClientOptions,
  ReadingListClient,
  type SendOptions,
  type StatsOptions,
  type TextOptions,
  type TextView,
  type TrashOptions,
} from "./client.ts";
export type {
  Highlight,
  HighlightChange,
  HighlightColor,
  HighlightList,
  HighlightQuery,
  StoredHighlight,
} from "./highlight.ts";
export type { Item, ItemList, ItemState, KeptArticles, ListQuery, Progress, Stats, TrashedItem } from "./item.ts";
export { type LocalItem, localItems } from "./local-items.ts";
export { MemoryStore } from "./memory-store.ts";
export type { Commit, QueuedChange, Store, StoredItem, SyncState, Walk } from "./store.ts";
export type { Comparison, SyncedChanges, SyncOptions } from "./sync.ts";
export type { CallOptions, TransportOptions } from "./transport.ts";
