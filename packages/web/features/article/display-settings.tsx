// SPDX-License-Identifier: MIT

import { laterTexts } from "../../kit/later-texts.ts";
import { type Observable, useObservable } from "../../kit/observable.ts";
import type { Settings } from "../../kit/settings.ts";

const text = laterTexts.display;
const smallestFont = 14;
const largestFont = 30;

/** A size within the limits. */
export const resized = (settings: Settings, by: number): Settings => ({
  ...settings,
  fontSize: Math.min(largestFont, Math.max(smallestFont, settings.fontSize + by)),
});

/** How articles look, in a popover that a button opens with `popovertarget`. */
export function DisplaySettings({ id, settings }: { id: string; settings: Observable<Settings> }) {
  const shown = useObservable(settings);
  const resize = (by: number) => {
    settings.value = resized(settings.value, by);
  };
  return (
    <div id={id} popover="auto" role="dialog" aria-label={text.title} class="display popover">
      <div class="size">
        <button
          type="button"
          aria-label={text.smaller}
          disabled={shown.fontSize === smallestFont}
          onClick={() => resize(-1)}
        >
          <span class="small">A</span>
        </button>
        <output aria-label={text.size}>{shown.fontSize}</output>
        <button
          type="button"
          aria-label={text.larger}
          disabled={shown.fontSize === largestFont}
          onClick={() => resize(1)}
        >
          <span class="large">A</span>
        </button>
      </div>
      <Choice name="font" title={text.font} values={text.fonts} settings={settings} />
      <Choice class="wide-screen" name="width" title={text.width} values={text.widths} settings={settings} />
      <Choice name="theme" title={laterTexts.menu.theme} values={laterTexts.menu.themes} settings={settings} />
      <Choice name="spacing" title={text.spacing} values={text.spacings} settings={settings} />
      {(["isJustified", "images"] as const).map((name) => (
        <label class="check" key={name}>
          <input
            type="checkbox"
            checked={shown[name]}
            onChange={({ currentTarget }) => {
              settings.value = { ...settings.value, [name]: currentTarget.checked };
            }}
          />
          {name === "images" ? text.images : text.justified}
        </label>
      ))}
    </div>
  );
}

interface ChoiceProps {
  name: "font" | "width" | "spacing" | "theme";
  class?: string;
  title: string;
  /** The label of each value. */
  values: Record<string, string>;
  settings: Observable<Settings>;
}

/** One of a few values, as segments of a line. */
function Choice({ name, title, values, settings, class: extra = "" }: ChoiceProps) {
  const shown = useObservable(settings)[name];
  return (
    <fieldset class={`segments ${extra}`}>
      <legend>{title}</legend>
      {Object.entries(values).map(([value, label]) => (
        <label key={value} data-value={value}>
          <input
            type="radio"
            name={name}
            value={value}
            checked={shown === value}
            onChange={() => {
              settings.value = { ...settings.value, [name]: value };
            }}
          />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
