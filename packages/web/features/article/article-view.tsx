// SPDX-License-Identifier: MIT

import type { Change, LocalItem, Progress } from "@reading-list/client/main.ts";
import { useEffect, useRef, useState } from "preact/hooks";
import { markColors } from "../../data/marks.ts";
import { useReader } from "../../data/reader.ts";
import type { Session } from "../../data/session.ts";
import { ShareDialog } from "../../data/share-dialog.tsx";
import { readWidth, resized } from "../../kit/display-fields.tsx";
import { useDocumentTitle } from "../../kit/document-title.ts";
import { Icon } from "../../kit/icons.tsx";
import { laterTexts } from "../../kit/later-texts.ts";
import { type Observable, useObservable } from "../../kit/observable.ts";
import type { Settings } from "../../kit/settings.ts";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { type ArticleActions, createArticleActions } from "./article-actions.ts";
import { ArchiveButton, ArticleBar } from "./article-bar.tsx";
import { Facts, Notes, Tags } from "./article-notes.tsx";
import { ArticlePages } from "./article-pages.tsx";
import { FootnoteView } from "./footnote.tsx";
import { Margins } from "./margins.tsx";
import { PictureView } from "./picture-view.tsx";
import { ScreenButtons } from "./screen-buttons.tsx";
import { SendDialog } from "./send-dialog.tsx";
import { writeFontFamily } from "./typeface.ts";
import { type Article, useArticle } from "./use-article.ts";
import { useArticleMarks } from "./use-article-marks.tsx";
import { useListening } from "./use-listening.tsx";
import type { ShownText } from "./use-mark-layer.ts";

export interface ArticleViewProps {
  item: LocalItem;
  session: Session;
  /** Id of the mark to which the article is scrolled. */
  jumpsTo: string | undefined;
  settings: Observable<Settings>;
  /** The items before and after it in the list. */
  previous: LocalItem | undefined;
  next: LocalItem | undefined;
  /** Queues changes of the list, such as `{ kind: "read", url }`, and shows a notice with "Undo". */
  onChange(changes: Change[]): void;
  /** Opens the dialog that changes title and tags. */
  onEdit(): void;
  /** Stores how far the article was read. */
  onProgress(progress: Progress, isLeaving: boolean): void;
  onOpen(item: LocalItem): void;
  /** Returns to the list. */
  onClose(): void;
}

const text = laterTexts.article;

/** The text of a page. */
export function ArticleView(props: ArticleViewProps) {
  const { item, session, jumpsTo, settings, next, onProgress, onEdit, onOpen, onClose } = props;
  const { url } = item;
  const { config } = useReader();
  const shown = useObservable(settings);
  const article = useArticle(url, session.texts);
  const heading = useRef<HTMLHeadingElement>(null);
  const [first] = article.views;
  const title = (item.title === url ? first?.title : item.title) || url;
  const [dialog, setDialog] = useState<"send" | "share">();
  const [shownText, setShownText] = useState<ShownText>();
  const { listen, bar: listenBar } = useListening({ url, title }, shownText, next, onOpen);
  const marks = useArticleMarks(url, session.marks, shownText, jumpsTo, settings);
  const actions = createArticleActions(props);
  useArticleKeys(props, actions, article, marks);
  // A screen reader begins at the title.
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  useDocumentTitle(title);

  const { font, fontSize } = shown;
  const look = { "--width": `${readWidth(shown)}em`, "--size": `${fontSize / 16}rem`, "--face": writeFontFamily(font) };
  const menu = {
    url,
    title,
    views: article.views,
    onEdit,
    onBook: () => session.texts.book([url]),
    onNote: marks.addNote,
    onListen: shownText && first?.html ? listen : undefined,
    onSend: config.sendsMail ? () => setDialog("send") : undefined,
    onShare: config.canShare ? () => setDialog("share") : undefined,
    onReload: article.reload,
  };
  return (
    <main class="reading" style={look}>
      <ArticleBar settings={settings} shownText={shownText} actions={actions} menu={menu} onClose={onClose} />
      <article class="column" aria-busy={article.isLoading}>
        <Margins settings={settings} />
        <header dir="auto">
          <h1 tabIndex={-1} ref={heading}>
            {title}
          </h1>
          <Facts url={url} article={article} />
          <Tags tags={item.tags} />
        </header>
        {marks.notes}
        <Notes url={url} article={article} />
        <ArticlePages
          url={url}
          title={title}
          article={article}
          settings={shown}
          progress={item.progress}
          onProgress={onProgress}
          onShown={setShownText}
        />
        {marks.list}
        {first && !article.next && !article.isLoading && (
          <footer>
            <ArchiveButton actions={actions} isLabelled />
            {next && (
              <button type="button" class="primary" onClick={actions.archiveAndNext}>
                {actions.isRead ? text.nextArticle : text.archiveAndNext}
                <Icon name="forward" />
              </button>
            )}
          </footer>
        )}
      </article>
      {marks.tools}
      <PictureView content={shownText?.content} />
      <FootnoteView content={shownText?.content} />
      {dialog === "share" && <ShareDialog target={{ url }} session={session} onClose={() => setDialog(undefined)} />}
      {dialog === "send" && <SendDialog url={url} session={session} onClose={() => setDialog(undefined)} />}
      {listenBar}
      {shown.theme === "eink" && <ScreenButtons />}
    </main>
  );
}

/** The keys of an open article. */
function useArticleKeys(
  { item: { url }, settings, previous, next, onOpen, onClose }: ArticleViewProps,
  actions: ArticleActions,
  article: Article,
  marks: ReturnType<typeof useArticleMarks>,
): void {
  const { notices } = useReader();
  const resize = (by: number) => () => {
    settings.value = resized(settings.value, by);
  };
  useShortcuts({
    Escape: onClose,
    e: actions.toggleRead,
    E: actions.archiveAndNext,
    f: actions.toggleStar,
    "#": actions.remove,
    j: () => next && onOpen(next),
    k: () => previous && onOpen(previous),
    v: () => open(url, "_blank", "noopener"),
    "+": resize(1),
    "-": resize(-1),
    n: () => article.next && article.more(),
    "[": () => marks.moveMarker(-1),
    "]": () => marks.moveMarker(1),
    // A key that is held down would highlight and remove in turns.
    h: ({ repeat }) => repeat || marks.mark(),
    ...Object.fromEntries(
      markColors.map((color, i) => [i + 1, ({ repeat }: KeyboardEvent) => repeat || marks.mark(color)]),
    ),
    z: () => notices.undo(),
  });
}
