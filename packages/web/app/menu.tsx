import { useState } from "preact/hooks";
import type { Session } from "../account/session.ts";
import type { ExportFormat } from "../exchange/write-export.ts";
import { Dialog } from "./dialog.tsx";
import { english } from "./english.ts";
import { Icon } from "./icons.tsx";
import { useObservable } from "./observable.ts";
import { useReader } from "./reader.ts";
import type { Settings } from "./settings.ts";

const text = english.menu;
const exports = Object.entries(text.exports) as [ExportFormat, string][];
const themes = Object.entries(text.themes) as [Settings["theme"], string][];

/** Opens the dialog that saves the page on which it is clicked. In the reader itself the policy blocks it. */
const bookmarklet = (address: string) =>
  `javascript:open(${JSON.stringify(address)}+"?url="+encodeURIComponent(location.href)+"&title="+encodeURIComponent(document.title))`;

interface MenuProps {
  session: Session;
  onShortcuts(): void;
  onImport(file: File): void;
}

export function Menu({ session, onShortcuts, onImport }: MenuProps) {
  const { account, settings } = useReader();
  const { theme } = useObservable(settings);
  const [isOpen, setOpen] = useState(false);

  async function signOut() {
    const unsent = session.list.unsent.value;
    if (unsent > 0 && !confirm(english.account.reallySignOut(unsent))) return;
    setOpen(false);
    await account.signOut();
  }

  async function exportAs(format: ExportFormat) {
    const { downloadExport } = await import("../exchange/write-export.ts");
    await downloadExport(format, session.list.items.value ?? []);
  }

  return (
    <>
      <button type="button" class="plain" aria-label={text.title} title={text.title} onClick={() => setOpen(true)}>
        <Icon name="menu" />
      </button>
      {isOpen && (
        <Dialog title={text.title} onClose={() => setOpen(false)}>
          <p class="hint">{text.signedInAs(session.username)}</p>
          <fieldset class="choices">
            <legend>{text.theme}</legend>
            {themes.map(([value, name]) => (
              <label key={value} class="choice">
                <input
                  type="radio"
                  name="theme"
                  checked={theme === value}
                  onChange={() => {
                    settings.value = { ...settings.value, theme: value };
                  }}
                />
                {name}
              </label>
            ))}
          </fieldset>
          <label class="button">
            {text.import}
            <input
              type="file"
              class="hidden"
              onChange={({ currentTarget: { files } }) => {
                setOpen(false);
                if (files?.[0]) onImport(files[0]);
              }}
            />
          </label>
          <p class="hint">{text.importHint}</p>
          <fieldset class="choices">
            <legend>{text.export}</legend>
            {exports.map(([format, name]) => (
              <button key={format} type="button" onClick={() => exportAs(format)}>
                {name}
              </button>
            ))}
          </fieldset>
          <button
            type="button"
            onClick={() => {
              setOpen(false);
              onShortcuts();
            }}
          >
            {text.shortcuts}
          </button>
          <p class="hint with-mouse">{text.bookmarklet}</p>
          <p class="with-mouse">
            <a class="bookmarklet" href={bookmarklet(location.origin + location.pathname)}>
              {text.bookmarkletName}
            </a>
          </p>
          <button type="button" onClick={signOut}>
            {english.account.signOut}
          </button>
        </Dialog>
      )}
    </>
  );
}

export function ShortcutsDialog({ onClose }: { onClose(): void }) {
  return (
    <Dialog title={english.shortcuts.title} onClose={onClose}>
      <dl class="shortcuts">
        {english.shortcuts.keys.map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              {keys?.split("  ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
