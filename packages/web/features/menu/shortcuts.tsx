// SPDX-License-Identifier: MIT

import { useReader } from "../../data/reader.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { laterTexts } from "../../kit/later-texts.ts";
import { useObservable } from "../../kit/observable.ts";

const text = laterTexts.shortcuts;
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

/** All shortcuts, and whether single-key shortcuts are on. */
export function Shortcuts() {
  const { settings } = useReader();
  const shown = useObservable(settings);
  return (
    <>
      <label class="check">
        <input
          type="checkbox"
          checked={shown.shortcuts}
          onChange={({ currentTarget: { checked } }) => {
            settings.value = { ...settings.value, shortcuts: checked };
          }}
        />
        {text.single}
      </label>
      <p class="hint">{text.singleHint}</p>
      <dl class="shortcuts">
        {shortcuts.map(([keys, name]) => (
          <div key={keys}>
            <dt>
              {keys.split("  ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{text.keys[name]}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

export const ShortcutsDialog = ({ onClose }: { onClose(): void }) => (
  <Dialog title={text.title} onClose={onClose}>
    <Shortcuts />
  </Dialog>
);
