// SPDX-License-Identifier: MIT

import { laterTexts } from "../../kit/later-texts.ts";
import { Bookmarklet, ImportButton } from "./ways-in.tsx";

const text = laterTexts.firstSteps;

interface FirstStepsProps {
  onAdd(): void;
  onImport(file: File): void;
  /** Opens the account's dialog, where apps get their passwords. */
  onManage(): void;
}

/** In an empty list: how to save pages from here, the phone and an e-reader, and where an earlier list can come from. */
export function FirstSteps({ onAdd, onImport, onManage }: FirstStepsProps) {
  const address = location.origin + location.pathname;
  return (
    <>
      <ol class="first-steps">
        <li>
          <h2>{text.here}</h2>
          <p>{text.hereHow}</p>
          <button type="button" class="primary" onClick={onAdd}>
            {text.add}
          </button>
          <p class="with-mouse">{text.bookmarklet}</p>
          <Bookmarklet />
        </li>
        <li>
          <h2>{text.phone}</h2>
          <p>
            {text.phoneOpen} <code>{address}</code>
          </p>
          <p>{text.phoneHow}</p>
        </li>
        <li>
          <h2>{text.eReader}</h2>
          <p>{text.eReaderHow}</p>
          <button type="button" onClick={onManage}>
            {laterTexts.manage.open}
          </button>
        </li>
      </ol>
      <p>{text.former}</p>
      <p class="actions">
        <ImportButton onImport={onImport} />
      </p>
      <p class="hint">{laterTexts.menu.importHint}</p>
    </>
  );
}
