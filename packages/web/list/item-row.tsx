import type { LocalItem } from "@reading-list/client/main.ts";
import { useEffect, useRef } from "preact/hooks";
import { english } from "../app/english.ts";
import { Icon } from "../app/icons.tsx";
import { formatRoute, type Route } from "../app/router.ts";
import { siteOf } from "../app/site-of.ts";
import { followSwipes } from "./swipe.ts";

const text = english.list;

export interface RowActions {
  archive(item: LocalItem): void;
  delete(item: LocalItem): void;
  edit(item: LocalItem): void;
  toggle(item: LocalItem): void;
  focus(item: LocalItem): void;
}

interface ItemRowProps {
  item: LocalItem;
  minutes: number | undefined;
  route: Route;
  isCurrent: boolean;
  isSelecting: boolean;
  isSelected: boolean;
  actions: RowActions;
}

export function ItemRow({ item, minutes, route, isCurrent, isSelecting, isSelected, actions }: ItemRowProps) {
  const row = useRef<HTMLDivElement>(null);
  const swiped = useRef((_direction: "left" | "right") => {});
  swiped.current = (direction) => (direction === "right" ? actions.archive(item) : actions.delete(item));
  useEffect(() => (row.current ? followSwipes(row.current, (direction) => swiped.current(direction)) : undefined), []);

  const { title, url, tags, state, timeAdded, isPending } = item;
  const isRead = state === "read";
  // Only the current row's buttons are in the tab order: others are reached by their row.
  const tabIndex = isCurrent ? 0 : -1;
  return (
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
          aria-label={text.selectItem(title)}
          checked={isSelected}
          tabIndex={tabIndex}
          onChange={() => actions.toggle(item)}
        />
      )}
      <div class="row-text">
        <a
          class="row-title"
          dir="auto"
          tabIndex={tabIndex}
          href={formatRoute({ ...route, article: url })}
          onClick={(event) => {
            if (!isSelecting) return;
            event.preventDefault();
            actions.toggle(item);
          }}
        >
          {title}
        </a>
        <p class="row-facts">
          <span class="site">{siteOf(url)}</span>
          {minutes !== undefined && <span>{text.minutes(minutes)}</span>}
          <time dateTime={timeAdded.toISOString()}>{formatDate(timeAdded)}</time>
          {isPending && (
            <span class="pending" title={text.pending}>
              <Icon name="sync" />
              <span class="hidden">{text.pending}</span>
            </span>
          )}
          {tags.map((tag) => (
            <a class="tag" key={tag} dir="auto" tabIndex={tabIndex} href={formatRoute({ view: route.view, tag })}>
              {tag}
            </a>
          ))}
        </p>
      </div>
      {!isSelecting && (
        <div class="row-actions">
          <button
            type="button"
            class="plain"
            tabIndex={tabIndex}
            aria-label={isRead ? text.markUnread : text.markRead}
            title={isRead ? text.markUnread : text.markRead}
            onClick={() => actions.archive(item)}
          >
            <Icon name={isRead ? "unread" : "archive"} />
          </button>
          <button
            type="button"
            class="plain"
            tabIndex={tabIndex}
            aria-label={text.edit}
            title={text.edit}
            onClick={() => actions.edit(item)}
          >
            <Icon name="edit" />
          </button>
          <button
            type="button"
            class="plain"
            tabIndex={tabIndex}
            aria-label={text.delete}
            title={text.delete}
            onClick={() => actions.delete(item)}
          >
            <Icon name="delete" />
          </button>
        </div>
      )}
    </div>
  );
}

const thisYear = new Intl.DateTimeFormat("en", { day: "numeric", month: "short" });
const otherYear = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", year: "numeric" });

const formatDate = (date: Date) =>
  (date.getFullYear() === new Date().getFullYear() ? thisYear : otherYear).format(date);
