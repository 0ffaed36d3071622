// SPDX-License-Identifier: MIT

import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import type english from "./locales/en.json";

/** The texts of a language (docs/translating.md). */
export type Catalogue = typeof english;

const folder = path.join(import.meta.dirname, "locales");

/** The languages of the web reader and the extension, as BCP 47 tags. */
export const languages = globSync("*.json", { cwd: folder })
  .map((name) => path.basename(name, ".json"))
  .sort();

export const readCatalogue = (language: string): Catalogue =>
  JSON.parse(readFileSync(path.join(folder, `${language}.json`), "utf8"));
