// SPDX-License-Identifier: MIT

import type { LocalItem } from "@reading-list/client/main.ts";
import { starredTag } from "@reading-list/core/domain/tags.ts";
import { Component } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { SnippetPart } from "../../data/local-search.ts";
import { useReader } from "../../data/reader.ts";
import type { TextFacts } from "../../data/texts.ts";
import { Icon } from "../../kit/icons.tsx";
import { useObservable } from "../../kit/observable.ts";
import { pictureKeyOf } from "../../kit/picture-key.ts";
import { formatRoute, type Route } from "../../kit/router.ts";
import { firstTexts, language, say, showMinutes } from "../../kit/texts.ts";
import { siteOf } from "../../kit/web-address.ts";

const text = firstTexts.list;

export interface RowActions {
  archive(item: LocalItem): void;
  delete(item: LocalItem): void;
  edit(item: LocalItem): void;
  star(item: LocalItem): void;
  toggle(item: LocalItem): void;
  focus(item: LocalItem): void;
}

interface ItemRowProps {
  item: LocalItem;
  facts: TextFacts | undefined;
  /** The share that is read, up to 1. */
  share: number | undefined;
  /** Of a search. */
  snippet: readonly SnippetPart[] | undefined;
  route: Route;
  isCurrent: boolean;
  isSelecting: boolean;
  isSelected: boolean;
  actions: RowActions;
  /** Undefined until it is loaded. */
  followSwipes: typeof import("./later.ts").followSwipes | undefined;
}

/** A row that is rendered again only if one of its properties is another: a key renders two of all rows. */
export class ItemRow extends Component<ItemRowProps> {
  override shouldComponentUpdate(next: ItemRowProps): boolean {
    return (Object.keys(next) as (keyof ItemRowProps)[]).some((name) => next[name] !== this.props[name]);
  }

  render(props: ItemRowProps) {
    return <Row {...props} />;
  }
}

function Row({
  item,
  facts,
  share,
  snippet,
  route,
  isCurrent,
  isSelecting,
  isSelected,
  actions,
  followSwipes,
}: ItemRowProps) {
  const row = useRef<HTMLDivElement>(null);
  const swiped = useRef((_direction: "left" | "right") => {});
  swiped.current = (direction) => (direction === "right" ? actions.archive(item) : actions.delete(item));
  useEffect(
    () => (row.current ? followSwipes?.(row.current, (direction) => swiped.current(direction)) : undefined),
    [followSwipes],
  );

  const { title, url, state } = item;
  const mark = state === "read" ? text.markUnread : text.markRead;
  const markIcon = state === "read" ? "unread" : "archive";
  // Only the current row's buttons are in the tab order: others are reached by their row.
  const tabIndex = isCurrent ? 0 : -1;
  return (
    <>
      <div class="swipe" aria-hidden="true">
        <span>
          <Icon name={markIcon} /> {mark}
        </span>
        <span>
          {text.delete} <Icon name="delete" />
        </span>
      </div>
      <div
        ref={row}
        class="row"
        data-url={url}
        aria-current={isCurrent ? "true" : undefined}
        onFocusIn={() => actions.focus(item)}
      >
        {isSelecting && (
          <input
            type="checkbox"
            aria-label={say(text.selectItem, { title })}
            checked={isSelected}
            tabIndex={tabIndex}
            onChange={() => actions.toggle(item)}
          />
        )}
        <Thumbnail url={url} facts={facts} />
        <div class="row-text" dir="auto">
          <a
            class={title === url ? "row-title url" : "row-title"}
            tabIndex={tabIndex}
            href={formatRoute({ ...route, article: url })}
            draggable={false}
            onClick={(event) => {
              if (!isSelecting) return;
              event.preventDefault();
              actions.toggle(item);
            }}
          >
            {title}
          </a>
          <RowFacts item={item} facts={facts} route={route} isFound={snippet !== undefined} tabIndex={tabIndex} />
          <p class="snippet" dir="auto">
            {snippet
              ? snippet.map(({ text, isFound }, i) => (isFound ? <mark key={i}>{text}</mark> : text))
              : facts?.excerpt}
          </p>
        </div>
        {!isSelecting && (
          <RowButtons item={item} mark={mark} markIcon={markIcon} tabIndex={tabIndex} actions={actions} />
        )}
        {share ? <progress class="share" value={share} aria-label={text.share} /> : null}
      </div>
    </>
  );
}

/** The image that the page declares, if the service keeps it, or a letter. */
function Thumbnail({ url, facts }: { url: string; facts: TextFacts | undefined }) {
  const { settings } = useReader();
  const { images } = useObservable(settings);
  const [failed, setFailed] = useState("");
  const { imageUrl = "" } = facts ?? {};
  return (
    <span class="thumbnail" aria-hidden="true">
      {images && pictureKeyOf(imageUrl) && imageUrl !== failed ? (
        <img
          key={imageUrl}
          src={imageUrl}
          alt=""
          loading="lazy"
          draggable={false}
          referrerPolicy="no-referrer"
          onError={() => setFailed(imageUrl)}
        />
      ) : (
        siteOf(url).slice(0, 1)
      )}
    </span>
  );
}

interface RowFactsProps {
  item: LocalItem;
  facts: TextFacts | undefined;
  route: Route;
  /** A search finds archived pages, too. */
  isFound: boolean;
  tabIndex: number;
}

function RowFacts({
  item: { url, state, tags, timeAdded, isPending },
  facts,
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
        <span class="site">{siteOf(url)}</span>
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
      {shownTags.length > 0 && (
        <span class="row-line">
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

interface RowButtonsProps {
  item: LocalItem;
  mark: string;
  markIcon: "archive" | "unread";
  tabIndex: number;
  actions: RowActions;
}

function RowButtons({ item, mark, markIcon, tabIndex, actions }: RowButtonsProps) {
  const isStarred = item.tags.includes(starredTag);
  const buttons = [
    { icon: markIcon, name: mark, run: actions.archive },
    { icon: "star", name: isStarred ? text.unstar : text.star, run: actions.star },
    { icon: "edit", name: text.edit, run: actions.edit },
    { icon: "delete", name: text.delete, run: actions.delete },
  ] as const;
  return (
    <div class="row-actions">
      {buttons.map(({ icon, name, run }) => (
        <button
          key={icon}
          type="button"
          class="plain"
          data-action={icon}
          tabIndex={tabIndex}
          aria-label={name}
          title={name}
          onClick={() => run(item)}
        >
          <Icon name={icon} isFilled={icon === "star" && isStarred} />
        </button>
      ))}
    </div>
  );
}

const thisYear = new Intl.DateTimeFormat(language, { day: "numeric", month: "short" });
const otherYear = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", year: "numeric" });

const formatDate = (date: Date) =>
  (date.getFullYear() === new Date().getFullYear() ? thisYear : otherYear).format(date);
