// SPDX-License-Identifier: MIT

import type catalogue from "../locales/en.json";
import { signInTexts } from "./sign-in-texts.ts";
import { language, readTexts } from "./texts.ts";

/** The texts of the parts that are loaded after the first rendering, in the person's language. */
export const laterTexts: (typeof catalogue)["later"] = { ...(await readTexts("later")), ...signInTexts };

export const dates = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
export const times = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });

export type ExportFormat = keyof typeof laterTexts.menu.exports;
