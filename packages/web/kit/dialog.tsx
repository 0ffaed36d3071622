// SPDX-License-Identifier: MIT

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { IconButton } from "./icons.tsx";
import { firstTexts } from "./texts.ts";

interface DialogProps {
  title: string;
  /** Called when the user closes the dialog. */
  onClose(): void;
  children: ComponentChildren;
}

/** A modal dialog; it takes the focus, and gives it back when it closes. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    const unmounted = new AbortController();
    element?.addEventListener("close", () => onClose(), { signal: unmounted.signal });
    element?.showModal();
    return () => {
      unmounted.abort();
      // Before it is removed: a closed dialog gives the focus back, a removed one does not.
      element?.close();
    };
  }, []);
  return (
    // The keyboard has Escape.
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click beside the dialog closes it
    <dialog
      ref={dialog}
      aria-labelledby="dialog-title"
      onClick={({ target }) => target === dialog.current && dialog.current?.close()}
    >
      <div class="dialog">
        <header>
          <h2 id="dialog-title">{title}</h2>
          <IconButton icon="close" name={firstTexts.close} onClick={() => dialog.current?.close()} />
        </header>
        {children}
      </div>
    </dialog>
  );
}
