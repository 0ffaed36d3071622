// SPDX-License-Identifier: MIT

import { useState } from "preact/hooks";
import type { Session } from "../../data/session.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { type ExportFormat, laterTexts } from "../../kit/later-texts.ts";
import { useObservable } from "../../kit/observable.ts";
import { say } from "../../kit/texts.ts";

const text = laterTexts.settings;
const formats = Object.entries(laterTexts.menu.exports) as [ExportFormat, string][];

interface ExportDialogProps {
  session: Session;
  /** Downloads the file. */
  onExport(format: ExportFormat): Promise<void>;
  onClose(): void;
}

/** Writes the list and its marks to a file, of a format that the user chooses by its use. */
export function ExportDialog({ session, onExport, onClose }: ExportDialogProps) {
  const [chosen, setChosen] = useState<ExportFormat>("jsonl");
  const pages = useObservable(session.list.items)?.length ?? 0;
  const marks = useObservable(session.marks.all)?.length ?? 0;
  return (
    <Dialog title={text.exportTitle} onClose={onClose}>
      <p>
        {say(laterTexts.import.pages, { number: pages })} · {say(laterTexts.marks.number, { number: marks })}
      </p>
      <fieldset class="formats">
        <legend class="hidden">{text.exportTitle}</legend>
        {formats.map(([format, name]) => (
          <label key={format} class="choice">
            <input type="radio" name="format" checked={format === chosen} onChange={() => setChosen(format)} />
            <span>
              {name}
              <small>{text.formats[format]}</small>
            </span>
          </label>
        ))}
      </fieldset>
      <button type="button" class="primary" onClick={() => onExport(chosen)}>
        {text.download}
      </button>
    </Dialog>
  );
}
