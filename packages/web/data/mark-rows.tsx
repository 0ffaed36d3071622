// SPDX-License-Identifier: MIT

import { isPageNote } from "@reading-list/core/domain/highlight-fields.ts";
import type { ComponentChildren } from "preact";
import { IconButton } from "../kit/icons.tsx";
import { dates, laterTexts } from "../kit/later-texts.ts";
import { say } from "../kit/texts.ts";
import type { Mark } from "./marks.ts";

interface MarkRowsProps {
  marks: readonly Mark[];
  /** A quotation with its link or button; only its text if absent. */
  showQuote?: ((mark: Mark) => ComponentChildren) | undefined;
  showsTimes?: boolean;
  onEdit(mark: Mark): void;
}

/** Marks with their quotations and notes, and a button for each that opens its dialog. */
export const MarkRows = ({ marks, showQuote = ({ quote }) => quote, showsTimes, onEdit }: MarkRowsProps) => (
  <ul class="marks">
    {marks.map((mark) => (
      <li key={mark.id} class="mark">
        <div>
          {!isPageNote(mark) && (
            <blockquote class="quote" dir="auto" data-color={mark.color}>
              {showQuote(mark)}
            </blockquote>
          )}
          {mark.note && (
            <p class="mark-note" dir="auto">
              {mark.note}
            </p>
          )}
          {showsTimes && (
            <time class="hint" dateTime={mark.timeCreated.toISOString()}>
              {dates.format(mark.timeCreated)}
            </time>
          )}
        </div>
        <IconButton icon="edit" name={nameEdit(mark)} onClick={() => onEdit(mark)} />
      </li>
    ))}
  </ul>
);

function nameEdit(mark: Mark): string {
  const cutBegin = (passage: string) => (passage.length > 40 ? `${passage.slice(0, 40).toWellFormed()}…` : passage);
  if (isPageNote(mark)) return say(laterTexts.marks.editNoteOf, { note: cutBegin(mark.note) });
  return say(laterTexts.marks.editOf, { quote: cutBegin(mark.quote) });
}
