// SPDX-License-Identifier: MIT

import { type Observable, useObservable } from "./observable.ts";
import type { Settings } from "./settings.ts";

interface SegmentsProps {
  name: "spacing" | "theme" | "density";
  class?: string;
  title: string;
  /** The label of each value. */
  values: Record<string, string>;
  settings: Observable<Settings>;
}

/** One of a few values, as segments of a line. */
export function Segments({ name, title, values, settings, class: extra = "" }: SegmentsProps) {
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
