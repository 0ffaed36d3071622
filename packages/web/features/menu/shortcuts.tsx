// SPDX-License-Identifier: MIT

import { useState } from "preact/hooks";
import { useReader } from "../../data/reader.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { laterTexts } from "../../kit/later-texts.ts";
import { useObservable } from "../../kit/observable.ts";
import { formatRoute } from "../../kit/router.ts";
import { say } from "../../kit/texts.ts";

const text = laterTexts.shortcuts;
/** All shortcuts with their default keys. The user can give those of one character other keys. */
const shortcuts = [
  ["j", "next"],
  ["k", "previous"],
  ["J", "selectNext"],
  ["K", "selectPrevious"],
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
  ["o", "order"],
  ["s", "sync"],
  ["m", "marks"],
  ["n", "nextPage"],
  ["[", "previousParagraph"],
  ["]", "nextParagraph"],
  ["h", "mark"],
  ["1", "yellow"],
  ["2", "red"],
  ["3", "green"],
  ["4", "blue"],
  ["5", "purple"],
  ["+", "larger"],
  ["-", "smaller"],
  ["Esc", "back"],
  ["?", "help"],
] as const;

type OwnKeys = Record<string, string>;

/** The key of an action; empty if another action has its default key. */
const findKey = (action: string, own: OwnKeys) => own[action] ?? (Object.values(own).includes(action) ? "" : action);

function SingleKeys() {
  const { settings } = useReader();
  const { shortcuts: isOn } = useObservable(settings);
  return (
    <>
      <label class="check">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ currentTarget: { checked } }) => {
            settings.value = { ...settings.value, shortcuts: checked };
          }}
        />
        {text.single}
      </label>
      <p class="hint">{text.singleHint}</p>
    </>
  );
}

/** The settings of the keyboard: whether single keys act, and a field for the key of each action. */
export function KeyboardSettings() {
  const { settings, notices } = useReader();
  const { keys } = useObservable(settings);
  const [fault, setFault] = useState<{ action: string; text: string }>();
  const change = (to: OwnKeys) => {
    settings.value = { ...settings.value, keys: to };
    setFault(undefined);
  };
  /** Gives an action the key that was typed last into its field. */
  function give(action: string, typed: string) {
    const key = [...typed].at(-1);
    if (key === undefined || key === findKey(action, keys)) return setFault(undefined);
    const taken = shortcuts.find(([other]) => other !== action && findKey(other, keys) === key);
    if (taken) return setFault({ action, text: say(text.taken, { key, action: text.keys[taken[1]] }) });
    if (key.length > 1 || /[\s\p{C}]/u.test(key)) return setFault({ action, text: text.noKey });
    const { [action]: _, ...others } = keys;
    change(key === action ? others : { ...others, [action]: key });
  }
  function reset() {
    change({});
    notices.done(text.isReset, async () => change(keys));
  }
  return (
    <>
      <SingleKeys />
      <p class="hint">{text.ownHint}</p>
      <ul class="shortcuts">
        {shortcuts
          .filter(([action]) => action.length === 1)
          .map(([action, name]) => (
            <li key={action}>
              <label>
                <input
                  value={findKey(action, keys)}
                  maxLength={4}
                  autocomplete="off"
                  autocapitalize="off"
                  spellcheck={false}
                  aria-invalid={fault?.action === action}
                  aria-describedby={fault?.action === action ? "key-fault" : undefined}
                  onFocus={({ currentTarget }) => currentTarget.select()}
                  onInput={({ currentTarget, isComposing }) => {
                    if (isComposing) return;
                    give(action, currentTarget.value);
                    currentTarget.value = findKey(action, settings.value.keys);
                    currentTarget.select();
                  }}
                />
                <span>{text.keys[name]}</span>
              </label>
              {fault?.action === action && (
                <p id="key-fault" class="error" role="alert">
                  {fault.text}
                </p>
              )}
            </li>
          ))}
      </ul>
      <button type="button" onClick={reset}>
        {text.reset}
      </button>
    </>
  );
}

/** All shortcuts with the keys that they have now. */
export function ShortcutsDialog({ onClose }: { onClose(): void }) {
  const { settings, route } = useReader();
  const { keys } = useObservable(settings);
  return (
    <Dialog title={text.title} onClose={onClose}>
      <SingleKeys />
      <p>
        <a href={formatRoute({ view: route.value.view, page: "settings", section: "keyboard" })} onClick={onClose}>
          {text.change}
        </a>
      </p>
      <dl class="shortcuts">
        {shortcuts.map(([action, name]) => {
          const key = findKey(action, keys);
          return (
            <div key={action}>
              <dt>{key && <kbd>{key}</kbd>}</dt>
              <dd>{text.keys[name]}</dd>
            </div>
          );
        })}
      </dl>
    </Dialog>
  );
}
