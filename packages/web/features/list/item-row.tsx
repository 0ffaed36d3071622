// SPDX-License-Identifier: MIT

import type { LocalItem } from "@reading-list/client/main.ts";
import { Component } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { TextFacts } from "../../data/cached-text.ts";
import type { SnippetPart } from "../../data/local-search.ts";
import { Icon } from "../../kit/icons.tsx";
import { formatRoute, type Route } from "../../kit/router.ts";
import { firstTexts, say } from "../../kit/texts.ts";
import { type RowActions, RowButtons } from "./row-buttons.tsx";
import { RowFacts } from "./row-facts.tsx";
import { Thumbnail } from "./thumbnail.tsx";

const text = firstTexts.list;

interface ItemRowProps {
  item: LocalItem;
  facts: TextFacts | undefined;
  /** The note on the page. */
  note: string | undefined;
  /** The share that is read, up to 1. */
  share: number | undefined;
  /** The excerpt of a search result. */
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
  note,
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
        <div class="row-text">
          <a
            class={title === url ? "row-title url" : "row-title"}
            dir="auto"
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
          <RowFacts
            item={item}
            facts={facts}
            note={note}
            route={route}
            isFound={snippet !== undefined}
            tabIndex={tabIndex}
          />
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
