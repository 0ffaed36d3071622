import { english } from "../app/english.ts";
import { type Observable, useObservable } from "../app/observable.ts";
import type { Settings } from "../app/settings.ts";

const text = english.display;
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
    <div id={id} popover="auto" role="dialog" aria-label={text.title} class="display">
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
      <Choice name="width" title={text.width} values={text.widths} settings={settings} />
      <Choice name="theme" title={english.menu.theme} values={english.menu.themes} settings={settings} />
      <label class="check">
        <input
          type="checkbox"
          checked={shown.images}
          onChange={({ currentTarget }) => {
            settings.value = { ...settings.value, images: currentTarget.checked };
          }}
        />
        {text.images}
      </label>
    </div>
  );
}

interface ChoiceProps {
  name: "font" | "width" | "theme";
  title: string;
  /** The label of each value. */
  values: Record<string, string>;
  settings: Observable<Settings>;
}

/** One of a few values, as segments of a line. */
function Choice({ name, title, values, settings }: ChoiceProps) {
  const shown = useObservable(settings)[name];
  return (
    <fieldset class="segments">
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
