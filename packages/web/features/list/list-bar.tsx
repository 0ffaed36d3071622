// SPDX-License-Identifier: MIT

import { english } from "../../kit/english.ts";
import { Icon, IconButton } from "../../kit/icons.tsx";
import { formatRoute, type Route } from "../../kit/router.ts";
import type { BarProps } from "./bar-props.ts";
import { FilterMenu } from "./filter-menu.tsx";

const text = english.list;

/** The two views with their counts, and the tools of the list. */
export function ViewBar({ visible, route, onShow, onSelect }: BarProps & { onSelect(): void }) {
  return (
    <div class="bar">
      <nav class="views">
        {(["unread", "archive"] as const).map((name) => (
          <a
            key={name}
            href={formatRoute({ ...route, view: name })}
            aria-current={route.view === name ? "page" : undefined}
            onClick={() => scrollTo(0, 0)}
          >
            {text[name]} <span class="count">{visible[name].length.toLocaleString("en")}</span>
          </a>
        ))}
      </nav>
      <FilterMenu visible={visible} route={route} onShow={onShow} />
      <IconButton icon="select" name={text.select} onClick={onSelect} />
    </div>
  );
}

interface SelectionBarProps {
  view: Route["view"];
  count: number;
  onAll(): void;
  onMark(): void;
  onTag(): void;
  onDelete(): void;
  onDone(): void;
}

/** The actions on selected items. On a phone they are icons. */
export function SelectionBar({ view, count, onAll, onMark, onTag, onDelete, onDone }: SelectionBarProps) {
  const none = count === 0;
  const actions = [
    { icon: "select", name: text.selectAll, run: onAll, isDisabled: false },
    {
      icon: view === "archive" ? "unread" : "archive",
      name: view === "archive" ? text.markUnread : text.markRead,
      run: onMark,
      isDisabled: none,
    },
    { icon: "tag", name: text.addTags, run: onTag, isDisabled: none },
    { icon: "delete", name: text.delete, run: onDelete, isDisabled: none },
  ] as const;
  return (
    <div class="bar selecting">
      <span class="bar-title" role="status">
        {text.selected(count)}
      </span>
      {actions.map(({ icon, name, run, isDisabled }) => (
        <button
          type="button"
          class="plain"
          key={name}
          aria-label={name}
          title={name}
          disabled={isDisabled}
          onClick={run}
        >
          <Icon name={icon} />
          <span class="bar-word">{name}</span>
        </button>
      ))}
      <button type="button" class="plain strong" onClick={onDone}>
        {text.done}
      </button>
    </div>
  );
}
