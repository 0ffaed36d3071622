// SPDX-License-Identifier: MIT

import type { LocalItem } from "@reading-list/client/main.ts";
import { starredTag } from "@reading-list/core/domain/tags.ts";
import type { TextFacts } from "../../data/cached-text.ts";
import { Icon } from "../../kit/icons.tsx";
import { formatRoute, type Route } from "../../kit/router.ts";
import { firstTexts, language, showMinutes } from "../../kit/texts.ts";
import { findSite } from "../../kit/web-address.ts";

const text = firstTexts.list;
const thisYear = new Intl.DateTimeFormat(language, { day: "numeric", month: "short" });
const otherYear = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", year: "numeric" });

const formatDate = (date: Date) =>
  (date.getFullYear() === new Date().getFullYear() ? thisYear : otherYear).format(date);

interface RowFactsProps {
  item: LocalItem;
  facts: TextFacts | undefined;
  note: string | undefined;
  route: Route;
  /** A search finds archived pages, too. */
  isFound: boolean;
  tabIndex: number;
}

/** The lines below a title: site, author, minutes, date, note, tags. */
export function RowFacts({
  item: { url, state, tags, timeAdded, isPending },
  facts,
  note,
  route,
  isFound,
  tabIndex,
}: RowFactsProps) {
  const shownTags = tags.filter((tag) => tag !== starredTag);
  return (
    <p class="row-facts">
      <span class="row-line">
        {tags.includes(starredTag) && (
          <span class="star" title={text.starred}>
            <Icon name="star" isFilled />
            <span class="hidden">{text.starred}</span>
          </span>
        )}
        {isFound && state === "read" && (
          <span title={text.archived}>
            <Icon name="archive" />
            <span class="hidden">{text.archived}</span>
          </span>
        )}
        <span class="site">{findSite(url)}</span>
        {facts?.author && (
          <span class="author" dir="auto">
            {facts.author}
          </span>
        )}
        {facts && <bdi>{showMinutes(facts.minutes)}</bdi>}
        <time dateTime={timeAdded.toISOString()}>{formatDate(timeAdded)}</time>
        {isPending && (
          <span class="pending" title={text.pending}>
            <Icon name="sync" />
            <span class="hidden">{text.pending}</span>
          </span>
        )}
      </span>
      {(note || shownTags.length > 0) && (
        <span class="row-line">
          {note && (
            <>
              <span class="hidden">{text.note}</span>
              <span class="row-note" dir="auto" title={note}>
                {note}
              </span>
            </>
          )}
          {shownTags.map((tag) => (
            <a class="tag" key={tag} tabIndex={tabIndex} href={formatRoute({ view: route.view, tag })}>
              <bdi>{tag}</bdi>
            </a>
          ))}
        </span>
      )}
    </p>
  );
}
