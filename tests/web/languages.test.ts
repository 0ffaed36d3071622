// SPDX-License-Identifier: MIT

import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { errorCodes } from "@reading-list/core/errors.ts";
import { languages, readCatalogue } from "@reading-list/web/catalogues.ts";
import { findCatalogue } from "@reading-list/web/kit/look.ts";
import { describe, expect, test } from "vitest";
import { entriesOf, formsOf } from "./catalogues.ts";

const packages = path.join(import.meta.dirname, "../../packages");

/** The texts of the reader and the extension, and of the pages on which apps sign in. */
const readTexts = (language: string) =>
  entriesOf({
    ...readCatalogue(language),
    oauth: JSON.parse(readFileSync(path.join(packages, `protocols/readeck/oauth/locales/${language}.json`), "utf8")),
  });

const formsIn = (language: string) => readTexts(language).flatMap(([, message]) => Object.values(formsOf(message)));

const english = readTexts("en");

describe.each(languages)("the texts in %s", (language) => {
  const entries = readTexts(language);
  const messages = new Map(entries);

  test("are the same as in English", () => {
    expect(entries.map(([place]) => place).sort()).toEqual(english.map(([place]) => place).sort());
    expect(entries.flatMap(([, message]) => Object.values(formsOf(message))).every(Boolean)).toBe(true);
  });

  test("have the values of the English ones", () => {
    const valuesOf = (message: string | Record<string, string>) =>
      new Set(Object.values(formsOf(message)).flatMap((form) => form.match(/\{\w+\}/g) ?? []));
    for (const [place, message] of english)
      expect([place, valuesOf(messages.get(place) ?? "")]).toEqual([place, valuesOf(message)]);
  });

  test("have a form for each plural of the language", () => {
    const rules = new Intl.PluralRules(language);
    const needed = [...new Set(Array.from({ length: 201 }, (_, number) => rules.select(number)))].sort();
    for (const [place, message] of english) {
      const found = messages.get(place) ?? "";
      if (typeof message !== "string" || typeof found !== "string") {
        expect([place, Object.keys(formsOf(found)).sort()]).toEqual([place, needed]);
      }
    }
  });
});

/** Punctuation that a language does not have, or writes in another way. */
const faultsOf: Record<string, RegExp> = {
  ar: /[,;?]/,
  de: /„[^“]*$|[”«»]/,
  es: /^(?!.*¿).*\?|[“”]/,
  // A narrow no-break space (U+202F) stands before ; : ! ? » and after «. Filters such as `tag:` have none.
  fr: /[^\u202f][;!?»]|[^\u202fa-z]:|«(?!\u202f)|'/,
};

test.each(Object.entries(faultsOf))("the texts in %s have the punctuation of the language", (language, fault) => {
  expect(formsIn(language).filter((form) => fault.test(form))).toEqual([]);
});

test.each(languages.filter((language) => language !== "en"))("no text in %s is an English sentence", (language) => {
  const isSentence = (form: string) => (form.replaceAll(/\{\w+\}/g, "").match(/\p{L}+/gu) ?? []).length > 2;
  const sentences = new Set(formsIn("en").filter(isSentence));
  expect(formsIn(language).filter((form) => sentences.has(form))).toEqual([]);
});

test("each text is used", () => {
  const patterns = ["web/{data,features,kit,main}/**/*.{ts,tsx}", "extension/source/*.{ts,html,json}"];
  const files = globSync([...patterns, "protocols/readeck/oauth/*.ts"], { cwd: packages });
  const source = files.map((file) => readFileSync(path.join(packages, file), "utf8")).join("\n");
  const words = new Set([...(source.match(/[A-Za-z]+/g) ?? []), ...errorCodes]);
  // A text that is found by a computed name has its group in the source.
  const isUsed = (place: string) => {
    const [name = "", group = ""] = place.split(".").toReversed();
    return words.has(name) || new RegExp(`\\b${group}(\\[|\\)|;)`).test(source);
  };
  expect(english.filter(([place]) => !isUsed(place))).toEqual([]);
});

test.each([
  ["de", "de"],
  ["de-AT", "de"],
  ["zh-Hant-TW", "zh"],
  ["zh-Hant", "zh"],
  ["pt-BR", "pt-BR"],
  ["pt", undefined],
  ["x", undefined],
  ["", undefined],
])("a browser that prefers %j gets %s", (wanted, found) => {
  const catalogues = { de: "de", zh: "zh", "pt-BR": "pt-BR" };
  expect(findCatalogue(catalogues, wanted)).toBe(found);
});
