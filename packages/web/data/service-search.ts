// SPDX-License-Identifier: MIT

import { ApiError, type FoundItem, type ReadingListClient } from "@reading-list/client/main.ts";
import { Observable } from "../kit/observable.ts";
import { isShortOfCalls } from "./spared-calls.ts";

/** The results of the service. */
export interface ServiceAnswer {
  /** The search; empty while nobody searches. */
  query: string;
  /**
   * - `asking`: the answer, or a further part of it, is awaited
   * - `indexing`: the service is still reading the list, and has found a part
   * - `spared`: the call would not leave enough calls for syncs
   * - `unsupported`: an older service
   */
  state: "none" | "asking" | "answered" | "indexing" | "offline" | "spared" | "unsupported" | "failed";
  /** The parts that were loaded, the best match first. */
  items: readonly FoundItem[];
  /** Pages that were found, including pages that are not loaded. */
  total: number;
}

const none: ServiceAnswer = { query: "", state: "none", items: [], total: 0 };

/** Milliseconds after the last key. */
const afterTyping = 400;
const itemsOfPart = 50;

/** Searches the whole list on the service, as a person types. */
export class ServiceSearch {
  readonly answer = new Observable(none);
  #client: ReadingListClient;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #call = new AbortController();
  #isUnsupported = false;
  /** The service has refused the password. Each try brings the lockout closer. */
  #isRefused = false;

  constructor(client: ReadingListClient) {
    this.#client = client;
  }

  /** Asks for a search, which may be typed still. The same one is asked once. */
  ask(query: string): void {
    if (query === this.answer.value.query) return;
    this.#end();
    this.answer.value = { ...none, query, state: query === "" ? "none" : "asking" };
    if (query !== "") this.#timer = setTimeout(() => void this.#load(1), this.#isUnsupported ? 0 : afterTyping);
  }

  /** Loads the next part. */
  more(): void {
    const { state, items } = this.answer.value;
    if (state !== "asking") void this.#load(1 + Math.floor(items.length / itemsOfPart));
  }

  /** Asks again what could not be answered, or in part. */
  retry(): void {
    if (["indexing", "offline", "spared", "failed"].includes(this.answer.value.state)) void this.#load(1);
  }

  /** Continues with a client that has another password. */
  renew(client: ReadingListClient): void {
    this.#client = client;
    this.#isRefused = false;
    this.retry();
  }

  close(): void {
    this.#end();
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#call.abort();
  }

  async #load(page: number): Promise<void> {
    const { query, items: loaded } = this.answer.value;
    const set = (change: Partial<ServiceAnswer>) => {
      this.answer.value = { ...this.answer.value, ...change };
    };
    if (this.#isUnsupported) return set({ state: "unsupported" });
    if (this.#isRefused) return set({ state: "failed" });
    if (isShortOfCalls(this.#client.limits)) return set({ state: "spared" });
    set({ state: "asking" });
    this.#call = new AbortController();
    const { signal } = this.#call;
    try {
      const result = await this.#client.search(query, { prefix: true, count: itemsOfPart, page, signal });
      const state = result.isPartial ? "indexing" : "answered";
      set({ state, items: [...loaded.slice(0, (page - 1) * itemsOfPart), ...result.items], total: result.total });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiError)) throw error;
      this.#isUnsupported = error.kind === "notFound";
      this.#isRefused = error.kind === "unauthorized";
      set({ state: stateAfter(error) });
    }
  }
}

const stateAfter = ({ kind }: ApiError): ServiceAnswer["state"] =>
  kind === "notFound" ? "unsupported" : kind === "noResponse" ? "offline" : kind === "limited" ? "spared" : "failed";
