// SPDX-License-Identifier: MIT

import { isPageNote } from "@reading-list/core/domain/highlight-fields.ts";
import { MarkRows } from "../../data/mark-rows.tsx";
import type { Mark } from "../../data/marks.ts";
import { laterTexts } from "../../kit/later-texts.ts";
import { say } from "../../kit/texts.ts";
import type { Passages } from "./paint-marks.ts";

const text = laterTexts.marks;

interface MarkListProps {
  marks: readonly Mark[];
  passages: Passages;
  onJump(mark: Mark): void;
  onEdit(mark: Mark): void;
}

/**
 * The highlights of an article, at its end: they are not elements, so keyboard and screen reader users reach them here.
 * Highlights that are not found stand apart, open.
 */
export function MarkList({ marks, passages, onJump, onEdit }: MarkListProps) {
  const findPlace = ({ id }: Mark) => passages.get(id)?.start;
  const found = marks.filter((mark) => findPlace(mark) !== undefined);
  const lost = marks.filter((mark) => findPlace(mark) === undefined && !isPageNote(mark));
  const inOrder = found.sort((a, b) => (findPlace(a) ?? 0) - (findPlace(b) ?? 0));
  if (found.length + lost.length === 0) return null;
  const button = (mark: Mark) => (
    <button type="button" class="plain" onClick={() => onJump(mark)}>
      {shorten(mark.quote)}
    </button>
  );
  return (
    <section class="article-marks" aria-label={text.title}>
      {found.length > 0 && (
        <details>
          <summary>{say(text.number, { number: found.length })}</summary>
          <MarkRows marks={inOrder} showQuote={button} onEdit={onEdit} />
        </details>
      )}
      {lost.length > 0 && (
        <>
          <h2>{text.lost}</h2>
          <p class="hint">{text.lostHint}</p>
          <MarkRows marks={lost} onEdit={onEdit} />
        </>
      )}
    </section>
  );
}

/** The notes on the page, above its text. */
export function PageNotes({ marks, onEdit }: Pick<MarkListProps, "marks" | "onEdit">) {
  const notes = marks.filter(isPageNote);
  if (notes.length === 0) return null;
  return (
    <section class="page-notes" aria-label={text.pageNote}>
      <MarkRows marks={notes} onEdit={onEdit} />
    </section>
  );
}

const shorten = (quote: string) => (quote.length > 280 ? `${quote.slice(0, 280).toWellFormed()}…` : quote);
