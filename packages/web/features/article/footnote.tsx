// SPDX-License-Identifier: MIT

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Modal } from "../../kit/dialog.tsx";
import { laterTexts } from "../../kit/later-texts.ts";
import { findTarget } from "./article-copy.ts";

/** A number, a letter or a sign, perhaps in brackets. */
const mark = /^[[(]?(\d{1,3}|[a-z]|[*†‡§]+)[\])]?$/i;
const maxCharacters = 2000;

/** Shows a footnote at the end of the screen, after a click on its mark in the text. */
export function FootnoteView({ content }: { content: Document | undefined }) {
  const [note, setNote] = useState<Element>();
  useEffect(() => {
    const open = (event: MouseEvent) => {
      const link = (event.target as Element | null)?.closest?.("a");
      const found = link && content && findNote(link, content);
      if (!found) return;
      event.preventDefault();
      event.stopPropagation();
      setNote(found);
    };
    content?.addEventListener("click", open, { capture: true });
    return () => content?.removeEventListener("click", open, { capture: true });
  }, [content]);
  return note ? <FootnoteDialog note={note} onClose={() => setNote(undefined)} /> : null;
}

/** The note after the text to which a mark leads; undefined for other links, such as a note's link back to the text. */
function findNote(link: HTMLAnchorElement, content: Document): Element | undefined {
  if (!mark.test(link.textContent?.trim() ?? "")) return undefined;
  const target = findTarget(link, content);
  const isAfter = target && link.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_FOLLOWING;
  const note = isAfter ? (target.closest("li, dd, p, blockquote") ?? target) : undefined;
  return note && note.textContent.length <= maxCharacters ? note : undefined;
}

function FootnoteDialog({ note, onClose }: { note: Element; onClose(): void }) {
  const text = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const copies = [...note.childNodes].map((node) => document.importNode(node, true));
    text.current?.replaceChildren(...copies);
    for (const named of text.current?.querySelectorAll("[id]") ?? []) named.removeAttribute("id");
    // Those back to the text, among others: they would lead away from the reader.
    for (const link of text.current?.querySelectorAll("a[href^='about:']") ?? []) link.remove();
  }, [note]);
  return (
    <Modal class="footnote" label={laterTexts.article.footnote} onClose={onClose}>
      {(closeButton) => (
        <div class="footnote-text">
          <div ref={text} class="article" dir="auto" />
          {closeButton}
        </div>
      )}
    </Modal>
  );
}
