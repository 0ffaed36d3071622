// SPDX-License-Identifier: MIT

import { type MarkColor, markColors } from "../../data/marks.ts";
import { IconButton } from "../../kit/icons.tsx";
import { laterTexts } from "../../kit/later-texts.ts";

const text = laterTexts.marks;

interface MarkBarProps {
  /** Pixels from the top of the page, in the middle of the selection; a touch screen has the bar at its lower end. */
  top: number;
  left: number;
  onMark(color: MarkColor): void;
  onNote(): void;
}

/**
 * The colors for the selected text. A press on it must not take the focus, which would clear the selection. On a phone
 * it is at the end of the screen, because the system shows its own bar at the selection.
 */
export function MarkBar({ top, left, onMark, onNote }: MarkBarProps) {
  return (
    <div
      class="mark-bar"
      role="toolbar"
      aria-label={text.bar}
      style={{ "--top": `${top}px`, "--left": `${left}px` }}
      onMouseDown={(event) => event.preventDefault()}
    >
      {markColors.map((color, i) => (
        <button
          key={color}
          type="button"
          class="plain"
          data-color={color}
          aria-label={text.colors[color]}
          title={`${text.colors[color]} (${i + 1})`}
          onClick={() => onMark(color)}
        >
          <span class="swatch" />
        </button>
      ))}
      <IconButton icon="edit" name={text.addNote} onClick={onNote} />
    </div>
  );
}
