// SPDX-License-Identifier: MIT

import type { Progress, TextView } from "@reading-list/client/main.ts";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Position, recall, remember } from "../../data/positions.ts";
import { ProgressReports } from "../../data/progress-reports.ts";
import { useReader } from "../../data/reader.ts";
import type { Settings } from "../../kit/settings.ts";
import { copyArticle, trusted } from "./article-copy.ts";
import { adoptStyles, writeShell } from "./frame-document.ts";
import { barHeight, findPosition, positionAt, progressAt, scrollToPosition } from "./position.ts";
import { PrintedCopy } from "./printed-copy.tsx";
import { ShownPictures } from "./shown-pictures.ts";
import { TextMap } from "./text-map.ts";
import { loadTypeface, writeFontFamily } from "./typeface.ts";
import { useFrameEvents } from "./use-frame-events.ts";
import type { ShownText } from "./use-mark-layer.ts";

interface ArticleFrameProps {
  /** The URL of the item. */
  url: string;
  title: string;
  /** The pages of the article that are loaded. */
  views: readonly TextView[];
  settings: Settings;
  /** Where a device has left the article last. */
  progress: Progress | undefined;
  /** A further page of the article is not loaded. */
  hasNext: boolean;
  onProgress(progress: Progress, isLeaving: boolean): void;
  /** Called when the frame shows other text. */
  onShown(text: ShownText): void;
}

/**
 * Pages of an article in a frame without scripts. The frame is as high as its content: the page around it scrolls, so
 * that the position does not depend on events of the frame, which Safari does not send.
 */
export function ArticleFrame(props: ArticleFrameProps) {
  const { url, title, views, settings, progress } = props;
  const frame = useRef<HTMLIFrameElement>(null);
  const current = useRef(props);
  current.current = props;
  const reading = useRef<Reading>({ known: progress, isResting: false }).current;
  const reports = useMemo(
    () =>
      new ProgressReports(progress, (reported, isLeaving) => {
        reading.known = reported;
        current.current.onProgress(reported, isLeaving);
      }),
    [url],
  );
  const shown = useRef<{ content?: Document; views: readonly TextView[] }>({ views: [] });
  const [content, setContent] = useState<Document>();
  const { images } = settings;
  const { config } = useReader();
  const pictures = useMemo(() => (images ? new ShownPictures(config.textUrl) : undefined), [url, images]);
  useEffect(() => () => pictures?.close(), [pictures]);
  // A new object, even of the same text, would load the frame again.
  const shell = useMemo(() => trusted(writeShell(images)), [images]);

  useLayoutEffect(() => {
    if (!content) return;
    const isContinued = shown.current.content === content && shown.current.views[0] === views[0];
    const added = isContinued ? views.slice(shown.current.views.length) : views;
    const copies = added.map(({ html }) => copyArticle(html, content, pictures?.show));
    if (isContinued) content.body.append(...copies);
    else content.body.replaceChildren(...copies);
    reading.map = new TextMap(content.body);
    // Later the place on the screen stays.
    if (!shown.current.content && frame.current) {
      reading.anchor = recall(url, progress) ?? (progress && findPosition(progress, reading.map, frame.current));
    }
    shown.current = { content, views };
    const rest = () => {
      reading.isResting = true;
    };
    if (frame.current) props.onShown({ content, map: reading.map, frame: frame.current, rest });
  }, [content, views, images]);

  // Another device has gone on, and this one only shows the article.
  useEffect(() => {
    const isNew = progress && JSON.stringify(progress) !== JSON.stringify(reading.known);
    if (!isNew || !reading.map || !frame.current || !reports.isUnmoved) return;
    reading.known = progress;
    reading.anchor = findPosition(progress, reading.map, frame.current);
    if (reading.anchor) scrollToPosition(reading.anchor, frame.current);
    reports.shown(progress);
  }, [progress]);

  useLook(content, settings, views);

  useEffect(() => {
    const element = frame.current;
    if (!content || !element) return;
    return followScrolling(content, element, reading, {
      reports,
      hasNext: () => current.current.hasNext,
      store: () => remember(url, reading.anchor, reading.known),
    });
  }, [content, url]);

  useFrameEvents(content, frame, barHeight);

  return (
    <>
      <iframe
        key={String(images)}
        ref={frame}
        class="article-frame"
        title={title}
        sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
        srcdoc={shell}
        onLoad={({ currentTarget: { contentDocument } }) => {
          if (contentDocument) adoptStyles(contentDocument);
          setContent(contentDocument ?? undefined);
        }}
      />
      <PrintedCopy views={views} images={images} />
    </>
  );
}

