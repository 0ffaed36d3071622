// SPDX-License-Identifier: MIT

import type { ComponentChildren } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { tabTitle, useDocumentTitle } from "./document-title.ts";
import { IconButton } from "./icons.tsx";
import { useShortcuts } from "./shortcuts.ts";
import { firstTexts } from "./texts.ts";

interface ScreenProps {
  title: string;
  /** Returns to the list. */
  onClose(): void;
  children?: ComponentChildren;
}

/** The bar of a page instead of the list: "Back", the title, and the tools of the page. */
export function TopBar({ title, onClose, children }: ScreenProps) {
  useDocumentTitle(tabTitle(title));
  return (
    <nav class="top">
      <IconButton icon="back" name={firstTexts.list.back} onClick={onClose} />
      <h1>{title}</h1>
      {children}
    </nav>
  );
}

/** A page of sections instead of the list. */
export function Screen({ title, onClose, children }: ScreenProps) {
  useShortcuts({ Escape: onClose });
  useLayoutEffect(() => scrollTo(0, 0), []);
  return (
    <main class="account-page">
      <TopBar title={title} onClose={onClose} />
      <div class="screen">{children}</div>
    </main>
  );
}
