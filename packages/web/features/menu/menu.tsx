// SPDX-License-Identifier: MIT

import { useState } from "preact/hooks";
import { useReader } from "../../data/reader.ts";
import type { Session } from "../../data/session.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { IconButton } from "../../kit/icons.tsx";
import { laterTexts } from "../../kit/later-texts.ts";
import type { Route } from "../../kit/router.ts";
import { firstTexts, say } from "../../kit/texts.ts";
import { SignOut } from "./sign-out.tsx";

const text = laterTexts.menu;

interface MenuProps {
  session: Session;
  onShortcuts(): void;
  /** Opens a page instead of the list. */
  onPage(page: Route["page"]): void;
}

/** The ways to everything that is not about the shown list. */
export function Menu({ session, onShortcuts, onPage }: MenuProps) {
  const { notices } = useReader();
  const [isOpen, setOpen] = useState(false);
  const { lastStep } = notices;
  const entries = [
    { name: lastStep && say(text.undo, { step: lastStep }), run: () => notices.undo() },
    { name: laterTexts.marks.open, run: () => onPage("marks") },
    { name: firstTexts.list.tags, run: () => onPage("tags") },
    { name: laterTexts.duplicates.title, run: () => onPage("duplicates") },
    { name: laterTexts.trash.open, run: () => onPage("trash") },
    { name: laterTexts.settings.title, run: () => onPage("settings") },
    { name: text.shortcuts, run: onShortcuts, class: "with-mouse" },
  ];
  return (
    <>
      <IconButton icon="menu" name={text.title} onClick={() => setOpen(true)} />
      {isOpen && (
        <Dialog title={text.title} onClose={() => setOpen(false)}>
          {entries.map(
            ({ name, run, ...button }) =>
              name && (
                <button
                  key={name}
                  type="button"
                  {...button}
                  onClick={() => {
                    setOpen(false);
                    void run();
                  }}
                >
                  {name}
                </button>
              ),
          )}
          <SignOut session={session} />
        </Dialog>
      )}
    </>
  );
}
