// SPDX-License-Identifier: MIT

import {
  ApiError,
  type Change,
  type HighlightStore,
  type ReadingListClient,
  type Store,
} from "@reading-list/client/main.ts";
import { findStorageProblem, readStored, type StorageProblem, store } from "../kit/browser-storage.ts";
import { Observable } from "../kit/observable.ts";
import type { Exclusively } from "./list.ts";

export interface SyncStatus {
  isSyncing: boolean;
  /** When the last sync succeeded, by this device's clock. */
  lastSuccess: Date | undefined;
  /** Why the last sync failed; undefined if it succeeded. */
  failure: SyncFailure | undefined;
}

interface SyncFailure {
  kind: ApiError["kind"] | StorageProblem | "unexpected";
  /** The error of a call. Other errors are left out, because their text may contain anything. */
  error: ApiError | undefined;
  /** The time of the next automatic attempt; undefined without one. */
  retryAt: Date | undefined;
}

export interface SyncerOptions {
  client: ReadingListClient;
  store: Store;
  highlights: HighlightStore;
  exclusively: Exclusively;
  /** Where the time of the last success is stored in `localStorage`. */
  key: string;
  /** The stores have changed. */
  onChange(): Promise<void>;
  onRejected(change: Change, message: string): void;
  onMarkRejected(message: string): void;
  /** A sync has succeeded. */
  onSuccess(): void;
}

/** Milliseconds between two syncs while the list is visible, and while it is not looked at. */
const whileVisible = 60_000;
const whileUnseen = 300_000;
/** Milliseconds without input after which nobody looks at the list. */
const untilIdle = 300_000;
/** Milliseconds in which marks and progress, and changes during a sync, are collected. */
const afterChange = 400;
const firstRetry = 5000;
const longestRetry = 300_000;
/** A first sync brings many pages; not each of them is rendered. */
const betweenPages = 500;
const betweenVerifications = 86_400_000;

/**
 * Syncs a store: at the start, after each local change, when the page becomes visible or the connection returns; every
 * minute while the list is visible, every 5 minutes while an article is read, or nobody has touched the page for 5
 * minutes. Failures are retried with exponential backoff (5 s to 5 min), not before `Retry-After`; a refused password
 * only after `renew`.
 */
export class Syncer {
  readonly status: Observable<SyncStatus>;
  readonly #options: SyncerOptions;
  readonly #stopped = new AbortController();
  #client: ReadingListClient;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isDueAgain = false;
  #failures = 0;
  #isListShown = true;
  #sendsOnly = false;
  #lastPull = 0;
  #lastInput = Date.now();

  constructor(options: SyncerOptions) {
    this.#options = options;
    this.#client = options.client;
    const last = Number(readStored(options.key));
    this.status = new Observable<SyncStatus>({
      isSyncing: false,
      lastSuccess: last ? new Date(last) : undefined,
      failure: undefined,
    });
  }

  start(): void {
    const { signal } = this.#stopped;
    const now = () => this.request();
    addEventListener("online", now, { signal });
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && now(), { signal });
    for (const type of ["pointerdown", "pointermove", "keydown", "scroll"]) {
      addEventListener(type, () => this.#wake(), { signal, passive: true });
    }
    now();
  }

  stop(): void {
    this.#stopped.abort();
    clearTimeout(this.#timer);
  }

  /** Continues with a client that has another password. */
  renew(client: ReadingListClient): void {
    this.#client = client;
    this.#set({ failure: undefined });
    this.request();
  }

  /** An article hides the list otherwise. */
  set isListShown(isShown: boolean) {
    this.#isListShown = isShown;
    if (isShown) this.#catchUp();
  }

  #wake(): void {
    const wasIdle = Date.now() - this.#lastInput > untilIdle;
    this.#lastInput = Date.now();
    if (wasIdle) this.#catchUp();
  }

  #catchUp(): void {
    if (this.#lastPull > 0 && Date.now() - this.#lastPull > whileVisible) this.request();
  }

