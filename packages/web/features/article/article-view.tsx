// SPDX-License-Identifier: MIT

import type { Change, LocalItem, Progress } from "@reading-list/client/main.ts";
import { starredTag } from "@reading-list/core/domain/tags.ts";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { MarkDialog } from "../../data/mark-dialog.tsx";
import { type Mark, type MarkColor, markColors } from "../../data/marks.ts";
import { useReader } from "../../data/reader.ts";
import type { Session } from "../../data/session.ts";
import { useMarkActions } from "../../data/use-marks.ts";
import { resized, widthOf } from "../../kit/display-fields.tsx";
import { Icon } from "../../kit/icons.tsx";
import { laterTexts } from "../../kit/later-texts.ts";
import { type Observable, useObservable } from "../../kit/observable.ts";
import type { Settings } from "../../kit/settings.ts";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { siteOf } from "../../kit/web-address.ts";
import { ArchiveButton, ArticleBar } from "./article-bar.tsx";
import { ArticleFrame } from "./article-frame.tsx";
import { Facts, Loading, Notes } from "./article-notes.tsx";
import { FootnoteView } from "./footnote.tsx";
import { jumpTo } from "./jump.ts";
import { ListenBar } from "./listen-bar.tsx";
import { MarkBar } from "./mark-bar.tsx";
import { MarkList } from "./mark-list.tsx";
import { PictureView } from "./picture-view.tsx";
import { ScreenButtons } from "./screen-buttons.tsx";
import { SendDialog } from "./send-dialog.tsx";
import { familyOf } from "./typeface.ts";
import { useArticle } from "./use-article.ts";
import { type ShownText, useMarkLayer } from "./use-mark-layer.ts";

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

/** The text of a page. */
export function ArticleView(props: ArticleViewProps) {
  const { item, session, jumpsTo, settings, previous, next, onChange, onProgress, onOpen, onClose } = props;
  const { url, tags } = item;
  const { texts, marks: allMarks } = session;
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

  const { font, fontSize } = shown;
  const look = { "--width": `${widthOf(shown)}em`, "--size": `${fontSize / 16}rem`, "--face": familyOf(font) };
  return (
    <main class="reading" style={look}>
      <ArticleBar
        {...{ url, title, article, settings, isRead, isStarred, shownText }}
        onArchive={archive}
        onStar={star}
        onDelete={remove}
        onBook={() => texts.book([url])}
        onListen={() => setListening({ beginsAtTop: false })}
        onSend={config.sendsMail ? () => setSending(true) : undefined}
        onClose={onClose}
      />
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
