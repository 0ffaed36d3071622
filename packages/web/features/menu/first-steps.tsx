// SPDX-License-Identifier: MIT

import { laterTexts } from "../../kit/later-texts.ts";
import { ImportButton, WaysToSave } from "./ways-in.tsx";

interface FirstStepsProps {
  onAdd(): void;
  onImport(file: File): void;
  /** Opens the page of the account, where apps get their passwords. */
  onManage(): void;
}

/** In an empty list: how to save pages, and where an earlier list can come from. */
export const FirstSteps = ({ onAdd, onImport, onManage }: FirstStepsProps) => (
  <>
    <WaysToSave onAdd={onAdd} onManage={onManage} />
    <p>{laterTexts.firstSteps.former}</p>
    <p class="actions">
      <ImportButton onImport={onImport} />
    </p>
    <p class="hint">{laterTexts.menu.importHint}</p>
  </>
);
