// SPDX-License-Identifier: MIT

import { useState } from "preact/hooks";
import { useReader } from "../../data/reader.ts";
import type { Session } from "../../data/session.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { ExportButtons } from "../../kit/export-buttons.tsx";
import { IconButton } from "../../kit/icons.tsx";
import { LanguageChoice } from "../../kit/language-choice.tsx";
import { type ExportFormat, laterTexts } from "../../kit/later-texts.ts";
import { useObservable } from "../../kit/observable.ts";
import type { Route } from "../../kit/router.ts";
import { say } from "../../kit/texts.ts";
import { Bookmarklet, ImportButton } from "./ways-in.tsx";

const text = laterTexts.menu;
const choices = [
  { name: "theme", title: text.theme, values: text.themes },
  { name: "density", title: text.density, values: text.densities },
] as const;

interface MenuProps {
  session: Session;
  onShortcuts(): void;
  onImport(file: File): void;
  onExport(format: ExportFormat): void;
  /** Opens a page in place of the list. */
  onPage(page: Route["page"]): void;
  /** Opens the account's dialog. */
  onManage(): void;
}

export function Menu({ session, onShortcuts, onImport, onExport, onPage, onManage }: MenuProps) {
  const { account, settings, notices } = useReader();
  const shown = useObservable(settings);
  const [isOpen, setOpen] = useState(false);

  async function signOut() {
    const unsent = session.list.unsent.value;
    if (unsent > 0 && !confirm(say(text.reallySignOut, { number: unsent }))) return;
    setOpen(false);
    await account.signOut();
  }

  function refreshTexts() {
    setOpen(false);
    notices.show(text.refreshing);
    void session.texts.refresh(session.list.items.value ?? []);
  }

  return (
    <>
      <IconButton icon="menu" name={text.title} onClick={() => setOpen(true)} />
      {isOpen && (
        <Dialog title={text.title} onClose={() => setOpen(false)}>
          <h3>{text.settings}</h3>
          {choices.map(({ name, title, values }) => (
            <fieldset class="choices" key={name}>
              <legend>{title}</legend>
              {Object.entries(values).map(([value, label]) => (
                <label key={value} class="choice">
                  <input
                    type="radio"
                    name={name}
                    checked={shown[name] === value}
                    onChange={() => {
                      settings.value = { ...settings.value, [name]: value };
                    }}
                  />
                  {label}
                </label>
              ))}
            </fieldset>
          ))}
          <LanguageChoice settings={settings} />
          <button
            type="button"
            class="with-mouse"
            onClick={() => {
              setOpen(false);
              onShortcuts();
            }}
          >
            {text.shortcuts}
          </button>
          <h3>{text.data}</h3>
          {notices.lastStep && (
            <button
              type="button"
              onClick={() => {
                setOpen(false);
                void notices.undo();
              }}
            >
              {say(text.undo, { step: notices.lastStep })}
            </button>
          )}
          {(["marks", "trash"] as const).map((page) => (
            <button
              key={page}
              type="button"
              onClick={() => {
                setOpen(false);
                onPage(page);
              }}
            >
              {laterTexts[page].open}
            </button>
          ))}
          <ImportButton
            onImport={(file) => {
              setOpen(false);
              onImport(file);
            }}
          />
          <p class="hint">
            {text.importHint} <span class="with-mouse">{text.dropHint}</span>
          </p>
          <ExportButtons onExport={onExport} />
          <button type="button" onClick={refreshTexts}>
            {text.refresh}
          </button>
          <p class="hint with-mouse">{text.bookmarklet}</p>
          <Bookmarklet />
          <h3>{text.account}</h3>
          <p class="hint">{say(text.signedInAs, { username: session.username })}</p>
          <button
            type="button"
            onClick={() => {
              setOpen(false);
              onManage();
            }}
          >
            {laterTexts.manage.open}
          </button>
          <button type="button" onClick={signOut}>
            {text.signOut}
          </button>
        </Dialog>
      )}
    </>
  );
}

export { FirstSteps } from "./first-steps.tsx";

const shortcuts = [
  ["j  k", "move"],
  ["Enter", "read"],
  ["v", "original"],
  ["e", "archive"],
  ["E", "archiveAndNext"],
  ["f", "star"],
  ["#", "delete"],
  ["r", "edit"],
  ["x", "select"],
  ["z", "undo"],
  ["/", "search"],
  ["a", "add"],
  ["1  2", "views"],
  ["o", "order"],
  ["s", "sync"],
  ["h", "mark"],
  ["1 - 5", "colors"],
  ["m", "marks"],
  ["n", "nextPage"],
  ["+  -", "size"],
  ["Esc", "back"],
  ["?", "help"],
] as const;

export function ShortcutsDialog({ onClose }: { onClose(): void }) {
  const { settings } = useReader();
  const shown = useObservable(settings);
  return (
    <Dialog title={laterTexts.shortcuts.title} onClose={onClose}>
      <label class="check">
        <input
          type="checkbox"
          checked={shown.shortcuts}
          onChange={({ currentTarget: { checked } }) => {
            settings.value = { ...settings.value, shortcuts: checked };
          }}
        />
        {laterTexts.shortcuts.single}
      </label>
      <p class="hint">{laterTexts.shortcuts.singleHint}</p>
      <dl class="shortcuts">
        {shortcuts.map(([keys, name]) => (
          <div key={keys}>
            <dt>
              {keys.split("  ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{laterTexts.shortcuts.keys[name]}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
