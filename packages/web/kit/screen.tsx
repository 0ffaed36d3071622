// SPDX-License-Identifier: MIT

import type { ComponentChildren } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { IconButton } from "./icons.tsx";
import { useShortcuts } from "./shortcuts.ts";
import { firstTexts } from "./texts.ts";

interface ScreenProps {
  title: string;
  /** Returns to the list. */
  onClose(): void;
  children: ComponentChildren;
}

/** A page of sections instead of the list. */
export function Screen({ title, onClose, children }: ScreenProps) {
  useShortcuts({ Escape: onClose });
  useLayoutEffect(() => scrollTo(0, 0), []);
  return (
    <main class="account-page">
      <nav class="top">
        <IconButton icon="back" name={firstTexts.list.back} onClick={onClose} />
        <h1>{title}</h1>
      </nav>
      <div class="screen">{children}</div>
    </main>
  );
}
