// SPDX-License-Identifier: MIT

import type { TextView } from "@reading-list/client/main.ts";
import { toFileName } from "@reading-list/core/domain/page-fields.ts";
import { useRef } from "preact/hooks";
import { useReader } from "../../data/reader.ts";
import { explain } from "../../kit/explain.ts";
import { Icon, IconButton } from "../../kit/icons.tsx";
import { laterTexts } from "../../kit/later-texts.ts";
import { saveFile } from "../../kit/save-file.ts";
import { canListen } from "./speech.ts";

const text = laterTexts.article;

export interface ArticleMenuProps {
  url: string;
  title: string;
  views: readonly TextView[];
  /** Changes title and tags. */
  onEdit(): void;
  /** Reads the article as a book. */
  onBook(): Promise<Blob>;
  /** Writes a note on the page. */
  onNote(): void;
  /** Reads it aloud; undefined if there is nothing to read. */
  onListen: (() => void) | undefined;
  /** Mails it to an e-reader; undefined if the service sends no mails. */
  onSend: (() => void) | undefined;
  /** Makes a public link to the saved copy; undefined if the service shares nothing. */
  onShare: (() => void) | undefined;
  /** Loads the article again from its site. */
  onReload(): void;
}

/** Actions on an article that are not used each time, in a popover. */
export function ArticleMenu({
  url,
  title,
  views,
  onEdit,
  onBook,
  onNote,
  onListen,
  onSend,
  onShare,
  onReload,
}: ArticleMenuProps) {
  const { notices } = useReader();
  const menu = useRef<HTMLDivElement>(null);
  async function download(save: () => Promise<void>) {
    try {
      await save();
    } catch (error) {
      notices.show(await explain(error));
    }
  }
  const saveBook = async () => saveFile(`${toFileName(title)}.epub`, await onBook());
  const saveMarkdown = async () => {
    const { articleAsMarkdown } = await import("../../kit/write-article.ts");
    const content = new Blob([await articleAsMarkdown(title, url, views)], { type: "text/markdown" });
    saveFile(`${toFileName(title)}.md`, content);
  };
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
        <button type="button" class="plain" onClick={onEdit}>
          <Icon name="edit" />
          {text.edit}
        </button>
        <button type="button" class="plain" onClick={onNote}>
          <Icon name="edit" />
          {laterTexts.marks.addPageNote}
        </button>
        {canListen && onListen && (
          <button type="button" class="plain" onClick={onListen}>
            <Icon name="listen" />
            {text.listen}
          </button>
        )}
        {isRead && (
          <>
            <button type="button" class="plain" onClick={() => download(saveBook)}>
              <Icon name="download" />
              {text.book}
            </button>
            <button type="button" class="plain" onClick={() => download(saveMarkdown)}>
              <Icon name="download" />
              {text.markdown}
            </button>
            {onSend && (
              <button type="button" class="plain" onClick={onSend}>
                <Icon name="mail" />
                {text.sendTo}
              </button>
            )}
          </>
        )}
        {isRead && onShare && (
          <button type="button" class="plain" onClick={onShare}>
            <Icon name="share" />
            {text.shareCopy}
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
