// SPDX-License-Identifier: MIT

import { untilAborted, withDeadline } from "../deadline.ts";
import type { FetchedPage, PageFetcher } from "./fetch-page.ts";

/** Fetches of pages, each within `deadlineMs`, and only once for all requests at the same time. */
export class SharedFetches {
  readonly #fetcher: PageFetcher;
  readonly #deadlineMs: number;
  readonly #inFlight = new Map<string, Promise<FetchedPage>>();

  constructor(fetcher: PageFetcher, deadlineMs: number) {
    this.#fetcher = fetcher;
    this.#deadlineMs = deadlineMs;
  }

  page(url: URL): Promise<FetchedPage> {
    const fetched = this.#inFlight.get(url.href) ?? this.#inTime((signal) => this.#fetcher.fetch(url, signal));
    this.#inFlight.set(url.href, fetched);
    const forget = () => this.#inFlight.delete(url.href);
    fetched.then(forget, forget);
    return fetched;
  }

  /** The JSON of a page's content. */
  data = (url: URL) => this.#inTime((signal) => this.#fetcher.fetchData(url, signal));

  #inTime<T>(fetch: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return withDeadline(this.#deadlineMs, (signal) => untilAborted(fetch(signal), signal));
  }
}
