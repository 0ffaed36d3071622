// SPDX-License-Identifier: MIT

import type { Progress } from "@reading-list/client/main.ts";
import { laterTexts } from "../../kit/later-texts.ts";
import type { Settings } from "../../kit/settings.ts";
import { ArticleFrame } from "./article-frame.tsx";
import { Loading } from "./article-notes.tsx";
import type { Article } from "./use-article.ts";
import type { ShownText } from "./use-mark-layer.ts";

interface ArticlePagesProps {
  url: string;
  title: string;
  article: Article;
  settings: Settings;
  progress: Progress | undefined;
  onProgress(progress: Progress, isLeaving: boolean): void;
  onShown(text: ShownText): void;
}

/** The loaded pages of an article, and the button that loads the next one. */
export function ArticlePages({ url, title, article, settings, progress, onProgress, onShown }: ArticlePagesProps) {
  const { views, next, isContinued, isLoading, failure, more } = article;
  return (
    <>
      {!isContinued && <Loading article={article} />}
      {views.length > 0 && (
        <ArticleFrame
          url={url}
          title={title}
          views={views}
          settings={settings}
          progress={progress}
          hasNext={next !== undefined}
          onProgress={onProgress}
          onShown={onShown}
        />
      )}
      {isContinued && <Loading article={article} />}
      {next && !isLoading && !(isContinued && failure) && (
        <p>
          <button type="button" onClick={more}>
            {laterTexts.article.next}
          </button>
        </p>
      )}
    </>
  );
}
