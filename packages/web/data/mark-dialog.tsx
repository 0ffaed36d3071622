// SPDX-License-Identifier: MIT

import { isPageNote } from "@reading-list/core/domain/highlight-fields.ts";
import { useState } from "preact/hooks";
import { FormDialog } from "../kit/form-dialog.tsx";
import { laterTexts } from "../kit/later-texts.ts";
import { type Mark, type MarkColor, markColors } from "./marks.ts";

const text = laterTexts.marks;
const maxNote = 10_000;

interface MarkDialogProps {
  mark: Mark;
  onSave(mark: Mark): void;
  /** Absent for a mark that is not stored yet. */
  onDelete?: (() => void) | undefined;
  onClose(): void;
}

/** Changes the color and the note of a mark, or a note on the page, which goes when it is emptied. */
export function MarkDialog({ mark, onSave, onDelete, onClose }: MarkDialogProps) {
  const [color, setColor] = useState<MarkColor>(mark.color);
  const [note, setNote] = useState(mark.note);
  const isNote = isPageNote(mark);
  const title = isNote ? text.pageNote : onDelete ? text.edit : text.addNote;
  const save = () => {
    if (isNote && note.trim() === "") onDelete?.();
    else onSave({ ...mark, color, note: note.trim() });
    return undefined;
  };
  const remove = onDelete && (
    <button
      type="button"
      onClick={() => {
        onDelete();
        onClose();
      }}
    >
      {isNote ? text.deleteNote : text.delete}
    </button>
  );
  return (
    <FormDialog title={title} others={remove} onSave={save} onClose={onClose}>
      {!isNote && (
        <>
          <blockquote class="quote" dir="auto" data-color={color}>
            {mark.quote}
          </blockquote>
          <fieldset class="colors">
            <legend class="hidden">{text.color}</legend>
            {markColors.map((name) => (
              <label key={name} data-color={name} title={text.colors[name]}>
                <input type="radio" name="color" checked={color === name} onChange={() => setColor(name)} />
                <span class="swatch">
                  <span class="hidden">{text.colors[name]}</span>
                </span>
              </label>
            ))}
          </fieldset>
        </>
      )}
      <label>
        {text.note}
        <textarea
          rows={4}
          dir="auto"
          maxLength={maxNote}
          value={note}
          autofocus
          onInput={({ currentTarget }) => setNote(currentTarget.value)}
          onKeyDown={(event) =>
            event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.currentTarget.form?.requestSubmit()
          }
        />
      </label>
    </FormDialog>
  );
}
