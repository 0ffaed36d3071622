// SPDX-License-Identifier: MIT

import { useState } from "preact/hooks";
import { Dialog } from "../kit/dialog.tsx";
import { laterTexts } from "../kit/later-texts.ts";
import { firstTexts } from "../kit/texts.ts";
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

/** Changes the color and the note of a mark. */
export function MarkDialog({ mark, onSave, onDelete, onClose }: MarkDialogProps) {
  const [color, setColor] = useState<MarkColor>(mark.color);
  const [note, setNote] = useState(mark.note);
  const save = (event: Event) => {
    event.preventDefault();
    onSave({ ...mark, color, note: note.trim() });
    onClose();
  };
  return (
    <Dialog title={onDelete ? text.edit : text.addNote} onClose={onClose}>
      <form onSubmit={save}>
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
        <label>
          {text.note}
          <textarea
            rows={4}
            dir="auto"
            maxLength={maxNote}
            value={note}
            autofocus
            onInput={({ currentTarget }) => setNote(currentTarget.value)}
            onKeyDown={(event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && save(event)}
          />
        </label>
        <p class="buttons">
          <button type="submit" class="primary">
            {firstTexts.save}
          </button>
          {onDelete && (
            <button
              type="button"
              onClick={() => {
                onDelete();
                onClose();
              }}
            >
              {text.delete}
            </button>
          )}
        </p>
      </form>
    </Dialog>
  );
}
