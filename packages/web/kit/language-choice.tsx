// SPDX-License-Identifier: MIT

import type { Observable } from "./observable.ts";
import type { Settings } from "./settings.ts";
import { signInTexts } from "./sign-in-texts.ts";

/** Tags of the languages, with spaces between them; build.ts defines them. */
declare const LANGUAGES: string;

const text = signInTexts.menu;
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
      {LANGUAGES.split(" ").map((tag) => (
        <option key={tag} value={tag} lang={tag}>
          {nameLanguage(tag)}
        </option>
      ))}
    </select>
  </label>
);
