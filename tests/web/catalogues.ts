// SPDX-License-Identifier: MIT

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type english from "@reading-list/web/locales/en.json";

export type Catalogue = typeof english;

const folder = path.join(import.meta.dirname, "../../packages/web/locales");

/** The languages of the web reader and the extension, as BCP 47 tags. */
export const languages = readdirSync(folder).map((name) => path.basename(name, ".json"));

export const readCatalogue = (language: string): Catalogue =>
  JSON.parse(readFileSync(path.join(folder, `${language}.json`), "utf8"));

/** A text with its place, such as `later.trash.left`. One with plural forms is an object. */
export type Entry = [place: string, message: string | Record<string, string>];

export function entriesOf(catalogue: object): Entry[] {
  return Object.entries(catalogue).flatMap(([name, value]): Entry[] => {
    if (typeof value === "string" || "other" in value) return [[name, value]];
    return entriesOf(value).map(([place, message]) => [`${name}.${place}`, message]);
  });
}

export const formsOf = (message: Entry[1]): Record<string, string> =>
  typeof message === "string" ? { other: message } : message;
