// SPDX-License-Identifier: MIT

import type { ApiError } from "@reading-list/client/main.ts";
import { starredTag } from "@reading-list/core/domain/tags.ts";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { Icon } from "../../kit/icons.tsx";
import { dates, laterTexts } from "../../kit/later-texts.ts";
import { readingMinutes, toPlainText } from "../../kit/plain-text.ts";
import { formatRoute } from "../../kit/router.ts";
import { showMinutes } from "../../kit/texts.ts";
import { findSite } from "../../kit/web-address.ts";
import type { Article } from "./use-article.ts";

const text = laterTexts.article;

/** Site, author, date and length. */
export function Facts({ url, article: { views } }: { url: string; article: Article }) {
  const [first] = views;
  const minutes = useMemo(() => (first?.html ? readingMinutes(toPlainText(first.html)) : undefined), [first]);
  const published = first?.publishedAt ? new Date(first.publishedAt) : undefined;
  return (
    <p class="facts">
      <a href={url} target="_blank" rel="noopener noreferrer" dir="ltr">
        {findSite(url)}
      </a>
      {first?.author && <span dir="auto">{first.author}</span>}
      {published && !Number.isNaN(published.getTime()) && (
        <time dateTime={first?.publishedAt}>{dates.format(published)}</time>
      )}
      {minutes !== undefined && <bdi>{showMinutes(minutes)}</bdi>}
    </p>
  );
}

/** The tags of the page, as links to the pages that have them. */
export function Tags({ tags }: { tags: readonly string[] }) {
  const shown = tags.filter((tag) => tag !== starredTag);
  if (shown.length === 0) return null;
  return (
    <p class="facts page-tags">
      {shown.map((tag) => (
        <a class="tag" key={tag} href={formatRoute({ view: "unread", tag })}>
          <bdi>{tag}</bdi>
        </a>
      ))}
    </p>
  );
}

/** Names the problem of the text, and offers remedies. */
export function Notes({ url, article: { views, showAll } }: { url: string; article: Article }) {
  const [first] = views;
  if (first?.html === "") {
    return (
      <Note text={text.empty} detail={first.notice}>
        {showAll && (
          <button type="button" onClick={showAll}>
            {text.showAll}
          </button>
        )}
        <Original url={url} />
        <Archived url={url} />
      </Note>
    );
  }
  if (!first?.hasLogin && !first?.notice) return null;
  return (
    <Note text={first.hasLogin ? text.login : text.incomplete} detail={first.notice}>
      <Original url={url} />
    </Note>
  );
}

/** The state of the page that is loaded: a skeleton, or why it failed. */
export function Loading({ article }: { article: Article }) {
  const { views, isLoading, failure } = article;
  if (failure) return <Failure article={article} failure={failure} />;
  if (!isLoading) return null;
  return (
    <div class="skeleton" role="status">
      <span class="hidden">{text.loading}</span>
      {Array.from({ length: views.length > 0 ? 3 : 9 }, (_, i) => (
        <span key={i} />
      ))}
    </div>
  );
}

function Failure({ article: { url, views, isContinued, retry }, failure }: { article: Article; failure: ApiError }) {
  const isOffline = failure.kind === "noResponse";
  const isStored = views.length > 0 && !isContinued;
  return (
    <Note
      text={isOffline ? (isStored ? text.offline : text.notStored) : text.failures[findReason(failure)]}
      detail={isOffline ? "" : failure.message.replace(/^\w+: url/, "The page")}
      isAlert
    >
      <button type="button" onClick={retry}>
        {text.retry}
      </button>
      <Original url={url} />
      {!isOffline && <Archived url={url} />}
    </Note>
  );
}

/** The reason in words of the reader; the service's own words are shown smaller. */
function findReason({ kind, code = "" }: ApiError): keyof typeof text.failures {
  return kind === "unavailable" ? "busy" : (reasons[code] ?? "unreadable");
}

const reasons: Partial<Record<string, keyof typeof text.failures>> = {
  page_gone: "gone",
  page_refused: "refused",
  page_unsupported: "file",
};

function Original({ url }: { url: string }) {
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {text.openOriginal}
    </a>
  );
}

function Archived({ url }: { url: string }) {
  return (
    <a href={`https://web.archive.org/web/${url}`} target="_blank" rel="noopener noreferrer">
      {text.archived}
    </a>
  );
}

interface NoteProps {
  text: string;
  /** The service's own words, in small type. */
  detail?: string | undefined;
  isAlert?: boolean;
  /** The remedies. */
  children: ComponentChildren;
}

function Note({ text, detail, isAlert, children }: NoteProps) {
  return (
    <div class="note" role={isAlert ? "alert" : undefined}>
      <Icon name="warning" />
      <div>
        {text}
        {detail && <p class="hint">{detail}</p>}
        <p class="actions">{children}</p>
      </div>
    </div>
  );
}
