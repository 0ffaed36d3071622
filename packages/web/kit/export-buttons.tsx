// SPDX-License-Identifier: MIT

import { type ExportFormat, laterTexts } from "./later-texts.ts";

const text = laterTexts.menu;
const formats = Object.entries(text.exports) as [ExportFormat, string][];

/** A button for each format of an export. */
export function ExportButtons({ onExport }: { onExport(format: ExportFormat): void }) {
  return (
    <fieldset class="choices">
      <legend>{text.export}</legend>
      {formats.map(([format, name]) => (
        <button key={format} type="button" onClick={() => onExport(format)}>
          {name}
        </button>
      ))}
    </fieldset>
  );
}
