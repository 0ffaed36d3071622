// SPDX-License-Identifier: MIT

import { Icon, IconButton } from "../../kit/icons.tsx";
import { laterTexts } from "../../kit/later-texts.ts";
import type { Observable } from "../../kit/observable.ts";
import type { Settings } from "../../kit/settings.ts";
import { firstTexts } from "../../kit/texts.ts";
import { ArticleMenu } from "./article-menu.tsx";
import { Contents } from "./contents.tsx";
import { DisplaySettings } from "./display-settings.tsx";
import type { Article } from "./use-article.ts";
import type { ShownText } from "./use-mark-layer.ts";

interface ArticleBarProps {
  url: string;
  title: string;
  article: Article;
  settings: Observable<Settings>;
  isRead: boolean;
  isStarred: boolean;
  /** Undefined until it is in its frame. */
  shownText: ShownText | undefined;
  onArchive(): void;
  onStar(): void;
  onDelete(): void;
  onEdit(): void;
  onBook(): Promise<Blob>;
  onNote(): void;
  onListen(): void;
  /** Undefined if the service sends no mails. */
  onSend: (() => void) | undefined;
  onShare: (() => void) | undefined;
  onClose(): void;
}

/** The actions above an article. */
export function ArticleBar({
  url,
  title,
  article,
  settings,
  isRead,
  isStarred,
  shownText,
  onArchive,
  onStar,
  onDelete,
  onEdit,
  onBook,
  onNote,
  onListen,
  onSend,
  onShare,
  onClose,
}: ArticleBarProps) {
  return (
    <nav class="top" aria-label={laterTexts.article.tools}>
      <IconButton icon="back" name={firstTexts.list.back} onClick={onClose} />
      <span class="space" />
      <ArchiveButton isRead={isRead} onClick={onArchive} />
      <IconButton
        icon="star"
        isFilled={isStarred}
        name={isStarred ? firstTexts.list.unstar : firstTexts.list.star}
        onClick={onStar}
      />
      <IconButton icon="delete" name={firstTexts.list.delete} onClick={onDelete} />
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
      <ArticleMenu
        url={url}
        title={title}
        views={article.views}
        onEdit={onEdit}
        onBook={onBook}
        onNote={onNote}
        onListen={shownText && article.views[0]?.html ? onListen : undefined}
        onSend={onSend}
        onShare={onShare}
        onReload={article.reload}
      />
    </nav>
  );
}

export function ArchiveButton({
  isRead,
  isLabelled,
  onClick,
}: {
  isRead: boolean;
  isLabelled?: boolean;
  onClick(): void;
}) {
  const name = isRead ? firstTexts.list.markUnread : firstTexts.list.markRead;
  const icon = isRead ? "unread" : "archive";
  if (!isLabelled) return <IconButton icon={icon} name={name} onClick={onClick} />;
  return (
    <button type="button" onClick={onClick}>
      <Icon name={icon} />
      {name}
    </button>
  );
}
