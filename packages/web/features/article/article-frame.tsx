// SPDX-License-Identifier: MIT

import type { TextView } from "@reading-list/client/main.ts";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Position, recall, remember } from "../../data/positions.ts";
import type { Settings } from "../../kit/settings.ts";
import { copyArticle, targetOf, trusted } from "./article-copy.ts";
import { positionAt, scrollToPosition } from "./position.ts";

interface ArticleFrameProps {
  /** The URL of the item. */
  url: string;
  title: string;
  /** The pages of the article that are loaded. */
  views: readonly TextView[];
  settings: Settings;
}

/** Height of the bar above the article. */
const barHeight = 64;

/** The document of a frame without its article. Its policy adds to the page's, which it inherits. */
function shellOf(images: boolean): string {
  const policy = `default-src 'none'; img-src ${images ? "https: http:" : "'none'"}; base-uri 'none'; form-action 'none'`;
  // Until it has its styles, it is as light or dark as the page.
  const { colorScheme } = getComputedStyle(document.documentElement);
  return `<!doctype html><html class="frame"><head><meta charset="utf-8"><meta name="color-scheme" content="${colorScheme}"><title>Article</title>
<meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="referrer" content="no-referrer"></head><body class="article"></body></html>`;
}

/** Gives a frame the styles of the page. It cannot load them offline: in Firefox a sandboxed frame has no service worker. */
function adoptStyles(content: Document): void {
  const own = [...document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]")];
  content.adoptedStyleSheets = own.flatMap(({ sheet }) => {
    const copy = content.defaultView && new content.defaultView.CSSStyleSheet();
    copy?.replaceSync([...(sheet?.cssRules ?? [])].map(({ cssText }) => cssText).join("\n"));
    return copy ?? [];
  });
}

/**
 * Pages of an article in a frame without scripts. The frame is as high as its content: the page around it scrolls, so
 * that the position does not depend on events of the frame, which Safari does not send.
 */
export function ArticleFrame({ url, title, views, settings }: ArticleFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const print = useRef<HTMLDivElement>(null);
  const anchor = useRef<Position | undefined>(recall(url));
  const shown = useRef<{ content?: Document; views: readonly TextView[] }>({ views: [] });
  const [content, setContent] = useState<Document>();
  const { images, theme, fontSize, font, spacing, isJustified } = settings;
  // A new object, even of the same text, would load the frame again.
  const shell = useMemo(() => trusted(shellOf(images)), [images]);

  useLayoutEffect(() => {
    if (!content) return;
    const isContinued = shown.current.content === content && shown.current.views[0] === views[0];
    const added = isContinued ? views.slice(shown.current.views.length) : views;
    const copies = added.map(({ html }) => copyArticle(html, content, { images }));
    if (isContinued) content.body.append(...copies);
    else content.body.replaceChildren(...copies);
    shown.current = { content, views };
  }, [content, views, images]);

  useLayoutEffect(() => {
    const root = content?.documentElement;
    if (!root) return;
    root.style.setProperty("--size", `${fontSize / 16}rem`);
    root.style.setProperty("--face", `var(--${font})`);
    root.classList.toggle("justified", isJustified);
    Object.assign(root.dataset, { theme, spacing });
  }, [content, theme, fontSize, font, spacing, isJustified]);

  useEffect(() => {
    const element = frame.current;
    if (!content || !element) return;
    let fitted = 0;
    const heightOf = () => content.body.getBoundingClientRect().height;
    const fit = () => {
      fitted = heightOf();
      element.style.height = `${Math.ceil(fitted)}px`;
      // A box that scrolls must be reachable by keyboard.
      for (const box of content.querySelectorAll<HTMLElement>(".scrolls, pre")) {
        if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
        else box.removeAttribute("tabindex");
      }
      // An image that is loaded, or another font, must not move the lines on the screen.
      if (anchor.current) scrollToPosition(anchor.current, barHeight, element);
    };
    const observer = new ResizeObserver(fit);
    observer.observe(content.body);

    let timer: number | undefined;
    const store = () => remember(url, anchor.current);
    const follow = () => {
      // The article has another layout now, for which the page is not scrolled yet.
      if (heightOf() !== fitted) return;
      anchor.current = positionAt(barHeight, element);
      clearTimeout(timer);
      timer = window.setTimeout(store, 300);
    };
    addEventListener("scroll", follow, { passive: true });
    addEventListener("pagehide", store);
    return () => {
      observer.disconnect();
      removeEventListener("scroll", follow);
      removeEventListener("pagehide", store);
      clearTimeout(timer);
      store();
    };
  }, [content, url]);

  // The keys of the reader work in the article, too.
  useEffect(() => {
    const forward = (event: KeyboardEvent) => {
      if (!frame.current?.dispatchEvent(new KeyboardEvent(event.type, event))) event.preventDefault();
    };
    content?.addEventListener("keydown", forward);
    return () => content?.removeEventListener("keydown", forward);
  }, [content]);

  // A link within the article scrolls the page around the frame. Safari follows the link itself.
  useEffect(() => {
    const jump = (event: MouseEvent) => {
      const link = (event.target as Element | null)?.closest?.("a");
      const target = link && content && targetOf(link, content);
      if (!target || !frame.current) return;
      event.preventDefault();
      scrollBy(0, frame.current.getBoundingClientRect().top + target.getBoundingClientRect().top - barHeight);
    };
    content?.addEventListener("click", jump);
    return () => content?.removeEventListener("click", jump);
  }, [content]);

  // A printed frame would be cut between pages without regard to its lines, so a copy is printed in its place.
  useEffect(() => {
    const fill = () =>
      print.current?.replaceChildren(...views.map(({ html }) => copyArticle(html, document, { images })));
    const empty = () => print.current?.replaceChildren();
    addEventListener("beforeprint", fill);
    addEventListener("afterprint", empty);
    return () => {
      removeEventListener("beforeprint", fill);
      removeEventListener("afterprint", empty);
    };
  }, [views, images]);

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
      <div ref={print} class="article printed" />
    </>
  );
}
