// SPDX-License-Identifier: MIT

import { Icon } from "../../kit/icons.tsx";
import { laterTexts } from "../../kit/later-texts.ts";
import { firstTexts, say } from "../../kit/texts.ts";

const text = firstTexts.list;

interface SelectionBarProps {
  /** All selected items are archived. */
  isRead: boolean;
  count: number;
  onAll(): void;
  onMark(): void;
  onTag(): void;
  /** Makes a book of them. */
  onBook(): void;
  onDelete(): void;
  onDone(): void;
}

/** The actions on selected items. On a phone they are icons. */
export function SelectionBar({ isRead, count, onAll, onMark, onTag, onBook, onDelete, onDone }: SelectionBarProps) {
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
    { icon: "download", name: laterTexts.article.book, run: onBook, isDisabled: none },
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
