// SPDX-License-Identifier: MIT

import { ApiError, type TextView } from "@reading-list/client/main.ts";
import { useEffect, useState } from "preact/hooks";
import type { Texts } from "../../data/texts.ts";

export interface Article {
  /** URL of the item. */
  url: string;
  /** The pages that are loaded. */
  views: readonly TextView[];
  isLoading: boolean;
  /** Why the page that was loaded last is missing. */
  failure: ApiError | undefined;
  /** Whether a page after the first one is loaded, or was loaded last. */
  isContinued: boolean;
  /** URL of the page after the last one. */
  next: string | undefined;
  /** Loads the next page. */
  more(): void;
  /** Loads the page that failed. */
  retry(): void;
  /** Loads the article again from its site. */
  reload(): void;
  /** Loads all text of the page instead of its article; undefined once that is done. */
  showAll: (() => void) | undefined;
}

/** A text to load: the article, the article from its site, all text of its page, or a later page. */
type Request = { kind: "cached" | "fresh" | "all" } | { kind: "page"; url: string };

/** The text of a page and, on demand, of the pages that continue it. */
export function useArticle(url: string, texts: Texts): Article {
  const [views, setViews] = useState<readonly TextView[]>([]);
  const [request, setRequest] = useState<Request>({ kind: "cached" });
  const [isLoading, setLoading] = useState(true);
  const [failure, setFailure] = useState<ApiError>();
  const [seen, setSeen] = useState<readonly string[]>([]);

  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    const loaded = request.kind === "page" ? request.url : url;
    const load = async () => {
      if (request.kind === "page") return texts.load(loaded, { signal });
      if (request.kind === "all") return texts.readKept(loaded, { mode: "more", signal });
      return texts.read(loaded, { isFresh: request.kind === "fresh", signal });
    };
    setLoading(true);
    setFailure(undefined);
    load()
      .then(
        (view) => {
          const isFirst = request.kind !== "page";
          setViews((before) => (isFirst ? [view] : [...before, view]));
          setSeen((before) => [...(isFirst ? [] : before), loaded, view.resolvedUrl ?? loaded]);
          setLoading(false);
        },
        (error) => {
          signal.throwIfAborted();
          if (!(error instanceof ApiError)) throw error;
          setFailure(error);
          setLoading(false);
        },
      )
      .catch((error) => {
        if (!signal.aborted) throw error;
      });
    return () => abort.abort();
  }, [request, texts]);

  const following = views.at(-1)?.nextUrl;
  // A page that names an earlier one as the next would go round for ever.
  const next = following && !seen.includes(following) ? following : undefined;
  return {
    url,
    views,
    isLoading,
    failure,
    next,
    isContinued: request.kind === "page",
    more: () => next && setRequest({ kind: "page", url: next }),
    retry: () => setRequest({ ...request }),
    reload: () => {
      // Where the reason stands if that fails.
      scrollTo(0, 0);
      setRequest({ kind: "fresh" });
    },
    showAll: request.kind === "all" ? undefined : () => setRequest({ kind: "all" }),
  };
}
