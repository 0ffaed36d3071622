// SPDX-License-Identifier: MIT

import { DisplayFields } from "../../kit/display-fields.tsx";
import { Icon, IconButton } from "../../kit/icons.tsx";
import { laterTexts } from "../../kit/later-texts.ts";
import type { Observable } from "../../kit/observable.ts";
import { Segments } from "../../kit/segments.tsx";
import type { Settings } from "../../kit/settings.ts";
import { firstTexts } from "../../kit/texts.ts";
import type { ArticleActions } from "./article-actions.ts";
import { ArticleMenu, type ArticleMenuProps } from "./article-menu.tsx";
import { Contents } from "./contents.tsx";
import type { ShownText } from "./use-mark-layer.ts";

interface ArticleBarProps {
  settings: Observable<Settings>;
  /** Undefined until it is in its frame. */
  shownText: ShownText | undefined;
  actions: ArticleActions;
  menu: ArticleMenuProps;
  onClose(): void;
}

/** The actions above an article. */
export function ArticleBar({ settings, shownText, actions, menu, onClose }: ArticleBarProps) {
  const { isStarred, toggleStar, remove } = actions;
  return (
    <nav class="top" aria-label={laterTexts.article.tools}>
      <IconButton icon="back" name={firstTexts.list.back} onClick={onClose} />
      <span class="space" />
      <ArchiveButton actions={actions} />
      <IconButton
        icon="star"
        isFilled={isStarred}
        name={isStarred ? firstTexts.list.unstar : firstTexts.list.star}
        onClick={toggleStar}
      />
      <IconButton icon="delete" name={firstTexts.list.delete} onClick={remove} />
      <Contents shown={shownText} />
      <button
        type="button"
        class="plain"
        popovertarget="display"
        aria-label={laterTexts.display.title}
        title={laterTexts.display.title}
      >
        <span class="aa" aria-hidden="true">
          Aa
        </span>
      </button>
      <DisplaySettings id="display" settings={settings} />
      <ArticleMenu {...menu} />
    </nav>
  );
}

export function ArchiveButton({
  actions: { isRead, toggleRead },
  isLabelled,
}: {
  actions: ArticleActions;
  isLabelled?: boolean;
}) {
  const name = isRead ? firstTexts.list.markUnread : firstTexts.list.markRead;
  const icon = isRead ? "unread" : "archive";
  if (!isLabelled) return <IconButton icon={icon} name={name} onClick={toggleRead} />;
  return (
    <button type="button" onClick={toggleRead}>
      <Icon name={icon} />
      {name}
    </button>
  );
}

/** How articles look, in a popover that a button opens with `popovertarget`. */
const DisplaySettings = ({ id, settings }: { id: string; settings: Observable<Settings> }) => (
  <div id={id} popover="auto" role="dialog" aria-label={laterTexts.display.title} class="display popover">
    <DisplayFields settings={settings} />
    <Segments name="theme" title={laterTexts.menu.theme} values={laterTexts.menu.themes} settings={settings} />
  </div>
);
