// SPDX-License-Identifier: MIT

import type { ApiError, Change, LocalItem, Progress } from "@reading-list/client/main.ts";
import { starredTag } from "@reading-list/core/domain/tags.ts";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { MarkDialog } from "../../data/mark-dialog.tsx";
import { type Mark, type MarkColor, type Marks, markColors } from "../../data/marks.ts";
import { useReader } from "../../data/reader.ts";
import type { Session } from "../../data/session.ts";
import type { Texts } from "../../data/texts.ts";
import { useMarkActions } from "../../data/use-marks.ts";
import { resized } from "../../kit/display-fields.tsx";
import { Icon, IconButton } from "../../kit/icons.tsx";
import { dates, laterTexts } from "../../kit/later-texts.ts";
import { type Observable, useObservable } from "../../kit/observable.ts";
import { plainTextOf, readingMinutes } from "../../kit/plain-text.ts";
import type { Settings } from "../../kit/settings.ts";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { firstTexts, showMinutes } from "../../kit/texts.ts";
import { siteOf } from "../../kit/web-address.ts";
import { ArticleFrame } from "./article-frame.tsx";
import { ArticleMenu } from "./article-menu.tsx";
import { Contents } from "./contents.tsx";
import { DisplaySettings } from "./display-settings.tsx";
import { FootnoteView } from "./footnote.tsx";
import { jumpTo } from "./jump.ts";
import { ListenBar } from "./listen-bar.tsx";
import { MarkBar } from "./mark-bar.tsx";
import { MarkList } from "./mark-list.tsx";
import { PictureView } from "./picture-view.tsx";
import { ScreenButtons } from "./screen-buttons.tsx";
import { SendDialog } from "./send-dialog.tsx";
import { familyOf } from "./typeface.ts";
import { type Article, useArticle } from "./use-article.ts";
import { type ShownText, useMarkLayer } from "./use-mark-layer.ts";

export interface ArticleViewProps {
  item: LocalItem;
  session: Session;
  /** The cached texts, and those of the service. */
  texts: Texts;
  marks: Marks;
  /** Id of the mark to which the article is scrolled. */
  jumpsTo: string | undefined;
  settings: Observable<Settings>;
  /** The items before and after it in the list. */
  previous: LocalItem | undefined;
  next: LocalItem | undefined;
  /** Queues changes of the list, such as `{ kind: "read", url }`, and shows a notice with "Undo". */
  onChange(changes: Change[]): void;
  /** Stores how far the article was read. */
  onProgress(progress: Progress, isLeaving: boolean): void;
  onOpen(item: LocalItem): void;
  /** Returns to the list. */
  onClose(): void;
}

const text = laterTexts.article;

/** URL of the article that is read aloud as soon as it is shown, after the one before it. */
let listensTo: string | undefined;

function takeListening(url: string): { beginsAtTop: boolean } | undefined {
  const begins = listensTo === url;
  listensTo = undefined;
  return begins ? { beginsAtTop: true } : undefined;
}

/** An earlier version has stored the names of three widths. */
const widthOf = (stored: unknown) => Number(stored) || { narrow: 28, wide: 44 }[String(stored)] || 34;

