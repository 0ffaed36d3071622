// SPDX-License-Identifier: MIT

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "./dialog.tsx";
import { firstTexts } from "./texts.ts";

interface FormDialogProps {
  title: string;
  /** Saves the form, and returns nothing, or returns why the form cannot be saved: the dialog stays open and says so. */
  onSave(read: (field: string) => string): string | undefined;
  onClose(): void;
  /** The button that saves; by default "Save". */
  saveName?: string;
  /** The button that saves has the focus first. */
  focusesSave?: boolean;
  /** Further buttons. */
  others?: ComponentChildren;
  children: ComponentChildren;
}

/** A dialog with a form, which closes once the form is saved. */
export function FormDialog({ title, onSave, onClose, saveName, focusesSave, others, children }: FormDialogProps) {
  const [error, setError] = useState("");
  function submit(event: SubmitEvent) {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    const failure = onSave((field) => String(fields.get(field) ?? "").trim());
    if (failure === undefined) onClose();
    else setError(failure);
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        {children}
        <p class="error" role="alert">
          {error}
        </p>
        <button type="submit" class="primary" autofocus={focusesSave}>
          {saveName ?? firstTexts.save}
        </button>
        {others}
      </form>
    </Dialog>
  );
}
