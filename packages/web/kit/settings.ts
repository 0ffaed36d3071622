// SPDX-License-Identifier: MIT

import { store } from "./browser-storage.ts";
import { applyLook, type Look, settingsKey, storedSettings } from "./look.ts";
import { Observable } from "./observable.ts";
import type { Typeface } from "./typefaces.ts";

/** How this device shows lists and articles. */
export interface Settings extends Look {
  order: "newest" | "oldest" | "shortest" | "longest" | "lastRead" | "random";
  /** Size of an article's text in sixteenths of the browser's font size. */
  fontSize: number;
  /** Width of an article's column in em. */
  width: number;
  font: "serif" | "sans" | Typeface;
  spacing: "tight" | "normal" | "loose";
  isJustified: boolean;
  images: boolean;
  /** Keys of one character act. */
  shortcuts: boolean;
  /** The user's own keys of one character, by the default keys of their actions. */
  keys: Record<string, string>;
  /** The color of the latest highlight. */
  markColor: "yellow" | "red" | "green" | "blue" | "purple";
  /** The speed of reading aloud, and the URI of its voice, or empty. */
  speechRate: number;
  voice: string;
}

const defaults: Settings = {
  language: "",
  theme: "system",
  density: "comfortable",
  order: "newest",
  fontSize: 19,
  width: 34,
  font: "serif",
  spacing: "normal",
  isJustified: false,
  images: true,
  shortcuts: true,
  keys: {},
  markColor: "yellow",
  speechRate: 1,
  voice: "",
};

/** The settings in `localStorage`. */
export function openSettings(): Observable<Settings> {
  const settings = new Observable<Settings>(current());
  const show = (shown: Settings) => {
    applyLook(shown);
    showPageColor();
  };
  show(settings.value);
  settings.subscribe((changed) => {
    store(settingsKey, JSON.stringify(changed));
    show(changed);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showPageColor);
  return settings;
}

function current(): Settings {
  const settings: Settings = { ...defaults, ...storedSettings() };
  // Whatever an older version, or another program, has stored: a key that cannot be read must not stop all others.
  const keys = Object.entries(Object(settings.keys)).filter((entry): entry is [string, string] => isKey(entry[1]));
  return { ...settings, keys: Object.fromEntries(keys) };
}

const isKey = (value: unknown) => typeof value === "string" && value.length === 1;

/** Whether the user wants pictures; without them none is loaded. */
export const areImagesShown = (): boolean => current().images;

/** Whether keys of one character act, and which ones the user has chosen. */
export const keySettings = (): Pick<Settings, "shortcuts" | "keys"> => current();

/** Shows the color of the page in the browser's bars, as the style sheet has it. */
function showPageColor(): void {
  const { backgroundColor } = getComputedStyle(document.body);
  for (const meta of document.querySelectorAll<HTMLMetaElement>("meta[name=theme-color]"))
    meta.content = backgroundColor;
}
