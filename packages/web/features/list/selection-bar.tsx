// SPDX-License-Identifier: MIT

import { Icon, IconButton } from "../../kit/icons.tsx";
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
  /** Saves their articles as one file. */
  onDownload(format: "epub" | "markdown"): void;
  onDelete(): void;
  onDone(): void;
}

/** The actions on selected items. On a phone they are icons. */
export function SelectionBar({ isRead, count, onAll, onMark, onTag, onDownload, onDelete, onDone }: SelectionBarProps) {
  const none = count === 0;
  const actions = [
    { icon: "select", name: text.selectAll, run: onAll, isDisabled: false },
    {
      icon: isRead ? "unread" : "archive",
      name: isRead ? text.markUnread : text.markRead,
      run: onMark,
      isDisabled: none,
    },
    { icon: "tag", name: text.editTags, run: onTag, isDisabled: none },
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
      <IconButton icon="download" name={laterTexts.article.download} popovertarget="download" disabled={none} />
      <div id="download" popover="auto" class="popover menu">
        {(["epub", "markdown"] as const).map((format) => (
          <button type="button" class="plain" key={format} onClick={() => onDownload(format)}>
            <Icon name="download" />
            {format === "epub" ? laterTexts.article.book : laterTexts.article.markdown}
          </button>
        ))}
      </div>
      <button type="button" class="plain strong" onClick={onDone}>
        {text.done}
      </button>
    </div>
  );
}
