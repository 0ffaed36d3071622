import type { Change, LocalItem } from "@reading-list/client/main.ts";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { english } from "../app/english.ts";
import { Icon } from "../app/icons.tsx";
import { type Observable, useObservable } from "../app/observable.ts";
import type { Settings } from "../app/settings.ts";
import { useShortcuts } from "../app/shortcuts.ts";
import { siteOf } from "../app/site-of.ts";
import { plainTextOf, readingMinutes } from "../offline/plain-text.ts";
import type { Texts } from "../offline/texts.ts";
import { ArticleFrame } from "./article-frame.tsx";
import { DisplaySettings, resized } from "./display-settings.tsx";
import { useArticle } from "./use-article.ts";

export interface ArticleViewProps {
  item: LocalItem;
  /** The cached texts, and those of the service. */
  texts: Texts;
  settings: Observable<Settings>;
  /** Queues changes of the list, such as `{ kind: "read", url }`, and shows a notice with "Undo". */
  onChange(changes: Change[]): void;
  /** Returns to the list. */
  onClose(): void;
}

const text = english.article;
const widths: Record<Settings["width"], string> = { narrow: "28em", medium: "34em", wide: "44em" };

/** The text of a page. */
export function ArticleView({ item, texts, settings, onChange, onClose }: ArticleViewProps) {
  const { url } = item;
  const shown = useObservable(settings);
  const { views, loading, failure, next, more, showAll } = useArticle(url, texts);
  const heading = useRef<HTMLHeadingElement>(null);
  const [first] = views;
  const minutes = useMemo(() => (first?.html ? readingMinutes(plainTextOf(first.html)) : undefined), [first]);
  const title = item.title === url ? (first?.title ?? url) : item.title;
  const isRead = item.state === "read";

  const change = (changed: Change) => {
    onChange([changed]);
    if (changed.kind !== "add") onClose();
  };
  const archive = () => change(isRead ? { kind: "add", url } : { kind: "read", url });
  const remove = () => change({ kind: "delete", url });
  const resize = (by: number) => () => {
    settings.value = resized(settings.value, by);
  };
  useShortcuts({
    Escape: () => {
      const popover = document.querySelector<HTMLElement>(":popover-open");
      if (popover) popover.hidePopover();
      else onClose();
    },
    e: archive,
    "#": remove,
    v: () => open(url, "_blank", "noopener"),
    "+": resize(1),
    "-": resize(-1),
    n: () => next && more(),
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
  const look = { "--width": widths[width], "--size": `${fontSize}px`, "--face": `var(--${font})` };
  return (
    <main class="reading" style={look}>
      <nav class="top" aria-label={text.tools}>
        <button type="button" class="plain" aria-label={text.back} title={text.back} onClick={onClose}>
          <Icon name="back" />
        </button>
        <span class="space" />
        <ArchiveButton isRead={isRead} onClick={archive} />
        <button
          type="button"
          class="plain"
          aria-label={english.list.delete}
          title={english.list.delete}
          onClick={remove}
        >
          <Icon name="delete" />
        </button>
        <Original url={url} class="plain" />
        <button
          type="button"
          class="plain"
          popovertarget="display"
          aria-label={english.display.title}
          title={english.display.title}
        >
          <span class="aa" aria-hidden="true">
            Aa
          </span>
        </button>
        <DisplaySettings id="display" settings={settings} />
      </nav>
      <article class="column" aria-busy={loading !== undefined}>
        <header>
          <p class="facts">
            <a href={url} target="_blank" rel="noopener noreferrer" dir="ltr">
              {siteOf(url)}
            </a>
            {minutes !== undefined && <span>{english.list.minutes(minutes)}</span>}
          </p>
          <h1 dir="auto" tabIndex={-1} ref={heading}>
            {title}
          </h1>
        </header>
        {first?.hasLogin && (
          <Note text={text.login}>
            <Original url={url} />
          </Note>
        )}
        {first?.html === "" && (
          <Note text={text.empty}>
            {showAll && (
              <button type="button" onClick={showAll}>
                {text.showAll}
              </button>
            )}
            <Original url={url} />
          </Note>
        )}
        {views.length > 0 && <ArticleFrame url={url} title={title} views={views} settings={shown} />}
        {loading && (
          <p class="hint" role="status">
            {text.loading}
          </p>
        )}
        {failure && (
          <Note text={failure.kind === "noResponse" ? text.notStored : `${text.failed} ${failure.message}`} isAlert>
            <button type="button" onClick={more}>
              {text.retry}
            </button>
            <Original url={url} />
          </Note>
        )}
        {next && !loading && !failure && (
          <p>
            <button type="button" onClick={more}>
              {text.next}
            </button>
          </p>
        )}
        {first && !next && !loading && (
          <footer>
            <ArchiveButton isRead={isRead} onClick={archive} isLabelled />
          </footer>
        )}
      </article>
    </main>
  );
}

function Original({ url, class: name }: { url: string; class?: string }) {
  return (
    <a class={name} href={url} target="_blank" rel="noopener noreferrer" title={english.list.openOriginal}>
      {name ? <Icon name="original" /> : english.list.openOriginal}
      {name && <span class="hidden">{english.list.openOriginal}</span>}
    </a>
  );
}

function ArchiveButton({ isRead, isLabelled, onClick }: { isRead: boolean; isLabelled?: boolean; onClick(): void }) {
  const label = isRead ? english.list.markUnread : english.list.markRead;
  return (
    <button type="button" class={isLabelled ? "" : "plain"} aria-label={label} title={label} onClick={onClick}>
      <Icon name={isRead ? "unread" : "archive"} />
      {isLabelled && label}
    </button>
  );
}

/** Something about the text, and what to do. */
function Note({ text, isAlert, children }: { text: string; isAlert?: boolean; children: ComponentChildren }) {
  return (
    <div class="note" role={isAlert ? "alert" : undefined}>
      <Icon name="warning" />
      <div>
        <p>{text}</p>
        <p class="actions">{children}</p>
      </div>
    </div>
  );
}