  /** Sends queued changes, and fetches nothing unless that is due. */
  send(): void {
    const { isSyncing, failure } = this.status.value;
    const isDue = this.#pause() <= Date.now() - this.#lastPull;
    if (isSyncing || failure || isDue) this.request();
    else {
      this.#sendsOnly = true;
      this.#schedule(afterChange);
    }
  }

  /** Milliseconds between two pulls. */
  #pause(): number {
    const isSeen = this.#isListShown && Date.now() - this.#lastInput < untilIdle;
    return isSeen ? whileVisible : whileUnseen;
  }

  /** Syncs after some milliseconds, by default at once. */
  request(milliseconds = 0): void {
    if (this.#stopped.signal.aborted || this.status.value.failure?.kind === "unauthorized") return;
    if (this.status.value.isSyncing) {
      this.#isDueAgain = true;
      return;
    }
    this.#sendsOnly = false;
    this.#schedule(milliseconds);
  }

  #schedule(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#run(), milliseconds);
  }

  #set(change: Partial<SyncStatus>): void {
    this.status.value = { ...this.status.value, ...change };
  }

  async #run(): Promise<void> {
    this.#isDueAgain = false;
    const { failure: before } = this.status.value;
    this.#set({ isSyncing: true });
    try {
      await this.#options.exclusively(() => this.#sync());
      this.#failures = 0;
      const lastSuccess = new Date();
      store(this.#options.key, String(lastSuccess.getTime()));
      const { failure } = this.status.value;
      // A local change that failed meanwhile is shown until a later sync succeeds.
      const hasFailed = failure !== before;
      this.#set({ isSyncing: false, lastSuccess, failure: hasFailed ? failure : undefined });
      this.#options.onSuccess();
      if (hasFailed) this.request(firstRetry);
      else if (this.#isDueAgain) this.request(afterChange);
      else if (document.visibilityState === "visible") this.request(this.#pause() - (Date.now() - this.#lastPull));
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      this.fail(error);
    }
  }

  async #sync(): Promise<void> {
    const { store: replica, highlights, onChange, onRejected, onMarkRejected } = this.#options;
    const { signal } = this.#stopped;
    const sendOnly = this.#sendsOnly;
    const hadQueue = (await replica.queue()).length > 0;
    let shownAt = 0;
    let isShown = !hadQueue;
    let shown: Promise<void> | undefined;
    for await (const { rejected, highlights: marks } of this.#client.sync(replica, { signal, sendOnly, highlights })) {
      for (const { change, message } of rejected) onRejected(change, message);
      for (const { message } of marks.rejected) onMarkRejected(message);
      isShown = Date.now() - shownAt > betweenPages;
      if (!isShown) continue;
      shownAt = Date.now();
      // Awaited below only: the next page of a first sync is fetched meanwhile.
      shown = onChange();
    }
    await (isShown ? shown : onChange());
    if (sendOnly) return;
    this.#lastPull = Date.now();
    await this.#verify();
  }

  /** Once a day: counts show what no sync can, such as a service that was restored from a backup. */
  async #verify(): Promise<void> {
    const key = `${this.#options.key}.verified`;
    const last = Number(readStored(key));
    if (Math.abs(Date.now() - last) < betweenVerifications) return;
    const comparison = await this.#client.verify(this.#options.store, { signal: this.#stopped.signal });
    if (comparison === "equal") store(key, String(Date.now()));
    else this.#isDueAgain = true;
  }

  /** Shows why a sync or a local change has failed, and retries. */
  fail(error: unknown): void {
    const delay = Math.min(longestRetry, firstRetry * 2 ** this.#failures++);
    const call = error instanceof ApiError ? error : undefined;
    const kind = call ? stopReason(call) : (findStorageProblem(error) ?? "unexpected");
    const isFinal = kind === "unauthorized" || kind === "notFound";
    const wait = Math.max(delay, 1000 * (call?.retryAfter ?? 0));
    const retryAt = isFinal ? undefined : new Date(Date.now() + wait);
    this.#set({ isSyncing: false, failure: { kind, error: call, retryAt } });
    if (!isFinal) this.request(wait);
  }
}

/** Another password would not help against an unknown API key, but a reload brings the current one. */
const stopReason = ({ kind, code }: ApiError) => (code === "unknown_key" ? "invalid" : kind);
