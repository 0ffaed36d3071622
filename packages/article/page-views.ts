// SPDX-License-Identifier: MIT

import type { TextRequest, TextView } from "@reading-list/core/domain/text-view.ts";
import { FetchError } from "./fetch/fetch-error.ts";
import type { FetchedPage } from "./fetch/fetch-page.ts";
import type { SharedFetches } from "./fetch/shared-fetches.ts";
import type { Extraction, ExtractionPool } from "./processes/extraction-pool.ts";
import { runPageJob, type Wait } from "./processes/page-jobs.ts";
import type { PageView } from "./view/text-view.ts";

/** The part of a page that an extraction needs. */
export type PageSource = Pick<FetchedPage, "body" | "kind" | "charset" | "url">;

/** Maximum pages to follow from a page without content. HTTP redirects count separately for each of them. */
const maxTargets = 3;

/** Extracts the views of pages; requests for a page differ only in their mode. The views are in the order of the requests. */
export class PageViews {
  readonly #fetches: SharedFetches;
  readonly #pool: ExtractionPool;
  readonly #processorMs: number;

  constructor(fetches: SharedFetches, pool: ExtractionPool, processorMs: number) {
    this.#fetches = fetches;
    this.#pool = pool;
    this.#processorMs = processorMs;
  }

  /** The views of a page whose content is there. */
  async ofSource(source: PageSource, requests: readonly TextRequest[], wait: Wait): Promise<TextView[]> {
    return inOrder(await this.#extract(source, requests, wait), requests, source.url);
  }

  /**
   * The views of a fetched page, or of the page to which it sends its readers; from its own JSON if it has little text.
   * Throws FetchError if it sends them on too often.
   */
  async ofPage(
    page: FetchedPage,
    requests: readonly TextRequest[],
    wait: Wait,
  ): Promise<{ views: TextView[]; page: FetchedPage }> {
    const visited = new Set<string>();
    for (let shown = page; ; ) {
      visited.add(shown.url.href);
      const extraction = await this.#extract(shown, requests, wait);
      const { target, data } = extraction;
      if (target === undefined || visited.has(target)) {
        const views = data === undefined ? undefined : await this.#ofData(new URL(data), shown, requests, wait);
        return { views: views ?? inOrder(extraction, requests, shown.url), page: shown };
      }
      if (visited.size > maxTargets) throw new FetchError("redirects too many times");
      wait.signal.throwIfAborted();
      shown = await this.#fetches.page(new URL(target));
    }
  }

  /** The views of the JSON that a page names as its own; undefined if it cannot be fetched, or its kind is unknown. */
  async #ofData(
    data: URL,
    page: FetchedPage,
    requests: readonly TextRequest[],
    wait: Wait,
  ): Promise<TextView[] | undefined> {
    if (data.origin !== page.url.origin) return undefined;
    try {
      const json = await this.#fetches.data(data);
      return await this.ofSource({ ...json, url: page.url }, requests, wait);
    } catch (error) {
      if (error instanceof FetchError) return undefined;
      throw error;
    }
  }

  #extract(
    { body, kind, charset, url }: PageSource,
    requests: readonly TextRequest[],
    wait: Wait,
  ): Promise<Extraction> {
    const modes = requests.map(({ mode }) => mode);
    const images = requests.some((request) => request.images);
    const job = { work: "views", body, kind, charset, url: url.href, modes, images } as const;
    return runPageJob(this.#pool, job, { ...wait, processorMs: this.#processorMs });
  }
}

const inOrder = ({ views }: Extraction, requests: readonly TextRequest[], { href }: URL): TextView[] =>
  requests.map(({ mode }) => ({ ...(views[mode] as PageView), resolvedUrl: href }));