/** The text of a page. */
export function ArticleView(props: ArticleViewProps) {
  const {
    item,
    session,
    texts,
    marks: allMarks,
    jumpsTo,
    settings,
    previous,
    next,
    onChange,
    onProgress,
    onOpen,
    onClose,
  } = props;
  const { url, tags } = item;
  const shown = useObservable(settings);
  const article = useArticle(url, texts);
  const heading = useRef<HTMLHeadingElement>(null);
  const [first] = article.views;
  const title = item.title === url ? (first?.title ?? url) : item.title;
  const isRead = item.state === "read";

  const change = (changed: Change) => {
    onChange([changed]);
    if (changed.kind !== "add") onClose();
  };
  const archive = () => change(isRead ? { kind: "add", url } : { kind: "read", url });
  const archiveAndNext = () => {
    if (!isRead) onChange([{ kind: "read", url }]);
    if (next) onOpen(next);
    else onClose();
  };
  const isStarred = tags.includes(starredTag);
  const star = () =>
    change({ kind: "tags", url, tags: isStarred ? tags.filter((tag) => tag !== starredTag) : [...tags, starredTag] });
  const remove = () => change({ kind: "delete", url });
  const { notices, config } = useReader();
  const [isSending, setSending] = useState(false);
  const actions = useMarkActions(allMarks);
  const known = useObservable(allMarks.all);
  const marks = useMemo(() => known?.filter((mark) => mark.url === url) ?? [], [known, url]);
  const [shownText, setShownText] = useState<ShownText>();
  /** The mark whose dialog is open; one that is not stored yet is new. */
  const [edited, setEdited] = useState<{ mark: Mark; isNew: boolean }>();
  const [listening, setListening] = useState(() => takeListening(url));
  const layer = useMarkLayer(url, shownText, marks, (mark) => setEdited({ mark, isNew: false }));
  const mark = (color: MarkColor = shown.markColor) => {
    if (!layer.selected) return;
    settings.value = { ...settings.value, markColor: color };
    actions.add(layer.markOf(layer.selected, color));
    layer.clear();
  };
  const jump = ({ id }: { id: string }) => {
    const passage = layer.passages?.get(id);
    if (passage && shownText) jumpTo(passage, shownText);
  };
  const jumped = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (!jumpsTo || jumped.current === jumpsTo || !layer.passages?.has(jumpsTo)) return;
    jumped.current = jumpsTo;
    jump({ id: jumpsTo });
  }, [jumpsTo, layer.passages]);

  const resize = (by: number) => () => {
    settings.value = resized(settings.value, by);
  };
  useShortcuts({
    Escape: onClose,
    e: archive,
    E: archiveAndNext,
    f: star,
    "#": remove,
    j: () => next && onOpen(next),
    k: () => previous && onOpen(previous),
    v: () => open(url, "_blank", "noopener"),
    "+": resize(1),
    "-": resize(-1),
    n: () => article.next && article.more(),
    h: () => mark(),
    ...Object.fromEntries(markColors.map((color, i) => [i + 1, () => mark(color)])),
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

  const { width, font, fontSize } = shown;
  const look = { "--width": `${widthOf(width)}em`, "--size": `${fontSize / 16}rem`, "--face": familyOf(font) };
  return (
    <main class="reading" style={look}>
      <nav class="top" aria-label={text.tools}>
        <IconButton icon="back" name={firstTexts.list.back} onClick={onClose} />
        <span class="space" />
        <ArchiveButton isRead={isRead} onClick={archive} />
        <IconButton
          icon="star"
          isFilled={isStarred}
          name={isStarred ? firstTexts.list.unstar : firstTexts.list.star}
          onClick={star}
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
        <ArticleMenu
          url={url}
          title={title}
          views={article.views}
          onBook={() => texts.book([url])}
          onListen={shownText && first?.html ? () => setListening({ beginsAtTop: false }) : undefined}
          onSend={config.sendsMail ? () => setSending(true) : undefined}
          onReload={article.reload}
        />
      </nav>
      <article class="column" aria-busy={article.isLoading}>
        <header dir="auto">
          <h1 tabIndex={-1} ref={heading}>
            {title}
          </h1>
          <Facts url={url} article={article} />
        </header>
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
        {layer.passages && (
          <MarkList
            marks={marks}
            passages={layer.passages}
            onJump={jump}
            onEdit={(mark) => setEdited({ mark, isNew: false })}
          />
        )}
        {first && !article.next && !article.isLoading && (
          <footer>
            <ArchiveButton isRead={isRead} onClick={archive} isLabelled />
            {next && (
              <button type="button" class="primary" onClick={archiveAndNext}>
                {isRead ? text.nextArticle : text.archiveAndNext}
                <Icon name="forward" />
              </button>
            )}
          </footer>
        )}
      </article>
      {layer.selected && (
        <MarkBar
          {...layer.selected}
          onMark={mark}
          onNote={() =>
            layer.selected && setEdited({ mark: layer.markOf(layer.selected, shown.markColor), isNew: true })
          }
        />
      )}
      {edited && (
        <MarkDialog
          mark={edited.mark}
          onSave={edited.isNew ? actions.add : actions.change}
          onDelete={edited.isNew ? undefined : () => actions.remove(edited.mark)}
          onClose={() => {
            if (edited.isNew) layer.clear();
            setEdited(undefined);
          }}
        />
      )}
      <PictureView content={shownText?.content} />
      <FootnoteView content={shownText?.content} />
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

function ArchiveButton({ isRead, isLabelled, onClick }: { isRead: boolean; isLabelled?: boolean; onClick(): void }) {
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

/** Site, author, date and length. */
function Facts({ url, article: { views } }: { url: string; article: Article }) {
  const [first] = views;
  const minutes = useMemo(() => (first?.html ? readingMinutes(plainTextOf(first.html)) : undefined), [first]);
  const published = first?.publishedAt ? new Date(first.publishedAt) : undefined;
  return (
    <p class="facts">
      <a href={url} target="_blank" rel="noopener noreferrer" dir="ltr">
        {siteOf(url)}
      </a>
      {first?.author && <span dir="auto">{first.author}</span>}
      {published && !Number.isNaN(published.getTime()) && (
        <time dateTime={first?.publishedAt}>{dates.format(published)}</time>
      )}
      {minutes !== undefined && <bdi>{showMinutes(minutes)}</bdi>}
    </p>
  );
}

/** Names the problem of the text, and offers remedies. */
function Notes({ url, article: { views, showAll } }: { url: string; article: Article }) {
  const [first] = views;
  if (first?.html === "") {
    return (
      <Note text={text.empty} detail={first.notice}>
        {showAll && (
          <button type="button" onClick={showAll}>
            {text.showAll}
          </button>
        )}
        <Original url={url} />
        <Archived url={url} />
      </Note>
    );
  }
  if (!first?.hasLogin && !first?.notice) return null;
  return (
    <Note text={first.hasLogin ? text.login : text.incomplete} detail={first.notice}>
      <Original url={url} />
    </Note>
  );
}

/** The state of the page that is loaded: a skeleton, or why it failed. */
function Loading({ article }: { article: Article }) {
  const { views, isLoading, failure } = article;
  if (failure) return <Failure article={article} failure={failure} />;
  if (!isLoading) return null;
  return (
    <div class="skeleton" role="status">
      <span class="hidden">{text.loading}</span>
      {Array.from({ length: views.length > 0 ? 3 : 9 }, (_, i) => (
        <span key={i} />
      ))}
    </div>
  );
}

function Failure({ article: { url, views, isContinued, retry }, failure }: { article: Article; failure: ApiError }) {
  const isOffline = failure.kind === "noResponse";
  const isStored = views.length > 0 && !isContinued;
  return (
    <Note
      text={isOffline ? (isStored ? text.offline : text.notStored) : text.failures[reasonOf(failure)]}
      detail={isOffline ? "" : failure.message.replace(/^\w+: url/, "The page")}
      isAlert
    >
      <button type="button" onClick={retry}>
        {text.retry}
      </button>
      <Original url={url} />
      {!isOffline && <Archived url={url} />}
    </Note>
  );
}

/** The reason in words of the reader; the service's own words are shown smaller. */
function reasonOf({ kind, code = "" }: ApiError): keyof typeof text.failures {
  return kind === "unavailable" ? "busy" : (reasons[code] ?? "unreadable");
}

const reasons: Partial<Record<string, keyof typeof text.failures>> = {
  page_gone: "gone",
  page_refused: "refused",
  page_unsupported: "file",
};

function Original({ url }: { url: string }) {
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {text.openOriginal}
    </a>
  );
}

function Archived({ url }: { url: string }) {
  return (
    <a href={`https://web.archive.org/web/${url}`} target="_blank" rel="noopener noreferrer">
      {text.archived}
    </a>
  );
}

interface NoteProps {
  text: string;
  /** The service's own words, in small type. */
  detail?: string | undefined;
  isAlert?: boolean;
  /** The remedies. */
  children: ComponentChildren;
}

function Note({ text, detail, isAlert, children }: NoteProps) {
  return (
    <div class="note" role={isAlert ? "alert" : undefined}>
      <Icon name="warning" />
      <div>
        {text}
        {detail && <p class="hint">{detail}</p>}
        <p class="actions">{children}</p>
      </div>
    </div>
  );
}
