// SPDX-License-Identifier: MIT

import { store } from "./browser-storage.ts";
import { applyLook, type Look, settingsKey, storedSettings } from "./look.ts";
import { Observable } from "./observable.ts";

/** How this device shows lists and articles. */
export interface Settings extends Look {
  order: "newest" | "oldest" | "shortest" | "longest" | "random";
  /** Size of an article's text in sixteenths of the browser's font size. */
  fontSize: number;
  width: "narrow" | "medium" | "wide";
  font: "serif" | "sans";
  spacing: "tight" | "normal" | "loose";
  isJustified: boolean;
  images: boolean;
  /** Of the mark that was made last. */
  markColor: "yellow" | "red" | "green" | "blue" | "purple";
}

const defaults: Settings = {
  theme: "system",
  density: "comfortable",
  order: "newest",
  fontSize: 19,
  width: "medium",
  font: "serif",
  spacing: "normal",
  isJustified: false,
  images: true,
  markColor: "yellow",
};

/** The settings in `localStorage`. */
export function openSettings(): Observable<Settings> {
  const settings = new Observable<Settings>({ ...defaults, ...storedSettings() });
  applyLook(settings.value);
  settings.subscribe((changed) => {
    store(settingsKey, JSON.stringify(changed));
    applyLook(changed);
  });
  return settings;
}
