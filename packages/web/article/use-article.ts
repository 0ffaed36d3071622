import { ApiError, type TextView } from "@reading-list/client/main.ts";
import { useEffect, useState } from "preact/hooks";
import type { Texts } from "../offline/texts.ts";

export interface Article {
  /** The pages that are loaded. */
  views: readonly TextView[];
  /** URL of the page that is being loaded. */
  loading: string | undefined;
  /** Why the page that was loaded last is missing. */
  failure: ApiError | undefined;
  /** URL of the page after the last one. */
  next: string | undefined;
  /** Loads the next page, or the one that failed. */
  more(): void;
  /** Loads all text of the page in place of its article; undefined once that is done. */
  showAll: (() => void) | undefined;
}

/** The text of a page and, on demand, of the pages that continue it. */
export function useArticle(url: string, texts: Texts): Article {
  const [views, setViews] = useState<readonly TextView[]>([]);
  const [loading, setLoading] = useState<string | undefined>(url);
  const [failure, setFailure] = useState<ApiError>();
  const [mode, setMode] = useState<"less" | "more">("less");
  const [seen, setSeen] = useState<readonly string[]>([]);

  useEffect(() => {
    if (loading === undefined) return;
    const abort = new AbortController();
    texts
      .load(loading, { mode, signal: abort.signal })
      .then(
        (view) => {
          setViews((before) => [...before, view]);
          setSeen((before) => [...before, loading, view.resolvedUrl ?? loading]);
          setLoading(undefined);
        },
        (error) => {
          if (!(error instanceof ApiError)) throw error;
          setFailure(error);
          setLoading(undefined);
        },
      )
      .catch((error) => {
        if (!abort.signal.aborted) throw error;
      });
    return () => abort.abort();
  }, [loading, texts, mode]);

  const following = views.at(-1)?.nextUrl;
  // A page that names an earlier one as the next would go round for ever.
  const next = following && !seen.includes(following) ? following : undefined;
  const more = () => {
    setFailure(undefined);
    setLoading(views.length === 0 ? url : next);
  };
  const showAll = () => {
    setMode("more");
    setViews([]);
    setSeen([]);
    setLoading(url);
  };
  return { views, loading, failure, next, more, showAll: mode === "less" ? showAll : undefined };
}
