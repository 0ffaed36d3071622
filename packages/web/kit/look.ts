// SPDX-License-Identifier: MIT

import { readStoredJson } from "./browser-storage.ts";

export const settingsKey = "reading-list.settings";

/** The part of the settings that the style sheets of all pages read. */
export interface Look {
  theme: "system" | "light" | "sepia" | "dark" | "eink";
  density: "comfortable" | "compact";
}

export const storedSettings = () => readStoredJson<Partial<Look>>(settingsKey, {});

export function applyLook({ theme, density }: Partial<Look>): void {
  Object.assign(document.documentElement.dataset, { theme, density });
}
