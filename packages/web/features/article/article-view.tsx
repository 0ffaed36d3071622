// SPDX-License-Identifier: MIT

import type { Change, LocalItem, Progress } from "@reading-list/client/main.ts";
import { starredTag } from "@reading-list/core/domain/tags.ts";
import { useEffect, useRef, useState } from "preact/hooks";
import { markColors } from "../../data/marks.ts";
import { useReader } from "../../data/reader.ts";
import type { Session } from "../../data/session.ts";
import { ShareDialog } from "../../data/share-dialog.tsx";
import { starItem } from "../../data/star-item.ts";
import { resized, widthOf } from "../../kit/display-fields.tsx";
import { Icon } from "../../kit/icons.tsx";
import { laterTexts } from "../../kit/later-texts.ts";
import { type Observable, useObservable } from "../../kit/observable.ts";
import type { Settings } from "../../kit/settings.ts";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { siteOf } from "../../kit/web-address.ts";
import { ArchiveButton, ArticleBar } from "./article-bar.tsx";
import { ArticleFrame } from "./article-frame.tsx";
import { Facts, Loading, Notes, Tags } from "./article-notes.tsx";
import { FootnoteView } from "./footnote.tsx";
import { ListenBar } from "./listen-bar.tsx";
import { Margins } from "./margins.tsx";
import { PictureView } from "./picture-view.tsx";
import { ScreenButtons } from "./screen-buttons.tsx";
import { SendDialog } from "./send-dialog.tsx";
import { familyOf } from "./typeface.ts";
import { useArticle } from "./use-article.ts";
import { useArticleMarks } from "./use-article-marks.tsx";
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

/** URL of the article that is read aloud as soon as it is shown, after the previous article. */
let listensTo: string | undefined;

function takeListening(url: string): { beginsAtTop: boolean } | undefined {
  const begins = listensTo === url;
  listensTo = undefined;
  return begins ? { beginsAtTop: true } : undefined;
}

/** The text of a page. */
export function ArticleView(props: ArticleViewProps) {
  const { item, session, jumpsTo, settings, previous, next, onChange, onProgress, onEdit, onOpen, onClose } = props;
  const { url } = item;
  const { texts } = session;
  const shown = useObservable(settings);
  const article = useArticle(url, texts);
  const heading = useRef<HTMLHeadingElement>(null);
  const [first] = article.views;
  const title = (item.title === url ? first?.title : item.title) || url;
  const isRead = item.state === "read";

  const archive = () => {
    onChange([{ kind: "read", url }]);
    onClose();
  };
  const markUnread = () => onChange([{ kind: "add", url }]);
  const remove = () => {
    onChange([{ kind: "delete", url }]);
    onClose();
  };
  const isStarred = item.tags.includes(starredTag);
  const toggleStar = () => onChange(starItem(item, !isStarred));
  const archiveAndNext = () => {
    if (!isRead) onChange([{ kind: "read", url }]);
    if (next) onOpen(next);
    else onClose();
  };
  const { notices, config } = useReader();
  const [isSending, setSending] = useState(false);
  const [isSharing, setSharing] = useState(false);
  const [shownText, setShownText] = useState<ShownText>();
  const [listening, setListening] = useState(() => takeListening(url));
  const marks = useArticleMarks(url, session.marks, shownText, jumpsTo, settings);

  const resize = (by: number) => () => {
    settings.value = resized(settings.value, by);
  };
  useShortcuts({
    Escape: onClose,
    e: isRead ? markUnread : archive,
    E: archiveAndNext,
    f: toggleStar,
    "#": remove,
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

  // A screen reader begins at the title.
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  useEffect(() => {
    const before = document.title;
    document.title = title;
    return () => {
      document.title = before;
    };
  }, [title]);

  const { font, fontSize } = shown;
  const look = { "--width": `${widthOf(shown)}em`, "--size": `${fontSize / 16}rem`, "--face": familyOf(font) };
  return (
    <main class="reading" style={look}>
      <ArticleBar
        url={url}
        title={title}
        article={article}
        settings={settings}
        isRead={isRead}
        isStarred={isStarred}
        shownText={shownText}
        onArchive={isRead ? markUnread : archive}
        onStar={toggleStar}
        onDelete={remove}
        onEdit={onEdit}
        onBook={() => texts.book([url])}
        onNote={marks.addNote}
        onListen={() => setListening({ beginsAtTop: false })}
        onSend={config.sendsMail ? () => setSending(true) : undefined}
        onShare={config.canShare ? () => setSharing(true) : undefined}
        onClose={onClose}
      />
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
        {!article.isContinued && <Loading article={article} />}
        {article.views.length > 0 && (
          <ArticleFrame
            url={url}
            title={title}
            views={article.views}
            settings={shown}
            progress={item.progress}
            hasNext={article.next !== undefined}
            onProgress={onProgress}
            onShown={setShownText}
          />
        )}
        {article.isContinued && <Loading article={article} />}
        {article.next && !article.isLoading && !(article.isContinued && article.failure) && (
          <p>
            <button type="button" onClick={article.more}>
              {text.next}
            </button>
          </p>
        )}
        {marks.list}
        {first && !article.next && !article.isLoading && (
          <footer>
            <ArchiveButton isRead={isRead} onClick={isRead ? markUnread : archive} isLabelled />
            {next && (
              <button type="button" class="primary" onClick={archiveAndNext}>
                {isRead ? text.nextArticle : text.archiveAndNext}
                <Icon name="forward" />
              </button>
            )}
          </footer>
        )}
      </article>
      {marks.tools}
      <PictureView content={shownText?.content} />
      <FootnoteView content={shownText?.content} />
      {isSharing && <ShareDialog target={{ url }} session={session} onClose={() => setSharing(false)} />}
      {isSending && <SendDialog url={url} session={session} onClose={() => setSending(false)} />}
      {listening && shownText && (
        <ListenBar
          key={shownText.map}
          title={title}
          site={siteOf(url)}
          shown={shownText}
          {...listening}
          onEnd={() => {
            setListening(undefined);
            listensTo = next?.url;
            if (next) onOpen(next);
          }}
          onClose={() => setListening(undefined)}
        />
      )}
      {shown.theme === "eink" && <ScreenButtons />}
    </main>
  );
}
