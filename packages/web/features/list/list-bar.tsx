// SPDX-License-Identifier: MIT

import type { ComponentChildren } from "preact";
import { Icon } from "../../kit/icons.tsx";
import { formatRoute } from "../../kit/router.ts";
import { firstTexts, formatNumber, say } from "../../kit/texts.ts";
import type { BarProps } from "./bar-props.ts";

const text = firstTexts.list;

/** The two views with their counts. */
export function ViewBar({
  visible,
  route,
  children,
}: Pick<BarProps, "visible" | "route"> & { children: ComponentChildren }) {
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
            {text[name]} <span class="count">{formatNumber(visible[name].length)}</span>
          </a>
        ))}
      </nav>
      {children}
    </div>
  );
}

interface SelectionBarProps {
  /** All selected items are archived. */
  isRead: boolean;
  count: number;
  onAll(): void;
  onMark(): void;
  onTag(): void;
  onDelete(): void;
  onDone(): void;
}

/** The actions on selected items. On a phone they are icons. */
export function SelectionBar({ isRead, count, onAll, onMark, onTag, onDelete, onDone }: SelectionBarProps) {
  const none = count === 0;
  const actions = [
    { icon: "select", name: text.selectAll, run: onAll, isDisabled: false },
    {
      icon: isRead ? "unread" : "archive",
      name: isRead ? text.markUnread : text.markRead,
      run: onMark,
      isDisabled: none,
    },
    { icon: "tag", name: text.addTags, run: onTag, isDisabled: none },
    { icon: "delete", name: text.delete, run: onDelete, isDisabled: none },
  ] as const;
  return (
    <div class="bar selecting">
      <span class="bar-title" role="status">
        {say(text.selected, { number: count })}
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