/** Applies the settings of articles to the frame. */
function useLook(content: Document | undefined, settings: Settings, views: readonly TextView[]): void {
  const { theme, fontSize, font, spacing, isJustified } = settings;
  useLayoutEffect(() => {
    const root = content?.documentElement;
    if (!root) return;
    root.style.setProperty("--size", `${fontSize / 16}rem`);
    root.style.setProperty("--face", writeFontFamily(font));
    root.classList.toggle("justified", isJustified);
    Object.assign(root.dataset, { theme, spacing });
  }, [content, theme, fontSize, font, spacing, isJustified]);

  useEffect(() => {
    if (content) void loadTypeface(font, content);
  }, [content, font, views]);
}

/** The text of an open article, and the place where a person reads. */
interface Reading {
  anchor?: Position | undefined;
  map?: TextMap | undefined;
  /** The progress that this device last sent or showed. */
  known: Progress | undefined;
  /** The page scrolls to a passage, which does not count as reading. */
  isResting: boolean;
}

/**
 * Keeps a frame as high as its content, and its lines where they are on the screen, and follows where a person reads.
 * Returns the way to stop.
 */
function followScrolling(
  content: Document,
  element: HTMLIFrameElement,
  reading: Reading,
  { reports, hasNext, store }: { reports: ProgressReports; hasNext(): boolean; store(): void },
): () => void {
  let fitted = 0;
  const measureHeight = () => content.body.getBoundingClientRect().height;
  const fit = () => {
    if (!element.isConnected) return;
    fitted = measureHeight();
    element.style.height = `${Math.ceil(fitted)}px`;
    // A box that scrolls must be reachable by keyboard.
    for (const box of content.querySelectorAll<HTMLElement>(".scrolls, pre")) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
    // An image that is loaded, or another font, must not move the lines on the screen.
    if (reading.anchor) scrollToPosition(reading.anchor, element);
    if (reports.isUnmoved) reports.shown(place());
  };
  const place = () =>
    reading.map ? progressAt(reading.anchor, reading.map, element, hasNext()) : { percent: 0, anchor: "" };
  const observer = new ResizeObserver(fit);
  observer.observe(content.body);

  let timer: number | undefined;
  const leave = () => {
    clearTimeout(timer);
    reports.leave();
    store();
  };
  const leaveHidden = () => document.visibilityState === "hidden" && leave();
  const follow = () => {
    // The article is left, or has another layout now, for which the page is not scrolled yet.
    if (!element.isConnected || measureHeight() !== fitted) return;
    reading.anchor = positionAt(barHeight, element);
    // Now, because the frame has no layout any more when this component is unmounted.
    if (reading.isResting) reports.shown(place());
    else reports.moved(place());
    reading.isResting = false;
    clearTimeout(timer);
    timer = window.setTimeout(store, 300);
  };
  addEventListener("scroll", follow, { passive: true });
  addEventListener("pagehide", leave);
  document.addEventListener("visibilitychange", leaveHidden);
  return () => {
    observer.disconnect();
    removeEventListener("scroll", follow);
    removeEventListener("pagehide", leave);
    document.removeEventListener("visibilitychange", leaveHidden);
    leave();
  };
}
