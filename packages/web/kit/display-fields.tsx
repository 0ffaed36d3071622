// SPDX-License-Identifier: MIT

import { laterTexts } from "./later-texts.ts";
import { type Observable, useObservable } from "./observable.ts";
import { Segments } from "./segments.tsx";
import type { Settings } from "./settings.ts";
import { typefaces } from "./typefaces.ts";

const text = laterTexts.display;
const smallestFont = 14;
const largestFont = 30;

/** A size within the limits. */
export const resized = (settings: Settings, by: number): Settings => ({
  ...settings,
  fontSize: Math.min(largestFont, Math.max(smallestFont, settings.fontSize + by)),
});

/** Widths of the column in em. */
export const narrowest = 22;
export const widest = 60;

/** The width of the column in em. An earlier version has stored the names of three. */
export const readWidth = ({ width }: { width: unknown }): number =>
  Number(width) || { narrow: 28, wide: 44 }[String(width)] || 34;

/** How articles look. */
export function DisplayFields({ settings }: { settings: Observable<Settings> }) {
  const shown = useObservable(settings);
  const resize = (by: number) => {
    settings.value = resized(settings.value, by);
  };
  return (
    <>
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
      <label class="typeface">
        {text.font}
        <select
          value={shown.font}
          onChange={({ currentTarget }) => {
            settings.value = { ...settings.value, font: currentTarget.value as Settings["font"] };
          }}
        >
          {Object.entries(text.fonts).map(([font, name]) => (
            <option key={font} value={font}>
              {name}
            </option>
          ))}
          {Object.entries(typefaces).map(([font, { name }]) => (
            <option key={font} value={font} lang="en">
              {name}
            </option>
          ))}
        </select>
      </label>
      <label class="wide-screen width">
        {text.width}
        <input
          type="range"
          min={narrowest}
          max={widest}
          value={readWidth(shown)}
          onInput={({ currentTarget }) => {
            settings.value = { ...settings.value, width: Number(currentTarget.value) };
          }}
        />
      </label>
      <Segments name="spacing" title={text.spacing} values={text.spacings} settings={settings} />
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
    </>
  );
}
