// SPDX-License-Identifier: MIT

import type { LocalItem } from "@reading-list/client/main.ts";
import { starredTag } from "@reading-list/core/domain/tags.ts";
import { Icon } from "../../kit/icons.tsx";
import { firstTexts } from "../../kit/texts.ts";

const text = firstTexts.list;

/** The steps of a row, which a component calls with its item. */
export interface RowActions {
  archive(item: LocalItem): void;
  delete(item: LocalItem): void;
  edit(item: LocalItem): void;
  star(item: LocalItem): void;
  toggle(item: LocalItem): void;
  focus(item: LocalItem): void;
}

interface RowButtonsProps {
  item: LocalItem;
  mark: string;
  markIcon: "archive" | "unread";
  tabIndex: number;
  actions: RowActions;
}

export function RowButtons({ item, mark, markIcon, tabIndex, actions }: RowButtonsProps) {
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
          aria-label={`${name}: ${item.title}`}
          title={name}
          onClick={() => run(item)}
        >
          <Icon name={icon} isFilled={icon === "star" && isStarred} />
        </button>
      ))}
    </div>
  );
}
