// SPDX-License-Identifier: MIT

import { laterTexts } from "./later-texts.ts";
import type { Observable } from "./observable.ts";
import type { Settings } from "./settings.ts";

/** Tags of the languages; build.ts defines them. */
declare const LANGUAGES: string[];

const text = laterTexts.menu;
const nameLanguage = (tag: string) => new Intl.DisplayNames(tag, { type: "language" }).of(tag) ?? tag;

/** The language of the reader. The reader reads all texts when it starts, so it restarts. */
export const LanguageChoice = ({ settings }: { settings: Observable<Settings> }) => (
  <label>
    {text.language}
    <select
      value={settings.value.language}
      onChange={({ currentTarget: { value } }) => {
        settings.value = { ...settings.value, language: value };
        location.reload();
      }}
    >
      <option value="">{text.languageAuto}</option>
      {LANGUAGES.map((tag) => (
        <option key={tag} value={tag} lang={tag}>
          {nameLanguage(tag)}
        </option>
      ))}
    </select>
  </label>
);
