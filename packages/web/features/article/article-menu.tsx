// SPDX-License-Identifier: MIT

import type { TextView } from "@reading-list/client/main.ts";
import { useEffect, useRef, useState } from "preact/hooks";
import { useReader } from "../../data/reader.ts";
import { Icon, IconButton } from "../../kit/icons.tsx";
import { laterTexts } from "../../kit/later-texts.ts";
import { canListen, listen } from "./listen.ts";

const text = laterTexts.article;

interface ArticleMenuProps {
  url: string;
  title: string;
  views: readonly TextView[];
  /** Loads the article again from its site. */
  onReload(): void;
}

/** Actions on an article that are not used each time, in a popover. */
export function ArticleMenu({ url, title, views, onReload }: ArticleMenuProps) {
  const { notices } = useReader();
  const menu = useRef<HTMLDivElement>(null);
  const stop = useRef<(() => void) | undefined>(undefined);
  const [isListening, setListening] = useState(false);
  useEffect(() => () => stop.current?.(), []);

  function toggleListening() {
    if (isListening) stop.current?.();
    else stop.current = listen(title, views, () => setListening(false));
    setListening(!isListening);
  }
  async function copyLink() {
    await navigator.clipboard.writeText(url);
    notices.show(text.copied);
  }
  const isRead = views[0]?.html;
  return (
    <>
      <IconButton icon="more" name={text.more} popovertarget="article-menu" />
      {/* biome-ignore lint/a11y: a click on one of its buttons closes it, and so does the key of the button */}
      <div id="article-menu" popover="auto" ref={menu} class="popover menu" onClick={() => menu.current?.hidePopover()}>
        <a href={url} target="_blank" rel="noopener noreferrer">
          <Icon name="original" />
          {text.openOriginal}
        </a>
        {canListen && isRead && (
          <button type="button" class="plain" onClick={toggleListening}>
            <Icon name="listen" />
            {isListening ? text.stopListening : text.listen}
          </button>
        )}
        {"share" in navigator && (
          <button type="button" class="plain" onClick={() => void navigator.share({ url, title }).catch(() => {})}>
            <Icon name="share" />
            {text.share}
          </button>
        )}
        {"clipboard" in navigator && (
          <button type="button" class="plain" onClick={copyLink}>
            <Icon name="link" />
            {text.copyLink}
          </button>
        )}
        <button type="button" class="plain" onClick={onReload}>
          <Icon name="sync" />
          {text.reload}
        </button>
      </div>
    </>
  );
}
