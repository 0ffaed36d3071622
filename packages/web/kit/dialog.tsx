// SPDX-License-Identifier: MIT

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { IconButton } from "./icons.tsx";
import { firstTexts } from "./texts.ts";

interface ModalProps {
  /** Names the dialog, unless an element of it with the id `dialog-title` does. */
  label?: string;
  class?: string;
  /** A click anywhere closes the dialog, not only one beside it. */
  closesOnClick?: boolean;
  /** Called when the user closes the dialog. */
  onClose(): void;
  children(closeButton: ComponentChildren): ComponentChildren;
}

/** A modal dialog without a layout; it takes the focus, and gives it back when it closes. */
export function Modal({ label, class: name, closesOnClick = false, onClose, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const close = () => dialog.current?.close();
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
      class={name}
      aria-label={label}
      aria-labelledby={label === undefined ? "dialog-title" : undefined}
      onClick={({ target }) => (closesOnClick || target === dialog.current) && close()}
    >
      {children(<IconButton icon="close" name={firstTexts.close} onClick={close} />)}
    </dialog>
  );
}

interface DialogProps {
  title: string;
  /** Called when the user closes the dialog. */
  onClose(): void;
  children: ComponentChildren;
}

/** A modal dialog with a title. */
export const Dialog = ({ title, onClose, children }: DialogProps) => (
  <Modal onClose={onClose}>
    {(closeButton) => (
      <div class="dialog">
        <header>
          <h2 id="dialog-title">{title}</h2>
          {closeButton}
        </header>
        {children}
      </div>
    )}
  </Modal>
);
